//! Bodies of requests: whole, or line by line; never more than allowed, never later.

use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use axum_core::body::{Body, BodyDataStream};
use bytes::{Buf, Bytes, BytesMut};
use futures_util::StreamExt;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::request::Parts;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use serde::de::DeserializeOwned;

use crate::alarm::Alarm;
use crate::problem::{Kind, Problem};

/// The media types that questions have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MediaType {
    /// `application/json`: one question.
    Json,
    /// `application/x-ndjson`: a batch.
    Lines,
}

impl MediaType {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            MediaType::Json => "application/json",
            MediaType::Lines => "application/x-ndjson",
        }
    }

    /// Returns the media type of a request, if it is one of `wanted`.
    pub(crate) fn of(parts: &Parts, wanted: &[MediaType]) -> Result<MediaType, Problem> {
        let given = parts.headers.get(CONTENT_TYPE).map(|value| value.as_bytes()).unwrap_or_default();
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
    /// The timer of the task that reads it.
    alarm: Alarm,
}

impl RequestBody {
    pub(crate) fn new(body: Body, alarm: Alarm) -> Self {
        RequestBody { body, alarm }
    }

    pub(crate) fn into_inner(self) -> Body {
        self.body
    }
}

/// Reads a whole body that holds a question.
pub(crate) async fn question<Q: DeserializeOwned>(
    parts: &Parts,
    body: RequestBody,
    limit: usize,
    timeout: Duration,
) -> Result<Q, Problem> {
    let too_large = || Problem::new(Kind::TooLarge, format!("a question has {limit} bytes at most"));
    let announced =
        parts.headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > limit as u64) {
        return Err(too_large());
    }
    let RequestBody { body, alarm } = body;
    let reading = async {
        let mut stream = body.into_data_stream();
        let mut whole = BytesMut::new();
        while let Some(piece) = stream.next().await {
            let piece = piece.map_err(|_| broken_off())?;
            // Most questions come in one piece, which is read where it lies.
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
    let whole = alarm.within(timeout, pin!(reading)).await.ok_or_else(|| slow(timeout))??;
    parse(&whole)
}

/// Reads a question.
pub(crate) fn parse<Q: DeserializeOwned>(text: &[u8]) -> Result<Q, Problem> {
    serde_json::from_slice(text).map_err(|error| Problem::new(Kind::BadQuestion, error.to_string()))
}

fn broken_off() -> Problem {
    Problem::new(Kind::BadQuestion, "the body broke off")
}

fn slow(timeout: Duration) -> Problem {
    Problem::new(Kind::SlowBody, format!("nothing more came within {} s", timeout.as_secs()))
}

/// The body of an answer, which leaves in pieces: what is not written yet is not taken over by the connection, so that the
/// request counts as under way until its answer is read.
#[derive(Debug)]
pub(crate) struct Pieces(Bytes);

impl Pieces {
    const LENGTH: usize = 64 << 10;

    pub(crate) fn body(whole: impl Into<Bytes>) -> Body {
        Body::new(Pieces(whole.into()))
    }
}

impl HttpBody for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let length = self.0.len().min(Pieces::LENGTH);
        Poll::Ready((length > 0).then(|| Ok(Frame::data(self.0.split_to(length)))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.len() as u64)
    }
}

/// The lines of a body, as they come. Empty ones are left out.
#[derive(Debug)]
pub(crate) struct Lines {
    stream: BodyDataStream,
    held: BytesMut,
    /// So many bytes of what is held have no line end.
    searched: usize,
    limit: usize,
    timeout: Duration,
    alarm: Alarm,
    is_over: bool,
}

impl Lines {
    /// The lines of a body, none of which is longer than `limit`. `timeout` is for each wait.
    pub(crate) fn new(body: RequestBody, limit: usize, timeout: Duration) -> Self {
        let RequestBody { body, alarm } = body;
        let stream = body.into_data_stream();
        Lines { stream, held: BytesMut::new(), searched: 0, limit, timeout, alarm, is_over: false }
    }

    /// Returns the next line, if all of it was received.
    pub(crate) fn at_hand(&mut self) -> Option<Result<Bytes, Problem>> {
        loop {
            match self.held_line() {
                Some(line) if line.trim_ascii().is_empty() => {}
                Some(line) if line.len() > self.limit => return Some(Err(self.too_long())),
                Some(line) => return Some(Ok(line)),
                None if self.held.len() > self.limit => return Some(Err(self.too_long())),
                None => return None,
            }
        }
    }

    /// Returns the next line.
    pub(crate) async fn next(&mut self) -> Option<Result<Bytes, Problem>> {
        loop {
            if let Some(line) = self.at_hand() {
                return Some(line);
            }
            if self.is_over {
                return None;
            }
            match self.alarm.within(self.timeout, self.stream.next()).await {
                Some(Some(Ok(piece))) => self.held.extend_from_slice(&piece),
                Some(Some(Err(_))) => return Some(Err(self.ended(broken_off()))),
                Some(None) => self.is_over = true,
                None => {
                    let timeout = self.timeout;
                    return Some(Err(self.ended(slow(timeout))));
                }
            }
        }
    }

    fn too_long(&mut self) -> Problem {
        let detail = format!("a line has {} bytes at most", self.limit);
        self.ended(Problem::new(Kind::TooLarge, detail))
    }

    fn ended(&mut self, problem: Problem) -> Problem {
        self.is_over = true;
        self.held.clear();
        self.searched = 0;
        problem
    }

    /// Takes a whole line from what is held.
    fn held_line(&mut self) -> Option<Bytes> {
        let end = memchr::memchr(b'\n', &self.held[self.searched..]);
        match end {
            Some(end) => {
                let line = self.held.split_to(self.searched + end).freeze();
                self.held.advance(1);
                self.searched = 0;
                Some(line)
            }
            None if self.is_over && !self.held.is_empty() => {
                self.searched = 0;
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

    async fn lines(pieces: &[&'static str], limit: usize) -> Vec<Result<String, Kind>> {
        let pieces: Vec<Result<Bytes, Infallible>> =
            pieces.iter().map(|piece| Ok(Bytes::from(*piece))).collect();
        let body = Body::from_stream(futures_util::stream::iter(pieces));
        let mut lines = Lines::new(RequestBody::new(body, Alarm::new()), limit, Duration::from_secs(1));
        let mut found = Vec::new();
        while let Some(line) = lines.next().await {
            let text = line.map(|line| String::from_utf8(line.to_vec()).unwrap());
            found.push(text.map_err(|problem| problem.kind));
        }
        found
    }

    #[tokio::test]
    async fn lines_end_wherever_the_pieces_do() {
        let line = |text: &str| Ok(text.to_owned());
        assert_eq!(lines(&["a\nb", "c\n", "\n \r\n", "d"], 9).await, [line("a"), line("bc"), line("d")]);
        assert_eq!(lines(&[], 9).await, []);
        assert_eq!(lines(&["\n\n"], 9).await, []);
    }

    #[tokio::test]
    async fn a_line_without_end_ends_the_batch() {
        let found = lines(&["ab\n", "0123", "4567", "89\n", "c\n"], 6).await;
        assert_eq!(found, [Ok("ab".to_owned()), Err(Kind::TooLarge)]);
        assert_eq!(lines(&["ab\n0123456\nc\n"], 6).await, [Ok("ab".to_owned()), Err(Kind::TooLarge)]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_batch_that_stands_still_is_ended() {
        let body = Body::from_stream(futures_util::stream::pending::<Result<Bytes, Infallible>>());
        let mut lines = Lines::new(RequestBody::new(body, Alarm::new()), 9, Duration::from_secs(1));
        assert_eq!(lines.next().await.unwrap().unwrap_err().kind, Kind::SlowBody);
        assert!(lines.next().await.is_none());
    }
}
