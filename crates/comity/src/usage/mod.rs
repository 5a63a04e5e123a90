//! The permitted uses of content, as stated by the signals of a site.
//!
//! Rules in robots.txt state which URLs may be *fetched*. The permitted *uses* of fetched content are stated by other
//! signals, whose specifications do not refer to each other. This module reads each signal according to its
//! specification, with the precedence that the specification defines:
//!
//! | signal | location | precedence of several statements |
//! |---|---|---|
//! | [`Signal::ContentUsage`] | robots.txt, header field | the longest path; among equal lengths, `n` before `y` |
//! | [`Signal::ContentSignal`] | robots.txt, header field | not defined; the longest path, then `no` before `yes`; two interpretations |
//! | [`Signal::Rsl`] | robots.txt, header field, HTML, its own document | the narrower scope; then the prohibition |
//! | [`Signal::Tdmrep`] | `tdmrep.json`, header field, HTML | the first matching rule; HTML before header before file |
//! | [`Signal::ControlToken`] | robots.txt | the precedence of `Allow` and `Disallow` |
//! | [`Signal::PageDirectives`] | header field, HTML | the directives can only forbid |
//!
//! Signals are never merged. A [`Report`] has one [`Stance`] per signal and use (*allow*, *disallow* or *unknown*),
//! with citations of the statements. Without a statement, the stance is *unknown*, never *allow*.
//!
//! ```
//! use comity::robots::{Agent, RobotsTxt};
//! use comity::usage::{Stance, Usage, Use};
//!
//! let robots = RobotsTxt::parse("User-agent: *\nContent-Signal: search=yes, ai-train=no\n");
//! let agent = Agent::token("examplebot")?;
//! let report = Usage::for_agent(&agent).robots(&robots).report("https://example.com/")?;
//!
//! for summary in report.summary().iter().filter(|summary| summary.usage() == Use::Train) {
//!     let stances: Vec<_> =
//!         summary.stances().iter().map(|stance| (stance.signal().as_str(), stance.stance())).collect();
//!     assert_eq!(
//!         stances,
//!         [
//!             ("content_usage", Stance::Unknown),
//!             ("content_signal", Stance::Disallow), // the crawler's group
//!             ("content_signal", Stance::Disallow), // the whole file
//!             ("rsl", Stance::Unknown),
//!         ]
//!     );
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//
// | file | content |
// |---|---|
// | `words.rs`, `signal.rs` | uses, stances, interpretations; signals |
// | `question.rs` | the sources of a site, and assembly of the report |
// | `report.rs`, `citation.rs`, `document_findings.rs` | the report, its citations, findings |
// | `aipref.rs` | `Content-Usage` |
// | `content_signal.rs` | `Content-Signal` |
// | `control.rs` | product tokens without a crawler, such as Google-Extended |
// | `site.rs` | the statements in robots.txt, including `License` lines |
// | `directives.rs` | `noai` and `noimageai` |
// | `tdmrep.rs` | TDMRep |
// | `kinds.rs` | the kinds of findings |
// | `rsl/`, `link.rs` | RSL: documents, and links to them |
// | `refusal.rs` | HTTP answers that refuse a page, with the terms that they state |
//!
//! Parsing is linear in the size of the input, and the input is capped. A report needs one match for each
//! `Content-Usage` rule of the crawler's groups, each `Content-Signal` line with a path, each rule of `tdmrep.json` and
//! each `content` of a license.

mod aipref;
mod citation;
mod content_signal;
mod control;
mod directives;
mod document_findings;
pub(crate) mod kinds;
mod link;
mod question;
mod refusal;
mod report;
mod rsl;
mod signal;
mod site;
mod tdmrep;
mod words;

pub use crate::finding::Channel;
pub use crate::policy::ChallengeSign;
pub use aipref::{ATTACHMENT, PreferenceStatement, Vocabulary};
pub use citation::{Citation, MAX_EVIDENCE, Preference};
pub use content_signal::Consumption;
pub use control::ControlToken;
pub use question::{HeaderUsage, PageUsage, Usage};
pub use refusal::{Refusal, RefusalKind};
pub use report::{LicenseLink, Report, SignalReport, SignalStance, UseSummary};
pub use rsl::{LicenseDocument, LicenseError, MAX_RSL_BYTES, MAX_RSL_DEPTH};
pub use signal::{NotInForce, Signal};
pub use site::RobotsUsage;
pub use tdmrep::{MAX_TDMREP_BYTES, MAX_TDMREP_RULES, Tdmrep, TdmrepError};
pub use words::{Interpretation, Stance, Use};
