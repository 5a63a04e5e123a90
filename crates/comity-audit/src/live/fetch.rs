//! Requests the current robots.txt of sites (`--live`) through the client. Each origin is requested at most once, with at
//! most [`AT_ONCE`] requests in flight.

use std::path::Path;

use arrow_array::RecordBatch;
use comity_answers::files::Pending;
use comity_answers::shown::count_of;
use comity_client::{Cause, Client, Origin};
use comity_formats::{Capture, CaptureIndexWriter, CaptureRows};
use futures_util::StreamExt;
use url::Url;

use super::in_words;
use super::store::capture;
use crate::context::{JobContext, Stage};
use crate::error::AuditError;
use crate::manifest::{ManifestInput, ManifestLive};

/// Maximum number of concurrent requests.
const AT_ONCE: usize = 16;

/// Maximum number of answers in a batch.
const BATCH: usize = 256;

/// Name of this source in messages and in the column `source`.
const NAME: &str = "live";

/// Requests robots.txt from sites, and passes the answers to `take` batch by batch. Also writes them to a file, so that
/// the result can be repeated.
pub(crate) fn fetch_answers(
    origins: Vec<String>,
    file: Option<&Path>,
    context: &mut JobContext<'_>,
    mut take: impl FnMut(&RecordBatch) -> Result<(), AuditError>,
) -> Result<(ManifestInput, ManifestLive), AuditError> {
    let (client, runtime) = super::client(context)?;
    let pending = file.map(Pending::create).transpose()?;
    let mut writer = match &pending {
        Some(pending) => Some(CaptureIndexWriter::new(NAME, pending.file()?)?),
        None => None,
    };
    let mut hand_on = |rows: CaptureRows| -> Result<(), AuditError> {
        let batch = rows.finish()?;
        if let Some(writer) = &mut writer {
            writer.write(&batch)?;
        }
        take(&batch)
    };
    let mut live = ManifestLive {
        agent: client.agent().to_string(),
        sites: origins.len() as u64,
        answers: file.map(|file| file.to_string_lossy().into_owned()),
        ..ManifestLive::default()
    };
    let mut read =
        ManifestInput { name: NAME.to_owned(), format: NAME.to_owned(), ..ManifestInput::default() };
    let total = live.sites;
    let mut done = 0;
    context.run(&runtime, async |context| {
        let requests = origins.into_iter().enumerate().map(|(number, origin)| {
            let client = client.clone();
            async move { answer(&client, origin, number as u64 + 1).await }
        });
        let mut answers = futures_util::stream::iter(requests).buffer_unordered(AT_ONCE);
        let mut rows = CaptureRows::default();
        while let Some(answer) = answers.next().await {
            done += 1;
            context.progress(Stage::Asking, done, Some(total));
            match answer {
                Ok(capture) => {
                    read.rows += 1;
                    live.failures += u64::from(capture.failure.is_some());
                    rows.push(&capture, NAME);
                }
                Err((number, problem)) => {
                    live.unasked += 1;
                    read.damaged += 1;
                    if read.damage.is_empty() {
                        read.damage.push((number, problem));
                    }
                }
            }
            if rows.count() >= BATCH {
                hand_on(std::mem::take(&mut rows))?;
            }
        }
        hand_on(rows)
    })?;
    if let Some(writer) = writer {
        writer.finish()?;
    }
    read.bytes = pending.map(Pending::finish).transpose()?.unwrap_or_default();
    if live.unasked > 0 {
        let first = read.damage.first().map(|(_, problem)| problem.as_str()).unwrap_or_default();
        let unasked = count_of(live.unasked, "site");
        context.warning(&format!(
            "robots.txt of {unasked} could not be requested, so their pages are unknown: {first}"
        ));
    }
    Ok((read, live))
}

/// Returns the answer of a site: a new one, or a stored one that is still fresh. A network failure counts as an answer, a local
/// failure does not.
async fn answer(client: &Client, origin: String, number: u64) -> Result<Capture, (u64, String)> {
    let failed = |problem: String| (number, format!("{origin}: {problem}"));
    let url = Url::parse(&origin).ok();
    let Some(site) = url.as_ref().and_then(Origin::of) else {
        return Err(failed("not an http or https origin".to_owned()));
    };
    // Requests robots.txt if no fresh answer is stored. A refusal by the guard is an error here, not an unreachable
    // robots.txt.
    client.decide(site.robots_txt()).await.map_err(|cause| failed(in_words(&cause)))?;
    let stored = client.robots().stored(&site).await;
    let stored = stored.map_err(|error| failed(in_words(&Cause::Store(error))))?;
    let latest = stored.as_ref().and_then(|stored| stored.answers.last());
    latest
        .map(|latest| capture(&site, latest, number))
        .ok_or_else(|| failed("no answer, because this machine could not send the request".to_owned()))
}
