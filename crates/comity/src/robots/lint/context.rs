//! The context of all checks: the lines, records and groups of a file with their positions in the body. It is built
//! once per file.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::Lint;
use crate::finding::{Channel, Decisions, Finding, Fix, Place, Related, quoted};
use crate::robots::agents::select;
use crate::robots::file::RobotsTxt;
use crate::robots::read::content::Content;
use crate::robots::read::directive::RecordKind;
use crate::robots::read::lines::{self, GOOGLE_LINE_LIMIT, Lines};
use crate::robots::read::space::is_ascii_space;
use crate::robots::read::syntax::{self, Syntax};
use crate::robots::read::text;
use crate::robots::rules::Rules;

/// A line with its position in the body. Offsets fit in 32 bits, because only the first 512,000 bytes are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocatedLine {
    start: u32,
    /// End of the part of the line that parsers read. They ignore the rest of a very long line.
    end: u32,
    /// End of the line, without its terminator.
    full_end: u32,
    pub content: LineContent,
}

impl LocatedLine {
    /// Returns the range of the part of the line that parsers read.
    pub(super) fn span(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns the range of the whole line, without its terminator.
    pub(super) fn full_span(&self) -> Range<usize> {
        self.start as usize..self.full_end as usize
    }
}

/// The content of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineContent {
    Blank,
    Comment,
    /// A line that is not a directive.
    Other,
    /// The record with this index.
    Record(u32),
}

/// A record with its position in the body.
#[derive(Clone, Debug)]
pub(super) struct LocatedRecord {
    pub kind: RecordKind,
    /// Index of the record's line.
    pub line: usize,
    pub group: Option<usize>,
    pub key: Range<usize>,
    pub value: Range<usize>,
    pub misspelt: bool,
    pub missing_colon: bool,
}

impl LocatedRecord {
    /// Returns the range from the start of the key to the end of the value.
    pub(super) fn whole(&self) -> Range<usize> {
        self.key.start..self.value.end.max(self.key.end)
    }
}

/// A group. Its fields contain indices of records.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    pub agents: Vec<usize>,
    pub rules: Vec<usize>,
    /// Directives other than user-agent lines and rules.
    pub others: Vec<usize>,
    /// True if the group applies to `*`.
    pub is_star: bool,
    /// True if one of the user-agent lines has a name.
    pub has_name: bool,
}

/// The file, parsed in the default dialect.
#[derive(Debug)]
pub(super) struct Context<'b> {
    /// The body as served.
    pub body: &'b [u8],
    /// The parsed file.
    pub robots: RobotsTxt<'b>,
    /// Range of the bytes that are parsed. It excludes a byte order mark and the bytes after the size limit.
    pub counted: Range<usize>,
    pub lines: Vec<LocatedLine>,
    pub records: Vec<LocatedRecord>,
    pub groups: Vec<Group>,
    /// True if all rules of the file have equal effects. In this case, decisions do not depend on the precedence of
    /// rules.
    pub is_one_sided: bool,
    /// Indices of lines with a byte at which some parsers end a line and others do not.
    pub broken_lines: Vec<usize>,
    /// Indices of the groups for each token (in lower case), in file order. The token `*` contains the groups for all
    /// crawlers.
    pub groups_of: HashMap<Vec<u8>, Vec<usize>>,
    /// The hosts of the site, as far as the file names them.
    pub hosts: Vec<&'b [u8]>,
}

impl<'b> Context<'b> {
    pub(super) fn new(body: &'b [u8]) -> Self {
        let robots = RobotsTxt::parse(body);
        let reading = &robots.dialect().row().reading;
        let start = text::byte_order_mark_len(body, reading);
        let read = text::read(body, reading, None);
        let counted = start..start + read.len();
        let mut context = Context {
            body,
            robots,
            counted,
            lines: Vec::new(),
            records: Vec::new(),
            groups: Vec::new(),
            is_one_sided: false,
            broken_lines: Vec::new(),
            groups_of: HashMap::new(),
            hosts: Vec::new(),
        };
        context.read_lines(&read, start);
        context.broken_lines = context.find_broken_lines();
        context.read_groups();
        context.is_one_sided = context.has_one_effect();
        context.hosts = hosts(context.records.iter().map(|record| (record.kind, context.value(record))));
        context
    }

    /// Returns the lines with a byte 0x85, U+2028, U+2029, or a control character other than a tab. Python ends a line
    /// at some of these.
    fn find_broken_lines(&self) -> Vec<usize> {
        let is_break = |line: &[u8]| {
            let is_control =
                |byte: &u8| matches!(byte, 0x00..=0x08 | 0x0b..=0x0c | 0x0e..=0x1f | 0x7f | 0x85);
            line.iter().any(is_control)
                || line.windows(3).any(|three| matches!(three, b"\xe2\x80\xa8" | b"\xe2\x80\xa9"))
        };
        let lines = self.lines.iter().enumerate();
        lines.filter(|(_, line)| is_break(self.bytes(line.full_span()))).map(|(index, _)| index).collect()
    }

    fn read_lines(&mut self, text: &[u8], offset: usize) {
        let shifted = |range: Range<usize>, by: usize| range.start + by..range.end + by;
        for line in lines::split(text, Lines::CrLfCut) {
            let text = text.get(line.start..line.end).unwrap_or_default();
            let content = match syntax::read(text, Syntax::Lenient) {
                Content::Blank => LineContent::Blank,
                Content::Comment => LineContent::Comment,
                Content::Other => LineContent::Other,
                Content::Directive(directive) => {
                    self.records.push(LocatedRecord {
                        kind: directive.kind,
                        line: self.lines.len(),
                        group: None,
                        key: shifted(directive.key, line.start + offset),
                        value: shifted(directive.value, line.start + offset),
                        misspelt: directive.misspelt,
                        missing_colon: directive.missing_colon,
                    });
                    LineContent::Record(self.records.len() as u32 - 1)
                }
            };
            self.lines.push(LocatedLine {
                start: (line.start + offset) as u32,
                end: (line.end + offset) as u32,
                full_end: (line.full_end + offset) as u32,
                content,
            });
        }
    }

    /// Collects the groups. The parser has the same records in the same order, so both lists are read in parallel.
    fn read_groups(&mut self) {
        let robots = &self.robots;
        self.groups = robots
            .groups()
            .map(|group| Group { is_star: group.is_for_everyone(), ..Group::default() })
            .collect();
        for (index, (record, read)) in self.records.iter_mut().zip(robots.records()).enumerate() {
            record.group = read.group();
            let Some(group) = read.group().and_then(|group| self.groups.get_mut(group)) else { continue };
            match read.kind() {
                RecordKind::UserAgent => {
                    group.agents.push(index);
                    group.has_name |= !record.value.is_empty();
                }
                kind if kind.is_rule() => group.rules.push(index),
                RecordKind::Unknown => {}
                _ => group.others.push(index),
            }
        }
        let body = self.body;
        for (index, group) in self.groups.iter().enumerate() {
            for agent in group.agents.iter().filter_map(|&agent| self.records.get(agent)) {
                for name in tokens(body.get(agent.value.clone()).unwrap_or_default()) {
                    let groups = self.groups_of.entry(name).or_default();
                    if groups.last() != Some(&index) {
                        groups.push(index);
                    }
                }
            }
        }
    }

    /// Returns true if all rules have equal effects in every dialect. Returns false if there is an empty rule, which
    /// has the opposite effect for some parsers, or a broken line, in which some parsers find no rule.
    fn has_one_effect(&self) -> bool {
        let mut rules = self.records.iter().filter(|record| record.kind.is_rule());
        let first = rules.clone().next().map(|rule| rule.kind);
        self.broken_lines.is_empty() && rules.all(|rule| Some(rule.kind) == first && !rule.value.is_empty())
    }

    /// Returns true if the body exceeds the size limit. Removing a line would then move other lines inside the limit.
    pub(super) fn is_cut(&self) -> bool {
        self.counted.end < self.body.len()
    }

    /// Returns true if every line that a fix changes is short enough to be read completely, both before and after the
    /// fix.
    pub(super) fn stays_within_lines(&self, fix: &Fix) -> bool {
        let mut lengths: BTreeMap<usize, usize> = BTreeMap::new();
        for edit in fix.edits() {
            let span = edit.span();
            let next = self.lines.partition_point(|line| line.full_span().start <= span.start);
            let Some((index, line)) =
                next.checked_sub(1).and_then(|index| Some((index, self.lines.get(index)?)))
            else {
                continue;
            };
            let line = line.full_span();
            // Removing a whole line does not shift the content of other lines.
            let is_whole = span.start <= line.start && line.end <= span.end && edit.text().is_empty();
            if !is_whole {
                let length = lengths.entry(index).or_insert(line.len());
                if line.len() > GOOGLE_LINE_LIMIT {
                    return false;
                }
                *length = (*length + edit.text().len())
                    .saturating_sub(span.end.min(line.end).saturating_sub(span.start));
            }
        }
        lengths.values().all(|length| *length <= GOOGLE_LINE_LIMIT)
    }

    /// Returns the rules for crawlers that no group names.
    pub(super) fn rules_for_everyone(&self) -> Rules {
        self.robots.rules_of(&self.robots.chooser().everyone())
    }

    pub(super) fn bytes(&self, span: Range<usize>) -> &'b [u8] {
        self.body.get(span).unwrap_or_default()
    }

    pub(super) fn value(&self, record: &LocatedRecord) -> &'b [u8] {
        self.bytes(record.value.clone())
    }

    pub(super) fn key(&self, record: &LocatedRecord) -> &'b [u8] {
        self.bytes(record.key.clone())
    }

    /// Returns the records at these indices, with the indices.
    pub(super) fn records_at<'c>(
        &'c self,
        indices: &[usize],
    ) -> impl Iterator<Item = (usize, &'c LocatedRecord)> {
        indices.iter().filter_map(|&index| Some((index, self.records.get(index)?)))
    }

    /// Returns all records of a kind.
    pub(super) fn records_of(&self, kind: RecordKind) -> impl Iterator<Item = &LocatedRecord> {
        self.records.iter().filter(move |record| record.kind == kind)
    }

    /// Returns the range of a line before its comment.
    pub(super) fn before_comment(&self, line: &LocatedLine) -> Range<usize> {
        let span = line.span();
        let length = memchr::memchr(b'#', self.bytes(span.clone())).unwrap_or(span.len());
        span.start..span.start + length
    }

    /// Returns the 1-based number of the line at this index.
    pub(super) fn number(line: usize) -> u32 {
        line as u32 + 1
    }

    /// Returns the names of a group for messages: the first two names and the number of the others.
    pub(super) fn names(&self, group: &Group) -> String {
        let names = self.records_at(&group.agents).take(2).map(|(_, agent)| quoted(self.value(agent)));
        let first = names.collect::<Vec<_>>().join(", ");
        match group.agents.len().saturating_sub(2) {
            0 => first,
            more => format!("{first} and {more} more"),
        }
    }

    pub(super) fn finding(
        &self,
        lint: &'static Lint,
        line: usize,
        span: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Finding {
        Finding::new(&lint.kind, self.place(line, span), message).with_help(help.into())
    }

    /// Makes a finding like [`Context::finding`], for a line that can be removed without changing a decision.
    pub(super) fn droppable(
        &self,
        lint: &'static Lint,
        line: usize,
        span: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Finding {
        let mut help: String = help.into();
        if self.is_cut() {
            help.push_str("; this moves ignored lines into the part that crawlers read");
        }
        let mut finding = self.finding(lint, line, span, message, help);
        finding.set_droppable(!self.is_cut());
        finding
    }

    /// Returns a fix that removes a record: the whole line, or the part of the line before a comment.
    pub(super) fn deletion(&self, decisions: Decisions, record: &LocatedRecord) -> Option<Fix> {
        let line = self.lines.get(record.line)?;
        let (directive, read) = (self.before_comment(line), line.span());
        let span = if directive.end < read.end { directive } else { self.with_end(record.line)? };
        Some(Fix::new(decisions).delete(span))
    }

    /// Returns a fix that removes a record that repeats `other`, an earlier record of equal meaning. Returns `None`
    /// unless all dialects parse `other` and the lines up to `record` alike, so that the record is redundant in every
    /// dialect.
    pub(super) fn deletion_of_repeat(&self, record: &LocatedRecord, other: &LocatedRecord) -> Option<Fix> {
        let line = self.bytes(self.lines.get(other.line)?.full_span());
        let key = other.kind.as_str().as_bytes();
        // Some dialects do not trim lines or keys.
        let is_clean = line.get(..key.len()).is_some_and(|start| start.eq_ignore_ascii_case(key))
            && line.get(key.len()) == Some(&b':')
            && line.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\t') && *byte != b'#');
        let next_broken = self.broken_lines.partition_point(|broken| *broken < other.line);
        let is_whole = self.broken_lines.get(next_broken).is_none_or(|broken| *broken > record.line);
        let is_above = other.line < record.line;
        (is_clean && is_whole && is_above).then(|| self.deletion(Decisions::Kept, record)).flatten()
    }

    /// Returns the range of a line and its terminator.
    pub(super) fn with_end(&self, line: usize) -> Option<Range<usize>> {
        let start = self.lines.get(line)?.full_span().start;
        let next = self.lines.get(line + 1).map_or(self.counted.end, |next| next.full_span().start);
        Some(start..next)
    }

    /// Returns the terminator of the line. If it has none, returns that of the first line, or else LF.
    pub(super) fn line_end(&self, line: usize) -> &'static str {
        let end = |line: usize| {
            let full = self.lines.get(line)?.full_span();
            match self.bytes(full.end..self.with_end(line)?.end) {
                b"\n" => Some("\n"),
                b"\r\n" => Some("\r\n"),
                b"\r" => Some("\r"),
                _ => None,
            }
        };
        end(line).or_else(|| end(0)).unwrap_or("\n")
    }

    /// Returns the position of a record, as a related place of a finding.
    pub(super) fn related(&self, record: &LocatedRecord, message: &'static str) -> Related {
        Related::new(message, self.place(record.line, record.whole()))
    }

    /// Returns the position of a range of the body that starts in the line at this index.
    fn place(&self, line: usize, span: Range<usize>) -> Place {
        let line_start = self.lines.get(line).map_or(0, |line| line.start as usize);
        let column = span.start.saturating_sub(line_start) + 1;
        Place::stretch(Channel::RobotsTxt, Context::number(line), column, span)
    }
}

/// Returns the name on a user-agent line, in lower case and without trailing `*`s. If the first word has a version,
/// such as `a/1.0`, the name ends before the version. Otherwise, a name of several words is returned whole.
pub(super) fn agent_name(value: &[u8]) -> Vec<u8> {
    if is_star(value) {
        return b"*".to_vec();
    }
    let starless = value.len() - value.iter().rev().take_while(|byte| **byte == b'*').count();
    let name = value.get(..starless).unwrap_or_default();
    let end = name.iter().position(|&byte| byte == b'/' || is_ascii_space(byte)).unwrap_or(name.len());
    // A name of several words is also compared as a whole, to distinguish `Sogou spider` from `Sogou`.
    let is_versioned = name.get(end) == Some(&b'/');
    name.get(..if is_versioned { end } else { name.len() }).unwrap_or_default().to_ascii_lowercase()
}

/// Returns the tokens, in lower case, that a user-agent value matches: the value itself, and its part before a version
/// or white space (`Sogou web spider` matches `Sogou` too). A value that matches all crawlers has the token `*`.
fn tokens(value: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let everyone = is_star(value).then(|| b"*".to_vec());
    let [whole, start] = select::tokens_of(value);
    let named = [whole, start].into_iter().filter(move |token| !is_star(value) && !token.is_empty());
    everyone.into_iter().chain(named.map(<[u8]>::to_ascii_lowercase))
}

/// Returns true if a user-agent value matches all crawlers: `*`, alone or followed by white space.
pub(super) fn is_star(value: &[u8]) -> bool {
    value.first() == Some(&b'*') && value.get(1).is_none_or(|&byte| is_ascii_space(byte))
}

/// Maximum number of hosts of a site that are compared with patterns.
const MOST_HOSTS: usize = 16;

/// Returns the hosts of a site: those in the first `Host` lines and in the URLs of the first `Sitemap` lines, without
/// `www.` and the port.
fn hosts<'b>(records: impl Iterator<Item = (RecordKind, &'b [u8])>) -> Vec<&'b [u8]> {
    let hosts = records.filter_map(|(kind, value)| match kind {
        RecordKind::Sitemap => after_scheme(value),
        RecordKind::Host => Some(after_scheme(value).unwrap_or(value)),
        _ => None,
    });
    hosts.take(MOST_HOSTS).map(bare).collect()
}

/// Returns the text after the scheme of a URL.
fn after_scheme(value: &[u8]) -> Option<&[u8]> {
    value.get(memchr::memmem::find(value, b"://")? + 3..)
}

/// Returns the host at the start of a text, without `www.` and the port.
pub(super) fn bare(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|byte| matches!(byte, b'/' | b':' | b'?')).unwrap_or(text.len());
    let host = text.get(..end).unwrap_or_default();
    match host.split_at_checked(4) {
        Some((www, rest)) if www.eq_ignore_ascii_case(b"www.") => rest,
        _ => host,
    }
}

/// Returns a rule as written in the file, in backticks.
pub(super) fn shown_rule(context: &Context<'_>, record: &LocatedRecord) -> String {
    quoted([record.kind.label().as_bytes(), b": ", context.value(record)].concat())
}
