//! Decides whether a crawler may fetch a URL, given the HTTP answer to its request for robots.txt.
//!
//! A **verdict** is the result of the rules; a **recommendation** is the action of a well-behaved program. The two are
//! separate, because an unreadable robots.txt neither allows nor disallows a URL. The verdict is then unknown, and the
//! preset determines the recommendation.
//!
//! ```text
//! Answer (status or failure, header, body, time)
//!    │  Preset::read: the kind of the answer, and the preset's treatment of that kind
//!    ▼
//! Reading (evidence: kind, availability, fresh until, stale until; the robots.txt, if it is read)
//!    │  Policy::new, Policy::update: one crawler's rules; the last good copy while robots.txt is unreachable
//!    ▼
//! Policy ── decide(URL, now) ──▶ Decision (verdict, recommendation, evidence)
//! ```
//!
//! A [`Preset`] is a row of data (`rows.rs`). All presets share the code that interprets the rows. The module does not
//! read a clock: the caller passes the time as an argument.
//!
//! ```
//! use std::time::{Duration, SystemTime};
//!
//! use comity::policy::{Answer, Policy, Preset, Recommendation, Verdict};
//! use comity::robots::Agent;
//!
//! let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
//! let agent = Agent::token("examplebot")?;
//!
//! // A robots.txt that is read:
//! let answer = Answer::status(200, now).with_body(b"User-agent: *\nDisallow: /private\n");
//! let mut policy = Policy::new(&Preset::Rfc9309.read(&answer), &agent);
//! assert!(policy.decide("https://example.com/private/a", now)?.blocks());
//!
//! // A day later the server fails. The last good copy is used:
//! let later = now + Duration::from_secs(86_400);
//! policy.update(&Preset::Rfc9309.read(&Answer::status(503, later)), &agent);
//! let decision = policy.decide("https://example.com/public", later)?;
//! assert_eq!(decision.verdict(), Verdict::AllowedImplicit);
//! assert!(decision.is_stale() && !decision.blocks());
//!
//! // After 30 days the copy is not used any more:
//! let much_later = now + Duration::from_secs(31 * 86_400);
//! let decision = policy.decide("https://example.com/public", much_later)?;
//! assert_eq!(decision.verdict(), Verdict::UnknownUnreachable);
//! assert_eq!(decision.recommendation(), Recommendation::UnknownDoNotFetchByDefault);
//! assert!(decision.blocks());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod body;
mod challenge;
mod decision;
mod evidence;
mod freshness;
mod kind;
mod mode;
mod overrides;
mod preset;
mod reading;
mod rows;
mod state;
mod treatment;

pub use answer::{Answer, CertificateFault, Failure, MAX_REDIRECTS, Reply};
#[cfg(feature = "html")]
pub(crate) use body::after_prologue;
pub use challenge::ChallengeSign;
#[cfg(feature = "usage")]
pub(crate) use challenge::{in_header, of_answer};
pub use decision::Decision;
pub use evidence::Evidence;
#[cfg(feature = "serde")]
pub(crate) use evidence::Provenance;
#[cfg(feature = "serde")]
pub(crate) use freshness::FOREVER;
pub use freshness::{Lifetime, stated_lifetime};
pub use kind::{AnswerKind, Availability};
pub use mode::Mode;
pub use overrides::{OnUnreachable, Overrides};
pub use preset::{OutageStep, Preset, PresetEntry};
pub use reading::Reading;
pub use state::{Outage, Policy};
pub use treatment::Treatment;

pub use crate::verdict::{Recommendation, Verdict};
