//! Requests to sites during a job, through every step of the client.
//!
//! | file | holds |
//! |---|---|
//! | `ask.rs` | robots.txt of sites without an answer in the sources |
//! | `store.rs` | answers from a store of the client |
//! | `site.rs` | the audit of one site |
//! | `visit.rs` | the requests to one site, in order |
//! | `walk.rs` | its sitemaps |
//! | `pages.rs` | fetches of its pages |
//! | `rows.rs` | the pages in its sitemaps, as rows |

mod ask;
mod pages;
mod rows;
mod site;
pub(crate) mod store;
mod visit;
mod walk;

use comity::policy::Mode;
use comity_client::retrieval::Page;
use comity_client::{Cause, Client, FetchError};
use tokio::runtime::Handle;

pub(crate) use self::ask::ask;
pub use self::site::site;
use crate::context::JobContext;
use crate::error::AuditError;

/// Returns the client of a job and its runtime.
fn client(context: &JobContext<'_>) -> Result<(Client, Handle), AuditError> {
    let (client, runtime) = context.client.clone().ok_or(AuditError::Offline)?;
    match client.mode() {
        Mode::Respect => Ok((client, runtime)),
        mode => Err(AuditError::Mode(mode)),
    }
}

/// Fetches a page up to a size, whatever its status code.
async fn fetch(client: &Client, url: &str, max_bytes: usize) -> Result<Page, FetchError> {
    let mut options = client.fetch_options().clone();
    options.max_bytes = max_bytes;
    options.content_types = Vec::new();
    options.reads_use = false;
    client.fetch_with(url, &options).await
}

/// Returns a cause in one line, with the setting that would have let the request pass.
fn in_words(cause: &Cause) -> String {
    match cause.remedy() {
        Some(remedy) => format!("{cause} ({remedy})"),
        None => cause.to_string(),
    }
}
