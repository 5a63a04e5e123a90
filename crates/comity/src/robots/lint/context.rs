//! The context of all checks, built once for a file: its lines, records and groups with their places in the body.

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

/// One line. Offsets are into the body and fit 32 bits, since only the first 512,000 bytes count.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocatedLine {
    start: u32,
    /// End of what is read.
    end: u32,
    /// End of the line, terminator excluded.
    full_end: u32,
    pub what: What,
}

impl LocatedLine {
    /// Returns the part that is read.
    pub(super) fn span(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns all of it, terminator excluded.
    pub(super) fn full_span(&self) -> Range<usize> {
        self.start as usize..self.full_end as usize
    }
}

/// The content of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Blank,
    Comment,
    /// No directive.
    Other,
    /// The record with this index.
    Record(u32),
}

/// One record, by place in the body.
#[derive(Clone, Debug)]
pub(super) struct LocatedRecord {
    pub kind: RecordKind,
    /// Index of its line.
    pub line: usize,
    pub group: Option<usize>,
    pub key: Range<usize>,
    pub value: Range<usize>,
    pub misspelt: bool,
    pub missing_colon: bool,
}

impl LocatedRecord {
    /// From the start of its key to the end of its value.
    pub(super) fn whole(&self) -> Range<usize> {
        self.key.start..self.value.end.max(self.key.end)
    }
}

/// One group: indices of records.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    pub agents: Vec<usize>,
    pub rules: Vec<usize>,
    /// Directives that are neither.
    pub others: Vec<usize>,
    /// It speaks to everyone.
    pub is_star: bool,
    /// One of its user-agent lines has a name.
    pub names_somebody: bool,
}

/// The file as the default dialect reads it.
#[derive(Debug)]
pub(super) struct Context<'b> {
    /// The body as served.
    pub body: &'b [u8],
    /// The file as the engine reads it.
    pub robots: RobotsTxt<'b>,
    /// The bytes that are read: without a byte order mark and what stands beyond the limit.
    pub counted: Range<usize>,
    pub lines: Vec<LocatedLine>,
    pub records: Vec<LocatedRecord>,
    pub groups: Vec<Group>,
    /// All rules of the file have one effect, so that no order of them makes a shorter one lose in any dialect.
    pub is_one_sided: bool,
    /// The lines, by index, with a byte at which some readers end a line and others do not.
    pub broken_lines: Vec<usize>,
    /// The groups that speak to a token (in lower case), in the order of the file. `*` stands for everyone.
    pub groups_of: HashMap<Vec<u8>, Vec<usize>>,
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
        };
        context.read_lines(&read, start);
        context.broken_lines = context.find_broken_lines();
        context.read_groups();
        context.is_one_sided = context.has_one_effect();
        context
    }

    /// Python ends lines at control characters, at U+0085, and at U+2028 and U+2029, too.
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
            let content = text.get(line.start..line.end).unwrap_or_default();
            let what = match syntax::read(content, Syntax::Lenient) {
                Content::Blank => What::Blank,
                Content::Comment => What::Comment,
                Content::Other => What::Other,
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
                    What::Record(self.records.len() as u32 - 1)
                }
            };
            self.lines.push(LocatedLine {
                start: (line.start + offset) as u32,
                end: (line.end + offset) as u32,
                full_end: (line.full_end + offset) as u32,
                what,
            });
        }
    }

    /// Groups are the engine's: its records are these, in the same order.
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
                    group.names_somebody |= !record.value.is_empty();
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

    /// An empty rule has the other effect for some, and a broken line hides a rule from others.
    fn has_one_effect(&self) -> bool {
        let mut rules = self.records.iter().filter(|record| record.kind.is_rule());
        let first = rules.clone().next().map(|rule| rule.kind);
        self.broken_lines.is_empty() && rules.all(|rule| Some(rule.kind) == first && !rule.value.is_empty())
    }

    /// Returns whether the body is longer than what is read of it. Removing a line then brings other lines inside the
    /// limit.
    pub(super) fn is_cut(&self) -> bool {
        self.counted.end < self.body.len()
    }

    /// Returns whether every line that a fix changes is read to its end, before and after.
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
            // A line that is taken out as a whole moves nothing.
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

    /// Returns the records with these indices.
    pub(super) fn records_at<'c>(
        &'c self,
        indices: &[usize],
    ) -> impl Iterator<Item = (usize, &'c LocatedRecord)> {
        indices.iter().filter_map(|&index| Some((index, self.records.get(index)?)))
    }

    /// Returns every record with the kind.
    pub(super) fn records_of(&self, kind: RecordKind) -> impl Iterator<Item = &LocatedRecord> {
        self.records.iter().filter(move |record| record.kind == kind)
    }

    /// Returns the part of a line before its comment.
    pub(super) fn before_comment(&self, line: &LocatedLine) -> Range<usize> {
        let span = line.span();
        let length = memchr::memchr(b'#', self.bytes(span.clone())).unwrap_or(span.len());
        span.start..span.start + length
    }

    /// Returns the 1-based number of the line with this index.
    pub(super) fn number(line: usize) -> u32 {
        line as u32 + 1
    }

    /// Returns the names of a group for a person to read: the first two, and how many more.
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

    /// Works like [`Context::finding`] for a line that can be removed without changing a decision.
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
            help.push_str("; lines beyond the limit move up and may count then");
        }
        let mut finding = self.finding(lint, line, span, message, help);
        finding.set_droppable(!self.is_cut());
        finding
    }

    /// A fix that takes a record out: the whole line, or what stands before its comment.
    pub(super) fn taken_out(&self, decisions: Decisions, record: &LocatedRecord) -> Option<Fix> {
        let line = self.lines.get(record.line)?;
        let (directive, read) = (self.before_comment(line), line.span());
        let span = if directive.end < read.end { directive } else { self.with_end(record.line)? };
        Some(Fix::new(decisions).delete(span))
    }

    /// Works like [`Context::taken_out`] for a record that no dialect misses, since `other`, which stands above it and says as
    /// much, is read alike by all of them, and so is what stands between the two.
    pub(super) fn not_missed(&self, record: &LocatedRecord, other: &LocatedRecord) -> Option<Fix> {
        let line = self.bytes(self.lines.get(other.line)?.full_span());
        let key = other.kind.as_str().as_bytes();
        // Not all trim a line or a key.
        let is_clean = line.get(..key.len()).is_some_and(|start| start.eq_ignore_ascii_case(key))
            && line.get(key.len()) == Some(&b':')
            && line.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\t') && *byte != b'#');
        let next_broken = self.broken_lines.partition_point(|broken| *broken < other.line);
        let is_whole = self.broken_lines.get(next_broken).is_none_or(|broken| *broken > record.line);
        let is_above = other.line < record.line;
        (is_clean && is_whole && is_above).then(|| self.taken_out(Decisions::Kept, record)).flatten()
    }

    /// A line and its end.
    pub(super) fn with_end(&self, line: usize) -> Option<Range<usize>> {
        let start = self.lines.get(line)?.full_span().start;
        let next = self.lines.get(line + 1).map_or(self.counted.end, |next| next.full_span().start);
        Some(start..next)
    }

    /// The end of the line, or of the first line if it is the last one of the file.
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

    /// The place of a record, to be named in a finding.
    pub(super) fn related(&self, record: &LocatedRecord, message: &'static str) -> Related {
        Related::new(message, self.place(record.line, record.whole()))
    }

    /// Returns a stretch of the body that starts in the line with this index.
    fn place(&self, line: usize, span: Range<usize>) -> Place {
        let line_start = self.lines.get(line).map_or(0, |line| line.start as usize);
        let column = span.start.saturating_sub(line_start) + 1;
        Place::stretch(Channel::RobotsTxt, Context::number(line), column, span)
    }
}

/// Returns the name by which the default dialect knows a group, in lower case: the value without trailing `*`s, a version
/// and what follows white space.
pub(super) fn agent_name(value: &[u8]) -> Vec<u8> {
    if is_star(value) {
        return b"*".to_vec();
    }
    let starless = value.len() - value.iter().rev().take_while(|byte| **byte == b'*').count();
    let name = value.get(..starless).unwrap_or_default();
    let end = name.iter().position(|&byte| byte == b'/' || is_ascii_space(byte)).unwrap_or(name.len());
    // A name of several words is compared as a whole too: tell `Sogou spider` from `Sogou`.
    let is_versioned = name.get(end) == Some(&b'/');
    name.get(..if is_versioned { end } else { name.len() }).unwrap_or_default().to_ascii_lowercase()
}

/// Returns the tokens, in lower case, that a user-agent value speaks to: its own, and its part before a version or white
/// space, since `Sogou web spider` speaks to `Sogou` too. `*` stands for everyone.
fn tokens(value: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let everyone = is_star(value).then(|| b"*".to_vec());
    let [whole, start] = select::tokens_of(value);
    let named = [whole, start].into_iter().filter(move |token| !is_star(value) && !token.is_empty());
    everyone.into_iter().chain(named.map(<[u8]>::to_ascii_lowercase))
}

/// Returns whether a user-agent value speaks to everyone: `*`, alone or followed by white space.
pub(super) fn is_star(value: &[u8]) -> bool {
    value.first() == Some(&b'*') && value.get(1).is_none_or(|&byte| is_ascii_space(byte))
}

/// Returns a rule as the file says it, in backticks.
pub(super) fn shown_rule(context: &Context<'_>, record: &LocatedRecord) -> String {
    quoted([record.kind.label().as_bytes(), b": ", context.value(record)].concat())
}
