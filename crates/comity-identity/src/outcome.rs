//! What a verifier concludes, and why.

use std::fmt;
use std::time::SystemTime;

use crate::agent::{Discovery, DiscoveryError};
use crate::base::{BadList, WrongType};
use crate::component::{BadComponent, Fault};
use crate::key::Thumbprint;

/// What a verifier concludes of a request, or of one signature of it (appendix C.1 of the draft).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// A key that the signer publishes made the signature.
    Verified(Box<Verified>),
    /// The signature, what it covers, the key or the times fail.
    Invalid(Invalid),
    /// Too little is known to decide, for example since the keys have not been fetched. It says nothing against the signer.
    Unverified(Box<Unverified>),
    /// There is no signature with the tag `web-bot-auth`. It says nothing about the sender.
    NotSigned,
}

impl Outcome {
    /// Returns the name of the outcome: `verified`, `invalid`, `unverified` or `not_signed`.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Outcome::Verified(_) => "verified",
            Outcome::Invalid(_) => "invalid",
            Outcome::Unverified(_) => "unverified",
            Outcome::NotSigned => "not_signed",
        }
    }

    /// Returns the code of the reason, for [`Invalid`] and [`Unverified`].
    pub fn reason(&self) -> Option<&'static str> {
        match self {
            Outcome::Invalid(reason) => Some(reason.code()),
            Outcome::Unverified(reason) => Some(reason.code()),
            Outcome::Verified(_) | Outcome::NotSigned => None,
        }
    }

    /// Returns whom the request is from, if that is verified.
    pub fn verified(&self) -> Option<&Verified> {
        match self {
            Outcome::Verified(verified) => Some(verified),
            _ => None,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Verified(verified) => write!(f, "verified as {}", verified.identifier),
            Outcome::Invalid(reason) => write!(f, "invalid because {reason}"),
            Outcome::Unverified(reason) => write!(f, "unverified because {reason}"),
            Outcome::NotSigned => f.write_str("not signed"),
        }
    }
}

/// Whom a request is from: a holder of a key that is published at an address.
///
/// It says nothing about who that is, and whether the request is welcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    pub(crate) identifier: String,
    pub(crate) key: Thumbprint,
    pub(crate) created: SystemTime,
    pub(crate) expires: SystemTime,
    pub(crate) nonce: Option<String>,
    pub(crate) components: Vec<String>,
}

impl Verified {
    /// Returns the address at which the keys are published, without query and in normal form: the name of the signer.
    pub fn identifier(&self) -> &str {
        &self.identifier
    }

    /// Returns the name of the key.
    pub fn key(&self) -> Thumbprint {
        self.key
    }

    /// Returns when the signature was made, as the signer says.
    pub fn created(&self) -> SystemTime {
        self.created
    }

    /// Returns until when the signature counts.
    pub fn expires(&self) -> SystemTime {
        self.expires
    }

    /// Returns the nonce. Whoever wants each signature to count once keeps those of unexpired signatures, by key.
    pub fn nonce(&self) -> Option<&str> {
        self.nonce.as_deref()
    }

    /// Returns what is covered, as RFC 9421 writes it: `"@authority"`, `"signature-agent";key="sig1"`.
    pub fn components(&self) -> &[String] {
        &self.components
    }
}

/// The reasons why a signature is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Invalid {
    /// The request came without TLS, where anybody on the way can take a signature for requests of their own (§6.1).
    NotHttps,
    /// The request has no host or target that a signature could be about ([`MalformedRequest`](crate::MalformedRequest)).
    MalformedRequest,
    /// The field `Host` names another host than the URL, so that the signature is about another site than the one that was asked.
    OtherHost,
    /// A field is no dictionary of structured fields, or too long: `signature-input`, `signature` or `signature-agent`.
    UnreadableField(&'static str),
    /// The member of `Signature-Input` is no list of components.
    NotAList,
    /// `Signature` has no bytes under the label.
    NoSignature,
    /// There are too many signatures of this kind to look at each.
    TooManySignatures,
    /// A component is written in a form that RFC 9421 does not have.
    MalformedComponent(String),
    /// A component is covered twice.
    RepeatedComponent(String),
    /// The request has no such component.
    MissingComponent(String),
    /// The request has more than one parameter of that name in its query.
    AmbiguousComponent(String),
    /// The value of the component is not ASCII on one line.
    NotAsciiComponent(String),
    /// A parameter of the signature is missing: `created`, `expires` or `keyid`.
    MissingParameter(&'static str),
    /// A parameter has another type than the standard gives it.
    MalformedParameter(&'static str),
    /// `keyid` is no thumbprint.
    NotAThumbprint,
    /// The algorithm is one of shared secrets (§6.4).
    SharedSecret,
    /// The signature is dated in the future.
    CreatedInFuture,
    /// The signature has expired.
    Expired,
    /// The signature ends before it begins.
    EmptyLifetime,
    /// The signature counts for longer than the verifier accepts.
    LongLifetime,
    /// Neither `@authority` nor `@target-uri` is covered, so that the signature would do for any site.
    TargetNotCovered,
    /// No member of `Signature-Agent` is covered (§5.2.1).
    AgentNotCovered,
    /// Several members of `Signature-Agent` are covered, and the label says of none that it is meant.
    AmbiguousAgent,
    /// `Signature-Agent` has the form of earlier drafts, one string.
    BareAgent,
    /// The member of `Signature-Agent` names no place of keys.
    Agent(DiscoveryError),
    /// The key does not count yet (`nbf`).
    KeyNotYetValid,
    /// The key no longer counts (`exp`).
    KeyExpired,
    /// The private half of the key is printed in a standard.
    TestKey,
    /// `Content-Digest` is not that of the body.
    Digest,
    /// The key did not make this signature of this message.
    BadSignature,
}

impl Invalid {
    /// Returns the code of the reason.
    pub const fn code(&self) -> &'static str {
        match self {
            Invalid::NotHttps => "not_https",
            Invalid::MalformedRequest => "malformed_request",
            Invalid::OtherHost => "other_host",
            Invalid::UnreadableField(_) => "unreadable_field",
            Invalid::NotAList => "not_a_list",
            Invalid::NoSignature => "no_signature",
            Invalid::TooManySignatures => "too_many_signatures",
            Invalid::MalformedComponent(_) => "malformed_component",
            Invalid::RepeatedComponent(_) => "repeated_component",
            Invalid::MissingComponent(_) => "missing_component",
            Invalid::AmbiguousComponent(_) => "ambiguous_component",
            Invalid::NotAsciiComponent(_) => "not_ascii_component",
            Invalid::MissingParameter(_) => "missing_parameter",
            Invalid::MalformedParameter(_) => "malformed_parameter",
            Invalid::NotAThumbprint => "not_a_thumbprint",
            Invalid::SharedSecret => "shared_secret",
            Invalid::CreatedInFuture => "created_in_future",
            Invalid::Expired => "expired",
            Invalid::EmptyLifetime => "empty_lifetime",
            Invalid::LongLifetime => "long_lifetime",
            Invalid::TargetNotCovered => "target_not_covered",
            Invalid::AgentNotCovered => "agent_not_covered",
            Invalid::AmbiguousAgent => "ambiguous_agent",
            Invalid::BareAgent => "bare_agent",
            Invalid::Agent(_) => "agent_unusable",
            Invalid::KeyNotYetValid => "key_not_yet_valid",
            Invalid::KeyExpired => "key_expired",
            Invalid::TestKey => "test_key",
            Invalid::Digest => "digest_mismatch",
            Invalid::BadSignature => "bad_signature",
        }
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Invalid::NotHttps => f.write_str("the request came without TLS"),
            Invalid::MalformedRequest => {
                f.write_str("the request has no host or target that a signature could be about")
            }
            Invalid::OtherHost => f.write_str("the field `Host` names another host than the URL"),
            Invalid::UnreadableField(field) => {
                write!(f, "`{field}` is not a dictionary of structured fields, or too long")
            }
            Invalid::NotAList => f.write_str("the member of `signature-input` is not a list of components"),
            Invalid::NoSignature => f.write_str("`signature` has no bytes under the label"),
            Invalid::TooManySignatures => f.write_str("there are too many signatures"),
            Invalid::MalformedComponent(name) => write!(f, "the component {name} is malformed"),
            Invalid::RepeatedComponent(name) => write!(f, "the component {name} is covered twice"),
            Invalid::MissingComponent(name) => write!(f, "the message has no {name}"),
            Invalid::AmbiguousComponent(name) => write!(f, "the message has more than one {name}"),
            Invalid::NotAsciiComponent(name) => write!(f, "the value of {name} is not ASCII"),
            Invalid::MissingParameter(name) => write!(f, "the signature has no `{name}`"),
            Invalid::MalformedParameter(name) => write!(f, "the parameter `{name}` has the wrong type"),
            Invalid::NotAThumbprint => f.write_str("`keyid` is not a thumbprint"),
            Invalid::SharedSecret => f.write_str("the algorithm is one of shared secrets"),
            Invalid::CreatedInFuture => f.write_str("the signature is dated in the future"),
            Invalid::Expired => f.write_str("the signature has expired"),
            Invalid::EmptyLifetime => f.write_str("the signature ends before it begins"),
            Invalid::LongLifetime => f.write_str("the signature counts for longer than is accepted"),
            Invalid::TargetNotCovered => f.write_str("neither `@authority` nor `@target-uri` is covered"),
            Invalid::AgentNotCovered => f.write_str("no member of `signature-agent` is covered"),
            Invalid::AmbiguousAgent => {
                f.write_str("several members of `signature-agent` are covered, and none has the label")
            }
            Invalid::BareAgent => f.write_str("`signature-agent` is a string instead of a dictionary"),
            Invalid::Agent(error) => write!(f, "`signature-agent` names no place of keys: {error}"),
            Invalid::KeyNotYetValid => f.write_str("the key does not count yet"),
            Invalid::KeyExpired => f.write_str("the key no longer counts"),
            Invalid::TestKey => f.write_str("the key is an example out of a standard"),
            Invalid::Digest => f.write_str("`content-digest` is not that of the body"),
            Invalid::BadSignature => f.write_str("the key did not make this signature of this message"),
        }
    }
}

/// The reasons why a signature cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unverified {
    /// There is no `Signature-Agent`, so nothing says where the keys are.
    NoAgent,
    /// The member of `Signature-Agent` has to be ignored, or is of a type that is not known here.
    Agent(DiscoveryError),
    /// A component is not known here, or there are too many.
    UnsupportedComponents,
    /// The algorithm is not Ed25519.
    UnsupportedAlgorithm,
    /// The keys have not been fetched.
    NoDirectory(Discovery),
    /// The keys that are known are too old.
    StaleDirectory(Discovery),
    /// The keys that are known do not have the one that is named.
    UnknownKey(Discovery),
}

impl Unverified {
    /// Returns the code of the reason.
    pub const fn code(&self) -> &'static str {
        match self {
            Unverified::NoAgent => "no_agent",
            Unverified::Agent(_) => "agent_ignored",
            Unverified::UnsupportedComponents => "unsupported_components",
            Unverified::UnsupportedAlgorithm => "unsupported_algorithm",
            Unverified::NoDirectory(_) => "no_directory",
            Unverified::StaleDirectory(_) => "stale_directory",
            Unverified::UnknownKey(_) => "unknown_key",
        }
    }

    /// Returns the place whose keys would help to decide.
    pub fn discovery(&self) -> Option<&Discovery> {
        match self {
            Unverified::NoDirectory(discovery)
            | Unverified::StaleDirectory(discovery)
            | Unverified::UnknownKey(discovery) => Some(discovery),
            _ => None,
        }
    }
}

impl fmt::Display for Unverified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unverified::NoAgent => f.write_str("there is no `signature-agent`"),
            Unverified::Agent(error) => write!(f, "`signature-agent` is of no use here: {error}"),
            Unverified::UnsupportedComponents => f.write_str("a component is not known here"),
            Unverified::UnsupportedAlgorithm => f.write_str("the algorithm is not known here"),
            Unverified::NoDirectory(discovery) => {
                write!(f, "the keys at {} have not been fetched", discovery.identifier())
            }
            Unverified::StaleDirectory(discovery) => {
                write!(f, "the keys at {} were fetched too long ago", discovery.identifier())
            }
            Unverified::UnknownKey(discovery) => {
                write!(f, "the key is not among those at {}", discovery.identifier())
            }
        }
    }
}

/// A signature that is not verified.
#[derive(Debug)]
pub(crate) enum Refused {
    Invalid(Invalid),
    Unverified(Box<Unverified>),
}

impl From<Invalid> for Refused {
    fn from(reason: Invalid) -> Self {
        Refused::Invalid(reason)
    }
}

impl From<Unverified> for Refused {
    fn from(reason: Unverified) -> Self {
        Refused::Unverified(Box::new(reason))
    }
}

impl From<BadComponent> for Refused {
    fn from(BadComponent { identifier, fault }: BadComponent) -> Self {
        Refused::Invalid(match fault {
            Fault::Unsupported => return Unverified::UnsupportedComponents.into(),
            Fault::Malformed => Invalid::MalformedComponent(identifier),
            Fault::Missing => Invalid::MissingComponent(identifier),
            Fault::Ambiguous => Invalid::AmbiguousComponent(identifier),
            Fault::NotAscii => Invalid::NotAsciiComponent(identifier),
        })
    }
}

impl From<BadList> for Refused {
    fn from(list: BadList) -> Self {
        match list {
            BadList::Component(bad) => bad.into(),
            BadList::Repeated(identifier) => Invalid::RepeatedComponent(identifier).into(),
            BadList::TooLong => Unverified::UnsupportedComponents.into(),
        }
    }
}

impl From<WrongType> for Refused {
    fn from(WrongType(name): WrongType) -> Self {
        Invalid::MalformedParameter(name).into()
    }
}

impl From<Refused> for Outcome {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Invalid(reason) => Outcome::Invalid(reason),
            Refused::Unverified(reason) => Outcome::Unverified(reason),
        }
    }
}
