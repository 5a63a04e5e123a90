//! `--resume`: the URLs that a report lists, and whether they are fetched again.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::Write;
use std::path::Path;

use serde::Deserialize;

use crate::exit::{Failure, reason};
use crate::input::{Line, Source};
use crate::render;
use comity_answers::files;

/// Maximum length of a record, in bytes. It may contain a page.
const RECORD_LIMIT: usize = 64 << 20;

/// The part of a record that `--resume` needs.
#[derive(Deserialize)]
struct Row {
    requested_url: String,
    outcome: String,
    content: Option<Content>,
}

/// The part of a content record that `--resume` needs.
#[derive(Deserialize)]
struct Content {
    status: u16,
}

impl Row {
    /// Returns the reason for another fetch: a status that may be temporary, or the outcome of a fetch without an
    /// answer. Returns `None` if the page was fetched.
    fn retried_for(&self) -> Option<String> {
        let status = self.content.as_ref().map(|content| content.status);
        match (self.outcome.as_str(), status) {
            ("fetched", Some(status @ (429 | 500..))) => Some(status.to_string()),
            ("fetched", _) => None,
            (outcome, _) => Some(outcome.to_owned()),
        }
    }
}

/// The beginning of every record.
const START: &[u8] = b"{\"requested_url\":";

/// A report that a fetch continues.
pub(super) struct ResumedReport {
    /// The URLs whose pages were fetched. They are skipped.
    pub(super) done: HashSet<String>,
    /// The other URLs, each with the reason for another fetch.
    retried: HashMap<String, String>,
    /// Length to which the file is truncated, in bytes: the end of the last complete record, or `u64::MAX` if all
    /// records are complete. `None` if there is no file yet.
    length: Option<u64>,
    /// True if the last record lacks its line break.
    is_unended: bool,
}

impl ResumedReport {
    /// Reads a report. A last line that was truncated, for example by a full disk, is skipped.
    pub(super) fn read(report: &Path) -> Result<ResumedReport, Failure> {
        let mut resumed =
            ResumedReport { done: HashSet::new(), retried: HashMap::new(), length: None, is_unended: false };
        if !report.exists() {
            return Ok(resumed);
        }
        let (mut lines, mut line) = (Source::new(report).lines()?.up_to(RECORD_LIMIT), Vec::new());
        resumed.length = Some(u64::MAX);
        loop {
            let row = match lines.next(&mut line)? {
                Line::End => return Ok(resumed),
                Line::Text if line.is_empty() => continue,
                // The URL of such a record is fetched again.
                Line::TooLong if lines.unended().is_none() => continue,
                Line::TooLong => None,
                Line::Text => serde_json::from_slice::<Row>(&line).ok(),
            };
            match (row, lines.unended()) {
                (Some(row), unended) => {
                    resumed.is_unended = unended.is_some();
                    resumed.add(row);
                }
                // The record is truncated. Its URL is fetched again, and the next record overwrites it.
                (None, Some(begin)) if is_beginning(&line) => resumed.length = Some(begin),
                (None, _) => {
                    return Err(Failure::new(format!("{}: the line is not a record of a fetch", lines.place()))
                        .hint(
                            "name the file that --report wrote; if that file is damaged, delete this line, and its URL is \
                             fetched again",
                        ));
                }
            }
        }
    }

    /// Adds a record. A URL that was fetched again has several records.
    fn add(&mut self, row: Row) {
        match row.retried_for() {
            None => {
                self.retried.remove(&row.requested_url);
                self.done.insert(row.requested_url);
            }
            Some(why) if !self.done.contains(&row.requested_url) => {
                self.retried.insert(row.requested_url, why);
            }
            Some(_) => {}
        }
    }

    /// Returns the numbers of URLs in the report that are skipped and tried again, in a sentence. Returns `None` for an
    /// empty report.
    pub(super) fn note(&self, report: &Path) -> Option<String> {
        if self.done.is_empty() && self.retried.is_empty() {
            return None;
        }
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        self.retried.values().for_each(|why| *reasons.entry(why).or_default() += 1);
        let reasons: Vec<String> = reasons.iter().map(|(why, count)| format!("{why} ({count})")).collect();
        let name = render::text(report.as_os_str().as_encoded_bytes());
        let done = render::count(self.done.len(), "fetched URL");
        Some(match self.retried.len() {
            0 => format!("resumes {name}: skips {done}"),
            number => format!("resumes {name}: skips {done}; tries {number} again: {}", reasons.join(", ")),
        })
    }

    /// Opens the report to append records.
    pub(super) fn open(&self, report: &Path) -> Result<File, Failure> {
        let failed = |error: std::io::Error| {
            let name = render::text(report.as_os_str().as_encoded_bytes());
            Failure::new(format!("cannot write `{name}`: {}", reason(&error)))
        };
        let Some(length) = self.length else { return files::growing(report).map_err(failed) };
        let mut file = files::append(report, length)?;
        if self.is_unended {
            file.write_all(b"\n").map_err(failed)?;
        }
        Ok(file)
    }
}

/// Returns true for the first bytes of a record.
fn is_beginning(line: &[u8]) -> bool {
    line.starts_with(START) || START.starts_with(line)
}
