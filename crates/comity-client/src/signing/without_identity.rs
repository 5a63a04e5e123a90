//! Replaces `signer.rs` without the feature `identity`. The types have no values, so no request is signed.

use http::{HeaderMap, Method, StatusCode};

use crate::Origin;

/// The signer of requests.
#[derive(Debug)]
pub(crate) enum Signer {}

/// A required signature.
#[derive(Clone, Debug)]
pub(crate) enum Challenge {}

/// The fields of a signature.
#[derive(Debug)]
pub(crate) enum SignatureFields {}

/// The error for a request that must be signed but cannot be signed.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum CannotSign {}

impl Signer {
    pub(crate) fn requester(&self) -> String {
        match *self {}
    }

    pub(crate) fn signs_without_challenge(&self, _: &Origin) -> bool {
        match *self {}
    }

    pub(crate) fn challenge(&self, _: &Origin, _: (StatusCode, &HeaderMap), _: bool) -> Option<Challenge> {
        match *self {}
    }

    pub(crate) fn sign(
        &self,
        _: &Method,
        _: (&str, &str, &str),
        _: &mut HeaderMap,
        _: Option<&Challenge>,
    ) -> Result<Option<SignatureFields>, CannotSign> {
        match *self {}
    }
}

impl SignatureFields {
    pub(crate) fn key(&self) -> &str {
        match *self {}
    }

    pub(crate) fn signature_agent(&self) -> &str {
        match *self {}
    }
}
