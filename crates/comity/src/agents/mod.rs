//! Known crawlers: who runs them, what for, and what they do by their operators' own account.
//!
//! A catalogue of the names that real robots.txt files address and real crawlers answer to. It serves to recognise a
//! name ([`known`]), to guess the one that was meant ([`closest`]), to ask on a crawler's behalf with the groups that it
//! falls back to ([`KnownAgent::agent`]), and to show a site's owner who may come ([`with_purpose`]). That a name is
//! absent says nothing about it. Some are retired, yet still stand in many files.
//!
//! A name in a request proves nothing. Where an operator publishes how to check it (addresses, names of addresses,
//! signatures), [`KnownAgent::proofs`] says where; the addresses themselves come with the feature `ranges`.
//!
//! Each entry says how it is known ([`Sourcing`]) and from where ([`KnownAgent::source`]). What an operator says of its
//! crawler is what is recorded; whether the crawler does so is another matter.
//!
//! The catalogue is `data/crawlers.toml`, for people to edit; `table.rs` is printed from it, so that nothing is read or
//! built at run time. `docs/reference/agents.md` shows all of it and says how to bring it up to date.

mod names;
mod nearest;
#[cfg(feature = "ranges")]
mod ranges;
mod table;
mod words;

pub(crate) use names::crawlers_of;
pub use nearest::closest;
pub(crate) use nearest::{edit_distance, slips};
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
    /// The purpose that it fetches pages for.
    purpose: Purpose,
    /// Its treatment of `Allow` and `Disallow`, by its operator's account.
    robots_txt: Compliance,
    /// Its treatment of `Crawl-delay`, by its operator's account.
    crawl_delay: Compliance,
    /// The tokens whose groups it follows, in this order and before `*`, when no group names it.
    fallbacks: &'static [&'static str],
    /// True if it does not follow the group of `*`: only a group that names it applies to it.
    ignores_star: bool,
    /// Whether the crawler is still active.
    status: Status,
    /// The year, month or day since which it is retired, as far as that is known.
    retired_since: Option<&'static str>,
    /// The tokens of the crawlers that took its place.
    successors: &'static [&'static str],
    /// True if it is one of the few dozen that the owner of a site wants to see without asking.
    well_known: bool,
    /// A note for owners of sites, in one sentence.
    note: Option<&'static str>,
    /// The ways to tell the crawler from somebody who uses its name.
    proofs: &'static [Proof],
    /// How the entry is known.
    sourcing: Sourcing,
    /// The URL of the page or list that names it; null if the name is only known from published robots.txt files.
    source: Option<&'static str>,
    /// The day on which the entry was compared with its source, as `YYYY-MM-DD`.
    checked: &'static str,
}

/// A way to tell a crawler from somebody who uses its name, by its operator's account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Proof {
    /// The kind of proof.
    kind: ProofKind,
    /// The URL of the address ranges or keys, or the end of the names of addresses.
    value: &'static str,
    /// How the proof is known.
    sourcing: Sourcing,
    /// The URL of the page or list that names it.
    source: &'static str,
    /// The day on which it was compared with its source, as `YYYY-MM-DD`.
    checked: &'static str,
}

impl Proof {
    /// Returns the kind.
    pub const fn kind(&self) -> ProofKind {
        self.kind
    }

    /// Returns where the address ranges or keys are published, or how the names of addresses end.
    pub const fn value(&self) -> &'static str {
        self.value
    }

    /// Returns whether the name of an address ends as the proof says: it is that name, or one below it. Such a name proves
    /// something only if it leads back to the address.
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

    /// Returns how it is known.
    pub const fn sourcing(&self) -> Sourcing {
        self.sourcing
    }

    /// Returns the URL of the page or list that says so.
    pub const fn source(&self) -> &'static str {
        self.source
    }

    /// Returns the day on which somebody compared it with its source, as `YYYY-MM-DD`.
    pub const fn checked(&self) -> &'static str {
        self.checked
    }
}

impl KnownAgent {
    /// The product token as its operator writes it. Not every one keeps to the alphabet of RFC 9309 §2.2.1.
    pub const fn token(&self) -> &'static str {
        self.token
    }

    /// Returns the operator of the crawler; `unknown` if no source names it.
    pub const fn operator(&self) -> &'static str {
        self.operator
    }

    /// Returns what it fetches pages for.
    pub const fn purpose(&self) -> Purpose {
        self.purpose
    }

    /// Returns what it does with `Allow` and `Disallow`, by its operator's account.
    pub const fn robots_txt(&self) -> Compliance {
        self.robots_txt
    }

    /// Returns what it does with `Crawl-delay`, by its operator's account.
    pub const fn crawl_delay(&self) -> Compliance {
        self.crawl_delay
    }

    /// The tokens whose groups it follows, in this order and before `*`, when no group names it.
    pub const fn fallbacks(&self) -> &'static [&'static str] {
        self.fallbacks
    }

    /// Returns whether it does not follow the group of `*`: only a group that names it speaks to it.
    pub const fn ignores_star(&self) -> bool {
        self.ignores_star
    }

    /// Returns whether the crawler is still active.
    pub const fn status(&self) -> Status {
        self.status
    }

    /// Returns since when it is retired: a year, month or day, as far as that is known.
    pub const fn retired_since(&self) -> Option<&'static str> {
        self.retired_since
    }

    /// Returns the tokens of the crawlers that took its place.
    pub const fn successors(&self) -> &'static [&'static str] {
        self.successors
    }

    /// Returns the ways to tell the crawler from somebody who uses its name.
    pub const fn proofs(&self) -> &'static [Proof] {
        self.proofs
    }

    /// Returns whether it is one of the few dozen that a site's owner wants to see without asking.
    pub const fn is_well_known(&self) -> bool {
        self.well_known
    }

    /// Returns what else a site's owner should know, in one sentence.
    pub const fn note(&self) -> Option<&'static str> {
        self.note
    }

    /// Returns how the entry is known. The fallbacks of Yandex' crawlers are documented by Yandex also where the rest
    /// is not.
    pub const fn sourcing(&self) -> Sourcing {
        self.sourcing
    }

    /// The URL of the page or list that says so; `None` if the name is only known from published
    /// robots.txt files.
    pub const fn source(&self) -> Option<&'static str> {
        self.source
    }

    /// The day on which somebody compared the entry with its source, as `YYYY-MM-DD`. A stored copy may be older.
    pub const fn checked(&self) -> &'static str {
        self.checked
    }

    /// Returns whether it is likely to be meant by a name that resembles its own.
    const fn is_prominent(&self) -> bool {
        self.well_known || matches!(self.sourcing, Sourcing::Verified)
    }
}

/// Every known crawler, sorted by token without regard to case.
pub fn all() -> &'static [KnownAgent] {
    table::KNOWN
}

/// Every known crawler with this purpose, sorted by token without regard to case.
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

/// The crawler with this product token, compared without regard to case.
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
    fn every_token_is_found_whatever_its_case() {
        for agent in all() {
            assert_eq!(known(&agent.token.to_ascii_uppercase()), Some(agent));
            assert_eq!(closest(agent.token), None);
        }
    }

    #[test]
    fn every_crawler_has_one_purpose() {
        let counted: usize = Purpose::ALL.iter().map(|purpose| with_purpose(*purpose).count()).sum();
        assert_eq!(counted, all().len());
    }
}
