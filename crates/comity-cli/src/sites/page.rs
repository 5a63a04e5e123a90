//! Fetches pages, sitemaps and everything else with a URL through every step of the client.

use comity_client::retrieval::Page;
use comity_client::{Client, FetchError};

use super::trouble::Trouble;

/// Fetches a page up to a size, whatever its status code.
pub(crate) async fn fetch(client: &Client, url: &str, max_bytes: usize) -> Result<Page, Trouble> {
    Ok(ask(client, url, max_bytes).await?)
}

/// Requests a page to see the server's answer, and reads no more of the page than that needs.
pub(crate) async fn look(client: &Client, url: &str) -> Result<Page, FetchError> {
    const START: usize = 64 << 10;
    ask(client, url, START).await
}

async fn ask(client: &Client, url: &str, max_bytes: usize) -> Result<Page, FetchError> {
    let mut options = client.fetch_options().clone();
    options.max_bytes = max_bytes;
    options.content_types = Vec::new();
    // The commands read the usage signals themselves.
    options.reads_use = false;
    client.fetch_with(url, &options).await
}

/// Fetches a page, if the answer has a success status.
pub(crate) async fn fetch_file(client: &Client, url: &str, max_bytes: usize) -> Result<Page, Trouble> {
    let page = fetch(client, url, max_bytes).await?;
    if page.status().is_success() {
        Ok(page)
    } else {
        Err(Trouble::plain(format!("`{}` answers {}", page.record().final_url, status(&page))))
    }
}

/// `404 (Not Found)`.
pub(crate) fn status(page: &Page) -> String {
    match page.status().canonical_reason() {
        Some(reason) => format!("{} ({reason})", page.status().as_u16()),
        None => page.status().as_u16().to_string(),
    }
}
