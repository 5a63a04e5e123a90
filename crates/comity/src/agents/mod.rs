//! Known crawlers: their operators, their purposes, and their behaviour according to their operators.
//!
//! This is a catalogue of crawlers whose names occur in real robots.txt files or that their operators document. It has
//! four uses: to recognize a name ([`known`]), to guess the intended name ([`closest`]), to evaluate rules for a
//! crawler with the groups that it falls back to ([`KnownAgent::agent`]), and to list the crawlers that may visit a
//! site ([`with_purpose`]). The catalogue is not complete: a crawler that it does not list may exist. Retired crawlers
//! are listed, too, because their names still occur in many files.
//!
//! Any client can use the name of a crawler in its requests. If an operator publishes a means of verification
//! (addresses, host names, signatures), [`KnownAgent::proofs`] describes it. The addresses themselves require the
//! feature `ranges`.
//!
//! Most entries name a source ([`KnownAgent::source`]); each states the quality of its source ([`Sourcing`]). The
//! catalogue records the statements of operators about their crawlers. A crawler may behave differently.
//!
//! The catalogue is edited in `data/crawlers.toml`; `table.rs` is generated from it, so that the file is not parsed at
//! run time. `docs/reference/agents.md` lists all entries and explains how to update them. A program can add further
//! crawlers once, before its first use of the catalogue ([`extend`]).

mod names;
mod nearest;
mod own;
#[cfg(feature = "ranges")]
mod ranges;
mod table;
mod words;

pub(crate) use names::crawlers_of;
pub use nearest::closest;
pub(crate) use nearest::{edit_distance, slips};
pub use own::{ExtendError, MAX_OWN_AGENTS, OwnAgent, extend};
#[cfg(feature = "ranges")]
#[cfg_attr(docsrs, doc(cfg(feature = "ranges")))]
pub use ranges::{MAX_RANGES_BYTES, Prefix, RangeList, Ranges, RangesError};
pub use words::{Compliance, ProofKind, Purpose, Sourcing, Status};

/// A crawler of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "KnownCrawler"))]
#[non_exhaustive]
pub struct KnownAgent {
    /// The product token as its operator writes it.
    token: &'static str,
    /// The operator of the crawler; `unknown` if no source names it.
    operator: &'static str,
    /// The purpose for which the crawler fetches pages.
    purpose: Purpose,
    /// The crawler's treatment of `Allow` and `Disallow`, according to its operator.
    robots_txt: Compliance,
    /// The crawler's treatment of `Crawl-delay`, according to its operator.
    crawl_delay: Compliance,
    /// The tokens whose groups the crawler follows if no group names it. They are tried in this order, before `*`.
    fallbacks: &'static [&'static str],
    /// True if the crawler does not follow the group of `*`, but only a group that names it.
    ignores_star: bool,
    /// Whether the crawler is still active.
    status: Status,
    /// The year, month or day of the crawler's retirement, as far as that is known.
    retired_since: Option<&'static str>,
    /// The tokens of the crawlers that replaced this one.
    successors: &'static [&'static str],
    /// True if the crawler is one of the few dozen that are of interest to every site's owner, or if the user added it.
    well_known: bool,
    /// A note for owners of sites, in one sentence.
    note: Option<&'static str>,
    /// The ways to distinguish the crawler from a client that uses its name.
    proofs: &'static [Proof],
    /// The quality of the entry's source.
    sourcing: Sourcing,
    /// The URL of the page or list that documents the crawler; null if the name is known only from published robots.txt
    /// files, or if the user added the crawler.
    source: Option<&'static str>,
    /// The day on which the entry was compared with its source, as `YYYY-MM-DD`; empty for an added crawler.
    checked: &'static str,
}

/// A product whose name some files use in place of a token.
struct Product {
    names: &'static [&'static str],
    /// Tokens of the crawlers that read pages for the product, the most important first. Empty if its operator names no
    /// crawler.
    crawlers: &'static [&'static str],
}

/// A way to distinguish a crawler from a client that uses its name, according to its operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Proof {
    /// The kind of proof.
    kind: ProofKind,
    /// The URL of the address ranges or keys, or the suffix of the host names of the addresses.
    value: &'static str,
    /// The quality of the proof's source.
    sourcing: Sourcing,
    /// The URL of the page or list that documents the proof.
    source: &'static str,
    /// The day on which the proof was compared with its source, as `YYYY-MM-DD`.
    checked: &'static str,
}

impl Proof {
    /// Returns the kind.
    pub const fn kind(&self) -> ProofKind {
        self.kind
    }

    /// Returns the URL of the address ranges or keys, or the suffix of the host names of the addresses.
    pub const fn value(&self) -> &'static str {
        self.value
    }

    /// Returns true if the proof is a suffix of host names, and `name` equals it or is a subdomain of it. The host name
    /// of an address proves something only if it resolves back to the address.
    ///
    /// ```
    /// use comity::agents;
    ///
    /// let proof = agents::known("MojeekBot").unwrap().proofs()[0];
    /// assert!(proof.covers_host("crawl.Mojeek.com."));
    /// assert!(!proof.covers_host("notmojeek.com") && !proof.covers_host("mojeek.com.example.org"));
    /// ```
    pub fn covers_host(&self, name: &str) -> bool {
        let name = name.strip_suffix('.').unwrap_or(name);
        let Some(front) = name.len().checked_sub(self.value.len()) else { return false };
        let (front, end) = name.as_bytes().split_at(front);
        self.kind == ProofKind::ReverseDns
            && end.eq_ignore_ascii_case(self.value.as_bytes())
            && (front.is_empty() || front.ends_with(b"."))
    }

    /// Returns the quality of the source.
    pub const fn sourcing(&self) -> Sourcing {
        self.sourcing
    }

    /// Returns the URL of the page or list that documents the proof.
    pub const fn source(&self) -> &'static str {
        self.source
    }

    /// Returns the day on which the proof was compared with its source, as `YYYY-MM-DD`.
    pub const fn checked(&self) -> &'static str {
        self.checked
    }
}

impl KnownAgent {
    /// Returns the product token as its operator writes it. Some tokens are outside the alphabet of RFC 9309 §2.2.1.
    pub const fn token(&self) -> &'static str {
        self.token
    }

    /// Returns the operator of the crawler; `unknown` if no source names it.
    pub const fn operator(&self) -> &'static str {
        self.operator
    }

    /// Returns the purpose for which the crawler fetches pages.
    pub const fn purpose(&self) -> Purpose {
        self.purpose
    }

    /// Returns the crawler's treatment of `Allow` and `Disallow`, according to its operator.
    pub const fn robots_txt(&self) -> Compliance {
        self.robots_txt
    }

    /// Returns the crawler's treatment of `Crawl-delay`, according to its operator.
    pub const fn crawl_delay(&self) -> Compliance {
        self.crawl_delay
    }

    /// Returns the tokens whose groups the crawler follows if no group names it. They are tried in this order, before
    /// `*`.
    pub const fn fallbacks(&self) -> &'static [&'static str] {
        self.fallbacks
    }

    /// Returns true if the crawler does not follow the group of `*`, but only a group that names it.
    pub const fn ignores_star(&self) -> bool {
        self.ignores_star
    }

    /// Returns the status: whether the crawler is still active.
    pub const fn status(&self) -> Status {
        self.status
    }

    /// Returns the year, month or day of the crawler's retirement, as far as that is known.
    pub const fn retired_since(&self) -> Option<&'static str> {
        self.retired_since
    }

    /// Returns the tokens of the crawlers that replaced this one.
    pub const fn successors(&self) -> &'static [&'static str] {
        self.successors
    }

    /// Returns the ways to distinguish the crawler from a client that uses its name.
    pub const fn proofs(&self) -> &'static [Proof] {
        self.proofs
    }

    /// Returns true if the crawler is one of the few dozen that are of interest to every site's owner, or if the
    /// program [added](extend) it.
    pub const fn is_well_known(&self) -> bool {
        self.well_known
    }

    /// Returns a note for a site's owner, in one sentence.
    pub const fn note(&self) -> Option<&'static str> {
        self.note
    }

    /// Returns the quality of the entry's source. The fallbacks of Yandex's crawlers are an exception: Yandex documents
    /// all of them, whatever the source of the entry is.
    pub const fn sourcing(&self) -> Sourcing {
        self.sourcing
    }

    /// Returns the URL of the page or list that documents the crawler. Returns `None` if the name is known only from
    /// published robots.txt files, or if the program [added](extend) the crawler.
    pub const fn source(&self) -> Option<&'static str> {
        self.source
    }

    /// Returns the day on which the entry was compared with its source, as `YYYY-MM-DD`; empty for an
    /// [added](extend) crawler. If the comparison used a stored copy of the source, the copy may be older.
    pub const fn checked(&self) -> &'static str {
        self.checked
    }

    /// Returns true if a similar, unknown name is probably a misspelling of this token.
    const fn is_prominent(&self) -> bool {
        self.well_known || matches!(self.sourcing, Sourcing::Verified)
    }
}

/// Returns every known crawler, sorted by token without regard to case.
pub fn all() -> &'static [KnownAgent] {
    own::catalogue()
}

/// Returns every known crawler with this purpose, sorted by token without regard to case.
///
/// ```
/// use comity::agents::{self, Purpose};
///
/// let mut training = agents::with_purpose(Purpose::Training);
/// assert!(training.any(|agent| agent.token() == "GPTBot"));
/// ```
pub fn with_purpose(purpose: Purpose) -> impl Iterator<Item = &'static KnownAgent> {
    all().iter().filter(move |agent| agent.purpose == purpose)
}

/// Returns the crawler with this product token, compared without regard to case.
///
/// ```
/// use comity::agents::{self, Purpose};
///
/// let agent = agents::known("gptbot").unwrap();
/// assert_eq!((agent.token(), agent.operator(), agent.purpose()), ("GPTBot", "OpenAI", Purpose::Training));
/// assert!(agents::known("examplebot").is_none());
/// ```
pub fn known(token: &str) -> Option<&'static KnownAgent> {
    let key = || token.bytes().map(|byte| byte.to_ascii_lowercase());
    let at = all()
        .binary_search_by(|agent| agent.token.bytes().map(|b| b.to_ascii_lowercase()).cmp(key()))
        .ok()?;
    all().get(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_in_upper_case_is_found() {
        for agent in all() {
            assert_eq!(known(&agent.token.to_ascii_uppercase()), Some(agent));
            assert_eq!(closest(agent.token), None);
        }
    }

    #[test]
    fn purposes_together_contain_every_crawler_once() {
        let counted: usize = Purpose::ALL.iter().map(|purpose| with_purpose(*purpose).count()).sum();
        assert_eq!(counted, all().len());
    }
}
