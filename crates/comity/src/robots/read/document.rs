//! A parsed body: its text, its records, its groups.

use std::borrow::Cow;

use super::Reading;
use super::content::Content;
use super::directive::RecordKind;
use super::groups::{GroupData, Grouper};
use super::lines::{self, Lines};
use super::packed::{Collector, Records, UnpackedRecord};
use super::record::Record;
use super::scan::{AllDirectives, KnownDirectives, Scanner};
use super::syntax::{self, Syntax};
use super::text;

/// A parsed body.
#[derive(Clone)]
pub(crate) struct Document<'b> {
    reading: &'static Reading,
    text: Cow<'b, [u8]>,
    records: Records,
    groups: Vec<GroupData>,
    truncated: bool,
}

impl<'b> Document<'b> {
    /// Reads `body`, decoded by `charset` if the reading uses one.
    #[inline]
    pub(crate) fn read(body: &'b [u8], reading: &'static Reading, charset: Option<&str>) -> Self {
        let text = text::read(counted(body), reading, charset);
        let read =
            if reading.is_scanned() { scan_records(&text, reading) } else { read_records(&text, reading) };
        Document::of(body, reading, text, read)
    }

    /// Reads `body` one line at a time, without the shortcuts of `scan.rs`.
    #[cfg(any(test, feature = "__plain-matcher"))]
    pub(crate) fn read_plainly(body: &'b [u8], reading: &'static Reading) -> Self {
        let text = text::read(counted(body), reading, None);
        let read = read_records(&text, reading);
        Document::of(body, reading, text, read)
    }

    #[inline]
    fn of(
        body: &[u8],
        reading: &'static Reading,
        text: Cow<'b, [u8]>,
        (records, groups): (Records, Vec<GroupData>),
    ) -> Self {
        let truncated = reading.body_limit.is_some_and(|limit| counted(body).len() > limit);
        Document { reading, text, records, groups, truncated }
    }

    /// Returns true if bytes were omitted because the reading has a limit.
    pub(crate) fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// Returns the document with owned text.
    pub(crate) fn into_owned(self) -> Document<'static> {
        Document {
            reading: self.reading,
            text: Cow::Owned(self.text.into_owned()),
            records: self.records,
            groups: self.groups,
            truncated: self.truncated,
        }
    }

    /// Returns every record of a known kind, in the order of the file.
    pub(crate) fn known_records(&self) -> impl ExactSizeIterator<Item = Record<'_>> {
        let mut lines = LineCounter::default();
        let mut group = 0;
        (0..self.records.len()).map(move |index| {
            while self.groups.get(group).is_some_and(|data| data.end as usize <= index) {
                group += 1;
            }
            self.known_record(index, group, &mut lines)
        })
    }

    /// Returns every record, in the order of the file, with the index of the group that contains its line. File-wide
    /// records are included, although they do not belong to a group.
    pub(crate) fn placed_records(&self) -> impl Iterator<Item = (Record<'_>, Option<usize>)> {
        self.read_again(0, LineCounter::default(), Grouper::new(self.reading.grouping))
    }

    /// Returns the groups, in the order of the file.
    pub(crate) fn groups(&self) -> &[GroupData] {
        &self.groups
    }

    /// Returns the values of a group's user-agent records.
    pub(crate) fn agents_of(&self, group: usize) -> impl Iterator<Item = &[u8]> {
        let data = self.groups[group];
        (data.start as usize..data.end as usize)
            .filter(|&index| self.records.kind(index) == RecordKind::UserAgent)
            .map(|index| &self.text[self.records.get(index).value])
    }

    /// Returns the kinds and values of a group's rules, without the cost of line numbers.
    pub(crate) fn rules_of(&self, group: usize) -> impl Iterator<Item = (RecordKind, &[u8])> {
        let data = self.groups[group];
        (data.start as usize..data.end as usize)
            .filter(|&index| self.records.kind(index).is_rule())
            .map(|index| (self.records.kind(index), &self.text[self.records.get(index).value]))
    }

    /// Returns the records of known kinds of one group, in the order of the file.
    pub(crate) fn records_of(&self, group: usize) -> impl Iterator<Item = Record<'_>> {
        let data = self.groups[group];
        let mut lines = match self.records.get(data.start as usize) {
            first if data.start < data.end => LineCounter { offset: first.key_start, line: data.line },
            _ => LineCounter::default(),
        };
        (data.start as usize..data.end as usize)
            .map(move |index| self.known_record(index, group, &mut lines))
            .filter(|record| record.group.is_some())
    }

    /// Returns all records of one group, including records of unknown kinds, in the order of the file.
    pub(crate) fn every_record_of(&self, group: usize) -> impl Iterator<Item = Record<'_>> {
        let (data, reading) = (self.groups[group], self.reading);
        let first = self.records.get(data.start as usize);
        let lines = LineCounter { offset: first.key_start, line: data.line };
        let mut grouper = Grouper::new(reading.grouping);
        grouper.record(first.kind, || data.line, || true);
        // The first record is already known; the rest starts with the next line.
        let value_end = first.value.end;
        let next_line = lines::split(&self.text[value_end..], reading.lines).nth(1);
        let from = next_line.map_or(self.text.len(), |line| value_end + line.start);
        let rest = self.read_again(from, lines, grouper);
        let rest = rest.take_while(|(_, place)| *place == Some(0)).map(|(record, _)| record);
        let rest = rest.filter(|record| record.group.is_some());
        let records = std::iter::once(self.view(first, Some(0), data.line)).chain(rest);
        records.map(move |record| Record { group: Some(group), ..record })
    }

    /// Reads the lines at and after `from` again, including unknown directives. `lines` and `grouper` must have
    /// processed the text before `from`.
    fn read_again(
        &self,
        from: usize,
        mut lines: LineCounter,
        mut grouper: Grouper,
    ) -> impl Iterator<Item = (Record<'_>, Option<usize>)> {
        let reading = self.reading;
        let mut reader = Reader::starting_at(&self.text, from, reading);
        std::iter::from_fn(move || {
            loop {
                match reader.next()? {
                    Event::Blank { empty } => grouper.blank_line(empty),
                    Event::Directive(directive) => {
                        let line = lines.advance(&self.text, directive.key_start, reading.lines);
                        if directive.kind == RecordKind::Unknown {
                            grouper.unknown_record();
                        } else {
                            let value = directive.value.clone();
                            let named = || has_name(&self.text[value]);
                            grouper.record(directive.kind, || line, named);
                        }
                        let place = grouper.current();
                        return Some((self.view(directive, place, line), place));
                    }
                }
            }
        })
    }

    /// Returns a stored record with its line number and its group. `group` is the only group that can contain it.
    fn known_record(&self, index: usize, group: usize, lines: &mut LineCounter) -> Record<'_> {
        let record = self.records.get(index);
        let line = lines.advance(&self.text, record.key_start, self.reading.lines);
        let is_inside = self.groups.get(group).is_some_and(|data| data.start as usize <= index);
        self.view(record, is_inside.then_some(group), line)
    }

    /// Returns a view of a record. `place` is the group that contains its line.
    fn view(&self, record: UnpackedRecord, place: Option<usize>, line: u32) -> Record<'_> {
        let UnpackedRecord { kind, misspelt, missing_colon, key_start, value } = record;
        Record {
            line,
            kind,
            group: place.filter(|_| !kind.is_file_wide()),
            head: &self.text[key_start..value.start],
            syntax: self.reading.syntax,
            value: &self.text[value],
            misspelt,
            missing_colon,
        }
    }
}

/// Returns the first GiB of a body. Decoding at most triples its size, so offsets in the text fit into 32 bits.
fn counted(body: &[u8]) -> &[u8] {
    &body[..body.len().min(u32::MAX as usize / 4)]
}

/// Returns true if a user-agent value contains a name after control characters are removed.
fn has_name(value: &[u8]) -> bool {
    !text::without_controls(value).is_empty()
}

/// A counter of the lines between records.
#[derive(Clone, Copy, Debug)]
struct LineCounter {
    offset: usize,
    line: u32,
}

impl Default for LineCounter {
    fn default() -> Self {
        LineCounter { offset: 0, line: 1 }
    }
}

impl LineCounter {
    /// Returns the line of `offset`. Each offset must be at or after the previous one, and not inside a line end.
    fn advance(&mut self, text: &[u8], offset: usize, style: Lines) -> u32 {
        self.line += lines::count_ends(&text[self.offset..offset], style);
        self.offset = offset;
        self.line
    }
}

/// Reads every record of `text` of a known kind, as [`read_records`] does. It is used if [`Reading::is_scanned`]
/// returns true.
fn scan_records(text: &[u8], reading: &Reading) -> (Records, Vec<GroupData>) {
    let mut records = Collector::new(text.len());
    let mut grouper = Grouper::new(reading.grouping);
    let mut lines = LineCounter::default();
    for found in Scanner::<KnownDirectives>::new(text) {
        // Lines are counted only up to the start of each group.
        grouper.record(found.kind, || lines.advance(text, found.key_start, reading.lines), || true);
        records.push(found.unpacked(text));
    }
    (records.finish(), grouper.finish())
}

/// Reads every record of `text` of a known kind, one line at a time.
fn read_records(text: &[u8], reading: &Reading) -> (Records, Vec<GroupData>) {
    let mut records = Collector::new(text.len());
    let mut grouper = Grouper::new(reading.grouping);
    for line in lines::split(text, reading.lines) {
        match read_line(text, line, reading.syntax) {
            Some(Event::Blank { empty }) => grouper.blank_line(empty),
            Some(Event::Directive(directive)) if directive.kind != RecordKind::Unknown => {
                let named = || has_name(&text[directive.value.clone()]);
                grouper.record(directive.kind, || line.number, named);
                records.push(directive);
            }
            Some(Event::Directive(_)) => grouper.unknown_record(),
            None => {}
        }
    }
    (records.finish(), grouper.finish())
}

/// A line that is relevant to records and groups.
enum Event {
    /// Only white space. `empty` is true if the line has no byte at all.
    Blank { empty: bool },
    /// A directive of any kind.
    Directive(UnpackedRecord),
}

fn read_line(text: &[u8], line: lines::Line, syntax: Syntax) -> Option<Event> {
    let content = &text[line.start..line.end];
    match syntax::read(content, syntax) {
        Content::Blank => Some(Event::Blank { empty: content.is_empty() }),
        Content::Comment | Content::Other => None,
        Content::Directive(directive) => Some(Event::Directive(UnpackedRecord {
            kind: directive.kind,
            misspelt: directive.misspelt,
            missing_colon: directive.missing_colon,
            key_start: line.start + directive.key.start,
            value: line.start + directive.value.start..line.start + directive.value.end,
        })),
    }
}

/// An iterator over all directives of a text, including unknown directives. The variant `Lines` also yields blank
/// lines.
enum Reader<'t, L> {
    Scanner(&'t [u8], Scanner<'t, AllDirectives>),
    Lines(&'t [u8], Syntax, L),
}

impl<'t> Reader<'t, ()> {
    /// Makes a reader that starts at `from`, the start of a line.
    fn starting_at(
        text: &'t [u8],
        from: usize,
        reading: &Reading,
    ) -> Reader<'t, impl Iterator<Item = lines::Line>> {
        let (syntax, style) = (reading.syntax, reading.lines);
        if reading.is_scanned() {
            return Reader::Scanner(text, Scanner::starting_at(text, from));
        }
        let shift = move |line: lines::Line| lines::Line {
            start: line.start + from,
            end: line.end + from,
            full_end: line.full_end + from,
            ..line
        };
        Reader::Lines(text, syntax, lines::split(&text[from..], style).map(shift))
    }
}

impl<L: Iterator<Item = lines::Line>> Iterator for Reader<'_, L> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        match self {
            Reader::Scanner(text, scanner) => Some(Event::Directive(scanner.next()?.unpacked(text))),
            Reader::Lines(text, syntax, lines) => lines.find_map(|line| read_line(text, line, *syntax)),
        }
    }
}
