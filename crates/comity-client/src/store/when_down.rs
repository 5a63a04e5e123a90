//! The choice for the time in which the server of a store does not answer.

use crate::setting::value;

comity::words! {
    /// What is done while the server of a store does not answer. In a file: `stop`, `local_only`.
    #[derive(Default)]
    #[non_exhaustive]
    pub enum WhenDown {
        /// Every operation is an error. The default: what machines do by themselves, they do in addition to each other.
        #[default]
        Stop = "stop",
        /// This process goes on by itself, with what it knows. It makes its own robots.txt requests and keeps its own pace:
        /// its intervals are longer by a factor, how many [processes](super::StoreOptions::processes) share the server.
        LocalOnly = "local_only",
    }
}

value::named!(WhenDown);
