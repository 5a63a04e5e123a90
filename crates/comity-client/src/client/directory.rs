//! Fetches a key directory, which a site publishes for the verification of signatures. Runs all [steps](super::steps)
//! except robots.txt.
//!
//! robots.txt does not apply to this fetch: a signed request refers to the directory, and the site of the directory is
//! responsible for that request. The other steps are guard, circuit breaker and pace. One request is sent, and
//! redirects are not followed.

use std::pin::pin;
use std::time::{Duration, SystemTime};

use bytes::{Bytes, BytesMut};
use http::StatusCode;
use http::header::{self, HeaderMap, HeaderValue};
use url::Url;

use super::error::Cause;
use super::{Client, Inner};
use crate::Origin;
use crate::breaker::Permit;
use crate::job::Job;
use crate::pace::Interval;
use crate::retry::AttemptEnd;
use crate::store::Lane;
use crate::transport::{Request, TransportError};

/// Parameters of a directory request.
#[derive(Clone, Debug)]
pub(crate) struct DirectoryRequest {
    pub(crate) accept: HeaderValue,
    /// Timeout of the fetch, without waits for slots.
    pub(crate) timeout: Duration,
    /// Maximum wait for a slot.
    pub(crate) max_wait: Duration,
    /// Maximum number of body bytes that are read.
    pub(crate) max_bytes: usize,
}

/// The answer of a server to a request for a directory.
#[derive(Clone, Debug)]
pub(crate) struct DirectoryReply {
    pub(crate) at: SystemTime,
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Client {
    /// Requests a directory. The request is not signed: to verify its signature, the site would have to request the
    /// keys of this client.
    pub(crate) async fn request_directory(
        &self,
        url: &Url,
        how: &DirectoryRequest,
    ) -> Result<DirectoryReply, Cause> {
        let inner = &*self.inner;
        let begun = inner.clock.moment();
        let replied = inner.request_directory(url, how).await;
        if let Err(cause) = &replied {
            inner.report_refusal(url.as_str(), cause, begun);
        }
        replied
    }
}

impl Inner {
    async fn request_directory(&self, url: &Url, how: &DirectoryRequest) -> Result<DirectoryReply, Cause> {
        let _in_flight = self.draining.begin_operation();
        if self.draining.is_begun() {
            return Err(Cause::Drained);
        }
        // The URL comes from an untrusted request, so only web ports and explicitly allowed ports are used.
        self.guard.clone().on_web_ports().check_url(url).map_err(Cause::Guard)?;
        let (origin, _) = self.guard_url(url).await?;
        let permit = self.breaker.admit(&origin, self.clock.now()).map_err(Cause::Circuit)?;
        let interval = Interval::new(&self.pace_options, None, self.clock.now());
        let job = Job::default();
        let entering = self.pace.enter_as(&job, (&origin, Lane::Pages), &interval, how.max_wait);
        // The turn is dropped after the body is read.
        let turn = self.draining.unless_begun(pin!(entering)).await.ok_or(Cause::Drained)??;
        let at = self.clock.now();
        let headers = [(header::USER_AGENT, self.user_agent.clone()), (header::ACCEPT, how.accept.clone())];
        let request = Request::get(url.clone(), headers.into_iter().collect(), how.timeout);
        let reading = async {
            let mut response = self.pace.send(&turn, &*self.transport, request).await?;
            let mut body = BytesMut::new();
            while body.len() < how.max_bytes
                && let Some(chunk) = response.body.chunk().await
            {
                let chunk = chunk?;
                let room = how.max_bytes - body.len();
                body.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
            }
            let (status, headers) = (response.status, response.headers);
            Ok(DirectoryReply { at, status, headers, body: body.freeze() })
        };
        let replied = tokio::time::timeout(how.timeout, reading).await;
        let late = |_| Err(TransportError::late("no complete answer within", how.timeout));
        let replied = replied.unwrap_or_else(late);
        self.settle_directory(&origin, permit, &replied).await?;
        replied.map_err(|error| match error.refusal() {
            Some(refusal) => Cause::Guard(refusal.clone()),
            None => Cause::Transport(error),
        })
    }

    /// Reports the result to the pace and the circuit breaker.
    async fn settle_directory(
        &self,
        origin: &Origin,
        permit: Permit,
        replied: &Result<DirectoryReply, TransportError>,
    ) -> Result<(), Cause> {
        let ended = match replied {
            Ok(reply) => self.ended(reply.status, &reply.headers),
            Err(error) => AttemptEnd::Failed(error.failure()),
        };
        permit.settle(&ended, self.clock.now());
        self.settle(origin, &ended).await
    }
}
