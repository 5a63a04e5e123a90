//! The report: a result as one HTML file that loads no other files.

use std::time::{Duration, UNIX_EPOCH};

use askama::Template;
use comity::finding::{Kind, Severity};
use comity::site::SiteFinding;
use comity_answers::shown::number;

use crate::error::AuditError;
use crate::manifest::Manifest;
use crate::manifest_site::ManifestSite;
use crate::options::Moment;
use crate::repeat::command;
use crate::summary::{AnswerAges, Example, MonthTotals, Shares, ViewSummary};

/// Maximum number of rows in the tables of sites and of rules.
const SHOWN: usize = 15;

/// Returns the HTML report of a result.
///
/// Untrusted text (URLs, rules, names) is escaped. The page has no script and loads no files; its content security policy
/// forbids both.
///
/// # Errors
///
/// Returns [`AuditError`] if the page cannot be created.
pub fn report(manifest: &Manifest) -> Result<String, AuditError> {
    let views = manifest.summary.views.iter().enumerate();
    let page = Page {
        manifest,
        title: match &manifest.site {
            Some(site) => format!("Audit of {}", site.origin),
            None => format!("Robots.txt audit of {} pages", number(manifest.summary.rows)),
        },
        ages: ages(manifest),
        command: command(manifest),
        untimed: manifest
            .inputs
            .iter()
            .filter_map(|input| input.times.as_ref())
            .map(|times| times.missing + times.unreadable)
            .sum(),
        moment: moment_of_all(manifest),
        has_undecided: manifest.summary.views.iter().any(|view| view.shares.undecidable > 0),
        is_of_seen: manifest.summary.views.iter().any(|view| view.moment == Moment::Seen),
        severities: manifest.site.as_ref().map(counts).unwrap_or_default(),
        groups: manifest.site.as_ref().map(groups).unwrap_or_default(),
        views: views
            .map(|(number, view)| Section {
                view,
                title: title(view),
                id: format!("view-{number}"),
                months: Chart::new(&view.months),
                differing: (view.moment == Moment::Now)
                    .then(|| manifest.summary.differing.get(number / 2).copied())
                    .flatten(),
            })
            .collect(),
    };
    page.render().map_err(|error| AuditError::Report(error.to_string()))
}

/// Returns the number of findings for each severity that occurs.
fn counts(site: &ManifestSite) -> Vec<(u64, Severity)> {
    let all = [Severity::Error, Severity::Warning, Severity::Note];
    all.map(|severity| (site.count(severity), severity)).into_iter().filter(|(count, _)| *count > 0).collect()
}

/// Groups the sorted findings of a site by kind.
fn groups(site: &ManifestSite) -> Vec<Group<'_>> {
    let is_same =
        |one: &SiteFinding, other: &SiteFinding| (&one.code, one.severity) == (&other.code, other.severity);
    let same = site.findings.chunk_by(is_same).filter_map(|same| {
        let first = same.first()?;
        // Another version may have written the manifest.
        let kind = Kind::of(&first.code).ok();
        Some(Group {
            code: &first.code,
            severity: first.severity,
            summary: kind.map_or(&*first.message, |kind| kind.summary()),
            why: kind.map(|kind| kind.why()).unwrap_or_default(),
            help: &first.help,
            findings: same,
        })
    });
    same.collect()
}

/// Returns the ages of the answers behind the decisions, with the moment of the decisions. Equal entries of several
/// crawlers are returned once.
fn ages(manifest: &Manifest) -> Vec<(Moment, AnswerAges)> {
    let mut known = Vec::new();
    for view in manifest.summary.views.iter().filter(|view| view.ages.decided > 0) {
        if !known.contains(&(view.moment, view.ages)) {
            known.push((view.moment, view.ages));
        }
    }
    known
}

/// Returns the moment of the views, if it is equal in all views.
fn moment_of_all(manifest: &Manifest) -> Option<Moment> {
    let mut moments = manifest.summary.views.iter().map(|view| view.moment);
    let first = moments.next()?;
    moments.all(|moment| moment == first).then_some(first)
}

/// Returns a verdict in plain words.
fn verdict_words(verdict: &str) -> &str {
    match verdict {
        "allowed_explicit" => "allowed: a rule allows the page",
        "allowed_implicit" => "allowed: no rule forbids the page",
        "disallowed_explicit" => "not allowed: a rule, or the answer of the site, forbids the page",
        "unknown_unreachable" => "not known: the site gave no usable answer",
        "unknown_parse_error" => "not known: the answer cannot be read",
        "skipped_by_user_policy" => "robots.txt was ignored",
        other => other,
    }
}

/// Returns the answer behind a decision in plain words.
fn answer_words(answer: &str) -> String {
    let words = match answer {
        "none" => "the sources have no answer of this site",
        "not_yet" => "the first answer was received after the page was seen",
        "no_time" => "the row has no time, or none that can be read",
        "undated" => "the answers of the site have no time",
        "too_old" => "the answer is too old, or its age is unknown",
        "timeout" => "the site did not answer in time",
        "dns" => "the name of the site was not found",
        status => match status.strip_prefix("http_").and_then(|code| code.parse::<u16>().ok()) {
            Some(200..=299) => "the site sent its robots.txt",
            Some(401 | 403) => "the site refused to send its robots.txt",
            Some(404 | 410) => "the site has no robots.txt",
            Some(429) => "the site limited the number of requests",
            Some(300..=399) => "the site redirected the request",
            Some(500..) => "the server of the site failed",
            Some(_) => "the site answered with an error",
            None => "no usable answer was received",
        },
    };
    words.to_owned()
}

/// Returns the heading of a view, with a capital letter unless it begins with the name of a crawler.
fn title(view: &ViewSummary) -> String {
    let title = view.title();
    match view.agent.as_deref() {
        Some(agent) if agent != "*" => title,
        _ => title[..1].to_uppercase() + &title[1..],
    }
}

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    manifest: &'a Manifest,
    title: String,
    /// The ages of answers, without repetitions.
    ages: Vec<(Moment, AnswerAges)>,
    /// The command that repeats the audit; `None` for an audit of a live site.
    command: Option<String>,
    /// The number of rows without a readable time.
    untimed: u64,
    /// The moment, if it is equal in all views.
    moment: Option<Moment>,
    /// True if a row cannot be decided.
    has_undecided: bool,
    /// True if a view decides each page for the time when it was seen.
    is_of_seen: bool,
    severities: Vec<(u64, Severity)>,
    groups: Vec<Group<'a>>,
    views: Vec<Section<'a>>,
}

/// The findings of one kind.
struct Group<'a> {
    code: &'a str,
    severity: Severity,
    summary: &'a str,
    why: &'a str,
    help: &'a str,
    findings: &'a [SiteFinding],
}

struct Section<'a> {
    view: &'a ViewSummary,
    title: String,
    /// The anchor for links within the page.
    id: String,
    months: Option<Chart<'a>>,
    /// The number of rows with different results at the two moments.
    differing: Option<u64>,
}

/// Examples and the kind of rows that they illustrate.
struct Examples<'a> {
    title: &'static str,
    rows: &'a [Example],
}

impl Section<'_> {
    fn examples(&self) -> Vec<Examples<'_>> {
        let all = [
            ("Disallowed", &*self.view.disallowed),
            ("Unknown", &*self.view.unknown),
            ("Allowed", &*self.view.allowed),
            ("Not decided", &*self.view.undecidable),
        ];
        all.into_iter()
            .filter(|(_, rows)| !rows.is_empty())
            .map(|(title, rows)| Examples { title, rows })
            .collect()
    }
}

/// The bars of a chart by month: widths and heights in a space of 1000 by 200.
struct Chart<'a> {
    bars: Vec<Bar<'a>>,
    first: &'a str,
    last: &'a str,
    most: u64,
}

struct Bar<'a> {
    month: &'a MonthTotals,
    left: f64,
    width: f64,
    /// From the bottom: allowed, unknown, disallowed.
    parts: Vec<Part>,
}

struct Part {
    class: &'static str,
    top: f64,
    height: f64,
}

/// The height of the chart.
const HEIGHT: f64 = 200.0;

impl<'a> Chart<'a> {
    /// Creates a chart if there are at least two months.
    fn new(months: &'a [MonthTotals]) -> Option<Chart<'a>> {
        let (first, last) = (months.first()?, months.last()?);
        let most = months.iter().map(|month| month.shares.total()).max().filter(|_| months.len() > 1)?;
        let step = 1000.0 / months.len() as f64;
        let bar = |(number, month): (usize, &'a MonthTotals)| {
            let height = |count: u64| count as f64 * HEIGHT / most.max(1) as f64;
            let Shares { allowed, disallowed, unknown, .. } = month.shares;
            let [allowed, unknown, disallowed] = [allowed, unknown, disallowed].map(height);
            let parts = [
                ("allowed", HEIGHT - allowed, allowed),
                ("unknown", HEIGHT - allowed - unknown, unknown),
                ("disallowed", HEIGHT - allowed - unknown - disallowed, disallowed),
            ];
            let parts = parts.into_iter().filter(|(.., height)| *height > 0.0);
            let parts = parts.map(|(class, top, height)| Part { class, top, height }).collect();
            Bar { month, left: number as f64 * step, width: (step * 0.86).max(0.5), parts }
        };
        Some(Chart {
            bars: months.iter().enumerate().map(bar).collect(),
            first: &first.month,
            last: &last.month,
            most,
        })
    }
}

/// Filters of the template.
#[expect(unreachable_pub, reason = "the macro generates public types from these functions")]
mod filters {
    /// Formats a number as `12,345`.
    #[askama::filter_fn]
    pub fn number(value: impl std::fmt::Display, _: &dyn askama::Values) -> askama::Result<String> {
        Ok(super::number(value))
    }

    /// Formats a number as `12.3`.
    #[askama::filter_fn]
    pub fn tenths(value: impl std::fmt::Display, _: &dyn askama::Values) -> askama::Result<String> {
        Ok(format!("{value:.1}"))
    }

    /// Formats a time as `2024-03-01`.
    #[askama::filter_fn]
    pub fn day(value: &i64, _: &dyn askama::Values) -> askama::Result<String> {
        Ok(super::minute(*value).get(..10).unwrap_or_default().to_owned())
    }

    /// Formats a time as `2024-03-01 12:00`.
    #[askama::filter_fn]
    pub fn minute(value: &i64, _: &dyn askama::Values) -> askama::Result<String> {
        Ok(super::minute(*value))
    }

    /// Returns a verdict in plain words.
    #[askama::filter_fn]
    pub fn verdict_words(value: &str, _: &dyn askama::Values) -> askama::Result<String> {
        Ok(comity::shown::bytes(super::verdict_words(value).as_bytes()).into_owned())
    }

    /// Returns the answer behind a decision in plain words.
    #[askama::filter_fn]
    pub fn answer_words(value: &str, _: &dyn askama::Values) -> askama::Result<String> {
        Ok(super::answer_words(value))
    }

    /// Removes characters that move a cursor, or reverse or hide text.
    #[askama::filter_fn]
    pub fn plain(value: &str, _: &dyn askama::Values) -> askama::Result<String> {
        Ok(comity::shown::bytes(value.as_bytes()).into_owned())
    }
}

fn minute(micros: i64) -> String {
    let since = Duration::from_micros(micros.unsigned_abs());
    let time = match micros {
        0.. => UNIX_EPOCH.checked_add(since),
        _ => UNIX_EPOCH.checked_sub(since),
    };
    let time = time.and_then(comity::rfc3339::seconds).unwrap_or_default();
    time.get(..16).unwrap_or("out of range").replace('T', " ")
}
