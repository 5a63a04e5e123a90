//! Crawls one site politely: follows its links to depth 2, writes the record of each fetch as a line of JSON to standard
//! output, and a report to standard error.
//!
//! ```sh
//! cargo run -p comity-examples --bin crawler -- https://example.com/ > records.jsonl
//! ```
//!
//! Without a URL, it crawls a small site that it serves on loopback.

use std::collections::{BTreeMap, HashSet};
use std::error::Error;

use comity_client::url::Url;
use comity_client::{Client, CrawlOptions, Origin};

const MAX_DEPTH: usize = 2;
const MAX_PAGES: usize = 10_000;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let builder = Client::builder("ExampleBot").contact("https://example.com/bot");
    let (start, builder) = match std::env::args().nth(1) {
        Some(url) => (url, builder),
        None => comity_examples::local_site(builder).await?,
    };
    let client = builder.build()?;
    let start: Url = start.parse()?;
    let site = Origin::of(&start).ok_or("the URL is neither http nor https")?;

    let mut known = HashSet::from([start.clone()]);
    let mut results: BTreeMap<String, u64> = BTreeMap::new();
    let mut level = vec![start];
    for depth in 0..=MAX_DEPTH {
        let mut links = Vec::new();
        let mut crawl = client.fetch_many(level, CrawlOptions::default());
        while let Some(fetched) = crawl.next().await {
            let record = fetched.record();
            println!("{}", serde_json::to_string(record)?);
            let result = match record.status {
                Some(status) => format!("status {status}"),
                None => record.outcome.to_string(),
            };
            *results.entry(result).or_default() += 1;

            let Ok(page) = &fetched.result else { continue };
            let (Some(facts), Some(url)) = (page.facts(), page.url()) else { continue };
            for link in facts.anchor_urls(&url) {
                let is_new = Origin::of(&link).as_ref() == Some(&site) && known.len() < MAX_PAGES;
                if depth < MAX_DEPTH && is_new && known.insert(link.clone()) {
                    links.push(link);
                }
            }
        }
        level = links;
    }

    eprintln!("{site}: {} URLs", known.len());
    for (result, urls) in results {
        eprintln!("  {result}: {urls}");
    }
    Ok(())
}
