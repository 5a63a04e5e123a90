//! Shared parts of commands about URLs: the URLs, the exit code, suggestions, notices. Operations are in
//! `comity_answers`.

pub(crate) mod guess;
pub(crate) mod notices;
pub(crate) mod urls;

pub(crate) use self::notices::{Notices, print_notices};
pub(crate) use self::urls::Urls;
use crate::exit::Exit;

/// Returns the exit code of one decision.
pub(crate) fn exit_of(allowed: bool) -> Exit {
    if allowed { Exit::Success } else { Exit::Objection }
}
