//! How many verdicts a second one core gives: `cargo run --release -p comity-audit --example speed -- FOLDER`.
//!
//! FOLDER holds robots.txt files. Each gets 100 URLs, made from its own rules and from plain paths. Rows come sorted by
//! origin and shuffled, with the bodies as a dictionary, as views, as plain binary and in a table by origin.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, reason = "a program that measures")]

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, BinaryViewArray, DictionaryArray, Int32Array, RecordBatch, StringArray,
};
use comity::robots::{Agent, RobotsTxt};
use comity_audit::{Auditor, Columns, Options, Output, RobotsTable};
use testkit::generate::Generator;

/// The seconds that this thread has had a core for: others on the machine do not count.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    text.split(' ').next().and_then(|nanoseconds| nanoseconds.parse().ok()).map_or(0.0, |n: f64| n / 1e9)
}

const PER_FILE: usize = 100;
const BATCH: usize = 65_536;

fn main() {
    let folder = std::env::args().nth(1).expect("name a folder of robots.txt files");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let bodies: Vec<Vec<u8>> = paths.iter().map(|path| std::fs::read(path).unwrap()).collect();
    let small = bodies.iter().filter(|body| body.len() < 2_000).count();
    println!("{} files, {} under 2,000 octets, {PER_FILE} URLs each", bodies.len(), small);

    let mut generator = Generator::new(7);
    let mut rows: Vec<(usize, String)> = Vec::new();
    for (file, body) in bodies.iter().enumerate() {
        for _ in 0..PER_FILE {
            let url = generator.question_for(body).1;
            let path = url
                .find("://")
                .map_or(&*url, |at| url[at + 3..].find('/').map_or("/", |path| &url[at + 3 + path..]));
            let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
            rows.push((file, format!("https://site-{file}.example{path}")));
        }
    }
    let sorted = rows.clone();
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    for at in (1..rows.len()).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        rows.swap(at, (state % (at as u64 + 1)) as usize);
    }
    let keys: ArrayRef = Arc::new(StringArray::from_iter_values(
        (0..bodies.len()).map(|file| format!("https://site-{file}.example")),
    ));
    let values = || Arc::new(BinaryArray::from_iter_values(&bodies));
    let table = RecordBatch::try_from_iter([("key", keys), ("body", values() as ArrayRef)]).unwrap();
    let table = Arc::new(RobotsTable::new([table], Columns::new()).unwrap());
    let shared = values();
    let views = BinaryViewArray::from_iter_values(&bodies);

    let rules: Vec<_> =
        bodies.iter().map(|body| RobotsTxt::parse(body).rules_for(&Agent::token("examplebot"))).collect();
    for (order, rows) in [("sorted", &sorted), ("shuffled", &rows)] {
        for what in ["decide", "decide, rule, line"] {
            let start = cpu_seconds();
            let mut found = 0;
            for (file, url) in rows {
                let decision = rules[*file].decide(url);
                let rule = decision.as_ref().ok().and_then(|decision| decision.rule());
                found += match what {
                    "decide" => usize::from(rule.is_some()),
                    _ => rule.map_or(0, |rule| rule.line() as usize),
                };
            }
            let speed = rows.len() as f64 / (cpu_seconds() - start) / 1e6;
            println!("{order:8} {:10} {what:26} {speed:5.2} M/s ({found})", "no Arrow");
        }
        for form in ["dictionary", "views", "table", "binary"] {
            let robots = |files: &[usize]| -> ArrayRef {
                match form {
                    "dictionary" => {
                        let keys = Int32Array::from_iter_values(files.iter().map(|file| *file as i32));
                        Arc::new(DictionaryArray::<Int32Type>::new(keys, shared.clone()))
                    }
                    "views" => {
                        let picked = files.iter().map(|file| views.views()[*file]).collect();
                        Arc::new(BinaryViewArray::new(picked, views.data_buffers().clone(), None))
                    }
                    _ => Arc::new(BinaryArray::from_iter_values(files.iter().map(|file| &bodies[*file]))),
                }
            };
            for (name, outputs) in [
                ("all verdict columns", Output::VERDICTS.to_vec()),
                (
                    "verdict, rule, line, error",
                    vec![Output::Verdict, Output::Rule, Output::Line, Output::Error],
                ),
                ("with usage", Output::all().collect()),
            ] {
                let options = Options::new().agent(Agent::token("examplebot")).outputs(outputs);
                let mut auditor = match form {
                    "table" => Auditor::with_table(options, table.clone()),
                    _ => Auditor::new(options),
                };
                let (mut seconds, mut bytes) = (0.0, 0);
                // The first time everything is read; the second nothing, as in a long job.
                let mut first = 0.0;
                for round in 0..2 {
                    seconds = 0.0;
                    bytes = 0;
                    for rows in rows.chunks(BATCH) {
                        let files: Vec<usize> = rows.iter().map(|row| row.0).collect();
                        let urls: ArrayRef =
                            Arc::new(StringArray::from_iter_values(rows.iter().map(|row| &row.1)));
                        let mut columns = vec![("url", urls)];
                        if form != "table" {
                            columns.push(("robots", robots(&files)));
                        }
                        let batch = RecordBatch::try_from_iter(columns).unwrap();
                        let start = cpu_seconds();
                        let verdicts = auditor.decide(&batch).unwrap();
                        seconds += cpu_seconds() - start;
                        bytes += verdicts.num_rows();
                    }
                    if round == 0 {
                        first = seconds;
                    }
                }
                println!(
                    "{order:8} {form:10} {name:26} {:5.2} M/s reading, {:5.2} M/s after",
                    bytes as f64 / first / 1e6,
                    bytes as f64 / seconds / 1e6,
                );
            }
        }
    }
}
