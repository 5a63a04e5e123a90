//! Renders an entry of the store, and the results of `comity cache verify` and `purge`.

use std::io::Write;
use std::time::{Duration, SystemTime};

use comity_answers::schema::RowSchema;
use comity_client::Origin;
use comity_client::robots_cache::StoredRobotsTxt;
use serde::Serialize;

use super::{Layout, Render};
use crate::exit::Failure;
use crate::output::Output;
use crate::render;

/// An entry of the store: the robots.txt answer of an origin.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Entry {
    #[serde(flatten)]
    head: EntryHead,
    #[serde(skip)]
    now: SystemTime,
    #[serde(flatten)]
    #[schemars(with = "StoredRobotsTxt")]
    stored: Option<StoredRobotsTxt>,
}

/// The fields of every entry. An entry that cannot be read has no other fields.
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "UnreadableEntry")]
pub(crate) struct EntryHead {
    /// The origin.
    origin: String,
    /// True if the entry could be read. An unreadable entry may be of another version of Comity.
    readable: bool,
    /// The age of the latest answer.
    age_seconds: Option<u64>,
    /// True if the latest answer is still fresh.
    fresh: Option<bool>,
}

impl Entry {
    pub(crate) fn new(origin: &Origin, stored: Option<StoredRobotsTxt>, now: SystemTime) -> Self {
        let evidence = stored.as_ref().map(|stored| &stored.evidence);
        let head = EntryHead {
            origin: origin.to_string(),
            readable: stored.is_some(),
            age_seconds: evidence
                .map(|evidence| now.duration_since(evidence.fetched_at()).unwrap_or_default().as_secs()),
            fresh: evidence.map(|evidence| evidence.is_fresh(now)),
        };
        Entry { head, now, stored }
    }

    /// Returns the robots.txt that applies.
    pub(crate) fn body(&self) -> Option<&[u8]> {
        self.stored.as_ref()?.body.as_deref()
    }

    /// Formats the answer as `200`, `404`, `timeout`.
    fn answer(&self) -> String {
        let Some(stored) = &self.stored else { return "unreadable".to_owned() };
        match (stored.evidence.status(), stored.evidence.failure()) {
            (Some(status), _) => status.to_string(),
            (None, Some(failure)) => failure.as_str().to_owned(),
            (None, None) => stored.evidence.kind().as_str().to_owned(),
        }
    }

    fn age(&self) -> String {
        self.head.age_seconds.map(|seconds| about(Duration::from_secs(seconds))).unwrap_or_default()
    }

    /// Returns `21 h`, `stale`, or `unlimited` for an answer that stays fresh as long as the process runs.
    fn fresh_for(&self) -> String {
        let Some(stored) = &self.stored else { return String::new() };
        if !stored.evidence.is_fresh(self.now) {
            return "stale".to_owned();
        }
        match stored.evidence.fresh_until() {
            Some(until) => about(until.duration_since(self.now).unwrap_or_default()),
            None => "unlimited".to_owned(),
        }
    }

    fn size(&self) -> String {
        self.body().map(|body| render::bytes(body.len() as u64)).unwrap_or_default()
    }
}

/// An entry, with a line per fact.
#[derive(Serialize)]
#[serde(transparent)]
pub(crate) struct EntryPage(pub(crate) Entry);

impl Render for EntryPage {
    type View<'v> = ();

    const LAYOUT: Layout = Layout::Document;

    fn text(&self, (): &mut (), output: &mut Output) -> Result<(), Failure> {
        let entry = &self.0;
        let palette = output.palette;
        let (strong, faint) = (palette.strong, palette.faint);
        writeln!(output, "{strong}{}{strong:#}", entry.head.origin)?;
        let Some(stored) = &entry.stored else {
            return Ok(writeln!(
                output,
                "  not written by this version of Comity; robots.txt will be requested again"
            )?);
        };
        let evidence = &stored.evidence;
        let mut lines: Vec<(&str, String)> = vec![
            ("answer", format!("{}: {}", entry.answer(), evidence.kind().label())),
            ("treatment", evidence.treatment().label().to_owned()),
            ("fetched", format!("{}, {} ago", stamp(evidence.fetched_at()), entry.age())),
            (
                "fresh",
                match evidence.fresh_until() {
                    Some(until) if evidence.is_fresh(entry.now) => {
                        format!("for {}, until {}", entry.fresh_for(), stamp(until))
                    }
                    Some(until) => format!("no: expired at {}", stamp(until)),
                    None => "unlimited".to_owned(),
                },
            ),
        ];
        if let Some(asker) = &stored.requested_as {
            lines.insert(0, ("requested as", render::text(asker.as_bytes()).into_owned()));
        }
        for name in ["cache-control", "expires", "etag", "last-modified", "retry-after", "content-type"] {
            if let Some(value) = stored.field(name) {
                lines.push((name, render::short(value.as_bytes(), 120).into_owned()));
            }
        }
        for url in evidence.redirects() {
            lines.push(("redirected", render::text(url.as_bytes()).into_owned()));
        }
        if let Some(since) = stored.failing_since {
            lines.push(("failing", format!("since {}", stamp(since))));
        }
        if let Some(copy) = &stored.copy {
            lines.push(("last copy", format!("{}, {}", stamp(copy.fetched_at()), entry.size())));
        }
        if let Some(digest) = evidence.digest() {
            lines.push(("digest", digest.to_owned()));
        }
        if evidence.status().is_some() {
            lines.push(("size", render::bytes(evidence.body_bytes() as u64)));
        }
        for (name, value) in lines {
            writeln!(output, "  {faint}{name:<14}{faint:#}{value}")?;
        }
        Ok(())
    }
}

/// The widths of the columns, and whether the heading was printed.
pub(crate) struct EntryColumns {
    origin: usize,
    needs_heading: bool,
}

impl EntryColumns {
    pub(crate) fn new(entries: &[Entry]) -> EntryColumns {
        let widths = entries.iter().map(|entry| render::width(&entry.head.origin));
        EntryColumns { origin: widths.max().unwrap_or(0).clamp(6, 60), needs_heading: true }
    }
}

/// Prints the columns: origin, answer, age, fresh for, size.
impl Render for Entry {
    type View<'v> = EntryColumns;

    fn text(&self, view: &mut EntryColumns, output: &mut Output) -> Result<(), Failure> {
        let (faint, bad, columns) = (output.palette.faint, output.palette.bad, view.origin);
        if std::mem::take(&mut view.needs_heading) {
            writeln!(
                output,
                "{faint}{:<columns$}  {:<12}{:>8}{:>11}{:>10}{faint:#}",
                "origin", "answer", "age", "fresh for", "size"
            )?;
        }
        let answer = self.answer();
        let is_good = self.stored.as_ref().is_some_and(|stored| stored.failing_since.is_none());
        let style = if is_good { anstyle::Style::new() } else { bad };
        let (age, fresh, size) = (self.age(), self.fresh_for(), self.size());
        let line = format!("{age:>8}{fresh:>11}{size:>10}");
        Ok(writeln!(
            output,
            "{:<columns$}  {style}{answer:<12}{style:#}{}",
            self.head.origin,
            line.trim_end()
        )?)
    }
}

/// Formats a duration as `42 s`, `17 min`, `3 h`, `12 d`.
fn about(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// Formats a time as `2026-11-21T06:20:10Z`.
fn stamp(time: SystemTime) -> String {
    comity::rfc3339::seconds(time).unwrap_or_default()
}

/// The result of `purge`.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Purged<'a> {
    /// The store.
    pub(crate) store: &'a str,
    /// The number of entries that were removed.
    pub(crate) removed: u64,
}

/// The result of `verify`.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Verified {
    /// The store.
    pub(crate) store: String,
    /// The number of entries.
    pub(crate) entries: u64,
    /// The origins whose entries are damaged.
    pub(crate) torn: Vec<String>,
    /// The problems of the file.
    pub(crate) problems: Vec<String>,
    /// True if the damaged entries were removed.
    pub(crate) repaired: bool,
}

impl Render for Purged<'_> {
    type View<'v> = ();

    const LAYOUT: Layout = Layout::Document;

    fn text(&self, (): &mut (), output: &mut Output) -> Result<(), Failure> {
        let number = usize::try_from(self.removed).unwrap_or(usize::MAX);
        output.note(&format!("{} removed", render::count(number, "entry")));
        Ok(())
    }
}

impl Render for Verified {
    /// True if `--repair` is given.
    type View<'v> = bool;

    const LAYOUT: Layout = Layout::Document;

    fn text(&self, repair: &mut bool, output: &mut Output) -> Result<(), Failure> {
        let palette = output.palette;
        let (good, bad) = (palette.good, palette.bad);
        for text in &self.torn {
            let word = if self.repaired { "removed" } else { "damaged" };
            writeln!(output, "{bad}{word}{bad:#}  {}", render::text(text.as_bytes()))?;
        }
        for problem in &self.problems {
            writeln!(output, "{bad}broken{bad:#}  {}", render::text(problem.as_bytes()))?;
        }
        let count = render::count(usize::try_from(self.entries).unwrap_or(usize::MAX), "entry");
        if self.torn.is_empty() && self.problems.is_empty() {
            writeln!(output, "{good}sound{good:#}  {count} in {}", self.store)?;
        } else if !self.problems.is_empty() {
            output.note(&format!(
                "delete {} to start with an empty store: its answers are requested again",
                self.store
            ));
        } else if !*repair {
            output.note("`comity cache verify --repair` removes damaged entries");
        }
        Ok(())
    }
}

/// The rows of the subcommands of `comity cache`.
#[derive(schemars::JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, reason = "only its schema is used")]
enum Row {
    Entry(Entry),
    Unreadable(EntryHead),
    Verified(Verified),
    Purged(Purged<'static>),
}

pub(crate) const SCHEMA: RowSchema = RowSchema::new::<Row>(
    "cache",
    "a line of `comity cache list`, and the output of `show`, `verify` and `purge`",
);
