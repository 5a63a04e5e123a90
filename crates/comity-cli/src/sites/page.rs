//! Fetches pages, sitemaps and other documents with the client, which obeys robots.txt and limits the request rate.

use comity_client::retrieval::Page;
use comity_client::{Client, FetchError, FetchOptions, Origin};
use url::Url;

use super::failure::SiteFailure;

/// Fetches a page with any status code. Reads at most `max_bytes` of the body.
pub(crate) async fn fetch(client: &Client, url: &str, max_bytes: usize) -> Result<Page, SiteFailure> {
    Ok(fetch_prefix(client, url, max_bytes).await?)
}

/// Requests a page to classify the server's answer, and reads only the first 64 KiB of the body.
pub(crate) async fn request_start(client: &Client, url: &str) -> Result<Page, FetchError> {
    const START: usize = 64 << 10;
    fetch_prefix(client, url, START).await
}

async fn fetch_prefix(client: &Client, url: &str, max_bytes: usize) -> Result<Page, FetchError> {
    client.fetch_with(url, &options(client, max_bytes)).await
}

fn options(client: &Client, max_bytes: usize) -> FetchOptions {
    let mut options = client.fetch_options().clone();
    options.max_bytes = max_bytes;
    options.content_types = Vec::new();
    // Commands parse the usage signals of a page themselves.
    options.reads_use = false;
    options
}

/// Fetches a page. An answer without a success status is an error.
pub(crate) async fn fetch_file(client: &Client, url: &str, max_bytes: usize) -> Result<Page, SiteFailure> {
    successful(fetch(client, url, max_bytes).await?)
}

/// Fetches a file that a document of `site` names. An answer without a success status is an error.
///
/// The user's header fields may contain a secret, so they are sent only if the file is on the same site.
pub(crate) async fn fetch_linked_file(
    client: &Client,
    url: &Url,
    max_bytes: usize,
    site: &Origin,
) -> Result<Page, SiteFailure> {
    let mut options = options(client, max_bytes);
    if Origin::of(url).as_ref() != Some(site) {
        options.headers.clear();
    }
    successful(client.fetch_with(url, &options).await?)
}

fn successful(page: Page) -> Result<Page, SiteFailure> {
    if page.status().is_success() {
        Ok(page)
    } else {
        Err(SiteFailure::plain(format!("`{}` answers {}", page.record().final_url, status(&page))))
    }
}

/// Formats a status as `404 (Not Found)`.
pub(crate) fn status(page: &Page) -> String {
    match page.status().canonical_reason() {
        Some(reason) => format!("{} ({reason})", page.status().as_u16()),
        None => page.status().as_u16().to_string(),
    }
}
