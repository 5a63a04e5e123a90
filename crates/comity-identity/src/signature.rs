//! One signature of a message: covered components, key, and lifetime.

use std::time::{Duration, SystemTime};

use sfv::{Dictionary, ListEntry};

use crate::base::CoveredComponents;
use crate::key::Thumbprint;
use crate::outcome::{Invalid, Unverified, VerificationFailure};
use crate::protocol::ALGORITHM;
use crate::time;

/// The header field with the covered components and the parameters of signatures.
pub(crate) const INPUT_FIELD: &str = "signature-input";

/// The header field with the bytes of signatures.
pub(crate) const SIGNATURE_FIELD: &str = "signature";

/// Maximum number of signatures with the tag of the protocol in a request. A request with more signatures is invalid.
pub(crate) const MAX_SIGNATURES: usize = 8;

/// A signature of a supported form whose lifetime includes the current time. It is not verified yet.
#[derive(Debug)]
pub(crate) struct ParsedSignature {
    pub covered: CoveredComponents,
    pub signature: Vec<u8>,
    pub key: Thumbprint,
    pub created: u64,
    pub expires: u64,
    pub nonce: Option<String>,
}

/// The rules for times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub now: SystemTime,
    /// Maximum time by which the clock of the signer may be ahead.
    pub clock_skew: Duration,
    /// Maximum lifetime of a signature.
    pub max_lifetime: Option<Duration>,
}

/// Returns the members of `Signature-Input` with a tag: labels and values.
pub(crate) fn tagged<'d>(inputs: &'d Dictionary, tag: &str) -> Vec<(&'d str, &'d ListEntry)> {
    let has_tag = |entry: &ListEntry| {
        let parameters = match entry {
            ListEntry::Item(item) => &item.params,
            ListEntry::InnerList(list) => &list.params,
        };
        let value = parameters.get("tag").and_then(|value| value.as_string());
        value.is_some_and(|value| value.as_str() == tag)
    };
    inputs.iter().filter(|(_, entry)| has_tag(entry)).map(|(label, entry)| (label.as_str(), entry)).collect()
}

impl ParsedSignature {
    /// Parses the members of one label in `Signature-Input` and `Signature`.
    pub(crate) fn read(
        input: &ListEntry,
        signature: Option<&ListEntry>,
        times: Times,
    ) -> Result<Self, VerificationFailure> {
        let ListEntry::InnerList(list) = input else { return Err(Invalid::NotAList.into()) };
        let covered = CoveredComponents::read(list)?;
        let signature = match signature {
            Some(ListEntry::Item(item)) => item.bare_item.as_byte_sequence(),
            _ => None,
        };
        let signature = signature.ok_or(Invalid::NoSignature)?.to_vec();
        let created = covered.time("created")?.ok_or(Invalid::MissingParameter("created"))?;
        let expires = covered.time("expires")?.ok_or(Invalid::MissingParameter("expires"))?;
        let key = covered.text("keyid")?.ok_or(Invalid::MissingParameter("keyid"))?;
        let key = key.parse().map_err(|_| Invalid::NotAThumbprint)?;
        let nonce = covered.text("nonce")?.map(str::to_owned);
        match covered.text("alg")? {
            None | Some(ALGORITHM) => {}
            Some(name) if name.starts_with("hmac-") => return Err(Invalid::SharedSecret.into()),
            Some(_) => return Err(Unverified::UnsupportedAlgorithm.into()),
        }
        check_times(created, expires, times)?;
        Ok(ParsedSignature { covered, signature, key, created, expires, nonce })
    }
}

fn check_times(created: u64, expires: u64, times: Times) -> Result<(), Invalid> {
    let now = time::seconds(times.now);
    if created > now.saturating_add(times.clock_skew.as_secs()) {
        return Err(Invalid::CreatedInFuture);
    }
    let lifetime = expires.saturating_sub(created);
    if lifetime == 0 {
        return Err(Invalid::EmptyLifetime);
    }
    if now >= expires {
        return Err(Invalid::Expired);
    }
    match times.max_lifetime {
        Some(longest) if lifetime > longest.as_secs() => Err(Invalid::LongLifetime),
        _ => Ok(()),
    }
}
