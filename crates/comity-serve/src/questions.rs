//! Questions whose types `comity-answers` does not define: reservations of slots, reports, verification of signatures.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

/// A question: may the crawler of the service fetch a URL, and when?
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AdmitQuestion {
    /// The URL of the request.
    pub(crate) url: String,
    /// The longest wait for which a slot is reserved, in seconds. The service also has a limit.
    #[schemars(range(min = 0))]
    pub(crate) max_wait_seconds: Option<f64>,
}

/// A report of a site's answer to a request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReportQuestion {
    /// The URL of the request.
    pub(crate) url: String,
    /// The status code of the answer.
    pub(crate) status: u16,
    /// The value of `Retry-After` in the answer: seconds, or a date.
    pub(crate) retry_after: Option<String>,
}

/// A request as a server received it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VerifyQuestion {
    /// The method, as it was sent.
    pub(crate) method: String,
    /// The requested URL, in the spelling of the request, with the scheme that the client used. If the header fields
    /// contain `Host`, it must equal the host of this URL; otherwise the signature is invalid.
    pub(crate) url: String,
    /// The header fields: one value or a list of values for each name.
    pub(crate) headers: HeaderFields,
}

/// Header fields by name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(from = "BTreeMap<String, FieldValues>")]
#[schemars(inline)]
pub(crate) struct HeaderFields(Vec<(String, String)>);

/// The values of a header field.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
enum FieldValues {
    One(String),
    Several(Vec<String>),
}

impl HeaderFields {
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_bytes()))
    }
}

impl From<BTreeMap<String, FieldValues>> for HeaderFields {
    fn from(by_name: BTreeMap<String, FieldValues>) -> Self {
        let pairs = by_name.into_iter().flat_map(|(name, values)| {
            let values = match values {
                FieldValues::One(value) => vec![value],
                FieldValues::Several(values) => values,
            };
            values.into_iter().map(move |value| (name.clone(), value))
        });
        HeaderFields(pairs.collect())
    }
}
