//! What may be asked, field by field.

use std::collections::BTreeMap;

use comity::agents::Purpose;
use comity::robots::Dialect;
use schemars::JsonSchema;
use serde::Deserialize;

/// A robots.txt, as text or by its site.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileQuestion {
    /// The text of a robots.txt.
    pub(crate) robots: Option<String>,
    /// A URL of the site whose robots.txt is meant.
    pub(crate) site: Option<String>,
}

/// Which crawlers a robots.txt lets in.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct MatrixQuestion {
    /// The text of a robots.txt.
    pub(crate) robots: Option<String>,
    /// A URL of the site whose robots.txt is meant.
    pub(crate) site: Option<String>,
    /// How it is read and matched; if nothing is said, `rfc9309`.
    pub(crate) dialect: Option<Dialect>,
    /// The charset of the Content-Type that `robots` came with.
    pub(crate) charset: Option<String>,
    /// The URLs to judge; without any, the rules are judged as a whole.
    pub(crate) urls: Vec<String>,
    /// These crawlers only, by their product tokens.
    pub(crate) agents: Vec<String>,
    /// These crawlers only, by their whole User-Agent headers.
    pub(crate) user_agents: Vec<String>,
    /// Known crawlers of these purposes only.
    #[schemars(extend("x-titles" = titles()))]
    pub(crate) purposes: Vec<Purpose>,
    /// Every known crawler: obscure and retired ones, too.
    pub(crate) all: bool,
}

/// Two robots.txt, each as text or by its site.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DiffQuestion {
    /// The one before the change.
    pub(crate) old: FileQuestion,
    /// The one after it.
    pub(crate) new: FileQuestion,
    /// How both are read and matched; if nothing is said, `rfc9309`.
    pub(crate) dialect: Option<Dialect>,
    /// These crawlers only, by their product tokens; if none are named, `*` and all that either file names.
    #[serde(default)]
    pub(crate) agents: Vec<String>,
    /// These crawlers only, by their whole User-Agent headers.
    #[serde(default)]
    pub(crate) user_agents: Vec<String>,
    /// URLs that are decided by both.
    #[serde(default)]
    pub(crate) urls: Vec<String>,
}

/// Whom to let in and whom to keep out. Whoever is not named is let in.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct NewQuestion {
    /// Keep out every known crawler of these purposes.
    #[schemars(extend("x-titles" = titles()))]
    pub(crate) block_purposes: Vec<Purpose>,
    /// Let in every known crawler of these purposes, by a group of its own.
    #[schemars(extend("x-titles" = titles()))]
    pub(crate) allow_purposes: Vec<Purpose>,
    /// Keep out these crawlers, by their product tokens.
    pub(crate) block: Vec<String>,
    /// Let in these crawlers, by their product tokens and by a group of their own.
    pub(crate) allow: Vec<String>,
    /// Keep everyone out who is not let in by name.
    pub(crate) block_everyone: bool,
    /// Path patterns from which everyone is kept.
    pub(crate) disallow: Vec<String>,
    /// URLs of sitemaps.
    pub(crate) sitemaps: Vec<String>,
    /// What the content may be used for, as a Content-Signal: `search=yes, ai-train=no`.
    pub(crate) content_signal: Option<String>,
    /// What the content may be used for, as a Content-Usage (AIPREF): `train-ai=n`.
    pub(crate) content_usage: Option<String>,
}

/// May this be fetched, and when? The service's own crawler is meant.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AdmitQuestion {
    /// The URL of the request.
    pub(crate) url: String,
    /// The longest wait for which a slot is taken, in seconds; the service has a bound of its own.
    #[schemars(range(min = 0))]
    pub(crate) max_wait_seconds: Option<f64>,
}

/// What a request was answered with.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReportQuestion {
    /// The URL of the request.
    pub(crate) url: String,
    /// The status code of the answer.
    pub(crate) status: u16,
    /// The value of its Retry-After field: seconds, or a date.
    pub(crate) retry_after: Option<String>,
}

/// A request as a server received it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VerifyQuestion {
    /// The method, as it was sent.
    pub(crate) method: String,
    /// The URL that was asked for, in the spelling of the request, with the scheme of the client's side. A `Host` among the fields has to name its host, or the signature is invalid.
    pub(crate) url: String,
    /// The header fields: a value or a list of values by each name.
    pub(crate) headers: HeaderFields,
}

/// Header fields, by name.
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

/// Returns the title of each purpose, by its name.
fn titles() -> BTreeMap<&'static str, &'static str> {
    Purpose::ALL.iter().map(|purpose| (purpose.as_str(), purpose.title())).collect()
}
