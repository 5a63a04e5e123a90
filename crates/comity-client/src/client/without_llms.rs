//! Replaces `alternatives.rs` without the feature `llms`: the requested form of a page is fetched.

use crate::client::{Client, FetchError};
use crate::job::Job;
use crate::options::FetchOptions;
use crate::retrieval::{Page, Selection};

impl Client {
    /// Fetches a page as part of a job.
    pub(crate) async fn select_and_fetch(
        &self,
        url: &str,
        fetch: &FetchOptions,
        job: &Job,
    ) -> Result<Page, FetchError> {
        self.fetch_as(url, fetch, Selection::direct(), job).await
    }
}
