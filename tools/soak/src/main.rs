//! Runs the client for a long time against misbehaving origins, injects faults, and checks the requests at the server.
//!
//! All requests stay on loopback, and a seed determines origins, pages and faults. The tool serves the origins
//! (`origins`, `server`). It starts copies of itself as crawlers with a common store (`worker`), or as services for
//! crawlers in Python and Node.js (`service`). It injects faults (`faults`), and checks the received requests (`judge`). The check
//! compares the paths with the generated rules, without the matcher of the library.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for developers")]

mod faults;
mod judge;
mod origins;
mod report;
mod server;
mod service;
mod worker;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Runs the client against misbehaving origins, with faults, and checks the requests at the server.
#[derive(Debug, Parser)]
struct Cli {
    #[command(subcommand)]
    role: Option<Role>,
    #[command(flatten)]
    plan: Plan,
}

/// Role of a copy of this program.
#[derive(Debug, Subcommand)]
enum Role {
    /// Runs a crawler. Only the tool itself uses this command.
    #[command(hide = true)]
    Worker(worker::Orders),
    /// Runs a service for crawlers. Only the tool itself uses this command.
    #[command(hide = true)]
    Service(service::ServiceOrders),
}

/// Options of a run.
#[derive(Args, Clone, Debug)]
struct Plan {
    /// Duration of the run in seconds, divided between the stores.
    #[arg(long, default_value_t = 120)]
    seconds: u64,
    /// Duration of the run in minutes.
    #[arg(long, conflicts_with = "seconds")]
    minutes: Option<u64>,
    /// Seed of origins, crawlers and faults.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of origins.
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(16..=60_000))]
    origins: u32,
    /// Number of crawlers; without `--admit`, the store in memory has one.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=32))]
    workers: u32,
    /// Store to test; repeatable; default: memory, embedded and redis.
    #[arg(long, value_enum)]
    store: Vec<StoreKind>,
    /// Use crawlers in Python and Node.js, which send requests to `/v1/admit` of a service. Two services share a store
    /// (one, if the store is in memory), and faults are injected into them.
    #[arg(long)]
    admit: bool,
    /// Inject no faults.
    #[arg(long)]
    calm: bool,
    /// Also write the report as JSON to this file.
    #[arg(long)]
    report: Option<PathBuf>,
}

/// The stores of crawlers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum StoreKind {
    Memory,
    Embedded,
    Redis,
    /// A master of Redis with two replicas and three Sentinels. Faults include failovers.
    Sentinels,
    /// A Redis Cluster of three masters with a replica each. Faults include failovers.
    Cluster,
}

impl StoreKind {
    const DEFAULT: [StoreKind; 3] = [StoreKind::Memory, StoreKind::Embedded, StoreKind::Redis];

    /// Returns the name on the command line.
    const fn as_str(self) -> &'static str {
        match self {
            StoreKind::Memory => "memory",
            StoreKind::Embedded => "embedded",
            StoreKind::Redis => "redis",
            StoreKind::Sentinels => "sentinels",
            StoreKind::Cluster => "cluster",
        }
    }
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match cli.role {
        Some(Role::Worker(orders)) => return worker::run(&orders),
        Some(Role::Service(orders)) => return service::run(&orders),
        None => {}
    }
    let plan = cli.plan;
    let stores = if plan.store.is_empty() { StoreKind::DEFAULT.to_vec() } else { plan.store.clone() };
    let total = Duration::from_secs(plan.minutes.map_or(plan.seconds, |minutes| minutes * 60));
    let span = total / u32::try_from(stores.len()).unwrap_or(1);
    let mut rounds = Vec::new();
    for store in stores {
        let round = report::run(&plan, store, span);
        print!("{}", round.text());
        rounds.push(round);
    }
    if let Some(path) = &plan.report {
        let written = serde_json::to_vec_pretty(&rounds).map(|json| std::fs::write(path, json));
        if !matches!(written, Ok(Ok(()))) {
            eprintln!("error: cannot write the report to `{}`", path.display());
            return ExitCode::from(2);
        }
    }
    let is_good = rounds.iter().all(report::Round::is_good);
    println!("{}", if is_good { "no violation" } else { "VIOLATIONS: see above" });
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
