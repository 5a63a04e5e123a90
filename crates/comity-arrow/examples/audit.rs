//! Decides a small table of URLs. Prints whether each URL may be fetched, and the line of robots.txt that decides.
//!
//! ```sh
//! cargo run -p comity-arrow --example audit
//! ```

#![allow(clippy::print_stdout, reason = "a program")]

use std::error::Error;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{Array, RecordBatch, StringArray};
use comity::robots::Agent;
use comity_arrow::{Auditor, AuditorOptions, Output};

fn main() -> Result<(), Box<dyn Error>> {
    let robots = "User-agent: *\nDisallow: /private\n";
    let urls = ["https://example.com/", "https://example.com/private/page"];
    for line in audit(&urls, robots)? {
        println!("{line}");
    }
    Ok(())
}

/// Decides URLs of one site by its robots.txt. Returns one line for each URL.
pub fn audit(urls: &[&str], robots: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let batch = RecordBatch::try_from_iter([
        ("url", Arc::new(StringArray::from(urls.to_vec())) as Arc<dyn Array>),
        ("robots", Arc::new(StringArray::from(vec![robots; urls.len()]))),
    ])?;
    let options = AuditorOptions::new()
        .agent(Agent::unchecked_token("ExampleBot"))
        .outputs([Output::Allowed, "line".parse()?]);
    let decided = Auditor::new(options).decide(&batch)?;
    let column = |name: &str| decided.column_by_name(name).ok_or(format!("no column `{name}`"));
    let (allowed, lines) = (column("allowed")?.as_boolean(), column("line")?.as_primitive::<UInt32Type>());
    let row = |(index, url): (usize, &&str)| {
        let verdict = if allowed.value(index) { "allowed" } else { "disallowed" };
        let line = lines.is_valid(index).then(|| format!(" by line {}", lines.value(index)));
        format!("{url} {verdict}{}", line.unwrap_or_default())
    };
    Ok(urls.iter().enumerate().map(row).collect())
}
