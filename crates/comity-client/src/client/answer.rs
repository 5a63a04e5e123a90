//! Reads the body of an answer within the limits, and reports the result.

use std::future::Future;
use std::pin::{Pin, pin};
use std::time::{Duration, SystemTime};

use bytes::{Bytes, BytesMut};
use futures_util::future::{Either, select};
use http::{HeaderMap, StatusCode};
use tokio::time::Instant;

use super::error::Cause;
use crate::Origin;
use crate::breaker::Permit;
use crate::clock::{Clock, Moment};
use crate::options::FetchOptions;
use crate::pace::Turn;
use crate::retry::AttemptEnd;
use crate::transport::{Body, Response, TransportError};

/// The time at which a fetch must be finished.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline {
    at: Moment,
    /// Time from the start of the fetch.
    length: Duration,
}

impl Deadline {
    pub(super) fn new(clock: &dyn Clock, length: Duration) -> Self {
        Deadline { at: clock.moment() + length, length }
    }
}

/// Awaits a future until the deadline. The future is borrowed, since moving it in would enlarge this future.
pub(super) async fn within<T>(
    clock: &dyn Clock,
    deadline: Option<Deadline>,
    work: Pin<&mut impl Future<Output = Result<T, Cause>>>,
) -> Result<T, Cause> {
    let Some(Deadline { at, length }) = deadline else { return work.await };
    match select(work, clock.sleep(at.since(clock.moment()))).await {
        Either::Left((done, _)) => done,
        Either::Right(_) => Err(Cause::Deadline(length)),
    }
}

/// The limits of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyLimits {
    bytes: usize,
    /// Time at which the header arrived.
    begun: Instant,
    /// Maximum time from the header to the end of the body.
    timeout: Duration,
    deadline: Option<Deadline>,
}

impl BodyLimits {
    /// Returns the limits in the options for a body that begins now.
    pub(super) fn new(options: &FetchOptions, deadline: Option<Deadline>) -> Self {
        let (bytes, timeout) = (options.max_bytes, options.body_timeout);
        BodyLimits { bytes, begun: Instant::now(), timeout, deadline }
    }

    /// Awaits the read of a body, or of a part of it, until the time for the whole body is over.
    async fn within<T>(
        self,
        clock: &dyn Clock,
        read: impl Future<Output = Result<T, TransportError>>,
    ) -> Result<T, Cause> {
        let left = self.timeout.saturating_sub(self.begun.elapsed());
        let timed = async {
            let late = |_| Err(TransportError::late("the body was incomplete after", self.timeout));
            tokio::time::timeout(left, read).await.unwrap_or_else(late).map_err(Cause::Transport)
        };
        within(clock, self.deadline, pin!(timed)).await
    }
}

/// An answer with a checked header and an unread body. It holds the turn, so that the next request to the origin waits.
#[derive(Debug)]
pub(super) struct OpenAnswer {
    pub(super) origin: Origin,
    head: AnswerHead,
    body: Box<dyn Body>,
    limits: BodyLimits,
    /// Number of bytes that may still be read.
    room: usize,
    is_cut: bool,
    turn: Option<Turn>,
    permit: Permit,
    ended: AttemptEnd,
}

/// The header of an answer.
#[derive(Clone, Debug)]
pub(super) struct AnswerHead {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
}

impl OpenAnswer {
    pub(super) fn new(
        origin: Origin,
        response: Response,
        limits: BodyLimits,
        (turn, permit, ended): (Turn, Permit, AttemptEnd),
    ) -> Self {
        let head = AnswerHead { status: response.status, headers: response.headers };
        let (body, room, turn) = (response.body, limits.bytes, Some(turn));
        OpenAnswer { origin, head, body, limits, room, is_cut: false, turn, permit, ended }
    }

    pub(super) fn head(&self) -> &AnswerHead {
        &self.head
    }

    /// Returns true if the body was cut at the limit.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns the turn, so that another value can hold it.
    pub(super) fn take_turn(&mut self) -> Option<Turn> {
        self.turn.take()
    }

    /// Returns the next chunk of the body, or `None` at its end or at the limit.
    pub(super) async fn chunk(&mut self, clock: &dyn Clock) -> Result<Option<Bytes>, Cause> {
        let limits = self.limits;
        limits.within(clock, self.next()).await
    }

    /// Reads the rest of the body up to the limit. Returns the body, and true if it was cut.
    pub(super) async fn rest(&mut self, clock: &dyn Clock) -> Result<(Bytes, bool), Cause> {
        let limits = self.limits;
        let reading = async {
            let mut body = BytesMut::new();
            while let Some(chunk) = self.next().await? {
                body.extend_from_slice(&chunk);
            }
            Ok((body.freeze(), self.is_cut))
        };
        limits.within(clock, reading).await
    }

    async fn next(&mut self) -> Result<Option<Bytes>, TransportError> {
        if self.is_cut {
            return Ok(None);
        }
        let Some(chunk) = self.body.chunk().await else { return Ok(None) };
        let mut chunk = chunk?;
        if chunk.len() > self.room {
            self.is_cut = true;
            chunk.truncate(self.room);
        }
        self.room -= chunk.len();
        Ok((!self.is_cut || !chunk.is_empty()).then_some(chunk))
    }

    /// Releases the turn, and reports the result to the circuit breaker: the transport's error for the body, or the
    /// status. Returns the origin and the header.
    pub(super) fn close(self, failed: Option<&Cause>, now: SystemTime) -> (Origin, AnswerHead) {
        drop((self.body, self.turn));
        let ended = match failed {
            Some(Cause::Transport(error)) => AttemptEnd::Failed(error.failure()),
            _ => self.ended,
        };
        self.permit.settle(&ended, now);
        (self.origin, self.head)
    }
}
