//! `--resume`: what a report says was fetched.

use std::collections::HashSet;
use std::path::Path;

use serde::Deserialize;

use crate::exit::Failure;
use crate::input::{Line, Source};

/// The part of a record that matters here.
#[derive(Deserialize)]
struct Row {
    requested_url: String,
    outcome: String,
}

/// Returns the URLs whose pages were fetched. A report that is not there yet says nothing. A last line that was cut off, as
/// by a full disk, is passed over.
pub(super) fn fetched(report: &Path) -> Result<HashSet<String>, Failure> {
    let mut urls = HashSet::new();
    if !report.exists() {
        return Ok(urls);
    }
    let (mut lines, mut line) = (Source::new(report).lines()?, Vec::new());
    let mut broken: Option<String> = None;
    loop {
        let text = match lines.next(&mut line)? {
            Line::End => return Ok(urls),
            Line::Text if line.is_empty() => continue,
            // A record may hold a whole page; such lines are longer than is read here.
            Line::TooLong => continue,
            Line::Text => &line,
        };
        if let Some(place) = broken {
            return Err(Failure::new(format!("{place}: this is not a record of a fetch"))
                .hint("name the file that --report wrote"));
        }
        match serde_json::from_slice::<Row>(text) {
            Ok(row) if row.outcome == "fetched" => drop(urls.insert(row.requested_url)),
            Ok(_) => {}
            Err(_) => broken = Some(lines.place()),
        }
    }
}
