//! A page whose body is read in chunks.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::try_unfold;
use http::{HeaderMap, StatusCode};
use url::Url;

use super::answer::{AnswerHead, OpenAnswer};
use super::error::{Cause, FetchError};
use super::held_turn::HeldTurn;
use super::sent_request::SentRequest;
use super::{Client, pipeline};
use crate::job::Job;
use crate::options::FetchOptions;
use crate::retrieval::{FetchRecord, Selection};
use crate::robots_cache::BodyDigest;

/// A page whose request passed all steps and whose header has arrived. Its body is read in chunks, as they arrive.
///
/// The value holds a permit of its origin until the body has been read or the value is dropped. So it delays other
/// requests to the origin. The limits of a fetch apply: [`FetchOptions::max_bytes`] cuts the body,
/// [`FetchOptions::body_timeout`] limits the time from the header to the end of the body, including the time between
/// two reads, and [`FetchOptions::deadline`] limits the whole fetch. After `body_timeout`, the permit is released.
///
/// The record contains the terms of use in the header and in robots.txt. Those in the body are not read.
///
/// ```no_run
/// use comity_client::Client;
/// use comity_client::http::Method;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let client = Client::builder("ExampleBot").build()?;
/// let mut page = client.request(Method::GET, "https://example.com/archive.tar").stream().await?;
/// let mut bytes = 0;
/// while let Some(chunk) = page.chunk().await? {
///     bytes += chunk.len();
/// }
/// println!("{} {bytes} bytes, truncated: {}", page.status(), page.is_truncated());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "a stream holds a permit of its origin"]
pub struct PageStream {
    client: Client,
    head: AnswerHead,
    record: FetchRecord,
    /// The answer and its turn; `None` after the end of the body.
    open: Option<(Box<OpenAnswer>, Option<Arc<HeldTurn>>)>,
    digest: BodyDigest,
    bytes: u64,
}

/// The reason why a body is not read further.
enum BodyEnd<'e> {
    /// All bytes up to the limit were read.
    Read {
        is_cut: bool,
    },
    Failed(&'e Cause),
    /// The stream was dropped.
    Dropped,
}

impl PageStream {
    pub(super) async fn open(
        client: Client,
        url: &str,
        request: SentRequest,
        options: &FetchOptions,
    ) -> Result<Self, FetchError> {
        let inner = &*client.inner;
        let in_flight = inner.draining.begin_operation();
        let job = Job::default();
        // Boxed, as in `pipeline::fetch`.
        let opening = Box::pin(pipeline::open(inner, url, request, options, Selection::direct(), &job));
        let (mut record, mut answer) = opening.await?;
        let head = answer.head().clone();
        inner.end(&mut record);
        inner.note_refusal(&mut record, &head, &[]);
        record.note_header(head.status, &head.headers);
        inner.read_terms(&mut record, options, &answer.origin, (&head, &[])).await;
        let held = answer.take_turn().map(|turn| {
            let request = (record.final_url.clone(), "a streamed page");
            HeldTurn::new(inner, request, (turn, in_flight), options.body_timeout)
        });
        let open = Some((answer, held));
        Ok(PageStream { client, head, record, open, digest: BodyDigest::default(), bytes: 0 })
    }

    /// Returns the status code.
    pub fn status(&self) -> StatusCode {
        self.head.status
    }

    /// Returns the header fields.
    pub fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }

    /// Returns the URL of the page, after redirects.
    pub fn url(&self) -> Option<Url> {
        self.record.final_url.parse().ok()
    }

    /// Returns the record of the fetch. Its content and its times are complete after the end of the body.
    pub fn record(&self) -> &FetchRecord {
        &self.record
    }

    /// Returns true if the body was cut at [`FetchOptions::max_bytes`].
    pub fn is_truncated(&self) -> bool {
        match &self.open {
            Some((answer, _)) => answer.is_cut(),
            None => self.record.content.as_ref().is_some_and(|content| content.truncated),
        }
    }

    /// Returns the next chunk of the body, with content codings decoded. Returns `None` at the end, and at the limit
    /// ([`is_truncated`](PageStream::is_truncated)).
    ///
    /// # Errors
    ///
    /// [`FetchError`] if the body is incomplete, or if it takes too long. Later calls return `None`.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, FetchError> {
        let Some((answer, _)) = &mut self.open else { return Ok(None) };
        match answer.chunk(&*self.client.inner.clock).await {
            Ok(Some(chunk)) => {
                self.digest.update(&chunk);
                self.bytes += chunk.len() as u64;
                Ok(Some(chunk))
            }
            Ok(None) => {
                let is_cut = answer.is_cut();
                self.close(BodyEnd::Read { is_cut });
                Ok(None)
            }
            Err(cause) => {
                self.close(BodyEnd::Failed(&cause));
                let error = self.client.inner.fail(self.record.clone(), cause);
                self.record = error.record().clone();
                Err(error)
            }
        }
    }

    /// Returns the chunks as a stream, which ends after an error. A program can read it with `StreamReader` of the
    /// crate `tokio-util`.
    pub fn into_stream(self) -> impl Stream<Item = Result<Bytes, FetchError>> + Send {
        try_unfold(self, |mut page| async move { Ok(page.chunk().await?.map(|chunk| (chunk, page))) })
    }

    /// Ends the body: releases the permit, and reports the page unless the body failed. Completes the record if the
    /// body was read.
    fn close(&mut self, end: BodyEnd<'_>) {
        let Some((answer, held)) = self.open.take() else { return };
        let inner = &*self.client.inner;
        let failed = match end {
            BodyEnd::Failed(cause) => Some(cause),
            BodyEnd::Read { .. } | BodyEnd::Dropped => None,
        };
        let (origin, AnswerHead { status, headers }) = answer.close(failed, inner.clock.now());
        drop(held);
        if let BodyEnd::Read { is_cut } = end {
            let digest = std::mem::take(&mut self.digest).finish();
            self.record.note_content(status, &headers, (self.bytes, digest), is_cut);
        }
        if failed.is_none() {
            inner.end(&mut self.record);
            inner.report_page(&origin, status, self.bytes, &self.record);
        }
    }
}

/// Releases the permit.
impl Drop for PageStream {
    fn drop(&mut self) {
        self.close(BodyEnd::Dropped);
    }
}
