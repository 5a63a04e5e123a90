//! Measures verdicts per second on one core: `COMITY_DATA=… cargo run --release [-- ROUNDS [ORDER FORM]]` in
//! `benchmarks/arrow`.
//!
//! There are 100 URLs for each real robots.txt. Half of them are made from its rules, and half are random, as in the
//! other benchmarks. Rows are sorted by origin, as in stored crawls, or shuffled. The bodies of robots.txt are in a
//! dictionary, in views, in binary values (a copy in each row), or in a table by origin. `first` is the first pass of
//! an auditor. `after` is its second pass, with cached files, as in a long job. The figures are verdicts per second of
//! CPU time, in the best round.

use std::env;
use std::sync::Arc;
use std::time::Duration;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, BinaryViewArray, DictionaryArray, Int32Array, RecordBatch, StringArray,
};
use comity::robots::{Agent, RobotsTxt};
use comity_arrow::{Auditor, AuditorOptions, Columns, Output, RobotsTable, Words};
use cpu_time::ThreadTime;

#[allow(dead_code, reason = "shared with the other benchmarks")]
#[path = "../../src/case.rs"]
mod case;
#[allow(dead_code, reason = "shared with the other benchmarks")]
#[path = "../../src/generate.rs"]
mod generate;

type Error = Box<dyn std::error::Error>;

const PER_FILE: usize = 100;
const BATCH: usize = 65_536;
const AGENT: &str = generate::AGENT;

/// A row: the number of a robots.txt, and a URL.
type Row = (usize, String);

fn main() -> Result<(), Error> {
    let rounds = env::args().nth(1).map_or(Ok(3), |text| text.parse())?;
    let only: Vec<String> = env::args().skip(2).collect();
    let is_selected = |order: &str, form: &str| only.is_empty() || only == [order, form];
    let folder =
        env::var("COMITY_DATA").map_err(|_| "COMITY_DATA is not set: set it to the folder with corpus/")?;
    let mut paths: Vec<_> = std::fs::read_dir(format!("{folder}/corpus/robots"))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_, Error>>()?;
    paths.sort();
    let bodies: Vec<Vec<u8>> = paths.iter().map(std::fs::read).collect::<Result<_, _>>()?;
    println!(
        "{} files, {PER_FILE} URLs each, batches of {BATCH} rows, best of {rounds} rounds, CPU time\n",
        bodies.len()
    );
    println!("| rows | bodies | columns | M verdicts/s, first | after |\n|---|---|---|---:|---:|");

    let sorted = rows(&bodies);
    let mut shuffled = sorted.clone();
    shuffle(&mut shuffled);
    let bodies = Bodies::new(bodies)?;
    for (order, rows) in [("sorted", &sorted), ("shuffled", &shuffled)] {
        if is_selected(order, "engine") {
            let speed = engine_alone(&bodies, rows, rounds);
            println!("| {order} | – | the engine alone: verdict and line | – | {speed:.2} |");
        }
        for form in
            ["dictionary", "views", "table", "binary"].into_iter().filter(|form| is_selected(order, form))
        {
            for (name, outputs) in [
                ("all of a verdict", Output::verdicts()),
                (
                    "verdict, rule, line, error",
                    ["verdict", "rule", "line", "error"]
                        .iter()
                        .filter_map(|name| name.parse().ok())
                        .collect(),
                ),
                ("all of a verdict, as dictionaries", Output::verdicts()),
                ("all, with usage", Output::all().collect()),
            ] {
                let words = if name.contains("dictionaries") { Words::Dictionary } else { Words::Text };
                let batches = bodies.batches(form, rows)?;
                let options = AuditorOptions::new().agent(Agent::unchecked_token(AGENT)).outputs(outputs).words(words);
                let (first, after) = decide(&bodies, form, &batches, &options, rounds)?;
                let speed = |time: Duration| rows.len() as f64 / time.as_secs_f64() / 1e6;
                println!("| {order} | {form} | {name} | {:.2} | {:.2} |", speed(first), speed(after));
            }
        }
    }
    Ok(())
}

fn rows(bodies: &[Vec<u8>]) -> Vec<Row> {
    let mut rng = generate::Rng::new(4);
    let mut rows = Vec::new();
    for (file, body) in bodies.iter().enumerate() {
        for url in generate::urls_for(body, PER_FILE, &mut rng) {
            rows.push((file, url.replacen("www.example.com", &format!("site-{file}.example"), 1)));
        }
    }
    rows
}

fn shuffle(rows: &mut [Row]) {
    let mut rng = generate::Rng::new(5);
    for at in (1..rows.len()).rev() {
        rows.swap(at, rng.below(at + 1));
    }
}

/// Returns the speed of the engine, in million verdicts per second. Parsing the files is not included.
fn engine_alone(bodies: &Bodies, rows: &[Row], rounds: usize) -> f64 {
    let read = |body: &Vec<u8>| RobotsTxt::parse(body).rules_for(&Agent::unchecked_token(AGENT));
    let rules: Vec<_> = bodies.files.iter().map(read).collect();
    let mut best = Duration::MAX;
    for _ in 0..rounds {
        let start = ThreadTime::now();
        let mut lines = 0;
        for (file, url) in rows {
            let decision = rules[*file].decide(url);
            lines +=
                decision.ok().and_then(|decision| decision.rule()).map_or(0, |rule| rule.line() as usize);
        }
        std::hint::black_box(lines);
        best = best.min(start.elapsed());
    }
    rows.len() as f64 / best.as_secs_f64() / 1e6
}

/// Returns the best time of a first pass over all batches, and the best time of a second pass.
fn decide(
    bodies: &Bodies,
    form: &str,
    batches: &[RecordBatch],
    options: &AuditorOptions,
    rounds: usize,
) -> Result<(Duration, Duration), Error> {
    let (mut first, mut after) = (Duration::MAX, Duration::MAX);
    for _ in 0..rounds {
        let mut auditor = match form {
            "table" => Auditor::with_table(options.clone(), bodies.table.clone()),
            _ => Auditor::new(options.clone()),
        };
        for best in [&mut first, &mut after] {
            let start = ThreadTime::now();
            for batch in batches {
                std::hint::black_box(auditor.decide(batch)?);
            }
            *best = start.elapsed().min(*best);
        }
    }
    Ok((first, after))
}

/// The robots.txt files in every form.
struct Bodies {
    files: Vec<Vec<u8>>,
    values: Arc<BinaryArray>,
    views: BinaryViewArray,
    table: Arc<RobotsTable>,
}

impl Bodies {
    fn new(files: Vec<Vec<u8>>) -> Result<Self, Error> {
        let origins = (0..files.len()).map(|file| format!("https://site-{file}.example"));
        let keys: ArrayRef = Arc::new(StringArray::from_iter_values(origins));
        let values = Arc::new(BinaryArray::from_iter_values(&files));
        let table = RecordBatch::try_from_iter([("key", keys), ("body", values.clone())])?;
        let table = Arc::new(RobotsTable::new([table], Columns::new())?);
        let views = BinaryViewArray::from_iter_values(&files);
        Ok(Bodies { files, values, views, table })
    }

    fn batches(&self, form: &str, rows: &[Row]) -> Result<Vec<RecordBatch>, Error> {
        rows.chunks(BATCH)
            .map(|rows| {
                let urls: ArrayRef = Arc::new(StringArray::from_iter_values(rows.iter().map(|row| &row.1)));
                let mut columns = vec![("url", urls)];
                columns.extend(self.column(form, rows).map(|column| ("robots", column)));
                Ok(RecordBatch::try_from_iter(columns)?)
            })
            .collect()
    }

    fn column(&self, form: &str, rows: &[Row]) -> Option<ArrayRef> {
        let files = || rows.iter().map(|row| row.0);
        Some(match form {
            "dictionary" => {
                let keys = Int32Array::from_iter_values(files().map(|file| file as i32));
                Arc::new(DictionaryArray::<Int32Type>::new(keys, self.values.clone()))
            }
            "views" => {
                let picked = files().map(|file| self.views.views()[file]).collect();
                Arc::new(BinaryViewArray::new(picked, self.views.data_buffers().clone(), None))
            }
            "binary" => Arc::new(BinaryArray::from_iter_values(files().map(|file| &self.files[file]))),
            _ => return None,
        })
    }
}
