//! `--if-changed`: the records of an earlier report, for conditional requests.
//!
//! The validators of each page are in memory. If a page has not changed, its record is read again at its place in the
//! report. A request is conditional only if this run would not need the body: because it writes no body, or because the
//! file that it would write is already there.

use std::collections::HashMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use comity_client::EarlierAnswers;
use comity_client::retrieval::ContentRecord;
use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::files::SavedFile;
use crate::exit::{Failure, reason};
use crate::input::{Line, Source};
use crate::render;

/// Maximum number of bytes of a record that is read again. Above the limit for lines, so every record of a page fits.
const MAX_RECORD: u64 = 2 << 20;

/// The part of a record that decides whether a request can be conditional.
#[derive(Deserialize)]
struct Row {
    requested_url: String,
    final_url: String,
    outcome: String,
    content: Option<ContentRecord>,
    saved: Option<RecordedFile>,
    #[serde(default, deserialize_with = "is_some")]
    text: bool,
}

/// A written file, as a record describes it.
#[derive(Clone, Deserialize)]
struct RecordedFile {
    path: PathBuf,
    bytes: usize,
    form: String,
}

/// Returns true for any value except null.
fn is_some<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(Option::<serde::de::IgnoredAny>::deserialize(deserializer)?.is_some())
}

/// The bodies that a run needs, even of pages that have not changed.
pub(super) struct NeededBodies<'a> {
    /// The folder for bodies, or the file for the body of the only URL.
    pub(super) output: Option<&'a Path>,
    pub(super) output_is_file: bool,
    /// True if records have the text of pages.
    pub(super) has_text: bool,
    /// `original` or `markdown`.
    pub(super) form: &'static str,
}

impl NeededBodies<'_> {
    /// Returns true if this run does not need the body of a page again.
    fn are_met(&self, row: &Row) -> bool {
        if self.output.is_none() && !self.has_text {
            return true;
        }
        let Some(saved) = row.saved.as_ref().filter(|saved| saved.form == self.form) else { return false };
        (row.text || !self.has_text) && self.output.is_none_or(|_| self.file(saved).is_some())
    }

    /// Returns the file in the output of this run that has the body of an earlier record. The name is that of the earlier
    /// run; the folder may have moved.
    fn file(&self, saved: &RecordedFile) -> Option<PathBuf> {
        let output = self.output?;
        let path = match self.output_is_file {
            true => output.to_owned(),
            false => output.join(saved.path.file_name()?),
        };
        let is_kept =
            fs::metadata(&path).is_ok_and(|file| file.is_file() && file.len() == saved.bytes as u64);
        is_kept.then_some(path)
    }
}

/// The pages of an earlier report.
pub(super) struct EarlierReport {
    path: PathBuf,
    /// The offset of the record of each page by its URL, and its file in the output of this run.
    pages: HashMap<String, (u64, Option<PathBuf>)>,
}

impl EarlierReport {
    /// Reads a report. Also returns the validators of the pages whose requests can be conditional.
    pub(super) fn read(
        report: &Path,
        needed: &NeededBodies<'_>,
    ) -> Result<(EarlierReport, EarlierAnswers), Failure> {
        let (mut lines, mut line) = (Source::File(report.to_owned()).lines()?, Vec::new());
        let mut earlier = EarlierReport { path: report.to_owned(), pages: HashMap::new() };
        let mut answers = EarlierAnswers::new();
        loop {
            match lines.next(&mut line)? {
                Line::End => return Ok((earlier, answers)),
                // A longer record has the text of a large page, which is fetched in any case.
                Line::TooLong => {}
                Line::Text if line.trim_ascii().is_empty() => {}
                Line::Text => match serde_json::from_slice::<Row>(&line) {
                    Ok(row) => earlier.add(row, lines.offset(), needed, &mut answers),
                    // The last record of an interrupted run can be incomplete.
                    Err(_) if lines.unended().is_some() => {}
                    Err(_) => {
                        return Err(Failure::new(format!(
                            "{}: the line is not a record of a fetch",
                            lines.place()
                        ))
                        .hint("name the file that --report of an earlier run wrote"));
                    }
                },
            }
        }
    }

    /// Adds a record. The last record of a URL counts.
    fn add(&mut self, row: Row, offset: u64, needed: &NeededBodies<'_>, answers: &mut EarlierAnswers) {
        let whole = |content: &&ContentRecord| (200..300).contains(&content.status) && !content.truncated;
        let content = row.content.as_ref().filter(whole);
        let Some(content) = content.filter(|_| row.outcome == "fetched" && needed.are_met(&row)) else {
            answers.add(&row.final_url, None, None);
            self.pages.remove(&row.final_url);
            return;
        };
        answers.add(&row.final_url, content.etag.as_deref(), content.last_modified.as_deref());
        let file = row.saved.as_ref().and_then(|saved| needed.file(saved));
        self.pages.insert(row.final_url, (offset, file));
    }

    /// Returns the record of a page that has not changed.
    pub(super) fn record(&self, url: &str) -> Result<EarlierRecord, Failure> {
        let failed = |error: &io::Error| {
            let name = render::text(self.path.as_os_str().as_encoded_bytes());
            Failure::new(format!("cannot read `{name}` again: {}", reason(error)))
        };
        let (offset, file) = self.pages.get(url).ok_or_else(|| failed(&io::ErrorKind::NotFound.into()))?;
        let read = || -> io::Result<EarlierRecord> {
            let mut report = File::open(&self.path)?;
            report.seek(SeekFrom::Start(*offset))?;
            let mut line = Vec::new();
            BufReader::new(report.take(MAX_RECORD)).read_until(b'\n', &mut line)?;
            let row: Row = serde_json::from_slice(&line)?;
            let fields: Fields = serde_json::from_slice(&line)?;
            let form = |saved: &RecordedFile| if saved.form == "markdown" { "markdown" } else { "original" };
            let saved = row.saved.as_ref().zip(file.clone());
            let saved = saved.map(|(saved, path)| SavedFile { path, bytes: saved.bytes, form: form(saved) });
            let content = row.content.ok_or(io::ErrorKind::InvalidData)?;
            Ok(EarlierRecord { requested_url: row.requested_url, content, fields, saved })
        };
        read().map_err(|error| failed(&error))
    }
}

/// The record of a page that has not changed.
#[derive(Debug)]
pub(super) struct EarlierRecord {
    pub(super) requested_url: String,
    pub(super) content: ContentRecord,
    pub(super) saved: Option<SavedFile>,
    fields: Fields,
}

impl EarlierRecord {
    /// The fields about the content of a page. If the page has not changed, they keep their earlier values.
    const KEPT: [&'static str; 3] = ["refusal", "warnings", "usage"];

    /// Returns the record of this run with the earlier facts about the content, and with the text of the page if the run
    /// needs it.
    pub(super) fn merge(&self, row: &impl Serialize, has_text: bool) -> Result<Fields, serde_json::Error> {
        let mut merged: Fields = serde_json::from_str(&serde_json::to_string(row)?)?;
        // A run without output keeps the place of the file.
        let saved = self.saved.is_none().then_some("saved");
        let text = has_text.then_some("text");
        for name in Self::KEPT.into_iter().chain(saved).chain(text) {
            if let Some(value) = self.fields.get(name) {
                merged.set(name, value.to_owned());
            }
        }
        Ok(merged)
    }
}

/// The fields of a JSON object, in order, with unparsed values.
#[derive(Debug)]
pub(super) struct Fields(Vec<(String, Box<RawValue>)>);

impl Fields {
    fn get(&self, name: &str) -> Option<&RawValue> {
        self.0.iter().find(|(field, _)| field == name).map(|(_, value)| &**value)
    }

    fn set(&mut self, name: &str, value: Box<RawValue>) {
        match self.0.iter_mut().find(|(field, _)| field == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(Object)
    }
}
