//! Measures a table of many origins: `cargo run --release --bin origins [-- MAX_ORIGINS [THREADS]]` in
//! `benchmarks/arrow`.
//!
//! Each origin has one answer and one page. The table of answers has bodies, and optionally the columns `status` and
//! `fetched_at`. Either there are a thousand different bodies, as at hosting services, or all bodies differ. `table` is
//! the time to build the table. `first` is the time to decide all pages with a new auditor, in batches of 65,536 rows.
//! The figures are CPU time of one run. With several threads, each thread decides a part of the pages with its own
//! auditor, and `first` is wall time.

use std::env;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{ArrayRef, Int16Array, RecordBatch, StringArray, TimestampSecondArray};
use comity::robots::Agent;
use comity_arrow::{Auditor, AuditorOptions, BatchError, Columns, RobotsTable};
use cpu_time::ThreadTime;

type Error = Box<dyn std::error::Error>;

const BATCH: usize = 65_536;
const BODIES: usize = 1000;
/// Approximate time of the answers.
const SECONDS: i64 = 1_700_000_000;

fn main() -> Result<(), Error> {
    let most: usize = env::args().nth(1).map_or(Ok(1_000_000), |text| text.parse())?;
    let threads: usize = env::args().nth(2).map_or(Ok(1), |text| text.parse())?;
    println!("| origins | bodies | status, fetched_at | table, s | first, s | M rows/s, first | both |");
    println!("|---:|---|---|---:|---:|---:|---:|");
    for bodies in ["one of a thousand", "all different"] {
        for has_answers in [false, true] {
            for count in [16_000, 64_000, 250_000, 1_000_000].into_iter().filter(|count| *count <= most) {
                let (table, first) = measure(count, bodies == "all different", has_answers, threads)?;
                let speed = |time: Duration| count as f64 / time.as_secs_f64() / 1e6;
                println!(
                    "| {count} | {bodies} | {} | {:.3} | {:.3} | {:.2} | {:.2} |",
                    if has_answers { "with" } else { "without" },
                    table.as_secs_f64(),
                    first.as_secs_f64(),
                    speed(first),
                    speed(table + first),
                );
            }
        }
    }
    Ok(())
}

/// Returns the time to build the table, and the time to decide a page of each origin.
fn measure(
    count: usize,
    are_different: bool,
    has_answers: bool,
    threads: usize,
) -> Result<(Duration, Duration), Error> {
    let keys = (0..count).map(|number| format!("https://site-{number}.example"));
    let mut columns: Vec<(&str, ArrayRef)> = vec![
        ("key", Arc::new(StringArray::from_iter_values(keys))),
        (
            "body",
            Arc::new(StringArray::from_iter_values((0..count).map(|number| body(number, are_different)))),
        ),
    ];
    if has_answers {
        let status = (0..count).map(|number| if number % 50 == 0 { 503 } else { 200 });
        columns.push(("status", Arc::new(Int16Array::from_iter_values(status))));
        let times = (0..count).map(|number| SECONDS + number as i64 % 86_400);
        columns.push(("fetched_at", Arc::new(TimestampSecondArray::from_iter_values(times))));
    }
    let answers = RecordBatch::try_from_iter(columns)?;
    let batches: Vec<RecordBatch> = (0..count)
        .collect::<Vec<_>>()
        .chunks(BATCH)
        .map(|rows| {
            let urls = rows.iter().map(|number| format!("https://site-{number}.example/private/{number}"));
            let seen = rows.iter().map(|number| SECONDS + 86_400 + *number as i64 % 3600);
            let columns: [(&str, ArrayRef); 2] = [
                ("url", Arc::new(StringArray::from_iter_values(urls))),
                ("seen_at", Arc::new(TimestampSecondArray::from_iter_values(seen))),
            ];
            RecordBatch::try_from_iter(columns)
        })
        .collect::<Result<_, _>>()?;
    let start = ThreadTime::now();
    let table = Arc::new(RobotsTable::new([answers], Columns::new())?);
    let built = start.elapsed();
    let auditor =
        || Auditor::with_table(AuditorOptions::new().agent(Agent::unchecked_token("examplebot")), table.clone());
    let decide = |mut auditor: Auditor, batches: &[RecordBatch]| {
        for batch in batches {
            std::hint::black_box(auditor.decide(batch)?);
        }
        Ok::<(), BatchError>(())
    };
    if threads < 2 {
        let start = ThreadTime::now();
        decide(auditor(), &batches)?;
        return Ok((built, start.elapsed()));
    }
    let start = Instant::now();
    std::thread::scope(|scope| {
        let parts = batches.chunks(batches.len().div_ceil(threads));
        let parts: Vec<_> = parts.map(|part| scope.spawn(|| decide(auditor(), part))).collect();
        parts.into_iter().try_for_each(|part| part.join().expect("a thread that ends"))
    })?;
    Ok((built, start.elapsed()))
}

/// Returns a robots.txt of a few lines.
fn body(number: usize, is_different: bool) -> String {
    let number = if is_different { number } else { number % BODIES };
    format!(
        "User-agent: *\nDisallow: /private/{}\nDisallow: /search\nAllow: /\nCrawl-delay: 2\n",
        number % 10_000
    ) + &format!("Sitemap: https://static.example/{number}.xml\n")
}
