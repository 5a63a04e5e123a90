//! Crawlers that the user of a program adds to the catalogue.

use std::collections::HashSet;
use std::fmt;
use std::sync::OnceLock;

use super::{Compliance, KnownAgent, Purpose, Sourcing, Status, table};
use crate::shown::text;

/// Maximum number of crawlers that can be added.
pub const MAX_OWN_AGENTS: usize = 10_000;

/// The catalogue with the added crawlers.
///
/// It is set at most once, by [`extend`], and then never changes. All functions of a process therefore read one
/// catalogue and do not need it as an argument.
static EXTENDED: OnceLock<Vec<KnownAgent>> = OnceLock::new();

/// A crawler to be added to the catalogue.
///
/// ```
/// use comity::agents::{OwnAgent, Purpose};
///
/// let own = OwnAgent { operator: "Example".to_owned(), purpose: Purpose::Seo, ..OwnAgent::new("HeronFetchBot") };
/// assert_eq!(own.token, "HeronFetchBot");
/// ```
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "an entry is plain data")]
pub struct OwnAgent {
    /// The product token.
    pub token: String,
    /// The operator of the crawler.
    pub operator: String,
    /// The purpose for which the crawler fetches pages.
    pub purpose: Purpose,
    /// The crawler's treatment of `Allow` and `Disallow`.
    pub robots_txt: Compliance,
    /// The tokens whose groups the crawler follows if no group names it. They are tried in this order, before `*`.
    pub fallbacks: Vec<String>,
    /// A note for owners of sites.
    pub note: Option<String>,
}

/// The operator of crawlers whose operator is not stated.
pub(super) const NO_OPERATOR: &str = "unknown";

impl OwnAgent {
    /// Creates an entry with a product token. All other fields have default values.
    pub fn new(token: impl Into<String>) -> OwnAgent {
        OwnAgent {
            token: token.into(),
            operator: NO_OPERATOR.to_owned(),
            purpose: Purpose::Other,
            robots_txt: Compliance::Unknown,
            fallbacks: Vec::new(),
            note: None,
        }
    }
}

/// The reason why crawlers cannot be added.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExtendError {
    /// The catalogue has already been extended.
    Twice,
    /// There are more entries than [`MAX_OWN_AGENTS`].
    TooMany,
    /// A text is not a product token.
    Token(String),
    /// Two entries have the same token, compared without regard to case.
    Repeated(String),
}

impl fmt::Display for ExtendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExtendError::Twice => f.write_str("the catalogue can be extended only once"),
            ExtendError::TooMany => write!(f, "there are more than {MAX_OWN_AGENTS} crawlers"),
            ExtendError::Token(token) => write!(f, "`{}` is not a product token", text(token)),
            ExtendError::Repeated(token) => write!(f, "`{}` occurs twice", text(token)),
        }
    }
}

impl std::error::Error for ExtendError {}

/// Adds crawlers to the catalogue of this process, for [`all`](super::all), [`known`](super::known) and all other
/// functions. An entry is ignored if the catalogue already contains its token. Returns the number of added crawlers.
///
/// A program calls this at most once, before its first use of the catalogue. The entries live as long as the process.
///
/// # Errors
///
/// Returns [`ExtendError`] if an entry is invalid, or if the catalogue has already been extended.
pub fn extend(mut own: Vec<OwnAgent>) -> Result<usize, ExtendError> {
    if own.len() > MAX_OWN_AGENTS {
        return Err(ExtendError::TooMany);
    }
    let mut seen = HashSet::new();
    for entry in &own {
        if let Some(wrong) =
            std::iter::once(&entry.token).chain(&entry.fallbacks).find(|token| !is_token(token))
        {
            return Err(ExtendError::Token(wrong.clone()));
        }
        if !seen.insert(entry.token.to_ascii_lowercase()) {
            return Err(ExtendError::Repeated(entry.token.clone()));
        }
    }
    // Entries are leaked only by the call that sets the catalogue.
    let mut added = None;
    EXTENDED.get_or_init(|| {
        let bundled: HashSet<String> =
            table::KNOWN.iter().map(|known| known.token.to_ascii_lowercase()).collect();
        own.retain(|entry| !bundled.contains(&entry.token.to_ascii_lowercase()));
        added = Some(own.len());
        let mut catalogue = table::KNOWN.to_vec();
        catalogue.extend(own.into_iter().map(of_own));
        catalogue.sort_by_cached_key(|known| known.token.to_ascii_lowercase());
        catalogue
    });
    added.ok_or(ExtendError::Twice)
}

/// Returns true if a text is valid as the name of one crawler on a user-agent line.
fn is_token(text: &str) -> bool {
    let is_refused =
        |c: char| c.is_whitespace() || c.is_control() || matches!(c, '/' | '(' | ';' | ',' | '#' | '*');
    (1..=64).contains(&text.len()) && !text.contains(is_refused)
}

/// Returns the catalogue, with the added crawlers.
pub(super) fn catalogue() -> &'static [KnownAgent] {
    EXTENDED.get().map_or(table::KNOWN, Vec::as_slice)
}

/// Converts an added crawler to an entry of the catalogue. Its texts are leaked, because an entry lives as long as the
/// process.
fn of_own(own: OwnAgent) -> KnownAgent {
    let leaked = |text: String| -> &'static str { text.leak() };
    KnownAgent {
        token: leaked(own.token),
        operator: leaked(own.operator),
        purpose: own.purpose,
        robots_txt: own.robots_txt,
        crawl_delay: Compliance::Unknown,
        fallbacks: own.fallbacks.into_iter().map(leaked).collect::<Vec<_>>().leak(),
        ignores_star: false,
        status: Status::Active,
        retired_since: None,
        successors: &[],
        // Lists of well-known crawlers include the crawlers of the user.
        well_known: true,
        note: own.note.map(leaked),
        proofs: &[],
        sourcing: Sourcing::Listed,
        source: None,
        checked: "",
    }
}
