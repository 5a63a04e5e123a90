//! Page directives: the restrictions on use that a page, or its header, requests.
//!
//! `X-Robots-Tag`, `Robots-Tag`, `<meta name="robots">` and `data-nosnippet` are about *use*: listing, quoting,
//! copying, training. **None of them forbids fetching a page.** Only robots.txt does. A page that robots.txt forbids is
//! never fetched, so its directives are never seen.
//!
//! ```text
//! header ──x_robots_tag, robots_tag──▶ Statement … ──merge (one Profile)──▶ PageOutcome
//! page ────meta (feature `html`)─────▶ (crawler, directive, place)        warnings with causes; the rest with reasons
//! ```
//
// | file | content |
// |---|---|
// | `directive.rs` | the known directives and their values |
// | `list.rs` | lists of directives that commas separate |
// | `x_robots_tag.rs`, `robots_tag.rs`, `meta.rs` | readers of the two header fields and of pages |
// | `statement.rs` | one directive with its crawler and its place |
// | `profile.rs` | the rules by which Google, Bing, Yandex and the draft standard combine directives, as one row of data each |
// | `restriction.rs` | the restrictions that a page can request |
// | `merge.rs`, `outcome.rs` | the combination of directives; the outcome |
// | `kinds.rs` | the kinds of findings |
//!
//! Directives are read once for all crawlers and profiles. Reading is linear in the text, and combining is linear in
//! the statements.

mod directive;
pub(crate) mod kinds;
mod list;
mod merge;
#[cfg(feature = "html")]
mod meta;
mod outcome;
mod profile;
mod restriction;
mod robots_tag;
mod statement;
mod x_robots_tag;

use std::time::SystemTime;

use crate::finding::{Finding, Findings};
use crate::http::Headers;

pub use directive::{DirectiveKind, DirectiveValue, ImagePreview};
pub use outcome::{PageOutcome, Reason, SetAside, UseWarning};
pub use profile::Profile;
pub use restriction::Restriction;
pub use statement::{Source, SourceKind, Statement};

/// Maximum size of all `X-Robots-Tag` fields of a header in bytes.
pub const MAX_HEADER_BYTES: usize = crate::http::MAX_HEADER_BYTES;

/// Maximum size of all `Robots-Tag` fields of a header in bytes: the minimum that draft-illyes-repext-03 requires.
pub const MAX_ROBOTS_TAG_BYTES: usize = 8 * 1024;

/// Maximum number of stored statements, from header and page together.
pub const MAX_STATEMENTS: usize = 1_000;

/// The directives of a page and its header, for all crawlers.
///
/// ```
/// use std::time::SystemTime;
///
/// use comity::http::Headers;
/// use comity::page::{PageDirectives, Profile, Restriction};
///
/// let headers: Headers =
///     [("X-Robots-Tag", "max-snippet: 50"), ("X-Robots-Tag", "googlebot: nofollow")].into_iter().collect();
/// let directives = PageDirectives::of_header(&headers);
///
/// let outcome = directives.outcome("Googlebot", Profile::Google, SystemTime::UNIX_EPOCH);
/// let snippet = outcome.warning(Restriction::SnippetLimit).expect("a limit");
/// assert_eq!(snippet.value().map(|value| value.to_string()).as_deref(), Some("50"));
/// let follow = outcome.warning(Restriction::DoNotFollow).expect("no following");
/// assert_eq!((follow.causes()[0].source().number(), follow.causes()[0].source().offset()), (2, 11));
///
/// // Fewer restrictions apply to another crawler, and the draft standard has neither directive.
/// assert_eq!(directives.outcome("Bingbot", Profile::Bing, SystemTime::UNIX_EPOCH).warnings().len(), 1);
/// assert!(directives.outcome("Bingbot", Profile::Draft, SystemTime::UNIX_EPOCH).warnings().is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageDirectives {
    statements: Vec<Statement>,
    findings: Findings,
}

impl PageDirectives {
    /// Reads the fields `X-Robots-Tag` and `Robots-Tag` of a header.
    pub fn of_header(headers: &Headers<'_>) -> Self {
        let mut page = PageDirectives::default();
        x_robots_tag::read(&mut page, headers);
        robots_tag::read(&mut page, headers);
        page
    }

    /// Adds the directives of the page itself.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use comity::html::Facts;
    /// use comity::http::Headers;
    /// use comity::page::{PageDirectives, Profile, Restriction};
    ///
    /// let page = Facts::read(b"<title>Reed</title><meta name=robots content='noindex, index'>");
    /// let directives = PageDirectives::of_header(&Headers::new()).and_page(&page);
    ///
    /// // A forbidding directive takes precedence, except with Yandex.
    /// let forbids = |token, profile| {
    ///     directives.outcome(token, profile, SystemTime::UNIX_EPOCH).warning(Restriction::DoNotIndex).is_some()
    /// };
    /// assert!(forbids("Googlebot", Profile::Google));
    /// assert!(!forbids("YandexBot", Profile::Yandex));
    /// ```
    #[cfg(feature = "html")]
    #[must_use]
    pub fn and_page(mut self, facts: &crate::html::Facts) -> Self {
        meta::read(&mut self, facts);
        self
    }

    /// Returns every directive: those of the header first, then those of the page.
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// Returns the findings: those of the header first, then those of the page. A kind has at most
    /// [`LIMIT`](crate::finding::LIMIT) findings, and one more with the number of omitted findings.
    pub fn findings(&self) -> Vec<Finding> {
        self.findings.list()
    }

    /// Returns the outcome of the directives for a crawler under a profile at a given time. `token` is the crawler's
    /// product token, not its User-Agent header.
    ///
    /// The time decides whether the date of `unavailable_after` has passed. A profile may be used for any crawler: a
    /// crawler of another operator obeys its own name and statements for all crawlers.
    pub fn outcome(&self, token: &str, profile: Profile, now: SystemTime) -> PageOutcome<'_> {
        merge::outcome(self, token, profile, now)
    }

    fn is_full(&self) -> bool {
        self.statements.len() >= MAX_STATEMENTS
    }

    fn push(&mut self, statement: Statement) {
        self.statements.push(statement);
    }
}
