//! Parts of robots.txt that usage signals reuse: the crawlers that a group names, and the paths that a pattern matches.
//!
//! `Content-Usage`, RSL and TDMRep define their paths "as in robots.txt", but differ in precedence if several patterns
//! match. Matching is therefore shared here and follows RFC 9309 §2.2.2. Each signal chooses among the patterns itself.

use super::agents::agent::Agent;
use super::agents::select::Choice;
use super::dialects::{Dialect, Row};
use super::file::RobotsTxt;
use super::matching::pattern::CompiledRule;
use super::matching::target::{Target, UrlError};
use super::read::directive::RecordKind;
use super::read::record::Record;

/// Returns the table row of the dialect that these signals follow.
fn row() -> &'static Row {
    Dialect::Rfc9309.row()
}

/// A path pattern of a usage signal.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    compiled: CompiledRule<'static>,
}

impl Scope {
    /// Compiles a pattern. Returns `None` if it starts with neither `/` nor `*`, so that it matches nothing.
    pub(crate) fn new(pattern: &[u8]) -> Option<Self> {
        // The record kind does not affect matching.
        let [compiled, _] = row().compile(RecordKind::Allow, pattern);
        let CompiledRule { effect, bytes, in_query, star, end, length } = compiled?;
        let bytes = bytes.into_owned().into();
        Some(Scope { compiled: CompiledRule { effect, bytes, in_query, star, end, length } })
    }

    /// Returns true if the pattern matches a path.
    pub(crate) fn matches(&self, path: &UrlPath<'_>) -> bool {
        self.compiled.pattern().matches(&path.0, row().line_ends)
    }

    /// Returns the length of the pattern in bytes after percent-encoding.
    pub(crate) fn length(&self) -> u32 {
        self.compiled.length
    }
}

/// A URL's path and query in the form that patterns are compared with.
#[derive(Clone, Debug)]
pub(crate) struct UrlPath<'u>(Target<'u>);

impl<'u> UrlPath<'u> {
    /// Makes the path from an absolute URL or from a path.
    pub(crate) fn of(url: &'u [u8]) -> Result<Self, UrlError> {
        row().target(url).map(UrlPath)
    }
}

/// A filter of records, in the order of the file. It accepts a record if the user-agent lines directly above the record
/// name the crawler of interest.
///
/// A `Content-Usage` line applies to the agents in the list directly above it (draft-ietf-aipref-attach-05 §3). Other
/// usage signals and delays are assigned in the same way. In the lines `User-agent: a`, `Content-Signal: ...`,
/// `User-agent: b`, `Disallow: /`, the signal applies to `a` alone. The four lines are nevertheless one group, because
/// only `Allow` and `Disallow` end the agents of a group.
#[derive(Clone, Debug)]
pub(crate) struct Audience {
    /// The chosen groups, by index, in order.
    choice: Choice,
    /// The group of the last record.
    group: Option<usize>,
    /// True if the last list of agents includes the crawler.
    is_listed: bool,
    /// True if the next user-agent line starts a new list.
    agents_end: bool,
}

impl Audience {
    /// Makes the audience that consists of one agent.
    pub(crate) fn of(robots: &RobotsTxt<'_>, agent: &Agent) -> Self {
        robots.chooser().choose(agent).into()
    }

    /// Makes the audience that consists of all crawlers that no group names.
    pub(crate) fn everyone(robots: &RobotsTxt<'_>) -> Self {
        robots.chooser().everyone().into()
    }

    /// Processes the next record. Returns true if it applies to the audience.
    pub(crate) fn process(
        &mut self,
        robots: &RobotsTxt<'_>,
        record: &Record<'_>,
        group: Option<usize>,
    ) -> bool {
        let Some(index) = group.filter(|group| self.choice.groups.binary_search(group).is_ok()) else {
            return false;
        };
        if self.group != group {
            self.group = group;
            (self.is_listed, self.agents_end) =
                (robots.chooser().document().groups()[index].implicit_star, false);
        }
        let kind = record.kind();
        if kind == RecordKind::UserAgent {
            self.is_listed &= !self.agents_end;
            self.is_listed |= robots.chooser().names_choice(&self.choice, record);
            self.agents_end = false;
        }
        self.agents_end |= kind.is_rule() || kind.is_pacing() || is_about_use(kind);
        self.is_listed
    }

    /// Returns the name by which the groups were chosen, or `None` if no group was chosen.
    pub(crate) fn name(&self) -> Option<&str> {
        self.choice.name.as_deref()
    }
}

fn is_about_use(kind: RecordKind) -> bool {
    matches!(kind, RecordKind::ContentUsage | RecordKind::ContentSignal | RecordKind::License)
}

impl From<Choice> for Audience {
    fn from(mut choice: Choice) -> Self {
        choice.groups.sort_unstable();
        Audience { choice, group: None, is_listed: false, agents_end: false }
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
    fn pattern_matches_like_a_rule() {
        assert!(matches("/a b", "https://example.com/a%20b/c"));
        assert!(matches("/*.jpg$", "/images/x.jpg"));
        assert!(!matches("/*.jpg$", "/images/x.jpg?size=2"));
        assert!(!matches("/a%2Fb", "/a/b"));
        assert!(!matches("a", "/a"));
        assert!(!matches("", "/a"));
    }

    #[test]
    fn length_includes_encoded_bytes() {
        let length = |pattern: &str| Scope::new(pattern.as_bytes()).expect("a pattern").length();
        assert_eq!(length("/caf\u{e9}"), length("/caf%C3%A9"));
    }
}
