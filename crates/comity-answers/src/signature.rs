//! The outcome of verifying the signature of a request, as a row.

use std::time::SystemTime;

use comity::rfc3339;
use comity_identity::Outcome;
use serde::Serialize;

/// The outcome of verifying the signatures of a request.
///
/// ```
/// use comity_answers::signature::SignatureRow;
/// use comity_identity::Outcome;
///
/// let row = SignatureRow::from(&Outcome::NotSigned);
/// assert_eq!((row.outcome, row.message.as_str()), ("not_signed", "not signed"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Signature"))]
pub struct SignatureRow {
    /// The outcome. `unverified` means that there is not enough information, for example because the keys are missing.
    /// It is not evidence against the signer.
    #[cfg_attr(
        feature = "schema",
        schemars(extend("enum" = ["verified", "invalid", "unverified", "not_signed"]))
    )]
    pub outcome: &'static str,
    /// The outcome in words, with the reason.
    pub message: String,
    /// The code of the reason, if the signature is invalid or unverified.
    pub reason: Option<&'static str>,
    /// The verified sender of the request: the address of the keys.
    pub identifier: Option<String>,
    /// The name of the key, if the signature is verified.
    pub key: Option<String>,
    /// The time when the signature was made.
    #[cfg_attr(feature = "schema", schemars(with = "Option<comity::schema::DateTime>"))]
    pub created: Option<String>,
    /// The time when the signature expires.
    #[cfg_attr(feature = "schema", schemars(with = "Option<comity::schema::DateTime>"))]
    pub expires: Option<String>,
    /// The nonce of the signature, if there is one.
    pub nonce: Option<String>,
    /// The covered components, in the notation of RFC 9421.
    pub components: Vec<String>,
    /// The directory whose keys would help to decide, if the signature is unverified.
    pub directory: Option<String>,
}

impl From<&Outcome> for SignatureRow {
    fn from(outcome: &Outcome) -> Self {
        let verified = outcome.verified();
        let time = |time: fn(&comity_identity::Verified) -> SystemTime| {
            verified.and_then(|verified| rfc3339::seconds(time(verified)))
        };
        let directory = match outcome {
            Outcome::Unverified(reason) => reason.discovery().map(|discovery| discovery.url().to_string()),
            _ => None,
        };
        SignatureRow {
            outcome: outcome.as_str(),
            message: outcome.to_string(),
            reason: outcome.reason(),
            identifier: verified.map(|verified| verified.identifier().to_owned()),
            key: verified.map(|verified| verified.key().to_string()),
            created: time(comity_identity::Verified::created),
            expires: time(comity_identity::Verified::expires),
            nonce: verified.and_then(|verified| verified.nonce().map(str::to_owned)),
            components: verified.map(|verified| verified.components().to_vec()).unwrap_or_default(),
            directory,
        }
    }
}
