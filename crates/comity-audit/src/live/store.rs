//! A store of Comity in a file, as a source of robots.txt answers. It can be read while other processes use it, and is
//! never changed.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use comity::policy::{Preset, Reply};
use comity_client::Origin;
use comity_client::robots_cache::{StoredAnswer, StoredRobotsTxt};
use comity_client::store::EmbeddedEntries;
use comity_formats::{Capture, CaptureRows};

use crate::answer_sink::AnswerSink;
use crate::error::AuditError;
use crate::input_file::{InputFile, STORE};
use crate::manifest::ManifestInput;

/// Number of answers, and size of their bodies in bytes, at which a batch is passed on.
const BATCH: (usize, usize) = (1024, 16 << 20);

/// Reads the answers of a store. Entries in an unknown format, for example of another version, are counted as damage.
pub(crate) fn read(file: &InputFile, take: &mut AnswerSink<'_>) -> Result<ManifestInput, AuditError> {
    let path = file.path().ok_or_else(|| AuditError::UnreadableStore(file.name.clone()))?;
    let mut read = ManifestInput {
        name: file.name.clone(),
        format: STORE.to_owned(),
        bytes: file.bytes,
        ..ManifestInput::default()
    };
    let mut rows = CaptureRows::default();
    let mut number = 0;
    for entry in EmbeddedEntries::open(path)? {
        let (origin, entry) = entry?;
        number += 1;
        let all = StoredRobotsTxt::all_of_entry(&entry, Preset::Rfc9309);
        if all.is_empty() {
            read.damaged += 1;
            if read.damage.is_empty() {
                read.damage.push((number, format!("the entry of {origin} is of another version")));
            }
            continue;
        }
        // Only answers to unsigned requests are read, because a site may answer signed requests differently.
        let Some(stored) = all.into_iter().find(|stored| stored.requested_as.is_none()) else { continue };
        for capture in captures(&origin, &stored, number) {
            rows.push(&capture, &file.name);
            read.rows += 1;
        }
        if rows.count() >= BATCH.0 || rows.body_bytes() >= BATCH.1 {
            take(&std::mem::take(&mut rows).finish()?, Vec::new())?;
        }
    }
    take(&rows.finish()?, Vec::new())?;
    Ok(read)
}

/// Returns the answers for an origin in a store. A failure that only one process has seen is ignored: the network of that process
/// may be the cause.
fn captures(origin: &Origin, stored: &StoredRobotsTxt, offset: u64) -> impl Iterator<Item = Capture> {
    let confirmed = stored.answers.iter().filter(|answer| !answer.unconfirmed);
    confirmed.map(move |answer| capture(origin, answer, offset))
}

/// Returns an answer in the form of an archived capture.
pub(crate) fn capture(origin: &Origin, answer: &StoredAnswer, offset: u64) -> Capture {
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

/// Converts a time to microseconds since 1970.
fn micros(time: SystemTime) -> Option<i64> {
    i64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_micros()).ok()
}
