//! Measures the client's robots cache: warm decisions per second, cold origins per second compared with plain reqwest, memory
//! per origin, and the cost of one page compared with plain requests.
//!
//! ```console
//! $ COMITY_DATA=… cargo run --release            # all four
//! $ COMITY_DATA=… cargo run --release -- warm    # or one: warm, cold, memory, page
//! $ cargo run --release -- page 4                # or one row of cold or page, counted from 0, for a profiler
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
