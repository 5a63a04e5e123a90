//! Requests to sites during a job, through every step of the client.
//!
//! | file | content |
//! |---|---|
//! | `fetch.rs` | robots.txt of sites without an answer in the sources |
//! | `store.rs` | answers from a store of the client |

mod fetch;
pub(crate) mod store;

use comity::policy::Mode;
use comity_client::{Cause, Client};
use tokio::runtime::Handle;

pub(crate) use self::fetch::fetch_answers;
use crate::context::JobContext;
use crate::error::AuditError;

/// Returns the client of a job and its runtime.
pub(crate) fn client(context: &JobContext<'_>) -> Result<(Client, Handle), AuditError> {
    let (client, runtime) = context.client.clone().ok_or(AuditError::Offline)?;
    match client.mode() {
        Mode::Respect => Ok((client, runtime)),
        mode => Err(AuditError::Mode(mode)),
    }
}

/// Returns a cause in one line, with the setting that would have let the request pass.
pub(crate) fn in_words(cause: &Cause) -> String {
    match cause.remedy() {
        Some(remedy) => format!("{cause} ({remedy})"),
        None => cause.to_string(),
    }
}
