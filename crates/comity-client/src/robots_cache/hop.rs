//! One hop of a request for robots.txt.

use std::time::SystemTime;

use comity::policy::Reply;
use url::Url;

use super::answer::KeptAnswer;

/// The result of one hop of a request for robots.txt.
#[derive(Clone, Debug)]
pub(super) enum RobotsHop {
    /// A redirect.
    Redirect { to: Url, at: SystemTime },
    /// An answer or a failure.
    Answer(KeptAnswer),
}

impl RobotsHop {
    /// Returns the time of the redirect, answer or failure.
    pub(super) fn at(&self) -> SystemTime {
        match self {
            RobotsHop::Redirect { at, .. } => *at,
            RobotsHop::Answer(answer) => answer.at,
        }
    }

    /// Returns true if the hop failed: the server did not answer, or answered with status 429 or 500 and above.
    pub(super) fn is_failure(&self) -> bool {
        match self {
            RobotsHop::Redirect { .. } => false,
            RobotsHop::Answer(answer) => match answer.reply {
                Reply::Status(code) => code >= 500 || code == 429,
                _ => true,
            },
        }
    }
}
