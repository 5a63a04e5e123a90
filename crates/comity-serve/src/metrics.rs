//! Counters, as Prometheus reads them.
//!
//! What is counted has names that are known beforehand, so that no caller can make the list grow.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use comity_client::Client;

/// The upper ends of the spans in which the time of answers is counted, in seconds.
const SPANS: [f64; 9] = [0.001, 0.005, 0.025, 0.1, 0.5, 1.0, 5.0, 15.0, 60.0];

/// What the service counts.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// By route and status code.
    requests: Mutex<BTreeMap<(&'static str, u16), u64>>,
    /// Answers that took no longer than each span, and longer than the one before it.
    spans: [AtomicU64; SPANS.len()],
    micros: AtomicU64,
    count: AtomicU64,
    pub(crate) under_way: AtomicU64,
    pub(crate) connections: AtomicU64,
}

impl Metrics {
    /// Counts a request whose answer began.
    pub(crate) fn answered(&self, route: &'static str, status: u16, took: Duration) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests.entry((route, status)).or_default() += 1;
        drop(requests);
        let seconds = took.as_secs_f64();
        let span = SPANS.iter().zip(&self.spans).find(|(span, _)| seconds <= **span);
        if let Some((_, counter)) = span {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        self.micros.fetch_add(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns everything, the client's counters included.
    pub(crate) fn text(&self, client: &Client) -> String {
        let mut text = String::new();
        let mut say = |line: std::fmt::Arguments<'_>| {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{line}");
        };
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        say(format_args!(
            "# HELP comity_requests_total Requests, by what was asked and the status of the answer."
        ));
        say(format_args!("# TYPE comity_requests_total counter"));
        for ((route, status), count) in &*self.requests.lock().unwrap_or_else(PoisonError::into_inner) {
            say(format_args!("comity_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}"));
        }
        say(format_args!("# HELP comity_request_seconds The time until an answer began."));
        say(format_args!("# TYPE comity_request_seconds histogram"));
        let mut within = 0;
        for (span, counter) in SPANS.iter().zip(&self.spans) {
            within += load(counter);
            say(format_args!("comity_request_seconds_bucket{{le=\"{span}\"}} {within}"));
        }
        let count = load(&self.count);
        say(format_args!("comity_request_seconds_bucket{{le=\"+Inf\"}} {count}"));
        say(format_args!(
            "comity_request_seconds_sum {}",
            Duration::from_micros(load(&self.micros)).as_secs_f64()
        ));
        say(format_args!("comity_request_seconds_count {count}"));
        for (name, about, value) in [
            ("comity_requests_under_way", "Requests under way.", load(&self.under_way)),
            ("comity_connections", "Open connections.", load(&self.connections)),
        ] {
            say(format_args!("# HELP {name} {about}"));
            say(format_args!("# TYPE {name} gauge"));
            say(format_args!("{name} {value}"));
        }
        say(format_args!(
            "# HELP comity_client_events_total What the client did, by the names of its counters."
        ));
        say(format_args!("# TYPE comity_client_events_total counter"));
        for (event, count) in client.counters().snapshot() {
            say(format_args!("comity_client_events_total{{event=\"{event}\"}} {count}"));
        }
        text
    }
}
