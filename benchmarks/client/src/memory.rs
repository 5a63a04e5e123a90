//! Memory per origin in the robots cache.

use std::error::Error;

use bytes::Bytes;

use crate::{heap, warm};

pub(crate) fn run(bodies: &[Bytes]) -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let files = warm::Files(bodies.to_vec());
    heap::start_counting();
    let client = warm::client(files)?;
    runtime.block_on(warm::warm(&client, bodies.len()))?;
    let held = heap::held();
    let (origins, counted) = client.robots().held();
    let total: usize = bodies.iter().map(Bytes::len).sum();
    println!("## Memory per origin\n");
    println!("{origins} origins, {} bytes of robots.txt each on average", total / bodies.len().max(1));
    println!("{} bytes each on the heap, including the tables of the cache", held / origins.max(1) as isize);
    println!("{} bytes each as the cache counts them for its limit\n", counted / origins.max(1) as u64);
    Ok(())
}
