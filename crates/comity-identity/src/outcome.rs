//! The outcomes of verification, and their reasons.

use std::fmt;
use std::time::SystemTime;

use crate::agent::{Discovery, DiscoveryError};
use crate::base::{BadList, WrongType};
use crate::component::{BadComponent, Fault};
use crate::key::Thumbprint;

/// The outcome of verifying a request, or one of its signatures (appendix C.1 of the draft).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// A key that the signer publishes made the signature.
    Verified(Box<Verified>),
    /// The signature, the covered components, the key or the times are not valid.
    Invalid(Invalid),
    /// There is not enough information to decide, for example because the keys have not been fetched. This is not
    /// evidence against the signer.
    Unverified(Box<Unverified>),
    /// There is no signature with the tag `web-bot-auth`. This shows nothing about the sender.
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

    /// Returns the verified sender of the request.
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

/// The verified sender of a request: a holder of a key that is published at an address.
///
/// It does not show who the holder is, or whether the request is welcome.
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
    /// Returns the address at which the keys are published, without query and in normal form. It is the name of the signer.
    pub fn identifier(&self) -> &str {
        &self.identifier
    }

    /// Returns the name of the key.
    pub fn key(&self) -> Thumbprint {
        self.key
    }

    /// Returns the time when the signature was made, as the signer states.
    pub fn created(&self) -> SystemTime {
        self.created
    }

    /// Returns the time when the signature expires.
    pub fn expires(&self) -> SystemTime {
        self.expires
    }

    /// Returns the nonce. To accept each signature only once, store the nonces of unexpired signatures by key.
    pub fn nonce(&self) -> Option<&str> {
        self.nonce.as_deref()
    }

    /// Returns the covered components in the notation of RFC 9421: `"@authority"`, `"signature-agent";key="sig1"`.
    pub fn components(&self) -> &[String] {
        &self.components
    }
}

/// Declares the reasons of an outcome: the variants, each with its code and its message.
macro_rules! reasons {
    ($(#[$about:meta])* $name:ident { $(
        $(#[$doc:meta])* $reason:ident $(($inner:ty))? = $code:literal ($($message:tt)+),
    )+ }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* #[error($($message)+)] $reason $(($inner))?,)+
        }

        impl $name {
            /// Returns the code of the reason.
            pub const fn code(&self) -> &'static str {
                match self {
                    $($name::$reason { .. } => $code,)+
                }
            }
        }
    };
}

reasons! {
    /// The reasons why a signature is invalid.
    Invalid {
        /// The request was sent without TLS. Anyone on the network path can reuse its signature for other requests
        /// (§6.1).
        NotHttps = "not_https" ("the request was sent without TLS"),
        /// The request has no valid host or target for a signature to cover ([`MalformedRequest`](crate::MalformedRequest)).
        MalformedRequest = "malformed_request"
            ("the request has no valid host or target for a signature"),
        /// The field `Host` names another host than the URL, so the signature may be for another site than the one that was
        /// requested.
        OtherHost = "other_host" ("the field `Host` names another host than the URL"),
        /// A field is not a dictionary of structured fields, or too long: `signature-input`, `signature` or `signature-agent`.
        UnreadableField(&'static str) = "unreadable_field"
            ("`{0}` is not a dictionary of structured fields, or too long"),
        /// The member of `Signature-Input` is not a list of components.
        NotAList = "not_a_list" ("the member of `signature-input` is not a list of components"),
        /// `Signature` has no bytes under the label.
        NoSignature = "no_signature" ("`signature` has no bytes under the label"),
        /// There are more signatures with the tag than are checked.
        TooManySignatures = "too_many_signatures" ("there are too many signatures"),
        /// A component is written in a form that RFC 9421 does not define.
        MalformedComponent(String) = "malformed_component" ("the component {0} is malformed"),
        /// A component is covered twice.
        RepeatedComponent(String) = "repeated_component" ("the component {0} is covered twice"),
        /// The request has no such component, or the field is not a dictionary.
        MissingComponent(String) = "missing_component" ("the message has no {0}"),
        /// The request has more than one parameter of that name in its query.
        AmbiguousComponent(String) = "ambiguous_component" ("the message has more than one {0}"),
        /// The value of the component is not ASCII on one line.
        NotAsciiComponent(String) = "not_ascii_component" ("the value of {0} is not ASCII"),
        /// A parameter of the signature is missing: `created`, `expires` or `keyid`.
        MissingParameter(&'static str) = "missing_parameter" ("the signature has no `{0}`"),
        /// A parameter has another type than the standard requires.
        MalformedParameter(&'static str) = "malformed_parameter" ("the parameter `{0}` has the wrong type"),
        /// `keyid` is not a thumbprint.
        NotAThumbprint = "not_a_thumbprint" ("`keyid` is not a thumbprint"),
        /// The algorithm uses shared secrets (§6.4).
        SharedSecret = "shared_secret" ("the algorithm uses shared secrets"),
        /// The signature is dated in the future.
        CreatedInFuture = "created_in_future" ("the signature is dated in the future"),
        /// The signature has expired.
        Expired = "expired" ("the signature has expired"),
        /// `expires` is not after `created`.
        EmptyLifetime = "empty_lifetime" ("`expires` is not after `created`"),
        /// The lifetime of the signature is longer than the verifier accepts.
        LongLifetime = "long_lifetime" ("the lifetime of the signature is longer than accepted"),
        /// Neither `@authority` nor `@target-uri` is covered, so the signature would be valid for any site.
        TargetNotCovered = "target_not_covered" ("neither `@authority` nor `@target-uri` is covered"),
        /// No member of `Signature-Agent` is covered (§5.2.1).
        AgentNotCovered = "agent_not_covered" ("no member of `signature-agent` is covered"),
        /// Several members of `Signature-Agent` are covered, and none of them has the label of the signature.
        AmbiguousAgent = "ambiguous_agent"
            ("several members of `signature-agent` are covered, and none has the label"),
        /// The member of `Signature-Agent` does not contain a usable address of keys.
        Agent(DiscoveryError) = "agent_unusable" ("`signature-agent` does not give a valid address of keys: {0}"),
        /// The key is not valid yet (`nbf`).
        KeyNotYetValid = "key_not_yet_valid" ("the key is not valid yet"),
        /// The key is no longer valid (`exp`).
        KeyExpired = "key_expired" ("the key has expired"),
        /// The private half of the key is printed in a standard.
        TestKey = "test_key" ("the key is an example from a standard"),
        /// `Content-Digest` does not match the body.
        Digest = "digest_mismatch" ("`content-digest` does not match the body"),
        /// The key did not make this signature of this message.
        BadSignature = "bad_signature" ("the signature does not match the key and this message"),
    }
}

reasons! {
    /// The reasons why a signature can be neither verified nor rejected.
    Unverified {
        /// There is no `Signature-Agent`, so the address of the keys is unknown.
        NoAgent = "no_agent" ("there is no `signature-agent`"),
        /// `Signature-Agent` is one string, the form of drafts before draft-meunier-web-bot-auth-architecture-04, and the
        /// verifier does not [accept](crate::Verifier::accept_bare_agent) that form (§5.2.1).
        OlderDraft = "older_draft"
            ("`signature-agent` is a string instead of a dictionary, the form of an older draft"),
        /// The member of `Signature-Agent` has to be ignored, has an unknown type, or names a directory that is not an
        /// origin.
        Agent(DiscoveryError) = "agent_ignored" ("`signature-agent` is ignored: {0}"),
        /// A component is not supported or too long, or there are too many.
        UnsupportedComponents = "unsupported_components" ("the covered components are not supported"),
        /// The algorithm is not Ed25519.
        UnsupportedAlgorithm = "unsupported_algorithm" ("the algorithm is not supported"),
        /// The keys have not been fetched.
        NoDirectory(Discovery) = "no_directory" ("the keys at {0} have not been fetched"),
        /// The known keys are too old.
        StaleDirectory(Discovery) = "stale_directory"
            ("the keys at {0} were fetched too long ago"),
        /// The named key is not among the known keys.
        UnknownKey(Discovery) = "unknown_key" ("the key is not among those at {0}"),
    }
}

impl Unverified {
    /// Returns the address whose keys would help to decide.
    pub fn discovery(&self) -> Option<&Discovery> {
        match self {
            Unverified::NoDirectory(discovery)
            | Unverified::StaleDirectory(discovery)
            | Unverified::UnknownKey(discovery) => Some(discovery),
            _ => None,
        }
    }
}

/// A signature that is not verified.
#[derive(Debug)]
pub(crate) enum VerificationFailure {
    Invalid(Invalid),
    Unverified(Box<Unverified>),
}

impl From<Invalid> for VerificationFailure {
    fn from(reason: Invalid) -> Self {
        VerificationFailure::Invalid(reason)
    }
}

impl From<Unverified> for VerificationFailure {
    fn from(reason: Unverified) -> Self {
        VerificationFailure::Unverified(Box::new(reason))
    }
}

impl From<BadComponent> for VerificationFailure {
    fn from(BadComponent { identifier, fault }: BadComponent) -> Self {
        VerificationFailure::Invalid(match fault {
            Fault::Unsupported => return Unverified::UnsupportedComponents.into(),
            Fault::Malformed => Invalid::MalformedComponent(identifier),
            Fault::Missing => Invalid::MissingComponent(identifier),
            Fault::Ambiguous => Invalid::AmbiguousComponent(identifier),
            Fault::NotAscii => Invalid::NotAsciiComponent(identifier),
        })
    }
}

impl From<BadList> for VerificationFailure {
    fn from(list: BadList) -> Self {
        match list {
            BadList::Component(bad) => bad.into(),
            BadList::Repeated(identifier) => Invalid::RepeatedComponent(identifier).into(),
            BadList::TooLong => Unverified::UnsupportedComponents.into(),
        }
    }
}

impl From<WrongType> for VerificationFailure {
    fn from(WrongType(name): WrongType) -> Self {
        Invalid::MalformedParameter(name).into()
    }
}

impl From<VerificationFailure> for Outcome {
    fn from(refused: VerificationFailure) -> Self {
        match refused {
            VerificationFailure::Invalid(reason) => Outcome::Invalid(reason),
            VerificationFailure::Unverified(reason) => Outcome::Unverified(reason),
        }
    }
}
