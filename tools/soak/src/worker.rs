//! The process of a crawler. It fetches pages of random origins with a client, until it is stopped or killed. The tool
//! can shift the clock of the client.

use std::io::BufRead;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

use clap::Args;
use comity_client::guard::Guard;
use comity_client::pace::PaceOptions;
use comity_client::retry::RetryOptions;
use comity_client::robots_cache::RobotsOptions;
use comity_client::store::{EmbeddedStore, RedisStore};
use comity_client::{BoxFuture, Client, Clock, FetchOptions, Moment, SystemClock};

use crate::StoreKind;
use crate::origins::{MIN_INTERVAL, Origin};

/// The settings of a crawler.
#[derive(Args, Clone, Debug)]
pub(crate) struct Orders {
    #[arg(long, value_enum)]
    store: StoreKind,
    /// The file or URL of the store.
    #[arg(long)]
    location: Option<String>,
    #[arg(long)]
    port: u16,
    #[arg(long)]
    seed: u64,
    #[arg(long)]
    origins: u32,
    /// Number of concurrent fetches.
    #[arg(long, default_value_t = 64)]
    jobs: u32,
}

/// The system's clock with an offset.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShiftedClock {
    offset: Arc<AtomicI64>,
}

impl Clock for ShiftedClock {
    fn now(&self) -> SystemTime {
        let now = SystemTime::now();
        let offset = self.offset.load(Ordering::Relaxed);
        let span = Duration::from_secs(offset.unsigned_abs());
        if offset < 0 { now - span } else { now + span }
    }

    fn moment(&self) -> Moment {
        SystemClock.moment()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep(duration))
    }
}

/// Crawls until the process is killed, or until standard input ends.
pub(crate) fn run(orders: &Orders) -> ExitCode {
    run_with(|clock| crawl(orders, clock))
}

/// Runs `work` until the process is killed, or until standard input ends. Lines of standard input shift the clock.
pub(crate) fn run_with<F: Future<Output = Result<(), String>>>(
    work: impl FnOnce(ShiftedClock) -> F,
) -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error.to_string()),
    };
    let clock = ShiftedClock::default();
    listen(clock.clone());
    match runtime.block_on(work(clock)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error),
    }
}

fn failed(error: &str) -> ExitCode {
    eprintln!("worker: {error}");
    ExitCode::FAILURE
}

/// Reads orders: `clock SECONDS` sets the offset of the clock. The end of standard input ends the process.
fn listen(clock: ShiftedClock) {
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            if let Some(offset) = line.strip_prefix("clock ").and_then(|offset| offset.trim().parse().ok()) {
                clock.offset.store(offset, Ordering::Relaxed);
            }
        }
        std::process::exit(0);
    });
}

/// Creates a client for origins on loopback.
pub(crate) fn client(orders: &Orders, clock: ShiftedClock) -> Result<Client, String> {
    let mut pace = PaceOptions::default();
    pace.min_interval = MIN_INTERVAL;
    let mut retry = RetryOptions::default();
    retry.retries = 0;
    let mut robots = RobotsOptions::default();
    robots.timeout = Some(Duration::from_secs(5));
    let mut fetch = FetchOptions::default();
    fetch.timeout = Duration::from_secs(5);
    fetch.max_wait = Some(Duration::from_secs(20));
    let network = "127.0.0.0/8".parse().map_err(|_| "no network".to_owned())?;
    let builder = Client::builder("SoakBot")
        .guard(Guard::new().allow_address(network).allow_port(orders.port))
        .clock(clock)
        .pace(pace)
        .retry(retry)
        .robots(robots)
        .fetch(fetch);
    let location = orders.location.as_deref().unwrap_or_default();
    let builder = match orders.store {
        StoreKind::Memory => builder,
        StoreKind::Embedded => {
            builder.store(EmbeddedStore::open(location).map_err(|error| error.to_string())?)
        }
        StoreKind::Redis | StoreKind::Sentinels | StoreKind::Cluster => {
            builder.store(RedisStore::open(location).map_err(|error| error.to_string())?)
        }
    };
    builder.build().map_err(|error| error.to_string())
}

async fn crawl(orders: &Orders, clock: ShiftedClock) -> Result<(), String> {
    let client = client(orders, clock)?;
    let mut jobs = tokio::task::JoinSet::new();
    for job in 0..orders.jobs {
        let (client, orders) = (client.clone(), orders.clone());
        jobs.spawn(async move {
            let mut random = fastrand::Rng::with_seed(orders.seed ^ (u64::from(job) << 32));
            loop {
                let number = random.u32(..orders.origins);
                let path = match random.u32(..10) {
                    0..=2 => format!("/closed/{}", random.u16(..)),
                    _ => format!("/open/{}", random.u16(..)),
                };
                let url = format!("http://{}:{}{path}", Origin::address(number), orders.port);
                // Several requests in a row, to test the pace.
                for _ in 0..3 {
                    // The judge checks the recorded request.
                    drop(client.fetch(&url).await);
                }
                tokio::task::yield_now().await;
            }
        });
    }
    // A job ends only if it panics.
    match jobs.join_next().await {
        Some(Err(error)) => Err(format!("a job panicked: {error}")),
        _ => Ok(()),
    }
}
