//! Measures the client: decisions per second for cached origins (warm), requested origins per second compared with
//! reqwest (cold), memory per origin, and the cost of a page compared with reqwest and hyper.
//!
//! ```console
//! $ COMITY_DATA=… cargo run --release            # all four measurements
//! $ COMITY_DATA=… cargo run --release -- warm    # one measurement: warm, cold, memory or page
//! $ cargo run --release -- page 4                # one row of cold or page, counted from 0, for a profiler
//! ```

mod cold;
mod corpus;
#[path = "../../src/heap.rs"]
mod heap;
mod memory;
mod page;
mod server;
mod warm;

use std::env;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let wanted: Vec<String> = env::args().skip(1).collect();
    // The servers run in another process, so that their CPU time is not counted.
    if wanted.first().map(String::as_str) == Some("serve") {
        return cold::serve();
    }
    if wanted.first().map(String::as_str) == Some("serve-page") {
        return page::serve();
    }
    let rows: Vec<usize> = wanted.iter().filter_map(|word| word.parse().ok()).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|other| other == name);
    if is_wanted("page") {
        page::run(&rows)?;
    }
    let bodies = corpus::load()?;
    if is_wanted("memory") {
        memory::run(&bodies)?;
    }
    if is_wanted("warm") {
        warm::run(&bodies)?;
    }
    if is_wanted("cold") {
        cold::run(&bodies, &rows)?;
    }
    Ok(())
}
