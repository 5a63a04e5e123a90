//! Fetches pages, sitemaps and other documents with the client, which obeys robots.txt and limits the request rate.

use comity_client::retrieval::Page;
use comity_client::{Client, FetchError, FetchOptions, Origin};
use url::Url;

use super::failure::SiteFailure;

/// Maximum number of bytes to read if only the start of a body is of interest.
const START: usize = 64 << 10;

/// Fetches a page with any status code. Reads at most `max_bytes` of the body.
pub(crate) async fn fetch(client: &Client, url: &str, max_bytes: usize) -> Result<Page, SiteFailure> {
    Ok(fetch_prefix(client, url, max_bytes).await?)
}

/// Requests a page to classify the server's answer, and reads only the first 64 KiB of the body.
pub(crate) async fn request_start(client: &Client, url: &str) -> Result<Page, FetchError> {
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
    successful(client.fetch_with(url, &linked_options(client, url, max_bytes, Some(site))).await?)
}

/// Requests a page that a document of `site` names, with any status code. Reads only the first 64 KiB of the body. The
/// user's header fields are sent only to the same site.
pub(crate) async fn request_linked_start(
    client: &Client,
    url: &Url,
    site: Option<&Origin>,
) -> Result<Page, FetchError> {
    client.fetch_with(url, &linked_options(client, url, START, site)).await
}

fn linked_options(client: &Client, url: &Url, max_bytes: usize, site: Option<&Origin>) -> FetchOptions {
    let mut options = options(client, max_bytes);
    if site.is_none() || Origin::of(url).as_ref() != site {
        options.headers.clear();
    }
    options
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
