//! A parsed robots.txt: every record with its line number and its group.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::sync::Arc;

use super::agents::agent::Agent;
use super::agents::select::{self, Choice, Chooser, ManyChooser};
use super::body::Body;
use super::dialects::Dialect;
use super::read::Document;
use super::read::directive::RecordKind;
use super::read::record::Record;
use super::rules::Rules;
use crate::agents::slips;

/// A robots.txt, read in one [`Dialect`].
///
/// Reading never fails: bytes without any valid line are a robots.txt without records.
///
/// ```
/// use comity::robots::RobotsTxt;
///
/// let robots = RobotsTxt::parse(b"User-agent: a\nUser-agent: b\nDisallow: /x\nSitemap: https://example.com/s.xml\n");
/// assert_eq!(robots.groups().len(), 1);
/// assert_eq!(robots.records().count(), 4);
/// assert_eq!(robots.sitemaps().next().unwrap(), "https://example.com/s.xml");
/// ```
#[derive(Clone)]
pub struct RobotsTxt<'b> {
    dialect: Dialect,
    document: Document<'b>,
}

impl<'b> RobotsTxt<'b> {
    /// Reads `body` in the default dialect, [`Dialect::Rfc9309`].
    pub fn parse(body: impl Into<Body<'b>>) -> Self {
        RobotsTxt::parse_as(body, Dialect::Rfc9309)
    }

    /// Reads `body` in `dialect`.
    pub fn parse_as(body: impl Into<Body<'b>>, dialect: Dialect) -> Self {
        RobotsTxt::parse_with_charset(body, dialect, None)
    }

    /// Reads `body` in `dialect`, decoded by `charset`: the label in the HTTP `Content-Type`, if there was one.
    ///
    /// Only the dialects that match characters rather than bytes use the charset. It has no effect on a text body,
    /// which is already decoded. Labels that are not in the [Encoding
    /// Standard](https://encoding.spec.whatwg.org/#names-and-labels) count as absent.
    ///
    /// ```
    /// use comity::robots::{Agent, Dialect, RobotsTxt};
    ///
    /// let body = "User-agent: *\nDisallow: /caf\u{e9}\n".as_bytes();
    /// let robots = RobotsTxt::parse_with_charset(body, Dialect::Gym2008, Some("utf-8"));
    /// let rules = robots.rules_for(&Agent::token("examplebot")?);
    /// assert!(!rules.is_allowed("http://example.com/caf%C3%A9")?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse_with_charset(body: impl Into<Body<'b>>, dialect: Dialect, charset: Option<&str>) -> Self {
        let body = body.into();
        let document = Document::read(body.as_bytes(), &dialect.row().reading, body.charset(charset));
        RobotsTxt { dialect, document }
    }

    /// Reads `body` in `dialect`, one line at a time, without the shortcuts of `read/scan.rs`.
    #[cfg(any(test, feature = "__plain-matcher"))]
    pub(super) fn parse_plainly(body: &'b [u8], dialect: Dialect) -> Self {
        RobotsTxt { dialect, document: Document::read_plainly(body, &dialect.row().reading) }
    }

    /// Returns the dialect in which the file was read.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Returns every record, in the order of the file.
    ///
    /// Records of unknown kinds are not stored, which keeps the cost low for bodies that are not a robots.txt. This
    /// method reads the text again to find them. [`known_records`](Self::known_records) does not need a second reading.
    ///
    /// ```
    /// use comity::robots::RobotsTxt;
    ///
    /// let robots = RobotsTxt::parse("User-agent: *\nUnicorns: allowed\nDisallow: /x\n");
    /// assert_eq!((robots.records().count(), robots.known_records().count()), (3, 2));
    /// ```
    pub fn records(&self) -> impl Iterator<Item = Record<'_>> {
        self.placed_records().map(|(record, _)| record)
    }

    /// Returns every record of a known kind, in the order of the file.
    pub fn known_records(&self) -> impl ExactSizeIterator<Item = Record<'_>> {
        self.document.known_records()
    }

    /// Returns every record, in the order of the file, with the index of the group that contains its line. File-wide
    /// records are included, although they do not belong to a group.
    pub(crate) fn placed_records(&self) -> impl Iterator<Item = (Record<'_>, Option<usize>)> {
        self.document.placed_records()
    }

    /// Returns every group, in the order of the file.
    pub fn groups(&self) -> impl ExactSizeIterator<Item = Group<'_>> {
        (0..self.document.groups().len()).map(|index| Group { robots: self, index })
    }

    /// Returns the values of the `Sitemap` records, which do not belong to groups (RFC 9309 §2.2.4).
    ///
    /// The default dialect, `google` and `yandex` omit empty values. They remove white space around values, including
    /// no-break spaces, and show control characters as U+FFFD. The other dialects return the values as the programs
    /// that they reproduce do: `urllib` decodes percent-encoding, `gym2008` and `mk1996` drop control characters.
    pub fn sitemaps(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let records = self.known_records().filter(|record| record.kind() == RecordKind::Sitemap);
        records.filter_map(|record| (self.dialect.row().sitemap)(record.value()))
    }

    /// Returns the rules that apply to `agent`.
    pub fn rules_for(&self, agent: &Agent) -> Rules {
        self.rules_of(&self.chooser().choose(agent))
    }

    /// Returns the rules of the chosen groups.
    pub(crate) fn rules_of(&self, choice: &Choice) -> Rules {
        Rules::collect(self.dialect, &self.document, choice)
    }

    /// Returns a chooser, which selects the groups for an agent.
    pub(crate) fn chooser(&self) -> Chooser<'_> {
        Chooser::new(&self.document, self.dialect.row().choosing)
    }

    /// Returns the 1-based line of the first user-agent record that selects a group for `agent`, or `None` if no group
    /// applies.
    ///
    /// ```
    /// use comity::robots::{Agent, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse("User-agent: *\nDisallow: /\n\nUser-agent: a\nUser-agent: b\nDisallow:\n");
    /// assert_eq!(robots.group_line(&Agent::unchecked_token("b")), Some(5));
    /// assert_eq!(robots.group_line(&Agent::unchecked_token("c")), Some(1));
    /// ```
    pub fn group_line(&self, agent: &Agent) -> Option<u32> {
        let (group, named_on) = self.chosen_groups(&self.chooser().choose(agent)).next()?;
        Some(named_on.first().copied().unwrap_or_else(|| group.line()))
    }

    /// Returns the groups that apply to `agent`. [`rules_for`](Self::rules_for) merges their rules.
    ///
    /// ```
    /// use comity::robots::{Agent, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse("User-agent: a\nDisallow: /x\n\nUser-agent: *\nDisallow:\n\nUser-agent: a\nDisallow: /y\n");
    /// let lines = |token| robots.groups_for(&Agent::unchecked_token(token)).map(|group| group.line()).collect::<Vec<_>>();
    /// assert_eq!(lines("a"), [1, 7]);
    /// assert_eq!(lines("b"), [4]);
    /// ```
    pub fn groups_for(&self, agent: &Agent) -> impl Iterator<Item = Group<'_>> {
        self.chooser().choose(agent).groups.into_iter().map(|index| Group { robots: self, index })
    }

    /// Returns the groups of a choice, each with the lines of the user-agent records by which it was chosen.
    pub(crate) fn chosen_groups(&self, choice: &Choice) -> impl Iterator<Item = (Group<'_>, Vec<u32>)> {
        let chooser = self.chooser();
        choice.groups.iter().map(move |&index| {
            let group = Group { robots: self, index };
            let naming = group.agents().filter(|record| chooser.names_choice(choice, record));
            (group, naming.map(|record| record.line()).collect())
        })
    }

    /// Returns a name in the file that is probably a misspelling of the agent's token, by the criteria of
    /// [`agents::closest`](crate::agents::closest). Returns `None` if a group names the agent, or if the agent is a
    /// User-Agent header. Use the name in a note to a person, never for a decision.
    ///
    /// ```
    /// use comity::robots::{Agent, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse("User-agent: FooCrawler/2.0\nDisallow: /\n");
    /// assert_eq!(robots.near_miss(&Agent::unchecked_token("FooCralwer")).as_deref(), Some("FooCrawler"));
    /// assert_eq!(robots.near_miss(&Agent::unchecked_token("FooCrawler")), None);
    /// ```
    pub fn near_miss(&self, agent: &Agent) -> Option<Cow<'_, str>> {
        // Maximum number of names to compare. Most files name a few dozen crawlers at most.
        const MAX_NAMES: usize = 4_096;
        let token = agent.as_str();
        if agent.is_header() || self.chooser().choose(agent).name.is_some_and(|name| name != "*") {
            return None;
        }
        let agents = self.known_records().filter(|record| record.kind() == RecordKind::UserAgent);
        let names = agents.take(MAX_NAMES).map(|record| select::short_name(record.value()));
        let near = names.filter_map(|name| Some((slips(token.as_bytes(), name)?, name)));
        near.min_by_key(|(slips, _)| *slips).map(|(_, name)| crate::shown::bytes(name))
    }

    /// Returns the rules for each of many crawlers, in the order of the crawlers. Crawlers with equal groups and an
    /// equal chosen name share one [`Rules`]. Hundreds of crawlers that all follow `*` therefore cost little more than
    /// one.
    ///
    /// ```
    /// use comity::robots::{Agent, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse("User-agent: *\nDisallow: /private\n");
    /// let agents = ["examplebot", "otherbot"].map(Agent::unchecked_token);
    /// let rules = robots.rules_for_each(&agents);
    /// assert!(std::sync::Arc::ptr_eq(&rules[0], &rules[1]));
    /// ```
    pub fn rules_for_each<'a>(&self, agents: impl IntoIterator<Item = &'a Agent>) -> Vec<Arc<Rules>> {
        let chooser = ManyChooser::new(self.chooser());
        let share = |choice: &Choice| Arc::new(self.rules_of(choice));
        let mut everyone = None;
        let mut named: HashMap<Choice, Arc<Rules>> = HashMap::new();
        let rules_of = |agent: &Agent| match chooser.named(agent) {
            Some(choice) => match named.entry(choice) {
                Entry::Occupied(entry) => Arc::clone(entry.get()),
                Entry::Vacant(entry) => {
                    let rules = share(entry.key());
                    Arc::clone(entry.insert(rules))
                }
            },
            None if agent.ignores_star() => share(&Choice::default()),
            None => Arc::clone(everyone.get_or_insert_with(|| share(&chooser.everyone()))),
        };
        agents.into_iter().map(rules_of).collect()
    }

    /// Returns true if bytes were omitted because the dialect reads only the first 512,000 (RFC 9309 §2.5).
    pub fn is_truncated(&self) -> bool {
        self.document.is_truncated()
    }

    /// Returns the file with owned text.
    pub fn into_owned(self) -> RobotsTxt<'static> {
        RobotsTxt { dialect: self.dialect, document: self.document.into_owned() }
    }
}

impl fmt::Debug for RobotsTxt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RobotsTxt")
            .field("dialect", &self.dialect.name())
            .field("records", &self.records().collect::<Vec<_>>())
            .finish()
    }
}

/// A group of a [`RobotsTxt`]: the crawlers it names and its rules for them (RFC 9309 §2.2.1).
#[derive(Clone, Copy)]
pub struct Group<'r> {
    robots: &'r RobotsTxt<'r>,
    index: usize,
}

impl<'r> Group<'r> {
    /// Returns the index of the group in the file, as in [`Record::group`].
    pub fn index(&self) -> usize {
        self.index
    }

    /// Returns the 1-based line on which the group begins.
    pub fn line(&self) -> u32 {
        self.robots.document.groups()[self.index].line
    }

    /// Returns the user-agent records of the group. The result is empty if the dialect assumes a `User-agent: *` that
    /// the file does not contain.
    pub fn agents(&self) -> impl Iterator<Item = Record<'r>> + use<'r> {
        self.robots.document.records_of(self.index).filter(|record| record.kind() == RecordKind::UserAgent)
    }

    /// Returns all records of the group, including user-agent records, in the order of the file. Like
    /// [`RobotsTxt::records`], it reads the text of the group again.
    pub fn records(&self) -> impl Iterator<Item = Record<'r>> + use<'r> {
        self.robots.document.every_record_of(self.index)
    }

    /// Returns the `Allow` and `Disallow` records of the group.
    pub fn rules(&self) -> impl Iterator<Item = Record<'r>> + use<'r> {
        self.robots.document.records_of(self.index).filter(|record| record.kind().is_rule())
    }

    /// Returns true if the group applies to every crawler that no group names.
    pub fn is_for_everyone(&self) -> bool {
        self.robots.chooser().is_star_group(self.index)
    }

    /// Returns true if the dialect ignores the group. Some dialects ignore an unfinished group.
    pub fn is_dropped(&self) -> bool {
        self.robots.document.groups()[self.index].dropped
    }
}

impl fmt::Debug for Group<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.records()).finish()
    }
}

#[cfg(test)]
mod tests {
    use testkit::bodies::{self, Kind};
    use testkit::generate::Generator;

    use super::*;

    #[test]
    fn records_of_each_method_are_equal() {
        let mut generator = Generator::new(5);
        for seed in 0..200 {
            let kind = Kind::ALL[seed % Kind::ALL.len()];
            let body = match seed % 2 {
                0 => bodies::with_generated_lines(kind, 500, seed as u64),
                _ => generator.next_file(),
            };
            for dialect in Dialect::ALL {
                let robots = RobotsTxt::parse_as(&body, dialect);
                let data = |record: Record<'_>| {
                    (record.line(), record.group(), record.kind(), record.value().to_vec())
                };
                let every: Vec<_> = robots.records().map(data).collect();
                let mut grouped = every.clone();
                grouped.retain(|(_, group, ..)| group.is_some());
                let mut known = every;
                known.retain(|(_, _, kind, _)| *kind != RecordKind::Unknown);
                let by_group: Vec<_> =
                    robots.groups().flat_map(|group| group.records().map(data).collect::<Vec<_>>()).collect();
                let shown = body.escape_ascii();
                assert_eq!(by_group, grouped, "{dialect}: {shown}");
                assert_eq!(robots.known_records().map(data).collect::<Vec<_>>(), known, "{dialect}: {shown}");
            }
        }
    }
}
