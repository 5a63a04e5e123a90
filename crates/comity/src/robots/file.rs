//! The file: every record of a robots.txt with its line number and its group.

use std::borrow::Cow;
use std::fmt;

use super::agent::Agent;
use super::dialect::Dialect;
use super::groups::{GroupData, Grouper};
use super::lines;
use super::quirks::{Grouping, Syntax};
use super::record::{DirectiveKind, Record};
use super::rules::Rules;
use super::select;
use super::syntax::{self, Content};
use super::text;

/// A robots.txt, read in one [`Dialect`].
///
/// Reading never fails: any bytes are a robots.txt, if perhaps one without records.
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
    text: Cow<'b, [u8]>,
    records: Vec<RecordData>,
    groups: Vec<GroupData>,
    truncated: bool,
}

/// A record by offsets into the text.
#[derive(Clone, Copy, Debug)]
struct RecordData {
    line: u32,
    kind: DirectiveKind,
    /// `u32::MAX` for none.
    group: u32,
    key: (u32, u32),
    value: (u32, u32),
    misspelt: bool,
    missing_colon: bool,
}

impl<'b> RobotsTxt<'b> {
    /// Reads `body` in the default dialect, [`Dialect::Rfc9309`].
    pub fn parse<B: AsRef<[u8]> + ?Sized>(body: &'b B) -> Self {
        RobotsTxt::parse_as(body, Dialect::Rfc9309)
    }

    /// Reads `body` in `dialect`.
    pub fn parse_as<B: AsRef<[u8]> + ?Sized>(body: &'b B, dialect: Dialect) -> Self {
        RobotsTxt::parse_with_charset(body, dialect, None)
    }

    /// Reads `body` in `dialect`, decoded by `charset`: the label in the HTTP `Content-Type`, if there was one.
    ///
    /// Only the dialects that match characters rather than octets look at it; labels that the
    /// [Encoding Standard](https://encoding.spec.whatwg.org/#names-and-labels) does not know count as absent.
    ///
    /// ```
    /// use comity::robots::{Agent, Dialect, RobotsTxt};
    ///
    /// let body = "User-agent: *\nDisallow: /caf\u{e9}\n".as_bytes();
    /// let robots = RobotsTxt::parse_with_charset(body, Dialect::Gym2008, Some("utf-8"));
    /// let rules = robots.rules_for(&Agent::token("examplebot"));
    /// assert!(!rules.is_allowed("http://example.com/caf%C3%A9")?);
    /// # Ok::<(), comity::robots::UrlError>(())
    /// ```
    pub fn parse_with_charset<B: AsRef<[u8]> + ?Sized>(
        body: &'b B,
        dialect: Dialect,
        charset: Option<&str>,
    ) -> Self {
        let body = body.as_ref();
        // Offsets are kept in 32 bits; nothing that long is a robots.txt.
        let body = &body[..body.len().min(u32::MAX as usize / 4)];
        let quirks = dialect.row();
        let text = text::read(body, quirks, charset);
        let mut reader = Reader::new(quirks.syntax, quirks.grouping);
        for line in lines::split(&text, quirks.lines) {
            reader.line(&text, line);
        }
        let Reader { records, grouper, .. } = reader;
        let truncated = quirks.body_limit.is_some_and(|limit| body.len() > limit);
        RobotsTxt { dialect, text, records, groups: grouper.finish(), truncated }
    }

    /// The dialect it was read in.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Every record, in the order of the file.
    pub fn records(&self) -> impl ExactSizeIterator<Item = Record<'_>> {
        self.records.iter().map(|record| self.view(record))
    }

    /// Every group, in the order of the file.
    pub fn groups(&self) -> impl ExactSizeIterator<Item = Group<'_>> {
        (0..self.groups.len()).map(|index| Group { robots: self, index })
    }

    /// The values of the `Sitemap` records. They belong to no group (RFC 9309 §2.2.4).
    pub fn sitemaps(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.records().filter(|r| r.kind() == DirectiveKind::Sitemap).map(|r| r.value_text())
    }

    /// The rules that speak to `agent`.
    pub fn rules_for(&self, agent: &Agent) -> Rules {
        Rules::collect(self, &select::select(self, agent))
    }

    /// Whether bytes were left out because the dialect reads only the first 512,000 (RFC 9309 §2.5).
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// The same file with its text owned.
    pub fn into_owned(self) -> RobotsTxt<'static> {
        RobotsTxt {
            dialect: self.dialect,
            text: Cow::Owned(self.text.into_owned()),
            records: self.records,
            groups: self.groups,
            truncated: self.truncated,
        }
    }

    pub(super) fn group_data(&self) -> &[GroupData] {
        &self.groups
    }

    pub(super) fn record(&self, index: u32) -> Record<'_> {
        self.view(&self.records[index as usize])
    }

    /// The records of one group, in the order of the file.
    pub(super) fn records_of(&self, group: usize) -> impl Iterator<Item = Record<'_>> {
        let (start, end) = self.groups[group].span;
        let span = &self.records[start as usize..self.records.len().min(end as usize)];
        span.iter().filter(move |record| record.group == group as u32).map(|record| self.view(record))
    }

    fn view(&self, record: &RecordData) -> Record<'_> {
        let slice = |(start, end): (u32, u32)| &self.text[start as usize..end as usize];
        Record {
            line: record.line,
            kind: record.kind,
            group: (record.group != u32::MAX).then_some(record.group as usize),
            key: slice(record.key),
            value: slice(record.value),
            misspelt: record.misspelt,
            missing_colon: record.missing_colon,
        }
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

/// A group of a [`RobotsTxt`]: the crawlers it names and what it says to them (RFC 9309 §2.2.1).
#[derive(Clone, Copy)]
pub struct Group<'r> {
    robots: &'r RobotsTxt<'r>,
    index: usize,
}

impl<'r> Group<'r> {
    /// Its index in the file, as [`Record::group`] gives it.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Its user-agent records. Empty if the dialect assumes a `User-agent: *` that is not written.
    pub fn agents(&self) -> impl ExactSizeIterator<Item = Record<'r>> + use<'r> {
        let robots = self.robots;
        robots.groups[self.index].agents.iter().map(|&index| robots.record(index))
    }

    /// Everything it says, user-agent lines included, in the order of the file.
    pub fn records(&self) -> impl Iterator<Item = Record<'r>> + use<'r> {
        self.robots.records_of(self.index)
    }

    /// Its `Allow` and `Disallow` records.
    pub fn rules(&self) -> impl Iterator<Item = Record<'r>> + use<'r> {
        self.records().filter(|record| record.kind().is_rule())
    }

    /// Whether it speaks to every crawler that has no group of its own.
    pub fn is_for_everyone(&self) -> bool {
        select::is_star_group(self.robots, self.index)
    }

    /// Whether the dialect drops the group as if it were not there (an unfinished one, in some dialects).
    pub fn is_dropped(&self) -> bool {
        self.robots.groups[self.index].dropped
    }
}

impl fmt::Debug for Group<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.records()).finish()
    }
}

/// Collects records and groups line by line.
struct Reader {
    syntax: Syntax,
    records: Vec<RecordData>,
    grouper: Grouper,
}

impl Reader {
    fn new(syntax: Syntax, grouping: Grouping) -> Self {
        Reader { syntax, records: Vec::new(), grouper: Grouper::new(grouping) }
    }

    fn line(&mut self, text: &[u8], line: lines::Line) {
        let content = &text[line.start..line.end];
        match syntax::read(content, self.syntax) {
            Content::Blank => self.grouper.blank_line(content.is_empty()),
            Content::Comment | Content::Other => {}
            Content::Directive(directive) => {
                let named = select::names_somebody(&content[directive.value.clone()]);
                let group = self.grouper.record(self.records.len() as u32, directive.kind, named);
                let offsets = |range: std::ops::Range<usize>| {
                    ((line.start + range.start) as u32, (line.start + range.end) as u32)
                };
                self.records.push(RecordData {
                    line: line.number,
                    kind: directive.kind,
                    group: group.map_or(u32::MAX, |group| group as u32),
                    key: offsets(directive.key),
                    value: offsets(directive.value),
                    misspelt: directive.misspelt,
                    missing_colon: directive.missing_colon,
                });
            }
        }
    }
}
