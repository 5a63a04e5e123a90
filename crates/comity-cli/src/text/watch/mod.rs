//! Renders a new version of a watched robots.txt.

pub(crate) mod row;

use std::collections::BTreeMap;
use std::io::Write;

use comity::finding::Finding;
use comity::policy::AnswerKind;

use self::row::{Event, Version, WatchRow};
use super::{Render, diff};
use crate::exit::Failure;
use crate::output::Output;
use crate::render::{self, Palette};

/// Maximum number of findings that are listed.
const LISTED: usize = 10;

impl Render for WatchRow {
    type View<'v> = ();

    fn text(&self, (): &mut (), output: &mut Output) -> Result<(), Failure> {
        let Palette { strong, faint, .. } = output.palette;
        let (version, answer) = (&self.version, answer(&self.version));
        let site = &version.origin;
        let style = if version.event.is_reported() { strong } else { faint };
        writeln!(output, "{} {style}{site}{style:#}  {}", version.time, self.sentence(&answer))?;
        for (words, sitemaps) in
            [("does not answer", &self.stopped_sitemaps), ("answers again", &self.restored_sitemaps)]
        {
            for sitemap in sitemaps {
                writeln!(output, "  sitemap {words}: {}", render::short(sitemap.as_bytes(), 200))?;
            }
        }
        if version.event != Event::Changed {
            return Ok(());
        }
        let mut by_access: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
        for change in &self.access {
            let access = (change.old.as_str(), change.new.as_str());
            by_access.entry(access).or_default().push(&change.agent);
        }
        for ((old, new), agents) in by_access {
            let names: Vec<_> = agents.iter().map(|name| render::short(name.as_bytes(), 60)).collect();
            let line = format!("{old} -> {new}: {}", render::list(&names));
            writeln!(output, "  {}", render::wrap(&line, output.width, 4))?;
        }
        print_findings("new", &self.new_findings, output)?;
        print_findings("resolved", &self.resolved_findings, output)?;
        if let Some(changes) = &self.changes {
            writeln!(output)?;
            diff::print_report(changes, output)?;
        }
        Ok(())
    }
}

impl WatchRow {
    /// Returns the event as a sentence. `answer` is the answer in words.
    fn sentence(&self, answer: &str) -> String {
        let before = |words: &str| {
            let before = self.before.as_ref();
            before.map_or_else(String::new, |before| format!("{words}{}", before.time))
        };
        match self.version.event {
            Event::First => format!("{answer}; stored as the first version"),
            Event::Unchanged => format!("{answer}, as before"),
            Event::Layout => format!("{answer}; the meaning is the same{}", before(" as at ")),
            Event::Changed => format!("{answer}; changed{}", before(" since ")),
            Event::Sitemaps => format!("{answer}; the same file, but other sitemaps answer"),
            Event::Returned => format!("{answer}; a version of the last 24 hours again"),
            Event::Failing => format!("{answer}; the next request decides whether that is reported"),
            Event::Unreachable => format!("{answer} again{}", before("; the last version is of ")),
            Event::Recovered => format!("{answer}; the site answers again, as{}", before(" at ")),
        }
    }
}

/// Returns an answer in words: `status 200`, `status 200 (2xx, HTML without a record)`, `timeout`.
fn answer(version: &Version) -> String {
    match (version.status, version.failure) {
        (_, Some(failure)) => failure.as_str().replace('_', " "),
        (Some(status), None) if version.answer == AnswerKind::Success || status != 200 => {
            format!("status {status}")
        }
        (Some(status), None) => format!("status {status} ({})", version.answer.label()),
        (None, None) => version.answer.label().to_owned(),
    }
}

fn print_findings(word: &str, findings: &[Finding], output: &mut Output) -> Result<(), Failure> {
    for finding in findings.iter().take(LISTED) {
        let style = output.palette.severity(finding.severity());
        let (severity, message) = (finding.severity(), render::short(finding.message().as_bytes(), 200));
        writeln!(output, "  {word} {style}{severity}{style:#}: {message}")?;
    }
    if findings.len() > LISTED {
        writeln!(output, "  and {} more {word}", findings.len() - LISTED)?;
    }
    Ok(())
}
