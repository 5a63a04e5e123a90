//! A polite crawler. It fetches the given URLs and follows links to other pages of their sites.
//!
//! ```sh
//! cargo run --example crawler -- https://example.com/
//! cargo run --example crawler -- --local http://127.0.0.1:8000/     # a site on this machine
//! ```
//!
//! The robots.txt of each site is requested once. Each site has its own pace. The pages of a depth are fetched before
//! their links are followed.

#![allow(clippy::print_stdout, reason = "a program")]

use std::collections::HashSet;
use std::error::Error;

use comity_client::guard::GuardOptions;
use comity_client::settings::Settings;
use comity_client::{Client, Origin, Page};
use url::Url;

/// Number of known URLs at which no further link is followed.
const MOST_PAGES: usize = 50;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (flags, urls): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|arg| arg == "--local");
    let mut settings = Settings::default();
    settings.agent.token = "ExampleBot".to_owned();
    settings.agent.contact = Some("https://example.com/bot".to_owned());
    if !flags.is_empty() {
        settings.guard = GuardOptions::default().allow_address(vec!["127.0.0.0/8".parse()?]);
    }
    for line in crawl(settings, urls).await? {
        println!("{line}");
    }
    Ok(())
}

/// Fetches the URLs and the linked pages of their sites. Returns a line of text for each page.
pub async fn crawl(settings: Settings, urls: Vec<String>) -> Result<Vec<String>, Box<dyn Error>> {
    let client = Client::with_settings(settings).build()?;
    let origin_of = |url: &str| Url::parse(url).ok().as_ref().and_then(Origin::of);
    let sites: HashSet<Origin> = urls.iter().filter_map(|url| origin_of(url)).collect();
    let mut known: HashSet<String> = urls.iter().cloned().collect();
    let (mut next, mut lines) = (urls, Vec::new());
    while !next.is_empty() {
        let mut crawl = client.fetch_many(std::mem::take(&mut next), client.crawl_options().clone());
        while let Some(fetched) = crawl.next().await {
            let url = fetched.url().to_owned();
            match fetched.result {
                Ok(page) => {
                    lines.push(format!("{} {url}", page.status().as_u16()));
                    for link in links(&page) {
                        let is_ours = origin_of(&link).is_some_and(|origin| sites.contains(&origin));
                        if is_ours && known.len() < MOST_PAGES && known.insert(link.clone()) {
                            next.push(link);
                        }
                    }
                }
                // For a page that robots.txt disallows, the error contains the rule.
                Err(error) => lines.push(format!("--- {url} {error}")),
            }
        }
    }
    Ok(lines)
}

/// Returns the links of a page, absolute and without fragments.
fn links(page: &Page) -> Vec<String> {
    let (Some(facts), Some(url)) = (page.facts(), page.url()) else { return Vec::new() };
    facts.anchor_urls(&url).map(String::from).collect()
}
