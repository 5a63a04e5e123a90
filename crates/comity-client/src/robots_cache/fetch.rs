//! Asking an origin for its robots.txt: redirects, limits, revalidation.
//!
//! The request goes where pages go, through the same transport with the same TLS, proxy and User-Agent, and every hop
//! through the guard. It is not paced with the pages: one request per origin and lifetime, never two at once.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use comity::policy::{Failure, Reply};
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use tracing::debug;
use url::Url;

use super::answer::KeptAnswer;
use crate::Origin;
use crate::clock::Clock;
use crate::guard::Guard;
use crate::transport::{Request, Response, Transport, TransportError};

/// How robots.txt is asked for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RobotsOptions {
    /// How long all of it may take, redirects included. 10 seconds.
    pub timeout: Duration,
    /// How many redirects are followed. 5, as RFC 9309 §2.3.1.2 asks for.
    pub max_redirects: usize,
    /// How many octets of a body are read, content encodings undone. 512,000 (RFC 9309 §2.5).
    pub max_bytes: usize,
    /// How many octets the rules that are kept in memory may take. 64 MiB.
    pub memory_bytes: u64,
}

impl Default for RobotsOptions {
    fn default() -> Self {
        RobotsOptions {
            timeout: Duration::from_secs(10),
            max_redirects: 5,
            max_bytes: 512_000,
            memory_bytes: 64 << 20,
        }
    }
}

/// How to ask whether a copy is still good (RFC 9110 §13.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Validators {
    /// Where the copy came from: after redirects, another URL than the one asked for.
    source: Option<String>,
    etag: Option<Vec<u8>>,
    last_modified: Option<Vec<u8>>,
}

impl Validators {
    pub(crate) fn of(copy: &KeptAnswer) -> Option<Box<Self>> {
        let (etag, last_modified) = (copy.field("etag"), copy.field("last-modified"));
        (etag.is_some() || last_modified.is_some()).then(|| {
            Box::new(Validators {
                source: copy.redirects.last().cloned(),
                etag: etag.map(<[u8]>::to_vec),
                last_modified: last_modified.map(<[u8]>::to_vec),
            })
        })
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let bytes = |value: &Option<Vec<u8>>| value.as_ref().map_or(0, Vec::len);
        size_of::<Self>()
            + self.source.as_ref().map_or(0, String::len)
            + bytes(&self.etag)
            + bytes(&self.last_modified)
    }

    fn add_to(&self, headers: &mut HeaderMap, url: &Url, is_first: bool) {
        let is_source = match &self.source {
            Some(source) => source == url.as_str(),
            None => is_first,
        };
        if !is_source {
            return;
        }
        let fields = [(header::IF_NONE_MATCH, &self.etag), (header::IF_MODIFIED_SINCE, &self.last_modified)];
        for (name, value) in fields {
            if let Some(Ok(value)) = value.as_deref().map(HeaderValue::from_bytes) {
                headers.insert(name, value);
            }
        }
    }
}

/// What asking takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asking<'a> {
    pub transport: &'a dyn Transport,
    pub guard: &'a Guard,
    pub clock: &'a dyn Clock,
    pub user_agent: &'a HeaderValue,
    pub options: &'a RobotsOptions,
    /// As many octets as the preset reads.
    pub body_limit: usize,
}

impl Asking<'_> {
    /// Asks for the robots.txt of an origin. Whatever happens is an answer.
    pub(crate) async fn ask(&self, origin: &Origin, validators: Option<&Validators>) -> KeptAnswer {
        let mut redirects = Vec::new();
        let asked =
            tokio::time::timeout(self.options.timeout, self.follow(origin, validators, &mut redirects));
        match asked.await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => {
                debug!(%origin, failure = error.failure().as_str(), %error, "robots.txt could not be fetched");
                KeptAnswer::failure(error.failure(), self.clock.now(), redirects)
            }
            Err(_) => KeptAnswer::failure(Failure::Timeout, self.clock.now(), redirects),
        }
    }

    async fn follow(
        &self,
        origin: &Origin,
        validators: Option<&Validators>,
        redirects: &mut Vec<String>,
    ) -> Result<KeptAnswer, TransportError> {
        let mut url = origin.robots_txt();
        loop {
            self.guard.check_url(&url).map_err(TransportError::refused)?;
            let mut headers = self.headers();
            if let Some(validators) = validators {
                validators.add_to(&mut headers, &url, redirects.is_empty());
            }
            let request = Request::get(url.clone(), headers, self.options.timeout);
            let response = self.transport.send(request).await?;
            let status = response.status.as_u16();
            let Some(next) = location(&response, &url) else { return self.read(response, redirects).await };
            let next = next?;
            let seen = url == next || redirects.iter().any(|seen| *seen == next.as_str());
            if seen || next == origin.robots_txt() {
                return Err(TransportError::new(Failure::Redirects, format!("{next} redirects to itself")));
            }
            if redirects.len() >= self.options.max_redirects {
                let headers = HeaderMap::new();
                return Ok(KeptAnswer::status(
                    status,
                    self.clock.now(),
                    &headers,
                    Bytes::new(),
                    redirects.clone(),
                ));
            }
            redirects.push(next.to_string());
            url = next;
        }
    }

    fn headers(&self) -> HeaderMap {
        let fields: [(HeaderName, HeaderValue); 2] = [
            (header::USER_AGENT, self.user_agent.clone()),
            (header::ACCEPT, HeaderValue::from_static("text/plain, */*;q=0.5")),
        ];
        fields.into_iter().collect()
    }

    async fn read(&self, mut response: Response, redirects: &[String]) -> Result<KeptAnswer, TransportError> {
        let status = response.status.as_u16();
        let mut body = BytesMut::new();
        if response.status.is_success() {
            // One more than counts, so that a cut is known.
            let limit = self.body_limit.min(self.options.max_bytes).saturating_add(1);
            while body.len() < limit
                && let Some(chunk) = response.body.chunk().await
            {
                let chunk = chunk?;
                let room = limit - body.len();
                body.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
            }
        }
        let at = self.clock.now();
        Ok(KeptAnswer::status(status, at, &response.headers, body.freeze(), redirects.to_vec()))
    }
}

/// Where a redirect leads: `None` if the answer is none, an error if it leads nowhere that exists.
pub(crate) fn location(response: &Response, from: &Url) -> Option<Result<Url, TransportError>> {
    if !matches!(response.status.as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    // A redirect without a place to go is an answer in itself.
    let value = response.headers.get(header::LOCATION)?;
    let text = String::from_utf8_lossy(value.as_bytes());
    let next = from.join(text.trim()).map(|mut next| {
        next.set_fragment(None);
        next
    });
    Some(next.map_err(|error| {
        TransportError::new(
            Failure::Redirects,
            format!("{from} redirects to `{text}`, which is no URL: {error}"),
        )
    }))
}

/// Whether a status says that the copy at hand is still good.
pub(crate) fn is_not_modified(answer: &KeptAnswer) -> bool {
    answer.reply == Reply::Status(304)
}
