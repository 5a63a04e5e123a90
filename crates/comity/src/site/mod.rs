//! Compares robots.txt, sitemaps and pages of one site (feature `site`).
//!
//! Each document may be correct by itself and contradict another one. A sitemap lists a URL that robots.txt disallows,
//! a page has `noindex` where crawlers may not read it, or a header allows a use that robots.txt disallows. The caller
//! fetches the documents and passes them one by one to a [`SiteReview`], which returns [`SiteFinding`]s.
//!
//! ```
//! use std::time::UNIX_EPOCH;
//!
//! use comity::policy::{Answer, Policy, Preset};
//! use comity::robots::{Agent, RobotsTxt};
//! use comity::site::SiteReview;
//!
//! let body = b"User-agent: *\nDisallow: /private\n";
//! let agents = [Agent::token("ExampleBot")?];
//! let mut policy = Policy::without_answer(Preset::Rfc9309);
//! policy.update(&Preset::Rfc9309.read(&Answer::status(200, UNIX_EPOCH).with_body(body)), &agents[0]);
//!
//! let mut review = SiteReview::new(&agents, Some(&RobotsTxt::parse(body)));
//! for url in ["https://example.com/", "https://example.com/private/a"] {
//!     review.listed(url, &[policy.decide(url, UNIX_EPOCH)?]);
//! }
//! let found = review.finish();
//! assert_eq!((found[0].code.as_str(), found[0].line), ("site-listed-disallowed", Some(2)));
//! assert_eq!(found[0].urls, ["https://example.com/private/a"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//
// | file | content |
// |---|---|
// | `kinds.rs` | the kinds of findings |
// | `review.rs` | the input, and the comparisons |
// | `finding.rs` | a finding, and the collector of findings |
// | `preferences.rs` | the signals that allow a use and those that disallow it |

mod finding;
pub(crate) mod kinds;
mod preferences;
mod review;

pub use finding::SiteFinding;
pub use review::{ReadPage, SiteReview};
