//! Counts the results of all URLs, and formats the summary.

use std::fmt;
use std::time::{Duration, Instant};

use comity_client::observe::Counters;
use comity_client::retrieval::{FetchOutcome, Warning};

use super::result::FetchResult;
use crate::render;

/// Returns true for the warning about a page whose HTML lacks the content.
pub(super) fn is_about_missing_content(warning: &Warning) -> bool {
    matches!(&*warning.name, "needs_javascript" | "meta_refresh")
}

/// Counts the results of many URLs.
#[derive(Debug)]
pub(super) struct Summary {
    began: Instant,
    good: usize,
    unchanged: usize,
    errors: usize,
    robots: usize,
    unread: usize,
    guard: usize,
    refused: usize,
    failed: usize,
    bytes: u64,
    /// Number of pages with directives about their use.
    asking: usize,
    /// Number of pages whose HTML lacks the content.
    missing: usize,
    /// Number of pages that were fetched although robots.txt is unreachable.
    unknown: usize,
    /// Number of URLs without a result at an interruption.
    pub(super) left: usize,
    /// Number of URLs that were skipped, because the resumed report lists them as fetched.
    pub(super) skipped: usize,
}

impl Summary {
    pub(super) fn new() -> Self {
        Summary {
            began: Instant::now(),
            good: 0,
            unchanged: 0,
            errors: 0,
            robots: 0,
            unread: 0,
            guard: 0,
            refused: 0,
            failed: 0,
            bytes: 0,
            asking: 0,
            missing: 0,
            unknown: 0,
            left: 0,
            skipped: 0,
        }
    }

    /// Counts a result.
    pub(super) fn count(&mut self, done: &FetchResult) {
        let counter = match done.record.outcome {
            FetchOutcome::Fetched if done.earlier.is_some() => &mut self.unchanged,
            FetchOutcome::Fetched if done.is_success() => &mut self.good,
            FetchOutcome::Fetched => &mut self.errors,
            _ if done.exit == crate::exit::Exit::Error => &mut self.failed,
            FetchOutcome::RobotsRefused => &mut self.robots,
            FetchOutcome::RobotsUnreadable => &mut self.unread,
            FetchOutcome::GuardRefused => &mut self.guard,
            _ => &mut self.refused,
        };
        *counter += 1;
        let bytes = done.record.content.as_ref().map_or(0, |content| content.bytes);
        self.bytes += if done.is_success() && done.earlier.is_none() { bytes } else { 0 };
        let has = |is_meant: fn(&Warning) -> bool| usize::from(done.record.warnings.iter().any(is_meant));
        self.asking += has(|warning| matches!(warning.kind, "page_directive" | "usage_preference"));
        self.missing += has(is_about_missing_content);
        if done.record.outcome == FetchOutcome::Fetched {
            self.unknown += has(|warning| warning.kind == "robots_txt");
        }
    }

    fn total(&self) -> usize {
        self.good
            + self.unchanged
            + self.errors
            + self.robots
            + self.unread
            + self.guard
            + self.refused
            + self.failed
    }

    /// Formats the summary in two to five lines.
    pub(super) fn text(&self, counters: &Counters) -> String {
        let parts = [
            (self.good, format!("fetched, {}", render::bytes(self.bytes))),
            (self.unchanged, "not modified".to_owned()),
            (self.errors, "answered with 400 or more".to_owned()),
            (self.robots, "refused by robots.txt".to_owned()),
            (self.unread, "with an unreadable robots.txt".to_owned()),
            (self.guard, "refused by the guard".to_owned()),
            (self.refused, "given up".to_owned()),
            (self.failed, "failed".to_owned()),
            (self.left, "not finished".to_owned()),
        ];
        let phrases: Vec<String> = parts
            .into_iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, words)| format!("{number} {words}"))
            .collect();
        let total = render::count(self.total() + self.left, "URL");
        let skipped = match self.skipped {
            0 => String::new(),
            number => format!("; {number} skipped as fetched before"),
        };
        let time = Seconds(self.began.elapsed());
        let mut text = format!("{total} in {time}: {}{skipped}", phrases.join("; "));
        let numbers = counters.snapshot();
        let number = |name: &str| numbers.get(name).copied().unwrap_or(0);
        text.push_str(&format!(
            "\nrobots.txt: {} requested, {} from the store, {} from memory",
            counters.robots_fetches(),
            number("robots_store_hits"),
            counters.robots_hits()
        ));
        let waited = Duration::from_micros(number("waited_microseconds"));
        // A time that would be shown as 0.0 s is omitted.
        if waited >= Duration::from_millis(50) {
            text.push_str(&format!("; waited {} in total for the pace", Seconds(waited)));
        }
        if self.unknown > 0 {
            let pages = render::count(self.unknown, "page");
            text.push_str(&format!(
                "\n{pages} fetched without a readable robots.txt; see --report for the reason"
            ));
        }
        if self.missing > 0 {
            let pages = render::count(self.missing, "page");
            text.push_str(&format!(
                "\n{pages} without content, which need JavaScript or only refer to another URL"
            ));
        }
        if self.asking > 0 {
            let pages = render::count(self.asking, "page");
            text.push_str(&format!("\n{pages} with directives about the use of the content; see --report"));
        }
        text
    }
}

/// A duration that is displayed as `0.4 s`, `2 min 5 s` or `2 h 1 min`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seconds(pub(super) Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.as_secs();
        let text = match seconds {
            0..60 => format!("{:.1} s", self.0.as_secs_f64()),
            60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
            _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
        };
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duration_is_rounded_for_display() {
        for (millis, text) in [
            (0, "0.0 s"),
            (440, "0.4 s"),
            (59_900, "59.9 s"),
            (125_000, "2 min 5 s"),
            (7_260_000, "2 h 1 min"),
        ] {
            assert_eq!(Seconds(Duration::from_millis(millis)).to_string(), text);
        }
    }
}
