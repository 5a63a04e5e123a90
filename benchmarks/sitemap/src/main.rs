//! Compares Comity with other sitemap readers on equal inputs: first the results, then CPU time in interleaved rounds,
//! then maximum memory.

#[path = "../../src/heap.rs"]
mod heap;
mod inputs;
mod readers;

use std::process::ExitCode;
use std::time::Duration;

use cpu_time::ThreadTime;

use inputs::Input;
use readers::Reader;

const USAGE: &str = "usage: comity-sitemap-benchmarks [--rounds N] [--entries N]";

fn main() -> ExitCode {
    let (mut rounds, mut entries) = (7, 50_000);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let value = args.next().and_then(|value| value.parse().ok());
        match (arg.as_str(), value) {
            ("--rounds", Some(value)) => rounds = value,
            ("--entries", Some(value)) => entries = value,
            _ => {
                eprintln!("{USAGE}");
                return ExitCode::from(2);
            }
        }
    }
    if rounds == 0 || entries == 0 || entries > 50_000 {
        eprintln!("{USAGE}: at least one round; 1 to 50000 entries");
        return ExitCode::from(2);
    }
    let inputs = inputs::all(entries);
    let agreements: Vec<Vec<bool>> = inputs.iter().map(agreements).collect();
    print_speed(&inputs, &agreements, rounds);
    print_memory(&inputs);
    ExitCode::SUCCESS
}

/// Returns true for each reader whose results equal those of Comity. For readers without extensions, only pages are
/// compared.
fn agreements(input: &Input) -> Vec<bool> {
    eprintln!("{}: checking", input.name);
    let expected = Reader::Comity.find(input);
    let agrees = |reader: &Reader| {
        let found = reader.find(input);
        let same_pages = found.pages == expected.pages && !found.pages.is_empty();
        same_pages && (!reader.reads_extensions() || found == expected)
    };
    Reader::ALL.iter().map(agrees).collect()
}

fn print_speed(inputs: &[Input], agreements: &[Vec<bool>], rounds: usize) {
    println!("### Speed: MB of uncompressed text per second of CPU, best / median of {rounds} rounds\n");
    print_head(inputs);
    let mut times = vec![vec![Vec::new(); inputs.len()]; Reader::ALL.len()];
    for round in 0..rounds {
        eprintln!("round {} of {rounds}", round + 1);
        for turn in 0..Reader::ALL.len() {
            let index = (turn + round) % Reader::ALL.len();
            for (column, input) in inputs.iter().enumerate() {
                times[index][column].push(time(Reader::ALL[index], input));
            }
        }
    }
    for (index, reader) in Reader::ALL.iter().enumerate() {
        print!("| {} |", reader.name());
        for (column, input) in inputs.iter().enumerate() {
            let times = &mut times[index][column];
            times.sort();
            let speed = |time: Duration| {
                (input.text_bytes * input.repeats) as f64 / 1e6 / time.as_secs_f64().max(1e-9)
            };
            let mark = if agreements[column][index] { "" } else { " (differs)" };
            print!(" {:.0} / {:.0}{mark} |", speed(times[0]), speed(times[times.len() / 2]));
        }
        println!();
    }
    println!();
}

fn time(reader: Reader, input: &Input) -> Duration {
    let start = ThreadTime::now();
    for _ in 0..input.repeats {
        std::hint::black_box(reader.read(input));
    }
    start.elapsed()
}

fn print_memory(inputs: &[Input]) {
    println!("### Memory: maximum KB while reading, without the input\n");
    print_head(inputs);
    for reader in Reader::ALL {
        print!("| {} |", reader.name());
        for input in inputs {
            let peak = heap::peak_of(|| {
                std::hint::black_box(reader.read(input));
            });
            print!(" {} |", peak / 1000);
        }
        println!();
    }
}

fn print_head(inputs: &[Input]) {
    print!("| reader |");
    for input in inputs {
        print!(
            " {} ({:.1} MB{}) |",
            input.name,
            input.text_bytes as f64 / 1e6,
            if input.has_extensions { ", images, hreflang, video, news" } else { "" }
        );
    }
    println!("\n|---|{}", "---:|".repeat(inputs.len()));
}
