//! Comity's own store in a file, as a source of robots.txt answers. It is read beside its users, and never changed.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use arrow_array::RecordBatch;
use comity::policy::{Preset, Reply};
use comity_audit::ManifestInput;
use comity_client::Origin;
use comity_client::robots_cache::{Stored, StoredAnswer};
use comity_client::store::{EmbeddedEntries, StoreError};
use comity_formats::{Capture, CaptureRows};

use super::inputs::JobFile;
use super::inputs::STORE;
use crate::exit::Failure;

/// A batch ends after so many answers, or so many bytes of bodies.
const BATCH: (usize, usize) = (1024, 16 << 20);

/// Reads the answers of a store. Entries that no robots cache wrote are counted as damage.
pub(super) fn read(
    file: &JobFile,
    take: &mut impl FnMut(&RecordBatch) -> Result<(), Failure>,
) -> Result<ManifestInput, Failure> {
    let Some(path) = file.path() else {
        return Err(Failure::new("a store of robots.txt answers cannot come by standard input")
            .hint("name the file: what its users wrote last stands in a file beside it"));
    };
    let mut read = ManifestInput {
        name: file.name.clone(),
        format: STORE.to_owned(),
        bytes: file.bytes,
        ..ManifestInput::default()
    };
    let mut rows = CaptureRows::default();
    let mut number = 0;
    for entry in EmbeddedEntries::open(path).map_err(|error| unusable(&error))? {
        let (origin, entry) = entry.map_err(|error| unusable(&error))?;
        number += 1;
        let all = Stored::all_of_entry(&entry, Preset::Rfc9309);
        if all.is_empty() {
            read.damaged += 1;
            if read.damage.is_empty() {
                read.damage.push((number, format!("the entry of {origin} is of another version")));
            }
            continue;
        }
        // What an identity was answered says nothing about other crawlers.
        let Some(stored) = all.into_iter().find(|stored| stored.asked_as.is_none()) else { continue };
        for capture in captures(&origin, &stored, number) {
            rows.push(&capture, &file.name);
            read.rows += 1;
        }
        if rows.count() >= BATCH.0 || rows.body_bytes() >= BATCH.1 {
            take(&finished(std::mem::take(&mut rows))?)?;
        }
    }
    take(&finished(rows)?)?;
    Ok(read)
}

/// Returns the batch of the answers that were collected.
pub(super) fn finished(rows: CaptureRows) -> Result<RecordBatch, Failure> {
    rows.finish().map_err(|error| Failure::new(format!("the answers cannot be put together: {error}")))
}

/// Returns what a store has of an origin. A failure that only one process has seen says nothing of the site: that process's
/// own network may be the cause.
pub(super) fn captures(origin: &Origin, stored: &Stored, offset: u64) -> impl Iterator<Item = Capture> {
    let confirmed = stored.answers.iter().filter(|answer| !answer.unconfirmed);
    confirmed.map(move |answer| capture(origin, answer, offset))
}

/// Returns an answer as archives hold it.
pub(super) fn capture(origin: &Origin, answer: &StoredAnswer, offset: u64) -> Capture {
    let (status, failure) = match answer.reply {
        Reply::Status(status) => (Some(status), None),
        Reply::Failure(failure) => (None, Some(failure.as_str().to_owned())),
        _ => (None, None),
    };
    Capture {
        key: origin.as_str().to_owned(),
        fetched_at: micros(answer.at),
        status,
        failure,
        content_type: answer.content_type.clone(),
        location: None,
        body: answer.body.as_ref().map(|body| Arc::from(&**body)),
        offset,
    }
}

/// Returns a time in microseconds since 1970.
pub(super) fn micros(time: SystemTime) -> Option<i64> {
    i64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_micros()).ok()
}

fn unusable(error: &StoreError) -> Failure {
    Failure::new(error.to_string())
}
