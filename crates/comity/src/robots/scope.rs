//! What other signals borrow from robots.txt: whom a group means, and which paths a pattern means.
//!
//! `Content-Usage`, RSL and TDMRep all say "as in robots.txt" of their paths, then differ in which of several patterns
//! counts. So matching is shared here, as RFC 9309 §2.2.2 wants it, and each of them does its own choosing.

use super::agent::Agent;
use super::file::RobotsTxt;
use super::pattern::{self, Compiled};
use super::quirks::Matching;
use super::record::DirectiveKind;
use super::select::{self, Choice};
use super::target::{Target, UrlError};

/// A path pattern that is no rule.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    compiled: Compiled<'static>,
}

impl Scope {
    /// Compiles a pattern; `None` if it starts with neither `/` nor `*`, so that it matches nothing.
    pub(crate) fn new(pattern: &[u8]) -> Option<Self> {
        // The kind makes no difference to what matches.
        let [compiled, _] = pattern::compile(DirectiveKind::Allow, pattern, Matching::Rfc9309);
        let Compiled { effect, octets, in_query, star, end, length } = compiled?;
        let octets = octets.into_owned().into();
        Some(Scope { compiled: Compiled { effect, octets, in_query, star, end, length } })
    }

    /// Whether it matches a path.
    pub(crate) fn matches(&self, path: &UrlPath<'_>) -> bool {
        self.compiled.pattern().matches(&path.0, Matching::Rfc9309)
    }

    /// How narrow it is: its octets after percent-encoding.
    pub(crate) fn length(&self) -> u32 {
        self.compiled.length
    }
}

/// A URL's path and query, in the form in which patterns are compared.
#[derive(Clone, Debug)]
pub(crate) struct UrlPath<'u>(Target<'u>);

impl<'u> UrlPath<'u> {
    /// The path of an absolute URL, or of a path.
    pub(crate) fn of(url: &'u [u8]) -> Result<Self, UrlError> {
        Target::from_url(url, Matching::Rfc9309).map(UrlPath)
    }
}

/// The groups of a robots.txt that speak to somebody.
#[derive(Clone, Debug)]
pub(crate) struct Audience {
    groups: Vec<usize>,
    name: Option<String>,
}

impl Audience {
    /// The groups that speak to `agent`: its own, or those for everyone.
    pub(crate) fn of(robots: &RobotsTxt<'_>, agent: &Agent) -> Self {
        select::select(robots, agent).into()
    }

    /// The groups for everyone without a group of their own.
    pub(crate) fn everyone(robots: &RobotsTxt<'_>) -> Self {
        select::select_everyone(robots).into()
    }

    /// Whether a group, by its index, is among them.
    pub(crate) fn has(&self, group: usize) -> bool {
        self.groups.binary_search(&group).is_ok()
    }

    /// The name by which they were chosen; `None` if there are none.
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }
}

impl From<Choice> for Audience {
    fn from(choice: Choice) -> Self {
        let Choice { mut groups, name } = choice;
        groups.sort_unstable();
        Audience { groups, name }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, url: &str) -> bool {
        let path = UrlPath::of(url.as_bytes()).expect("a URL");
        Scope::new(pattern.as_bytes()).is_some_and(|scope| scope.matches(&path))
    }

    #[test]
    fn patterns_match_as_rules_do() {
        assert!(matches("/a b", "https://example.com/a%20b/c"));
        assert!(matches("/*.jpg$", "/images/x.jpg"));
        assert!(!matches("/*.jpg$", "/images/x.jpg?size=2"));
        assert!(!matches("/a%2Fb", "/a/b"));
        assert!(!matches("a", "/a"));
        assert!(!matches("", "/a"));
    }

    #[test]
    fn length_counts_encoded_octets() {
        let length = |pattern: &str| Scope::new(pattern.as_bytes()).expect("a pattern").length();
        assert_eq!(length("/caf\u{e9}"), length("/caf%C3%A9"));
    }
}
