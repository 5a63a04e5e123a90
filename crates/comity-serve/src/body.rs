//! Request bodies, whole or line by line, with limits on size and time.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{self, Poll};
use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use axum::extract::{FromRequest, Request};
use bytes::{Buf, Bytes, BytesMut};
use futures_util::{FutureExt, StreamExt};
use http::HeaderMap;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http_body_util::BodyExt;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use serde::de::DeserializeOwned;

use crate::context::Context;
use crate::deadline_timer::DeadlineTimer;
use crate::fair::Memory;
use crate::problem::{Kind, Problem};

comity::words! {
    /// The media types of request bodies, and of the answers to them.
    pub(crate) enum MediaType {
        /// `application/json`: one question.
        Json = "application/json",
        /// `application/x-ndjson`: a batch.
        Lines = "application/x-ndjson",
    }
}

impl MediaType {
    /// Returns the media type of a request with these headers, if it is one of `wanted`.
    pub(crate) fn of(headers: &HeaderMap, wanted: &[MediaType]) -> Result<MediaType, Problem> {
        let given = headers.get(CONTENT_TYPE).map(|value| value.as_bytes()).unwrap_or_default();
        let bare = given.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
        let found = wanted.iter().copied().find(|known| known.as_str().as_bytes().eq_ignore_ascii_case(bare));
        found.ok_or_else(|| {
            let names: Vec<&str> = wanted.iter().map(|known| known.as_str()).collect();
            Problem::new(Kind::WrongMediaType, format!("send `Content-Type: {}`", names.join("` or `")))
        })
    }
}

/// The body of a request.
#[derive(Debug)]
pub(crate) struct RequestBody {
    body: Body,
    /// The timer of the task that reads the body.
    deadline_timer: DeadlineTimer,
    memory: Arc<Memory>,
}

impl RequestBody {
    pub(crate) fn new(body: Body, deadline_timer: DeadlineTimer, memory: Arc<Memory>) -> Self {
        RequestBody { body, deadline_timer, memory }
    }
}

/// A body whose first frame was already received. Returns this frame first, then the rest.
struct StartedBody {
    first: Option<Result<Frame<Bytes>, axum::Error>>,
    rest: Body,
}

impl HttpBody for StartedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut task::Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match self.first.take() {
            Some(first) => Poll::Ready(Some(first)),
            None => Pin::new(&mut self.rest).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.first.is_none() && self.rest.is_end_stream()
    }
}

/// Waits until the first bytes of a body arrive, or the body ends. If they have not arrived yet, calls `wait` and keeps
/// the returned guard while it waits.
pub(crate) async fn receive_body_start<W>(
    mut body: Body,
    deadline_timer: &DeadlineTimer,
    timeout: Duration,
    wait: impl FnOnce() -> Result<W, Problem>,
) -> Result<Body, Problem> {
    let first = match body.frame().now_or_never() {
        Some(first) => first,
        None => {
            let _waiting = wait()?;
            deadline_timer.within(timeout, body.frame()).await.ok_or_else(|| slow(timeout))?
        }
    };
    Ok(match first {
        None => Body::empty(),
        first => Body::new(StartedBody { first, rest: body }),
    })
}

/// Returns the length that `Content-Length` announces.
pub(crate) fn announced(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok())
}

/// Extractor of a question in JSON.
#[derive(Debug)]
pub(crate) struct Question<Q>(pub(crate) Q);

impl<Q: DeserializeOwned> FromRequest<Context> for Question<Q> {
    type Rejection = Problem;

    async fn from_request(request: Request, context: &Context) -> Result<Self, Problem> {
        MediaType::of(request.headers(), &[MediaType::Json])?;
        parse(whole(request, context).await?.body()).map(Question)
    }
}

/// Extractor of questions about URLs: one question in JSON, or the lines of a batch.
#[derive(Debug)]
pub(crate) enum Questions<Q> {
    One(Q),
    Batch(Box<Lines>),
}

impl<Q: DeserializeOwned> FromRequest<Context> for Questions<Q> {
    type Rejection = Problem;

    async fn from_request(request: Request, context: &Context) -> Result<Self, Problem> {
        match MediaType::of(request.headers(), &[MediaType::Json, MediaType::Lines])? {
            MediaType::Json => parse(whole(request, context).await?.body()).map(Questions::One),
            MediaType::Lines => {
                let options = &context.shared.options;
                let (deadline_timer, memory) = (context.deadline_timer.clone(), Arc::clone(&context.memory));
                let body = RequestBody::new(request.into_body(), deadline_timer, memory);
                let lines = Lines::new(body, options.body_bytes, options.body_timeout);
                Ok(Questions::Batch(Box::new(lines)))
            }
        }
    }
}

/// Reads the whole body of a request.
pub(crate) async fn whole(request: Request, context: &Context) -> Result<http::Request<Bytes>, Problem> {
    let (limit, timeout) = (context.shared.options.body_bytes, context.shared.options.body_timeout);
    let too_large = || Problem::new(Kind::TooLarge, format!("a question may have at most {limit} bytes"));
    let announced = announced(request.headers());
    if announced.is_some_and(|length| length > limit as u64) {
        return Err(too_large());
    }
    let (parts, body) = request.into_parts();
    let reading = async {
        let mut stream = body.into_data_stream();
        let mut whole = BytesMut::new();
        while let Some(piece) = stream.next().await {
            let piece = piece.map_err(|_| incomplete())?;
            context.memory.add(piece.len())?;
            // Most questions arrive in one piece, which needs no copy.
            if whole.is_empty() && announced == Some(piece.len() as u64) {
                return Ok(piece);
            }
            if whole.len() + piece.len() > limit {
                return Err(too_large());
            }
            whole.extend_from_slice(&piece);
        }
        Ok(whole.freeze())
    };
    let whole =
        context.deadline_timer.within(timeout, pin!(reading)).await.ok_or_else(|| slow(timeout))??;
    Ok(Request::from_parts(parts, whole))
}

/// Parses a question in JSON.
pub(crate) fn parse<Q: DeserializeOwned>(text: &[u8]) -> Result<Q, Problem> {
    serde_json::from_slice(text).map_err(|error| Problem::new(Kind::BadQuestion, error.to_string()))
}

fn incomplete() -> Problem {
    Problem::new(Kind::BadQuestion, "the body is incomplete")
}

fn slow(timeout: Duration) -> Problem {
    let seconds = timeout.as_secs();
    Problem::new(Kind::SlowBody, format!("the question or the next line was not complete within {seconds} s"))
}

/// The body of an answer, in pieces. The memory of a piece stays reserved until the connection polls for the next
/// piece.
#[derive(Debug)]
pub(crate) struct PiecesBody {
    pieces: VecDeque<Vec<u8>>,
    length: usize,
    /// Bytes of the piece that is being written.
    leaving: usize,
    memory: Arc<Memory>,
}

impl PiecesBody {
    pub(crate) fn new(memory: &Arc<Memory>) -> Self {
        PiecesBody { pieces: VecDeque::new(), length: 0, leaving: 0, memory: Arc::clone(memory) }
    }

    /// Returns the number of bytes that were not sent yet.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    pub(crate) fn push(&mut self, piece: Vec<u8>) -> Result<(), Problem> {
        self.memory.add(piece.capacity())?;
        self.length += piece.len();
        self.pieces.push_back(piece);
        Ok(())
    }
}

impl HttpBody for PiecesBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut task::Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let left = std::mem::take(&mut self.leaving);
        self.memory.remove(left);
        let Some(piece) = self.pieces.pop_front() else { return Poll::Ready(None) };
        self.leaving = piece.capacity();
        self.length -= piece.len();
        Poll::Ready(Some(Ok(Frame::data(piece.into()))))
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.length as u64)
    }
}

/// Reader for the lines of a body. Skips empty lines.
#[derive(Debug)]
pub(crate) struct Lines {
    stream: BodyDataStream,
    held: BytesMut,
    /// Number of buffered bytes that were already searched for a line end.
    searched: usize,
    /// Number of lines that were taken, empty lines included.
    number: usize,
    limit: usize,
    timeout: Duration,
    deadline_timer: DeadlineTimer,
    memory: Arc<Memory>,
    /// Number of bytes that are counted as memory: the largest number that was buffered at one time.
    counted: usize,
    is_over: bool,
}

impl Lines {
    /// Creates a reader for lines of at most `limit` bytes. Each line must be complete within `timeout`. An empty line,
    /// or a part of a line, does not restart the timeout.
    pub(crate) fn new(body: RequestBody, limit: usize, timeout: Duration) -> Self {
        let RequestBody { body, deadline_timer, memory } = body;
        let (stream, held) = (body.into_data_stream(), BytesMut::new());
        Lines {
            stream,
            held,
            searched: 0,
            number: 0,
            limit,
            timeout,
            deadline_timer,
            memory,
            counted: 0,
            is_over: false,
        }
    }

    /// Returns the 1-based number of the last line that was returned.
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// Returns the next line if all of it was received.
    pub(crate) fn take_ready(&mut self) -> Option<Result<Bytes, Problem>> {
        loop {
            match self.take_line() {
                Some(line) if line.trim_ascii().is_empty() => {}
                Some(line) if line.len() > self.limit => return Some(Err(self.too_long())),
                Some(line) => return Some(Ok(line)),
                None if self.held.len() > self.limit => return Some(Err(self.too_long())),
                None => return None,
            }
        }
    }

    /// Waits for the next line, up to the timeout. Returns `None` at the end of the body.
    pub(crate) async fn next(&mut self) -> Option<Result<Bytes, Problem>> {
        if let Some(line) = self.take_ready() {
            return Some(line);
        }
        let (deadline_timer, timeout) = (self.deadline_timer.clone(), self.timeout);
        let line = deadline_timer.within(timeout, pin!(self.received())).await;
        line.unwrap_or_else(|| Some(Err(self.ended(slow(timeout)))))
    }

    /// Waits for the next line without a timeout.
    async fn received(&mut self) -> Option<Result<Bytes, Problem>> {
        loop {
            if let Some(line) = self.take_ready() {
                return Some(line);
            }
            if self.is_over {
                return None;
            }
            match self.stream.next().await {
                Some(Ok(piece)) => {
                    if let Err(problem) = self.hold(&piece) {
                        return Some(Err(self.ended(problem)));
                    }
                }
                Some(Err(_)) => return Some(Err(self.ended(incomplete()))),
                None => self.is_over = true,
            }
        }
    }

    /// Buffers received bytes. Their memory stays counted after the line was read, since the parsed question is about
    /// as large.
    fn hold(&mut self, piece: &[u8]) -> Result<(), Problem> {
        self.held.extend_from_slice(piece);
        let more = self.held.len().saturating_sub(self.counted);
        self.memory.add(more)?;
        self.counted += more;
        Ok(())
    }

    fn too_long(&mut self) -> Problem {
        let detail = format!("a line may have at most {} bytes", self.limit);
        self.ended(Problem::new(Kind::TooLarge, detail))
    }

    fn ended(&mut self, problem: Problem) -> Problem {
        self.is_over = true;
        self.held.clear();
        self.searched = 0;
        problem
    }

    /// Removes a complete line from the buffer and returns it.
    fn take_line(&mut self) -> Option<Bytes> {
        let end = memchr::memchr(b'\n', &self.held[self.searched..]);
        match end {
            Some(end) => {
                let line = self.held.split_to(self.searched + end).freeze();
                self.held.advance(1);
                self.searched = 0;
                self.number += 1;
                Some(line)
            }
            None if self.is_over && !self.held.is_empty() => {
                self.searched = 0;
                self.number += 1;
                Some(self.held.split().freeze())
            }
            None => {
                self.searched = self.held.len();
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access_control::Caller;
    use crate::fair::Shares;
    use crate::options::ServiceOptions;

    fn request(body: Body) -> RequestBody {
        let shares = Shares::new(&ServiceOptions::default(), 1);
        RequestBody::new(body, DeadlineTimer::new(), Memory::new(&shares, Caller::Socket))
    }

    async fn lines(pieces: &[&'static str], limit: usize) -> Vec<Result<String, Kind>> {
        let pieces: Vec<Result<Bytes, Infallible>> =
            pieces.iter().map(|piece| Ok(Bytes::from(*piece))).collect();
        let body = Body::from_stream(futures_util::stream::iter(pieces));
        let mut lines = Lines::new(request(body), limit, Duration::from_secs(1));
        let mut found = Vec::new();
        while let Some(line) = lines.next().await {
            let text = line.map(|line| String::from_utf8(line.to_vec()).unwrap());
            found.push(text.map_err(|problem| problem.kind));
        }
        found
    }

    #[tokio::test]
    async fn lines_are_split_independently_of_pieces() {
        let line = |text: &str| Ok(text.to_owned());
        assert_eq!(lines(&["a\nb", "c\n", "\n \r\n", "d"], 9).await, [line("a"), line("bc"), line("d")]);
        assert_eq!(lines(&[], 9).await, []);
        assert_eq!(lines(&["\n\n"], 9).await, []);
    }

    #[tokio::test]
    async fn too_long_line_ends_the_batch() {
        let found = lines(&["ab\n", "0123", "4567", "89\n", "c\n"], 6).await;
        assert_eq!(found, [Ok("ab".to_owned()), Err(Kind::TooLarge)]);
        assert_eq!(lines(&["ab\n0123456\nc\n"], 6).await, [Ok("ab".to_owned()), Err(Kind::TooLarge)]);
    }

    #[tokio::test(start_paused = true)]
    async fn stalled_batch_times_out() {
        let body = Body::from_stream(futures_util::stream::pending::<Result<Bytes, Infallible>>());
        let mut lines = Lines::new(request(body), 9, Duration::from_secs(1));
        assert_eq!(lines.next().await.unwrap().unwrap_err().kind, Kind::SlowBody);
        assert!(lines.next().await.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn trickled_bytes_and_empty_lines_do_not_extend_the_deadline() {
        for trickled in ["a", "\n"] {
            let pieces = futures_util::stream::unfold((), move |()| async move {
                tokio::time::sleep(Duration::from_millis(300)).await;
                Some((Ok::<_, Infallible>(Bytes::from(trickled)), ()))
            });
            let mut lines = Lines::new(request(Body::from_stream(pieces)), 99, Duration::from_secs(1));
            assert_eq!(lines.next().await.unwrap().unwrap_err().kind, Kind::SlowBody, "{trickled:?}");
        }
    }
}
