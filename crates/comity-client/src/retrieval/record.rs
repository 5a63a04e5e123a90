//! The record of a fetch: request, decisions, times and result.

use std::net::SocketAddr;
use std::time::{Duration, SystemTime};

use comity::decision::DecisionRecord;
use comity::policy::{Failure, Mode, Overrides, Preset, Recommendation, Verdict};
#[cfg(feature = "page")]
use comity::usage;
use serde::Serialize;

use crate::Origin;
use crate::pace::{self, Interval, RetryAfter};
use crate::retry::Delay;
use crate::signing::SignatureFields;

/// The record of a fetch, successful or not.
///
/// The JSON keys are stable. Times are in RFC 3339 and UTC, and durations in seconds.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct FetchRecord {
    /// The requested URL.
    pub requested_url: String,
    /// The status code of the page; null without a page. 304 if the page has not changed since an earlier fetch.
    pub status: Option<u16>,
    /// The URL of the last hop, which was fetched or refused.
    pub final_url: String,
    /// The reason why this URL was selected from the URLs with the same content.
    pub selected: Selection,
    /// The outcome of the fetch.
    pub outcome: FetchOutcome,
    /// The error, in a sentence.
    pub error: Option<String>,
    /// Delay before a retry, if the error is temporary, or if the status is 429 or 503.
    #[serde(rename = "retry_after_seconds", with = "crate::seconds::option")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub retry_after: Option<Duration>,
    /// The product token.
    pub agent: String,
    /// The whole `User-Agent` header.
    pub user_agent: String,
    /// The preset.
    pub preset: Preset,
    /// The mode.
    pub mode: Mode,
    /// All hops: the first URL, then the targets of redirects.
    pub hops: Vec<Hop>,
    /// Other files that were read to select the page, such as llms.txt.
    pub manifests: Vec<Manifest>,
    /// The content of the page; null without a page.
    pub content: Option<ContentRecord>,
    /// The refusal of the server and its terms, if it refused the page: 401, 402, 403, 429, or a challenge
    /// for browsers. It applies to this client's name and address; other crawlers may get other answers.
    #[cfg(feature = "page")]
    pub refusal: Option<usage::Refusal>,
    /// Warnings for users of the content, for example about page directives, usage preferences, or an unreadable
    /// robots.txt. Warnings never block a fetch.
    pub warnings: Vec<Warning>,
    /// All usage preferences by signal, if they were read.
    #[cfg(feature = "page")]
    pub usage: Option<usage::Report>,
    /// Start of the fetch.
    #[serde(with = "crate::rfc3339")]
    #[cfg_attr(feature = "schema", schemars(with = "comity::schema::DateTime"))]
    pub began_at: SystemTime,
    /// End of the fetch.
    #[serde(with = "crate::rfc3339")]
    #[cfg_attr(feature = "schema", schemars(with = "comity::schema::DateTime"))]
    pub ended_at: SystemTime,
    /// The time that the fetch took, waits included.
    #[serde(rename = "seconds", with = "crate::seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub took: Duration,
    /// The time spent waiting for politeness. In a crawl, it includes the wait at the head of the queue, before
    /// `began_at`.
    #[serde(rename = "waited_seconds", with = "crate::seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub waited: Duration,
}

impl FetchRecord {
    /// Creates the record of a URL that was not fetched.
    pub(crate) fn of_url(url: String) -> Self {
        FetchRecord {
            requested_url: url.clone(),
            status: None,
            final_url: url,
            selected: Selection::direct(),
            outcome: FetchOutcome::UrlRefused,
            error: None,
            retry_after: None,
            agent: String::new(),
            user_agent: String::new(),
            preset: Preset::default(),
            mode: Mode::default(),
            hops: Vec::new(),
            manifests: Vec::new(),
            content: None,
            #[cfg(feature = "page")]
            refusal: None,
            warnings: Vec::new(),
            #[cfg(feature = "page")]
            usage: None,
            began_at: SystemTime::UNIX_EPOCH,
            ended_at: SystemTime::UNIX_EPOCH,
            took: Duration::ZERO,
            waited: Duration::ZERO,
        }
    }
}

comity::words! {
    /// The outcome of a fetch.
    #[derive(Serialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum FetchOutcome as "outcome" {
        /// An answer arrived, with any status code.
        Fetched = "fetched",
        /// The text is not a URL that can be fetched.
        UrlRefused = "url_refused",
        /// The guard refused the URL.
        GuardRefused = "guard_refused",
        /// The circuit breaker is open, because the origin failed too often.
        CircuitOpen = "circuit_open",
        /// robots.txt disallows the URL, by a rule or because its answer counts as a refusal of all URLs.
        RobotsRefused = "robots_refused",
        /// robots.txt could not be read, and the preset then denies all URLs.
        RobotsUnreadable = "robots_unreadable",
        /// The wait would have been longer than allowed.
        WaitTooLong = "wait_too_long",
        /// The store could not be used.
        StoreFailed = "store_failed",
        /// No answer arrived, or an incomplete one.
        TransportFailed = "transport_failed",
        /// The redirects led to no page.
        RedirectsFailed = "redirects_failed",
        /// The type of the answer is not in the list of wanted types.
        ContentRefused = "content_refused",
        /// Only a better form of the page was wanted, and the site has no such form that may be fetched.
        NoAlternative = "no_alternative",
        /// The fetch was not finished within its deadline.
        DeadlineExceeded = "deadline_exceeded",
        /// The client was drained before the request could begin.
        Drained = "drained",
    }
}

/// The reason why a URL was selected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Selected"))]
#[non_exhaustive]
pub struct Selection {
    /// `direct`, or the reason for an alternative: `llms_txt_exact_match`, `same_url_markdown_variant`, ….
    pub reason: &'static str,
    /// The alternatives that were tried before, and the reasons why they were not selected.
    pub passed_over: Vec<SkippedAlternative>,
}

impl Selection {
    /// Selects the requested URL.
    pub fn direct() -> Self {
        Selection { reason: "direct", passed_over: Vec::new() }
    }
}

/// An alternative that was not selected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SkippedAlternative {
    /// URL of the alternative.
    pub url: String,
    /// The reason for trying it.
    pub reason: &'static str,
    /// The outcome of the fetch.
    pub outcome: FetchOutcome,
    /// The status code, if there was an answer.
    pub status: Option<u16>,
    /// The reason why it was not selected, in a sentence.
    pub because: String,
}

/// A file that was read to select the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Manifest {
    /// `llms_txt`.
    pub kind: &'static str,
    /// URL of the file.
    pub url: String,
    /// The outcome of the fetch.
    pub outcome: FetchOutcome,
    /// The status code, if there was an answer.
    pub status: Option<u16>,
    /// `sha-256=:…:` of the content.
    pub digest: Option<String>,
}

/// One hop of a fetch: the first URL, or the target of a redirect.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Hop {
    /// The URL.
    pub url: String,
    /// The method of the request. A redirect may change it.
    pub method: String,
    /// The decision of robots.txt; null if the hop ended before robots.txt was evaluated.
    #[serde(serialize_with = "with_allowed")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<HopDecision<'static>>"))]
    pub decision: Option<DecisionRecord>,
    /// The wait before each request.
    pub waits: Vec<WaitRecord>,
    /// The requests: none if the hop was refused, several if the request was repeated.
    pub attempts: Vec<Attempt>,
    /// The target of the redirect; null if the answer was not a redirect.
    pub location: Option<String>,
}

/// Serializes a decision with `allowed` as its first field, like all decisions.
fn with_allowed<S: serde::Serializer>(
    decision: &Option<DecisionRecord>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let form =
        decision.as_ref().map(|record| HopDecision { allowed: record.recommendation.allows(), record });
    form.serialize(serializer)
}

/// The serialized form of a decision.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Decision"))]
struct HopDecision<'a> {
    /// True if the recommendation is `recommended` or `allowed_but_warn`.
    allowed: bool,
    #[serde(flatten)]
    record: &'a DecisionRecord,
}

/// A wait for politeness, and the interval of the origin at that time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Wait"))]
#[non_exhaustive]
pub struct WaitRecord {
    /// The length of the wait, and its reason.
    #[serde(flatten)]
    pub wait: pace::Wait,
    /// The minimum interval between two requests to the origin, its source, and the requested interval if it exceeded
    /// the limit.
    pub interval: Interval,
}

/// One request.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Attempt {
    /// Start of the attempt, before connecting.
    #[serde(with = "crate::rfc3339")]
    #[cfg_attr(feature = "schema", schemars(with = "comity::schema::DateTime"))]
    pub began_at: SystemTime,
    /// The time until the header of the answer arrived, or the attempt failed.
    #[serde(rename = "seconds", with = "crate::seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub took: Duration,
    /// The time before the request was sent: name lookup, connecting, TLS. Null without an answer.
    #[serde(rename = "connecting_seconds", with = "crate::seconds::option")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub connecting: Option<Duration>,
    /// The address that answered.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub remote: Option<SocketAddr>,
    /// The status code, if there was an answer.
    pub status: Option<u16>,
    /// The `Retry-After` of the answer, if its status is 429 or 503.
    pub retry_after: Option<RetryAfter>,
    /// The kind of failure, if no answer arrived.
    pub failure: Option<Failure>,
    /// The error of the transport.
    pub error: Option<String>,
    /// The signature that the request had, if it was signed.
    pub signed: Option<SignedBy>,
    /// True if the transport sent the request twice, because the first connection was closed gracefully without an
    /// answer. This does not count as a retry.
    pub was_resent: bool,
    /// The delay before the next attempt, and its reason; null if this was the last attempt.
    pub retried: Option<Delay>,
}

/// The key that signed a request, and the location where that key is published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Signed"))]
#[non_exhaustive]
pub struct SignedBy {
    /// The thumbprint of the key (RFC 7638).
    pub key: String,
    /// `Signature-Agent`, as sent.
    pub signature_agent: String,
}

impl From<&SignatureFields> for SignedBy {
    fn from(signed: &SignatureFields) -> Self {
        SignedBy { key: signed.key().to_string(), signature_agent: signed.signature_agent().to_owned() }
    }
}

/// The content of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Content"))]
#[non_exhaustive]
pub struct ContentRecord {
    /// The status code.
    pub status: u16,
    /// `Content-Type`, as sent.
    pub content_type: Option<String>,
    /// The number of bytes in the body, after decoding content codings.
    pub bytes: u64,
    /// `sha-256=:…:` of the body, after decoding content codings (RFC 9530).
    pub digest: String,
    /// True if the body was longer than the limit and was cut.
    pub truncated: bool,
    /// `ETag`, as sent.
    pub etag: Option<String>,
    /// `Last-Modified`, as sent.
    pub last_modified: Option<String>,
}

/// A warning for users of the content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Warning {
    /// `page_directive`, `usage_preference`, `content`, `markdown`, `redirect`, `robots_txt` or `refusal`.
    pub kind: &'static str,
    /// The name of the warning: `do_not_index`, `train`, `truncated`, `no_coding`, `needs_javascript`, `meta_refresh`,
    /// `downgrade`, `allowed_but_warn`, ….
    pub name: String,
    /// The message, which names the source of the warning and its place.
    pub message: String,
}

impl Warning {
    /// Returns the warning for a decision with [`Recommendation::AllowedButWarn`].
    pub(crate) fn of_decision(origin: &Origin, decision: &DecisionRecord) -> Option<Self> {
        if decision.recommendation != Recommendation::AllowedButWarn {
            return None;
        }
        let answer = decision.answer();
        let robots_txt = origin.robots_txt();
        let what = match decision.verdict {
            Verdict::UnknownParseError => {
                format!("the answer for {robots_txt} is not a robots.txt ({answer})")
            }
            _ => format!("{robots_txt} is unreachable ({answer})"),
        };
        let choice = decision.overrides.and_then(Overrides::on_unreachable);
        let by = match (choice, decision.preset) {
            (Some(choice), _) if decision.failed_open => format!("on_unreachable = {choice}"),
            (_, Some(preset)) => format!("the preset {preset}"),
            (_, None) => "the policy".to_owned(),
        };
        Some(Warning {
            kind: "robots_txt",
            name: decision.recommendation.as_str().to_owned(),
            message: format!("{what}, so its rules are unknown; {by} allows the URL anyway"),
        })
    }
}
