//! The verifier: identifies the sender of a request (§5.4 of the draft).
//!
//! A request may have several signatures. Each is verified separately, so that an invalid one does not affect a valid one
//! (§5.2.2).

use std::time::{Duration, SystemTime};

use sfv::{Dictionary, ListEntry};

use crate::agent::{self, Discovery, DiscoveryError, Revision, SignatureAgent};
use crate::base::CoveredComponents;
use crate::directories::{Directories, Lookup};
use crate::fields;
use crate::message::{Message, Request};
use crate::outcome::{Invalid, Outcome, Unverified, VerificationFailure, Verified};
use crate::protocol::TAG;
use crate::signature::{self, INPUT_FIELD, MAX_SIGNATURES, ParsedSignature, SIGNATURE_FIELD, Times};
use crate::time;

/// A verifier of requests, with the policy of a site.
///
/// It looks up keys in [`Directories`], which the caller fills. If keys are missing, [`Unverified::discovery`] returns
/// the address to fetch.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use comity::http::Headers;
/// use comity_identity::{Directories, Outcome, Request, Verifier};
///
/// let headers = Headers::new();
/// let request = Request::received("GET", "https", "example.com", "/", &headers)?;
/// let report = Verifier::new().verify(&request, &Directories::new(), SystemTime::UNIX_EPOCH);
/// assert_eq!(report.outcome(), &Outcome::NotSigned);
/// # Ok::<(), comity_identity::MalformedRequest>(())
/// ```
#[derive(Clone, Debug)]
pub struct Verifier {
    revision: Revision,
    clock_skew: Duration,
    max_lifetime: Option<Duration>,
    accepts_bare_agent: bool,
    accepts_test_keys: bool,
}

impl Default for Verifier {
    fn default() -> Self {
        Verifier::new()
    }
}

impl Verifier {
    /// Creates a verifier with the draft's recommendations: the clock of a signer may be a minute ahead, and the lifetime of a
    /// signature is a day at most.
    pub const fn new() -> Self {
        Verifier {
            revision: Revision::Draft00,
            clock_skew: Duration::from_secs(60),
            max_lifetime: Some(Duration::from_secs(24 * 60 * 60)),
            accepts_bare_agent: false,
            accepts_test_keys: false,
        }
    }

    /// Sets the revision of the draft for reading `Signature-Agent`.
    #[must_use]
    pub fn revision(self, revision: Revision) -> Self {
        Verifier { revision, ..self }
    }

    /// Sets the time by which the clock of a signer may be ahead. The expiry of a signature is compared with the
    /// verifier's clock without this tolerance.
    #[must_use]
    pub fn clock_skew(self, clock_skew: Duration) -> Self {
        Verifier { clock_skew, ..self }
    }

    /// Sets the maximum lifetime of a signature; `None` allows any lifetime.
    #[must_use]
    pub fn max_lifetime(self, max_lifetime: Option<Duration>) -> Self {
        Verifier { max_lifetime, ..self }
    }

    /// Sets whether `Signature-Agent` may be one string, as in earlier drafts. It counts as a dictionary with one member
    /// (§5.2.1). By default, such a signature is [unverified](Unverified::OlderDraft).
    #[must_use]
    pub fn accept_bare_agent(self, accepts: bool) -> Self {
        Verifier { accepts_bare_agent: accepts, ..self }
    }

    /// Sets whether keys that are printed in standards are accepted, for tests.
    #[must_use]
    pub fn accept_test_keys(self, accepts: bool) -> Self {
        Verifier { accepts_test_keys: accepts, ..self }
    }

    /// Verifies a request with the keys that are known at `now`.
    pub fn verify(&self, request: &Request<'_>, directories: &Directories, now: SystemTime) -> Report {
        let inputs = match fields::dictionary(request.headers(), INPUT_FIELD) {
            Ok(Some(inputs)) => inputs,
            Ok(None) => return Report::of(Vec::new()),
            Err(_) => return Report::whole(Invalid::UnreadableField(INPUT_FIELD)),
        };
        let labels = signature::tagged(&inputs, TAG);
        if labels.len() > MAX_SIGNATURES {
            return Report::whole(Invalid::TooManySignatures);
        }
        let case = Verification { verifier: self, request, directories, now };
        let judged = labels.into_iter().map(|(label, input)| {
            let outcome = match case.judge(label, input) {
                Ok(verified) => Outcome::Verified(Box::new(verified)),
                Err(refused) => refused.into(),
            };
            (label.to_owned(), outcome)
        });
        Report::of(judged.collect())
    }
}

/// The verification of one request.
struct Verification<'c> {
    verifier: &'c Verifier,
    request: &'c Request<'c>,
    directories: &'c Directories,
    now: SystemTime,
}

impl Verification<'_> {
    fn judge(&self, label: &str, input: &ListEntry) -> Result<Verified, VerificationFailure> {
        if self.request.scheme() != "https" {
            return Err(Invalid::NotHttps.into());
        }
        if self.request.has_other_host() {
            return Err(Invalid::OtherHost.into());
        }
        let signatures = fields::dictionary(self.request.headers(), SIGNATURE_FIELD)
            .map_err(|_| Invalid::UnreadableField(SIGNATURE_FIELD))?;
        let signature = signatures.as_ref().and_then(|members: &Dictionary| members.get(label));
        let Verifier { clock_skew, max_lifetime, .. } = *self.verifier;
        let signed =
            ParsedSignature::read(input, signature, Times { now: self.now, clock_skew, max_lifetime })?;
        let covers_target = signed.covered.components().iter().any(|component| {
            matches!(component.name(), "@authority" | "@target-uri") && component.is_plain()
        });
        if !covers_target {
            return Err(Invalid::TargetNotCovered.into());
        }
        let discovery = self.discovery(label, &signed.covered)?;
        // Checks the form of the signature before any keys are fetched for it.
        let base = signed.covered.base(Message::Request(self.request))?;
        self.check_key(&signed, &base, &discovery)?;
        Ok(Verified {
            identifier: discovery.identifier().to_owned(),
            key: signed.key,
            created: time::at(signed.created).unwrap_or(self.now),
            expires: time::at(signed.expires).unwrap_or(self.now),
            nonce: signed.nonce,
            components: signed.covered.components().iter().map(ToString::to_string).collect(),
        })
    }

    /// Returns the address of the keys, from the member of `Signature-Agent` that the signature covers.
    ///
    /// This is the member with the label of the signature, or else the only covered member, because a proxy may change the
    /// label (§6.6.1).
    fn discovery(&self, label: &str, covered: &CoveredComponents) -> Result<Discovery, VerificationFailure> {
        let agent = SignatureAgent::read(self.request.headers())
            .map_err(|_| Invalid::UnreadableField(agent::FIELD))?
            .ok_or(Unverified::NoAgent)?;
        let mut components = covered.components().iter().filter(|component| component.name() == agent::FIELD);
        let member = match &agent {
            SignatureAgent::Bare(_) if !self.verifier.accepts_bare_agent => {
                return Err(Unverified::OlderDraft.into());
            }
            SignatureAgent::Bare(_) => {
                components.find(|component| component.is_plain()).ok_or(Invalid::AgentNotCovered)?;
                agent.member(label, self.verifier.revision)
            }
            SignatureAgent::Dictionary(_) => {
                let keyed: Vec<_> =
                    components.filter_map(|component| Some((component, component.key()?))).collect();
                let own = keyed.iter().find(|(_, key)| *key == label);
                let (component, key) = match (own, keyed.as_slice()) {
                    (Some(own), _) => *own,
                    (None, [only]) => *only,
                    (None, []) => return Err(Invalid::AgentNotCovered.into()),
                    (None, _) => return Err(Invalid::AmbiguousAgent.into()),
                };
                let member = agent.member(key, self.verifier.revision);
                Some(member.ok_or_else(|| Invalid::MissingComponent(component.to_string()))?)
            }
        };
        match member.ok_or(Invalid::AgentNotCovered)? {
            Ok(discovery) => Ok(discovery),
            Err(
                error @ (DiscoveryError::UnknownType | DiscoveryError::NotAnOrigin | DiscoveryError::Ignored),
            ) => Err(Unverified::Agent(error).into()),
            Err(error) => Err(Invalid::Agent(error).into()),
        }
    }

    /// Checks the signature with the key of this name at this address (§5.4).
    fn check_key(
        &self,
        signed: &ParsedSignature,
        base: &str,
        discovery: &Discovery,
    ) -> Result<(), VerificationFailure> {
        if signed.key.is_test_key() && !self.verifier.accepts_test_keys {
            return Err(Invalid::TestKey.into());
        }
        let published = match self.directories.lookup(discovery, signed.key, self.now) {
            Lookup::Found(published) => published,
            Lookup::Unknown => return Err(Unverified::NoDirectory(discovery.clone()).into()),
            Lookup::Stale => return Err(Unverified::StaleDirectory(discovery.clone()).into()),
            Lookup::NotListed => return Err(Unverified::UnknownKey(discovery.clone()).into()),
        };
        if published.validity().is_before(self.now) {
            return Err(Invalid::KeyNotYetValid.into());
        }
        if published.validity().is_over(self.now) {
            return Err(Invalid::KeyExpired.into());
        }
        if published.key().verifies(base.as_bytes(), &signed.signature) {
            Ok(())
        } else {
            Err(Invalid::BadSignature.into())
        }
    }
}

/// The outcomes of verifying each signature of a request, and the request as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    signatures: Vec<(String, Outcome)>,
    outcome: Outcome,
}

impl Report {
    fn of(signatures: Vec<(String, Outcome)>) -> Self {
        let rank = |outcome: &Outcome| match outcome {
            Outcome::Verified(_) => 0,
            Outcome::Unverified(_) => 1,
            Outcome::Invalid(_) => 2,
            Outcome::NotSigned => 3,
        };
        let best = signatures.iter().map(|(_, outcome)| outcome).min_by_key(|outcome| rank(outcome));
        let outcome = best.cloned().unwrap_or(Outcome::NotSigned);
        Report { signatures, outcome }
    }

    fn whole(reason: Invalid) -> Self {
        Report { signatures: Vec::new(), outcome: Outcome::Invalid(reason) }
    }

    /// Returns the outcome for the request: the best outcome of its signatures. A signature that may still be verified once keys
    /// have been fetched ranks before an invalid one.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Returns each signature with the tag of this protocol: its label and its outcome.
    pub fn signatures(&self) -> impl Iterator<Item = (&str, &Outcome)> {
        self.signatures.iter().map(|(label, outcome)| (label.as_str(), outcome))
    }
}
