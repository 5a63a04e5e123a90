//! The behavior of a store while its server does not answer.

use crate::setting::value;

comity::words! {
    /// Behavior while the server of a store does not answer. In a file: `stop`, `local_only`.
    #[derive(Default)]
    #[non_exhaustive]
    pub enum WhenDown as "behavior" {
        /// Every operation returns an error. This is the default: if several machines continued separately, a site
        /// would get the sum of their rates.
        #[default]
        Stop = "stop",
        /// This process continues with its local state. It sends its own requests for robots.txt and keeps its own
        /// pace. Its intervals are multiplied by the number of [processes](super::StoreOptions::processes) that share
        /// the server, so that the total rate stays within the pace.
        LocalOnly = "local_only",
    }
}

value::named!(WhenDown);
