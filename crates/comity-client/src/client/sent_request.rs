//! The part of a request that a redirect may change: method and body.

use bytes::Bytes;
use http::{HeaderValue, Method, StatusCode};

use super::error::Cause;

/// Method and body of a request, and whether it may be repeated.
#[derive(Clone, Debug)]
pub(super) struct SentRequest {
    pub(super) method: Method,
    pub(super) content_type: Option<HeaderValue>,
    pub(super) body: Bytes,
    pub(super) is_repeatable: bool,
}

impl SentRequest {
    pub(super) fn get() -> Self {
        SentRequest { method: Method::GET, content_type: None, body: Bytes::new(), is_repeatable: false }
    }

    /// Rejects methods that the Fetch standard forbids.
    pub(super) fn check(&self) -> Result<(), Cause> {
        match self.method {
            Method::CONNECT | Method::TRACE => Err(Cause::Url(
                format!("requests with the method `{}` are not supported", self.method).into(),
            )),
            _ => Ok(()),
        }
    }

    /// Returns true if the request may be sent again after a failure.
    pub(super) fn may_be_repeated(&self) -> bool {
        self.is_repeatable || self.method.is_idempotent()
    }

    /// Changes the method for a redirect with this status, if necessary. A new method drops the body.
    pub(super) fn redirect(&mut self, status: StatusCode) {
        let becomes_get = match status {
            StatusCode::SEE_OTHER => self.method != Method::HEAD,
            StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND => self.method == Method::POST,
            _ => false,
        };
        if becomes_get {
            *self = SentRequest::get();
        }
    }
}
