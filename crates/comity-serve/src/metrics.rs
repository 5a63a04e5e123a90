//! Metrics in the Prometheus text format.
//!
//! All label values are known at compile time, so callers cannot create new time series.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use comity_client::Client;

use crate::fair::{Resource, Shares};

/// Upper bounds of the histogram buckets of answer times, in seconds.
const SPANS: [f64; 9] = [0.001, 0.005, 0.025, 0.1, 0.5, 1.0, 5.0, 15.0, 60.0];

/// The metrics of the service.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    answers: Mutex<Answers>,
    /// Number of open connections.
    pub(crate) connections: AtomicU64,
    /// Number of requests that were not logged, because the queue of the log was full.
    pub(crate) log_dropped: AtomicU64,
}

/// Counters of the answers that have begun. One lock protects all of them, so that they are consistent.
#[derive(Debug, Default)]
struct Answers {
    /// Number of requests by route and status code.
    requests: BTreeMap<(&'static str, u16), u64>,
    /// Number of answers in each histogram bucket, not cumulative.
    spans: [u64; SPANS.len()],
    took: Duration,
    count: u64,
}

impl Metrics {
    /// Counts a request whose answer began.
    pub(crate) fn answered(&self, route: &'static str, status: u16, took: Duration) {
        let seconds = took.as_secs_f64();
        let span = SPANS.iter().position(|span| seconds <= *span);
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        *answers.requests.entry((route, status)).or_default() += 1;
        if let Some(counter) = span.and_then(|span| answers.spans.get_mut(span)) {
            *counter += 1;
        }
        answers.took = answers.took.saturating_add(took);
        answers.count += 1;
    }

    /// Returns all metrics, including the counters of the client, in the text format.
    pub(crate) fn text(&self, client: &Client, shares: &Shares) -> String {
        let mut text = String::new();
        let mut say = |line: std::fmt::Arguments<'_>| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{line}");
        };
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        say(format_args!("# HELP comity_requests_total Requests by route and status of the answer."));
        say(format_args!("# TYPE comity_requests_total counter"));
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        for ((route, status), count) in &answers.requests {
            say(format_args!("comity_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}"));
        }
        say(format_args!("# HELP comity_request_seconds The time until an answer began."));
        say(format_args!("# TYPE comity_request_seconds histogram"));
        let mut within = 0;
        for (span, counter) in SPANS.iter().zip(&answers.spans) {
            within += counter;
            say(format_args!("comity_request_seconds_bucket{{le=\"{span}\"}} {within}"));
        }
        let (count, sum) = (answers.count, answers.took.as_secs_f64());
        drop(answers);
        say(format_args!("comity_request_seconds_bucket{{le=\"+Inf\"}} {count}"));
        say(format_args!("comity_request_seconds_sum {sum}"));
        say(format_args!("comity_request_seconds_count {count}"));
        for (name, about, value) in [
            // The number in use includes the request for the metrics.
            (
                "comity_requests_under_way",
                "Requests in flight, without this one.",
                (shares.used(Resource::Requests) as u64).saturating_sub(1),
            ),
            ("comity_connections", "Open connections.", load(&self.connections)),
            (
                "comity_requests_waiting",
                "Requests whose body has not begun to arrive.",
                shares.used(Resource::Waiting) as u64,
            ),
            (
                "comity_answer_bytes",
                "Bytes of questions and answers that are counted against the limit.",
                shares.used(Resource::Bytes) as u64,
            ),
        ] {
            say(format_args!("# HELP {name} {about}"));
            say(format_args!("# TYPE {name} gauge"));
            say(format_args!("{name} {value}"));
        }
        let name = "comity_requests_refused_total";
        say(format_args!("# HELP {name} Refused requests, by the resource that was used up."));
        say(format_args!("# TYPE {name} counter"));
        for resource in Resource::ALL {
            let (reason, refused) = (resource.as_str(), shares.refused(resource));
            say(format_args!("{name}{{reason=\"{reason}\"}} {refused}"));
        }
        let (name, dropped) = ("comity_log_lines_dropped_total", load(&self.log_dropped));
        say(format_args!(
            "# HELP {name} Requests that were not logged, because the log is written too slowly."
        ));
        say(format_args!("# TYPE {name} counter"));
        say(format_args!("{name} {dropped}"));
        say(format_args!(
            "# HELP comity_client_events_total Events of the client, by the names of its counters."
        ));
        say(format_args!("# TYPE comity_client_events_total counter"));
        for (event, count) in client.counters().snapshot() {
            say(format_args!("comity_client_events_total{{event=\"{event}\"}} {count}"));
        }
        text
    }
}
