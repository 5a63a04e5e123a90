//! The record of a retrieval: what was asked for, what was decided on the way, how long it took, what came.

use std::net::SocketAddr;
use std::time::{Duration, SystemTime};

use comity::decision::DecisionRecord;
use comity::page::{Source, SourceKind, UseWarning};
use comity::policy::{Failure, Mode, Overrides, Preset, Recommendation, Verdict};
use comity::shown::without_credentials;
use comity::usage;
use serde::Serialize;

use crate::Origin;
use crate::pace::{self, Interval};
use crate::retry::Delay;

/// What happened to one request, whether or not it led to a page.
///
/// As JSON the fields have these names, times are RFC 3339 in UTC, durations are seconds; the names are stable.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Record {
    /// The URL that was asked for.
    pub requested_url: String,
    /// The URL that was fetched, or refused, in the end.
    pub final_url: String,
    /// Why that URL, and not another one of the same content.
    pub selected: Selection,
    /// How it ended.
    pub outcome: Outcome,
    /// What went wrong, in a sentence.
    pub error: Option<String>,
    /// The product token.
    pub agent: String,
    /// The whole `User-Agent` header.
    pub user_agent: String,
    /// The preset.
    pub preset: Preset,
    /// The mode.
    pub mode: Mode,
    /// Every hop: the first URL, then where redirects led.
    pub hops: Vec<Hop>,
    /// What else was read on the way: llms.txt.
    pub manifests: Vec<Manifest>,
    /// What came, if something did.
    pub content: Option<ContentRecord>,
    /// What whoever uses the content should know: what page directives and usage preferences ask for, and that robots.txt
    /// allowed with a warning. None of it blocked anything.
    pub warnings: Vec<Warning>,
    /// Every usage preference, signal by signal, if they were looked at.
    pub usage: Option<usage::Report>,
    /// When it began.
    #[serde(with = "crate::rfc3339")]
    pub began_at: SystemTime,
    /// When it ended.
    #[serde(with = "crate::rfc3339")]
    pub ended_at: SystemTime,
    /// How long it took, waits included.
    #[serde(with = "crate::seconds")]
    pub seconds: Duration,
    /// How much of that was waiting out of politeness.
    #[serde(with = "crate::seconds")]
    pub waited_seconds: Duration,
}

/// How a retrieval ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// There is an answer with a status code.
    Fetched,
    /// It is no URL that can be fetched.
    UrlRefused,
    /// The guard does not dial there.
    GuardRefused,
    /// The origin failed too often, and is left alone for a while.
    CircuitOpen,
    /// robots.txt, or the lack of an answer about it, forbids it.
    RobotsRefused,
    /// The wait would have been longer than allowed.
    WaitTooLong,
    /// The store could not be used.
    StoreFailed,
    /// There was no answer.
    TransportFailed,
    /// Redirects led nowhere.
    RedirectsFailed,
    /// The answer's type is not among those wanted.
    ContentRefused,
    /// There is no better form of the page that may be fetched, and nothing else was wanted.
    NoAlternative,
    /// The client was drained before the request could begin.
    Drained,
}

impl Outcome {
    /// The outcome's name in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Outcome::Fetched => "fetched",
            Outcome::UrlRefused => "url_refused",
            Outcome::GuardRefused => "guard_refused",
            Outcome::CircuitOpen => "circuit_open",
            Outcome::RobotsRefused => "robots_refused",
            Outcome::WaitTooLong => "wait_too_long",
            Outcome::StoreFailed => "store_failed",
            Outcome::TransportFailed => "transport_failed",
            Outcome::RedirectsFailed => "redirects_failed",
            Outcome::ContentRefused => "content_refused",
            Outcome::NoAlternative => "no_alternative",
            Outcome::Drained => "drained",
        }
    }
}

/// Why a URL was chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Selection {
    /// `direct`, or the reason for an alternative: `llms_link`, `markdown_variant`, `canonical`, ….
    pub reason: &'static str,
    /// The alternatives that were looked at before, and why they were not taken.
    pub passed_over: Vec<PassedOver>,
}

impl Selection {
    /// The URL that was asked for.
    pub fn direct() -> Self {
        Selection { reason: "direct", passed_over: Vec::new() }
    }
}

/// An alternative that was not taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PassedOver {
    /// Its URL.
    pub url: String,
    /// The reason for looking at it.
    pub reason: &'static str,
    /// How it ended.
    pub outcome: Outcome,
    /// The status code, if there was an answer.
    pub status: Option<u16>,
    /// What was wrong with it, in a sentence.
    pub because: String,
}

/// A file that was read on the way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Manifest {
    /// `llms_txt`.
    pub kind: &'static str,
    /// Its URL.
    pub url: String,
    /// How fetching it ended.
    pub outcome: Outcome,
    /// The status code, if there was an answer.
    pub status: Option<u16>,
    /// `sha-256=:…:` of what was read.
    pub digest: Option<String>,
}

impl Manifest {
    /// The manifest at a URL, and how fetching it ended.
    pub(crate) fn of(kind: &'static str, url: &url::Url, record: &Record) -> Self {
        let content = record.content.as_ref();
        Manifest {
            kind,
            url: without_credentials(url).to_string(),
            outcome: record.outcome,
            status: content.map(|content| content.status),
            digest: content.map(|content| content.digest.clone()),
        }
    }
}

/// One URL on the way.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Hop {
    /// The URL.
    pub url: String,
    /// What was decided, if it came to that.
    pub decision: Option<DecisionRecord>,
    /// The wait before each request.
    pub waits: Vec<Wait>,
    /// The requests: one, and more if it had to be sent again.
    pub attempts: Vec<Attempt>,
    /// Where it redirected to.
    pub location: Option<String>,
}

/// A wait out of politeness, and the interval behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Wait {
    /// How long it was and what for.
    #[serde(flatten)]
    pub wait: pace::Wait,
    /// The least time between two requests to the origin, who says so, and what was asked for if a cap has cut it.
    pub interval: Interval,
}

/// One request.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Attempt {
    /// When it was sent.
    #[serde(with = "crate::rfc3339")]
    pub began_at: SystemTime,
    /// How long the header of the answer took.
    #[serde(with = "crate::seconds")]
    pub seconds: Duration,
    /// How much of that was before the request could go out: finding an address, connecting, TLS. Null without an answer.
    #[serde(rename = "connecting_seconds", with = "crate::seconds::option")]
    pub connecting: Option<Duration>,
    /// The address that answered.
    pub remote: Option<SocketAddr>,
    /// The status code, if there was an answer.
    pub status: Option<u16>,
    /// What went wrong, if there was none.
    pub failure: Option<Failure>,
    /// The same in the transport's words.
    pub error: Option<String>,
    /// Whether the request was sent twice, on two connections, because the first ended in good order without an answer.
    /// That is no retry of the policy's.
    pub was_resent: bool,
    /// If it was sent again: after how long, and why so long.
    pub retried: Option<Delay>,
}

/// What came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ContentRecord {
    /// The status code.
    pub status: u16,
    /// `Content-Type`, as sent.
    pub content_type: Option<String>,
    /// Octets of the body, content encodings undone.
    pub bytes: u64,
    /// `sha-256=:…:` of these octets (RFC 9530).
    pub digest: String,
    /// Whether there was more than is read.
    pub cut: bool,
    /// `ETag`, as sent.
    pub etag: Option<String>,
    /// `Last-Modified`, as sent.
    pub last_modified: Option<String>,
}

/// Something that whoever uses the content should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Warning {
    /// `page_directive`, `usage_preference`, `content`, `markdown`, `redirect` or `robots_txt`.
    pub kind: &'static str,
    /// The name of the restriction or use: `do_not_index`, `train`, `cut`, `downgrade`, `allowed_but_warn`, ….
    pub name: String,
    /// Who says so and where, in a sentence.
    pub message: String,
}

impl Warning {
    /// A decision that recommends to warn ([`Recommendation::AllowedButWarn`]).
    pub(crate) fn of_decision(origin: &Origin, decision: &DecisionRecord) -> Option<Self> {
        if decision.recommendation != Recommendation::AllowedButWarn {
            return None;
        }
        let answer = decision.evidence.as_ref().map(|evidence| match evidence.status() {
            Some(status) => format!(" ({status})"),
            None => format!(" ({})", evidence.kind().label()),
        });
        let answer = answer.unwrap_or_default();
        let robots_txt = origin.robots_txt();
        let what = match decision.verdict {
            Verdict::UnknownParseError => format!("what {robots_txt} serves is no robots.txt{answer}"),
            _ => format!("{robots_txt} cannot be had{answer}"),
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
            message: format!("{what}, so nothing is known; {by} allows it all the same"),
        })
    }

    pub(crate) fn of_directive(warning: &UseWarning<'_>) -> Self {
        let causes: Vec<String> = warning
            .causes()
            .iter()
            .map(|cause| format!("`{}` in {}", cause.text(), place(cause.source())))
            .collect();
        let value = warning.value().map(|value| format!(" ({value})")).unwrap_or_default();
        let restriction = warning.restriction();
        Warning {
            kind: "page_directive",
            name: restriction.as_str().to_owned(),
            message: format!("{}{value}: {}", restriction.summary(), causes.join(", ")),
        }
    }

    /// Every use that a signal disallows.
    pub(crate) fn of_usage(report: &usage::Report) -> Vec<Self> {
        let mut warnings = Vec::new();
        for signal in report.signals() {
            let disallowed =
                signal.preferences().iter().filter(|one| one.answer() == usage::Answer::Disallow);
            for preference in disallowed {
                let said = preference.evidence().first().map(|evidence| format!(": `{}`", evidence.text()));
                let conditions = match preference.conditions() {
                    [] => String::new(),
                    conditions => format!(" (unless: {})", conditions.join("; ")),
                };
                let warning = Warning {
                    kind: "usage_preference",
                    name: preference.usage().as_str().to_owned(),
                    message: format!(
                        "{} says `{}` is not wanted{conditions}{}",
                        signal.signal().as_str(),
                        preference.term(),
                        said.unwrap_or_default()
                    ),
                };
                // A signal with two readings says the same twice.
                if !warnings.contains(&warning) {
                    warnings.push(warning);
                }
            }
        }
        warnings
    }
}

/// Where a directive stands, as people write it.
fn place(source: &Source) -> String {
    let name = source.name();
    match source.kind() {
        SourceKind::Meta => format!("<meta name={name}>"),
        SourceKind::DataNoSnippet => format!("data-nosnippet of <{name}>"),
        _ => format!("the header field {name}"),
    }
}
