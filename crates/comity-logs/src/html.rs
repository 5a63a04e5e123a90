//! Creates the HTML report.

use std::collections::BTreeMap;
use std::fmt;

use askama::Template;
use comity::shown;
use comity_answers::shown::number;

use crate::error::LogsError;
use crate::summary::{CrawlerDays, LogsSummary};
use crate::tally::DayCounts;
use crate::time::{DAY, stamp};

/// Maximum number of bars in the main chart. If there are more days, each bar covers several days.
const MAX_BARS: usize = 120;

/// Maximum number of crawlers with a small chart.
const MAX_CRAWLERS: usize = 8;

/// Maximum number of bars in a small chart.
const MAX_SMALL_BARS: usize = 60;

/// Height of a small chart, in SVG units.
const SMALL_HEIGHT: u64 = 24;

/// Height of the main chart, in SVG units.
const HEIGHT: u64 = 120;

/// Width of a bar, in SVG units.
const WIDTH: usize = 8;

/// Returns the report as an HTML page.
///
/// Text from logs and robots.txt is escaped. The page contains no scripts and no external resources, and its content security
/// policy forbids both.
///
/// # Errors
///
/// Returns [`LogsError::Report`] if the page cannot be rendered.
pub fn report(summary: &LogsSummary) -> Result<String, LogsError> {
    let span = summary.span().unwrap_or_default();
    let crawlers =
        summary.crawler_days.iter().take(MAX_CRAWLERS).map(|days| CrawlerChart::new(days, span)).collect();
    Ok(Page { summary, chart: Chart::new(&summary.days), crawlers }.render()?)
}

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    summary: &'a LogsSummary,
    chart: Option<Chart>,
    crawlers: Vec<CrawlerChart<'a>>,
}

/// A small bar chart of the requests of one crawler. The scale depends on the maximum of this crawler.
struct CrawlerChart<'a> {
    agent: &'a str,
    requests: u64,
    /// Heights of the bars, in SVG units.
    bars: Vec<u64>,
}

impl<'a> CrawlerChart<'a> {
    fn new(days: &'a CrawlerDays, span: (i64, i64)) -> Self {
        let counts = days.bars(span, MAX_SMALL_BARS);
        let max = counts.iter().copied().max().unwrap_or(1).max(1);
        let bars = counts.into_iter().map(|count| count.saturating_mul(SMALL_HEIGHT).div_ceil(max)).collect();
        CrawlerChart { agent: &days.agent, requests: days.requests, bars }
    }
}

/// A bar chart of requests by day. The lower part of each bar shows disallowed requests.
struct Chart {
    title: String,
    bars: Vec<Bar>,
}

/// A bar of the main chart.
struct Bar {
    /// The first day of the bar.
    date: String,
    counts: DayCounts,
    /// Height for all requests, in SVG units.
    all: u64,
    /// Height for disallowed requests, in SVG units.
    bad: u64,
}

impl Chart {
    fn new(days: &BTreeMap<i64, DayCounts>) -> Option<Chart> {
        let (first, last) = (*days.first_key_value()?.0, *days.last_key_value()?.0);
        let span = usize::try_from(last - first).unwrap_or(usize::MAX).saturating_add(1);
        let days_per_bar = span.div_ceil(MAX_BARS).max(1);
        let mut sums = vec![DayCounts::default(); span.div_ceil(days_per_bar).min(MAX_BARS)];
        for (day, count) in days {
            let at = usize::try_from(day - first).unwrap_or_default() / days_per_bar;
            if let Some(sum) = sums.get_mut(at) {
                sum.requests += count.requests;
                sum.disallowed += count.disallowed;
            }
        }
        let max = sums.iter().map(|sum| sum.requests).max().unwrap_or(1).max(1);
        let unit = if days_per_bar == 1 { "day".to_owned() } else { format!("{days_per_bar} days") };
        let max_shown = number(max);
        let title = format!(
            "Requests of known crawlers by {unit}. Requests from addresses that the operator does not publish are excluded. Maximum: {max_shown}."
        );
        let height = |count: u64| count.saturating_mul(HEIGHT).div_ceil(max);
        let bar = |(at, counts): (usize, DayCounts)| {
            let since = i64::try_from(at * days_per_bar).unwrap_or_default().saturating_add(first);
            let date = stamp(since.saturating_mul(DAY)).unwrap_or_default();
            Bar {
                date: date.get(..10).unwrap_or_default().to_owned(),
                counts,
                all: height(counts.requests),
                bad: height(counts.disallowed),
            }
        };
        Some(Chart { title, bars: sums.into_iter().enumerate().map(bar).collect() })
    }
}

/// The escaper of the template. It also replaces unsafe characters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Escaper;

impl askama::filters::Escaper for Escaper {
    fn write_escaped_str<W: fmt::Write>(&self, page: W, text: &str) -> fmt::Result {
        askama::filters::Html.write_escaped_str(page, &shown::text(text))
    }
}

/// Filters of the template.
#[expect(unreachable_pub, reason = "the macro creates public types")]
mod filters {
    #[askama::filter_fn]
    pub fn number(value: &u64, _: &dyn askama::Values) -> askama::Result<String> {
        Ok(super::number(value))
    }
}
