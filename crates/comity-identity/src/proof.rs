//! Signed directories: a proof that the publisher of the keys has their private halves (appendix B.1 of the draft).

use std::time::{Duration, SystemTime};

use comity::http::Headers;
use sfv::{BareItem, Item, StringRef, key_ref, string_ref};

use crate::agent::Discovery;
use crate::base::CoveredComponents;
use crate::digest::{self, content_digest, content_digest_matches};
use crate::directory::{Directory, MAX_KEYS};
use crate::fields;
use crate::key::{PrivateKey, Thumbprint};
use crate::message::{Message, Request};
use crate::outcome::{Invalid, Outcome, Unverified, VerificationFailure};
use crate::protocol::{CREATED, EXPIRES, KEYID, TAG_PARAMETER};
use crate::signature::{self, INPUT_FIELD, ParsedSignature, SIGNATURE_FIELD, Times};

const TAG: &StringRef = string_ref("http-message-signatures-directory");

/// Returns the header fields that are served with a signed directory: names and values.
pub(crate) fn prove(
    keys: &[&PrivateKey],
    discovery: &Discovery,
    body: &[u8],
    (created, expires): (u64, u64),
) -> Result<Vec<(&'static str, String)>, VerificationFailure> {
    let digest = content_digest(body);
    let headers: Headers<'_> = [(digest::FIELD, digest.as_bytes())].into_iter().collect();
    let none = Headers::new();
    let request = Request::new("GET", discovery.url(), &none);
    let message = Message::Response { status: 200, headers: &headers, request: &request };
    let mut authority = Item::new(BareItem::String(string_ref("@authority").to_owned()));
    authority.params.insert(key_ref("req").to_owned(), BareItem::Boolean(true));
    let components = [authority, Item::new(BareItem::String(string_ref(digest::FIELD).to_owned()))];
    let (mut inputs, mut signatures) = (Vec::new(), Vec::new());
    for (number, key) in keys.iter().enumerate() {
        let name = key.public().thumbprint().to_string();
        let name = StringRef::from_str(&name).map_err(|_| Invalid::NotAThumbprint)?;
        let parameters = [
            (CREATED, seconds(created)?),
            (EXPIRES, seconds(expires)?),
            (KEYID, BareItem::String(name.to_owned())),
            (TAG_PARAMETER, BareItem::String(TAG.to_owned())),
        ];
        let covered = CoveredComponents::new(components.to_vec(), parameters)?;
        let signature = key.sign(covered.base(message)?.as_bytes());
        let signature = Item::new(BareItem::ByteSequence(signature.to_vec()));
        inputs.push(format!("binding{number}={}", covered.value()));
        signatures.push(format!("binding{number}={}", fields::item(&signature)));
    }
    Ok(vec![
        ("Content-Digest", digest),
        ("Signature-Input", inputs.join(", ")),
        ("Signature", signatures.join(", ")),
    ])
}

/// Returns a time as a parameter of a signature.
pub(crate) fn seconds(seconds: u64) -> Result<BareItem, Invalid> {
    let seconds = i64::try_from(seconds).ok().and_then(|seconds| BareItem::try_from(seconds).ok());
    seconds.ok_or(Invalid::MalformedParameter("created"))
}

/// The proven keys of a directory: their holders signed this exact directory for this exact site.
///
/// A verifier that fetched a directory itself needs no proof. It is needed if the keys come from a third party (§5.5.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectoryProof {
    proven: Vec<Thumbprint>,
    refused: Vec<(String, Outcome)>,
}

impl DirectoryProof {
    /// Checks the signatures of a served directory. `headers` and `body` are from its answer; `directory` is the parsed
    /// body.
    pub fn check(
        discovery: &Discovery,
        headers: &Headers<'_>,
        body: &[u8],
        directory: &Directory,
        now: SystemTime,
    ) -> Self {
        let mut proof = DirectoryProof { proven: Vec::new(), refused: Vec::new() };
        let Ok(Some(inputs)) = fields::dictionary(headers, INPUT_FIELD) else { return proof };
        let signatures = fields::dictionary(headers, SIGNATURE_FIELD).ok().flatten().unwrap_or_default();
        let none = Headers::new();
        let request = Request::new("GET", discovery.url(), &none);
        let message = Message::Response { status: 200, headers, request: &request };
        // A proof dated in the future would outrank every later fetch, so no clock skew is allowed.
        let times = Times { now, clock_skew: Duration::ZERO, max_lifetime: None };
        // A signed directory has one signature for each key, so the limit of keys also limits the signatures.
        let labels = signature::tagged(&inputs, TAG.as_str());
        for (label, input) in labels.into_iter().take(MAX_KEYS) {
            let checked = ParsedSignature::read(input, signatures.get(label), times)
                .and_then(|signed| check(&signed, message, body, directory, discovery));
            match checked {
                Ok(key) => proof.proven.push(key),
                Err(refused) => proof.refused.push((label.to_owned(), refused.into())),
            }
        }
        proof
    }

    /// Returns the keys whose holders signed.
    pub fn proven(&self) -> &[Thumbprint] {
        &self.proven
    }

    /// Returns the signatures that are not valid: labels and reasons.
    pub fn refused(&self) -> impl Iterator<Item = (&str, &Outcome)> {
        self.refused.iter().map(|(label, outcome)| (label.as_str(), outcome))
    }
}

fn check(
    signed: &ParsedSignature,
    message: Message<'_>,
    body: &[u8],
    directory: &Directory,
    discovery: &Discovery,
) -> Result<Thumbprint, VerificationFailure> {
    let components = signed.covered.components();
    let is_for_site =
        components.iter().any(|component| component.name() == "@authority" && component.is_of_request());
    if !is_for_site {
        return Err(Invalid::TargetNotCovered.into());
    }
    let is_for_body =
        components.iter().any(|component| component.name() == digest::FIELD && component.is_plain());
    let Message::Response { headers, .. } = message else { return Err(Invalid::Digest.into()) };
    if !is_for_body || content_digest_matches(headers, body) != Some(true) {
        return Err(Invalid::Digest.into());
    }
    let base = signed.covered.base(message)?;
    let published = directory.get(signed.key).ok_or_else(|| Unverified::UnknownKey(discovery.clone()))?;
    if published.key().verifies(base.as_bytes(), &signed.signature) {
        Ok(signed.key)
    } else {
        Err(Invalid::BadSignature.into())
    }
}
