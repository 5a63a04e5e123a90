//! Reads the records of fetches, one JSON object in each line, and prints a summary: results, bytes, waits, and the rules
//! that refused URLs. `crawler` and `comity fetch --json` write such records.
//!
//! ```sh
//! cargo run -p comity-examples --bin records -- records.jsonl
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader};

use comity::DecisionRecord;
use serde::Deserialize;

/// The fields of a record that the summary needs. Their names are stable.
#[derive(Deserialize)]
struct Record {
    requested_url: String,
    outcome: String,
    status: Option<u16>,
    waited_seconds: f64,
    content: Option<Content>,
    hops: Vec<Hop>,
}

#[derive(Deserialize)]
struct Content {
    bytes: u64,
}

#[derive(Deserialize)]
struct Hop {
    decision: Option<DecisionRecord>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("usage: records FILE")?;
    let mut results: BTreeMap<String, u64> = BTreeMap::new();
    let (mut bytes, mut waited) = (0, 0.0);
    for line in BufReader::new(File::open(file)?).lines() {
        let record: Record = serde_json::from_str(&line?)?;
        let result = match record.status {
            Some(status) => format!("{} {status}", record.outcome),
            None => record.outcome,
        };
        *results.entry(result).or_default() += 1;
        bytes += record.content.map_or(0, |content| content.bytes);
        waited += record.waited_seconds;
        for decision in record.hops.iter().filter_map(|hop| hop.decision.as_ref()) {
            if decision.blocked {
                println!("refused: {}: {}", record.requested_url, decision.reason());
            }
        }
    }
    for (result, count) in results {
        println!("{result}: {count}");
    }
    println!("{bytes} bytes, {waited:.1} s of waiting");
    Ok(())
}
