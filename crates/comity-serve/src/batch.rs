//! Answers to questions about many URLs: one object with all rows, or, for a batch, a stream of rows.
//!
//! The connection polls the stream when it can write. Rows are computed only when the caller reads, and lines of the
//! body are read only when rows are needed. So memory does not grow with the size of the batch, even if the caller
//! reads or sends slowly.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll, ready};

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use bytes::Bytes;
use comity_answers::notice::Notice;
use comity_answers::url::MAX_URL_BYTES;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, FuturesOrdered, Stream};
use http::header::CONTENT_TYPE;
use http::{HeaderName, HeaderValue};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::body::{self, Lines, MediaType, PiecesBody, Questions};
use crate::context::Context;
use crate::fair::Memory;
use crate::problem::{Kind, Problem};

/// Maximum number of URLs in progress.
const MAX_AHEAD: usize = 64;

/// Approximate maximum number of bytes of rows that are sent together.
const PIECE_BYTES: usize = 64 << 10;

/// Maximum number of bytes of an answer that is not a batch.
pub(crate) const LONGEST_ANSWER: usize = 64 << 20;

/// Maximum length of a line with a URL, in bytes: every byte may be escaped as `\u00XX`, between quotation marks.
const LONGEST_LINE: usize = 6 * MAX_URL_BYTES + 2;

/// A prepared question about URLs, which returns the rows of one URL at a time.
pub(crate) trait UrlQuestion: Send + Sync + Sized + 'static {
    /// The type of the question in JSON.
    type Question: DeserializeOwned + Send;

    /// Prepares a question. Returns it with the URLs that it contains; the other URLs of a batch follow in separate
    /// lines.
    fn prepare(
        context: &Context,
        question: Self::Question,
        is_batch: bool,
    ) -> impl Future<Output = Result<(Self, Vec<String>), Problem>> + Send;

    /// Returns the number of rows for each URL.
    fn rows_each(&self) -> usize;

    /// Adds the rows of a URL, one per line, if they can be computed quickly and without waiting. Returns true if they
    /// were added.
    fn add_rows(&self, _url: &str, _rows: &mut Vec<u8>) -> bool {
        false
    }

    /// Returns the rows of a URL, one per line.
    fn rows(&self, url: &str) -> impl Future<Output = Result<Vec<u8>, Problem>> + Send;

    /// Returns the notices about the question and the rows that were computed so far.
    fn notices(&self) -> Vec<Notice>;

    /// Returns the rows for an invalid URL.
    fn error_rows(&self, url: &str, error: &str) -> Vec<u8>;
}

/// Size in bytes of a buffer for one row. Most rows are shorter.
const ROW_BYTES: usize = 1_536;

/// Returns a buffer with capacity for this number of rows.
pub(crate) fn row_buffer(rows: usize) -> Vec<u8> {
    Vec::with_capacity(rows * ROW_BYTES)
}

/// Adds a row in JSON as a line.
pub(crate) fn line(rows: &mut Vec<u8>, row: &impl Serialize) {
    let begin = rows.len();
    // Serialization fails only for maps whose keys are not text, and rows have none.
    if serde_json::to_writer(&mut *rows, row).is_err() {
        rows.truncate(begin);
        return;
    }
    rows.push(b'\n');
}

/// Answers a question or a batch.
pub(crate) async fn answer<A: UrlQuestion>(
    State(context): State<Context>,
    questions: Questions<A::Question>,
) -> Result<Response, Problem> {
    match questions {
        Questions::One(question) => {
            let (prepared, urls) = A::prepare(&context, question, false).await?;
            let rows = prepared.rows_each().saturating_mul(urls.len());
            let most = context.shared.options.rows;
            if rows > most {
                let detail = format!(
                    "the question has {rows} rows, and an answer may have at most {most}; send a batch (`Content-Type: {}`)",
                    MediaType::Lines.as_str()
                );
                return Err(Problem::new(Kind::TooLarge, detail));
            }
            let pieces = all_rows(Arc::new(prepared), urls, &context.memory).await?;
            Ok(response(MediaType::Json, Body::new(pieces)))
        }
        Questions::Batch(lines) => {
            let batch = Batch::<A>::begin(context, *lines).await?;
            let notices = batch.prepared.notices().len();
            let mut response = response(MediaType::Lines, Body::from_stream(batch.into_rows()));
            if notices > 0 {
                response.headers_mut().insert(NOTICES, notices.into());
            }
            Ok(response)
        }
    }
}

/// Header field of the answer to a batch: the number of notices about the question in its first line. The notices
/// themselves are not sent, because the answer consists of rows only.
const NOTICES: HeaderName = HeaderName::from_static("comity-notices");

pub(crate) fn response(media_type: MediaType, body: Body) -> Response {
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type.as_str()));
    response
}

/// Returns all rows in one object: `{"rows":[...],"notices":[...]}`.
async fn all_rows<A: UrlQuestion>(
    prepared: Arc<A>,
    urls: Vec<String>,
    memory: &Arc<Memory>,
) -> Result<PiecesBody, Problem> {
    let mut pieces = PiecesBody::new(memory);
    let mut piece = row_buffer(1);
    piece.extend(b"{\"rows\":[");
    let mut begin = piece.len();
    let steps = stream::iter(urls).map(|url| Step::Url(Arc::clone(&prepared), url));
    let mut rows = Rows::new(steps, memory);
    while poll_fn(|context| rows.poll_add(context, &mut piece)).await? {
        commas(&mut piece[begin..]);
        if pieces.length() + piece.len() > LONGEST_ANSWER {
            let most = LONGEST_ANSWER >> 20;
            let batch = MediaType::Lines.as_str();
            let detail =
                format!("an answer may have at most {most} MiB; send a batch (`Content-Type: {batch}`)");
            return Err(Problem::new(Kind::TooLarge, detail));
        }
        if piece.len() >= PIECE_BYTES {
            // The comma after the last row moves to the start of the next piece.
            piece.pop();
            pieces.push(std::mem::replace(&mut piece, b",".to_vec()))?;
        }
        begin = piece.len();
        // If the question contains the robots.txt, polling never waits. So the task yields to other requests.
        if rows.has_more() {
            tokio::task::yield_now().await;
        }
    }
    if piece.ends_with(b",") {
        piece.pop();
    }
    piece.extend(b"],\"notices\":");
    let notices = serde_json::to_writer(&mut piece, &prepared.notices());
    notices.map_err(|error| Problem::new(Kind::Internal, error.to_string()))?;
    piece.push(b'}');
    pieces.push(piece)?;
    Ok(pieces)
}

/// Replaces line feeds by commas. A row in JSON contains no line feed.
fn commas(rows: &mut [u8]) {
    let mut at = 0;
    while let Some(end) = rows.get(at..).and_then(|rest| memchr::memchr(b'\n', rest)) {
        rows[at + end] = b',';
        at += end + 1;
    }
}

/// The future of the rows of one URL.
type RowFuture = BoxFuture<'static, Result<Vec<u8>, Problem>>;

/// The rows of URLs, in the order of the URLs.
struct Rows<A, S> {
    steps: S,
    /// Rows that are being computed. Most questions need no queue, so it is created on demand.
    in_flight: Option<FuturesOrdered<RowFuture>>,
    is_over: bool,
    memory: Arc<Memory>,
    prepared: PhantomData<A>,
}

impl<A: UrlQuestion, S: Stream<Item = Step<A>> + Unpin> Rows<A, S> {
    fn new(steps: S, memory: &Arc<Memory>) -> Self {
        Rows { steps, in_flight: None, is_over: false, memory: Arc::clone(memory), prepared: PhantomData }
    }

    fn has_more(&self) -> bool {
        !(self.is_over && self.ahead() == 0)
    }

    /// Returns the number of URLs in progress.
    fn ahead(&self) -> usize {
        self.in_flight.as_ref().map_or(0, FuturesOrdered::len)
    }

    /// Adds the rows that are ready, up to about [`PIECE_BYTES`] bytes. Returns `Pending` until at least one row is
    /// ready. Returns false if there are no more rows.
    fn poll_add(
        &mut self,
        context: &mut task::Context<'_>,
        piece: &mut Vec<u8>,
    ) -> Poll<Result<bool, Problem>> {
        let begin = piece.len();
        loop {
            while !self.is_over && self.ahead() < MAX_AHEAD && piece.len() - begin < PIECE_BYTES {
                match self.steps.poll_next_unpin(context) {
                    Poll::Ready(Some(step)) if self.ahead() == 0 && step.add_rows(piece) => {}
                    Poll::Ready(Some(step)) => {
                        let memory = Arc::clone(&self.memory);
                        self.in_flight.get_or_insert_default().push_back(Box::pin(async move {
                            let rows = step.rows().await?;
                            memory.add(rows.len())?;
                            Ok(rows)
                        }));
                    }
                    Poll::Ready(None) => self.is_over = true,
                    Poll::Pending => break,
                }
            }
            let has_rows = piece.len() > begin;
            if piece.len() - begin >= PIECE_BYTES {
                return Poll::Ready(Ok(true));
            }
            let next = match &mut self.in_flight {
                Some(in_flight) => in_flight.poll_next_unpin(context),
                None => Poll::Ready(None),
            };
            match next {
                Poll::Ready(Some(rows)) => {
                    let rows = rows?;
                    self.memory.remove(rows.len());
                    piece.extend(rows);
                }
                Poll::Ready(None) if self.is_over => return Poll::Ready(Ok(has_rows)),
                Poll::Ready(None) | Poll::Pending if has_rows => return Poll::Ready(Ok(true)),
                Poll::Ready(None) | Poll::Pending => return Poll::Pending,
            }
        }
    }
}

/// A batch, with the lines of its body that were not read yet.
struct Batch<A: UrlQuestion> {
    context: Context,
    lines: Lines,
    prepared: Arc<A>,
    urls: VecDeque<String>,
    /// A line with a further question, which is not prepared yet.
    question: Option<Bytes>,
    is_over: bool,
}

/// Output of the future that reads the next step of a batch. It contains the batch, which the future owned.
type NextStep<A> = (Option<Step<A>>, Box<Batch<A>>);

/// The steps of a batch, as a stream. A future is allocated only if the next line has not arrived or is a question.
enum Steps<A: UrlQuestion> {
    Ready(Box<Batch<A>>),
    Waiting(BoxFuture<'static, NextStep<A>>),
    Done,
}

impl<A: UrlQuestion> Stream for Steps<A> {
    type Item = Step<A>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut task::Context<'_>) -> Poll<Option<Step<A>>> {
        if let Steps::Ready(batch) = &mut *self
            && let Some(step) = batch.take_ready()
        {
            return Poll::Ready(Some(step));
        }
        let mut coming: BoxFuture<'static, _> = match std::mem::replace(&mut *self, Steps::Done) {
            Steps::Ready(mut batch) => Box::pin(async move { (batch.next().await, batch) }),
            Steps::Waiting(coming) => coming,
            Steps::Done => return Poll::Ready(None),
        };
        match coming.as_mut().poll(context) {
            Poll::Ready((step, batch)) => {
                if step.is_some() {
                    *self = Steps::Ready(batch);
                }
                Poll::Ready(step)
            }
            Poll::Pending => {
                *self = Steps::Waiting(coming);
                Poll::Pending
            }
        }
    }
}

/// A URL whose rows are needed, an invalid line, or the problem that ends a batch.
enum Step<A> {
    Url(Arc<A>, String),
    /// The text of an invalid line, and the error.
    InvalidUrl(Arc<A>, String, String),
    Problem(Problem),
}

impl<A: UrlQuestion> Step<A> {
    /// Adds the rows of the step if they can be computed without waiting. Returns true if they were added.
    fn add_rows(&self, rows: &mut Vec<u8>) -> bool {
        match self {
            Step::Url(prepared, url) => url.len() <= MAX_URL_BYTES && prepared.add_rows(url, rows),
            Step::InvalidUrl(..) | Step::Problem(_) => false,
        }
    }

    async fn rows(self) -> Result<Vec<u8>, Problem> {
        match self {
            Step::Url(prepared, url) if url.len() > MAX_URL_BYTES => {
                let shown = comity::shown::short(url.as_bytes(), 200);
                Ok(prepared.error_rows(&shown, &format!("a URL may have at most {MAX_URL_BYTES} bytes")))
            }
            Step::Url(prepared, url) => prepared.rows(&url).await,
            Step::InvalidUrl(prepared, url, error) => Ok(prepared.error_rows(&url, &error)),
            Step::Problem(problem) => Err(problem),
        }
    }
}

impl<A: UrlQuestion> Batch<A> {
    /// Reads the first question of the batch.
    async fn begin(context: Context, mut lines: Lines) -> Result<Self, Problem> {
        let Some(first) = lines.next().await else {
            return Err(Problem::new(
                Kind::BadQuestion,
                "the batch is empty; its first line must be a question",
            ));
        };
        let question = body::parse::<A::Question>(&first?)?;
        let (prepared, urls) = A::prepare(&context, question, true).await?;
        let (prepared, urls) = (Arc::new(prepared), urls.into());
        Ok(Batch { context, lines, prepared, urls, question: None, is_over: false })
    }

    /// Returns the next step if its line was received. Returns `None` for a line with a question, which `next`
    /// prepares.
    fn take_ready(&mut self) -> Option<Step<A>> {
        if let Some(url) = self.urls.pop_front() {
            return Some(Step::Url(Arc::clone(&self.prepared), url));
        }
        if self.is_over || self.question.is_some() {
            return None;
        }
        let line = self.lines.take_ready()?;
        self.read(line)
    }

    /// Returns the next step.
    async fn next(&mut self) -> Option<Step<A>> {
        loop {
            if let Some(step) = self.take_ready() {
                return Some(step);
            }
            if self.is_over {
                return None;
            }
            if let Some(question) = self.question.take() {
                let prepared = match body::parse::<A::Question>(&question) {
                    Ok(question) => A::prepare(&self.context, question, true).await,
                    Err(problem) => Err(problem),
                };
                match prepared {
                    Ok((prepared, urls)) => (self.prepared, self.urls) = (Arc::new(prepared), urls.into()),
                    Err(problem) => return Some(self.end_with(problem)),
                }
                continue;
            }
            let line = self.lines.next().await?;
            if let Some(step) = self.read(line) {
                return Some(step);
            }
        }
    }

    /// Returns the step for a line. Stores a line with a question and returns `None`.
    fn read(&mut self, line: Result<Bytes, Problem>) -> Option<Step<A>> {
        let line = match line {
            Ok(line) => line,
            Err(problem) => return Some(self.end_with(problem)),
        };
        if line.trim_ascii_start().starts_with(b"{") {
            self.question = Some(line);
            return None;
        }
        if line.len() > LONGEST_LINE {
            return Some(self.invalid_url(&line, format!("a URL may have at most {MAX_URL_BYTES} bytes")));
        }
        Some(match serde_json::from_slice::<String>(&line) {
            Ok(url) => Step::Url(Arc::clone(&self.prepared), url),
            Err(error) => self.invalid_url(&line, format!("not a JSON string with a URL: {error}")),
        })
    }

    fn invalid_url(&self, line: &Bytes, error: String) -> Step<A> {
        let shown = comity::shown::short(line, 200).into_owned();
        Step::InvalidUrl(Arc::clone(&self.prepared), shown, format!("line {}: {error}", self.lines.number()))
    }

    /// Ends the batch with a problem. The remaining lines cannot be answered, because they may depend on the failed line.
    fn end_with(&mut self, problem: Problem) -> Step<A> {
        self.is_over = true;
        Step::Problem(problem)
    }

    /// Returns the rows as a stream of pieces. A piece has the rows that are ready, up to about [`PIECE_BYTES`]. If the
    /// batch fails, its last line is a problem.
    fn into_rows(self) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
        let memory = Arc::clone(&self.context.memory);
        let mut rows = Rows::new(Steps::Ready(Box::new(self)), &memory);
        // The length of a piece predicts the length of the next. The memory of a piece stays counted until it was
        // written.
        let (mut piece, mut length, mut counted) = (Vec::new(), 0, 0);
        let mut is_over = false;
        stream::poll_fn(move |context| {
            memory.remove(std::mem::take(&mut counted));
            if is_over {
                return Poll::Ready(None);
            }
            piece.reserve(length);
            let added = ready!(rows.poll_add(context, &mut piece));
            let added = added.and_then(|has_more| memory.add(piece.len()).map(|()| has_more));
            match added {
                Ok(true) => counted = piece.len(),
                Ok(false) => return Poll::Ready(None),
                Err(problem) => {
                    line(&mut piece, &problem.to_fields());
                    is_over = true;
                }
            }
            length = piece.len();
            Poll::Ready(Some(Ok(std::mem::take(&mut piece).into())))
        })
    }
}
