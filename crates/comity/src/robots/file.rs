//! The file: every record of a robots.txt with its line number and its group.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::sync::Arc;

use super::agent::Agent;
use super::dialect::Dialect;
use super::groups::{GroupData, Grouper};
use super::lines;
use super::packed::{Collector, Records, Unpacked};
use super::quirks::{Lines, Quirks, Syntax};
use super::record::{DirectiveKind, Record};
use super::rules::Rules;
use super::scan::{Every, Known, Scanner};
use super::select;
use super::syntax::{self, Content};
use super::text;
use crate::agents::slips;

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
    records: Records,
    groups: Vec<GroupData>,
    truncated: bool,
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
        let quirks = dialect.row();
        let text = text::read(counted(body.as_ref()), quirks, charset);
        let read = if quirks.syntax == Syntax::Lenient {
            scan_records(&text, quirks)
        } else {
            read_records(&text, quirks)
        };
        RobotsTxt::of(body.as_ref(), dialect, text, read)
    }

    /// As [`parse_as`](Self::parse_as), without the shortcuts of `scan.rs`.
    #[cfg(any(test, feature = "plain-matcher"))]
    pub(super) fn parse_plainly(body: &'b [u8], dialect: Dialect) -> Self {
        let text = text::read(counted(body), dialect.row(), None);
        let read = read_records(&text, dialect.row());
        RobotsTxt::of(body, dialect, text, read)
    }

    #[inline]
    fn of(
        body: &[u8],
        dialect: Dialect,
        text: Cow<'b, [u8]>,
        (records, groups): (Records, Vec<GroupData>),
    ) -> Self {
        let quirks = dialect.row();
        let body = counted(body);
        let truncated = quirks.body_limit.is_some_and(|limit| body.len() > limit);
        RobotsTxt { dialect, text, records, groups, truncated }
    }

    /// The dialect it was read in.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Every record, in the order of the file.
    ///
    /// Those of unknown kinds are not kept but read anew, so that bodies which are no robots.txt cost little;
    /// [`known_records`](Self::known_records) needs no second reading.
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

    /// Every record of a known kind, in the order of the file.
    pub fn known_records(&self) -> impl ExactSizeIterator<Item = Record<'_>> {
        let mut lines = LineCounter::default();
        let mut group = 0;
        (0..self.records.len()).map(move |index| {
            while self.groups.get(group).is_some_and(|data| data.end as usize <= index) {
                group += 1;
            }
            self.known_record(index, group, &mut lines)
        })
    }

    /// Every record, in the order of the file, with the group among whose lines it stands: file-wide ones too.
    pub(crate) fn placed_records(&self) -> impl Iterator<Item = (Record<'_>, Option<usize>)> {
        let quirks = self.dialect.row();
        self.read_again(0, LineCounter::default(), Grouper::new(quirks.grouping))
    }

    /// Every group, in the order of the file.
    pub fn groups(&self) -> impl ExactSizeIterator<Item = Group<'_>> {
        (0..self.groups.len()).map(|index| Group { robots: self, index })
    }

    /// The values of the `Sitemap` records. They belong to no group (RFC 9309 §2.2.4).
    ///
    /// The default dialect, `google` and `yandex` leave out empty ones, and white space around them, a no-break space
    /// too; control characters are shown as U+FFFD. The other dialects give what their programs give: `urllib` decodes
    /// percent-encoding, `gym2008` and `mk1996` drop control characters.
    pub fn sitemaps(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let records = self.known_records().filter(|record| record.kind() == DirectiveKind::Sitemap);
        records.filter_map(|record| syntax::sitemap(record.value(), self.dialect.row().matching))
    }

    /// The rules that speak to `agent`.
    pub fn rules_for(&self, agent: &Agent) -> Rules {
        Rules::collect(self, &select::select(self, agent))
    }

    /// The 1-based line of the first user-agent record by which a group speaks to `agent`; `None` if none does.
    ///
    /// ```
    /// use comity::robots::{Agent, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse("User-agent: *\nDisallow: /\n\nUser-agent: a\nUser-agent: b\nDisallow:\n");
    /// assert_eq!(robots.group_line(&Agent::token("b")), Some(5));
    /// assert_eq!(robots.group_line(&Agent::token("c")), Some(1));
    /// ```
    pub fn group_line(&self, agent: &Agent) -> Option<u32> {
        let choice = select::select(self, agent);
        let group = *choice.groups.first()?;
        let mut agents = self.records_of(group).filter(|record| record.kind() == DirectiveKind::UserAgent);
        let naming = agents.find(|record| select::names_choice(self, &choice, record));
        Some(naming.map_or(self.groups[group].line, |record| record.line()))
    }

    /// The name in the file that `agent` resembles by a slip or two, as [`agents::closest`](crate::agents::closest) counts
    /// them, if it is asked for by its token and no group names it. For a note to a person, never for a decision.
    ///
    /// ```
    /// use comity::robots::{Agent, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse("User-agent: FooCrawler/2.0\nDisallow: /\n");
    /// assert_eq!(robots.near_miss(&Agent::token("FooCralwer")).as_deref(), Some("FooCrawler"));
    /// assert_eq!(robots.near_miss(&Agent::token("FooCrawler")), None);
    /// ```
    pub fn near_miss(&self, agent: &Agent) -> Option<Cow<'_, str>> {
        // A file names a few dozen crawlers; one with more is looked at this far.
        const LOOKED_AT: usize = 4_096;
        let token = agent.as_str();
        if agent.is_header() || select::select(self, agent).name.is_some_and(|name| name != "*") {
            return None;
        }
        let agents = self.records().filter(|record| record.kind() == DirectiveKind::UserAgent);
        let names = agents.take(LOOKED_AT).map(|record| select::short_name(record.value()));
        let near = names.filter_map(|name| Some((slips(token.as_bytes(), name)?, name)));
        near.min_by_key(|(slips, _)| *slips).map(|(_, name)| crate::shown::bytes(name))
    }

    /// The rules that speak to each of many crawlers, in their order. Crawlers to whom the same groups speak by the same
    /// name share theirs, so that hundreds who all go by `*` cost little more than one.
    ///
    /// ```
    /// use comity::robots::{Agent, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse("User-agent: *\nDisallow: /private\n");
    /// let agents = ["examplebot", "otherbot"].map(Agent::token);
    /// let rules = robots.rules_for_each(&agents);
    /// assert!(std::sync::Arc::ptr_eq(&rules[0], &rules[1]));
    /// ```
    pub fn rules_for_each<'a>(&self, agents: impl IntoIterator<Item = &'a Agent>) -> Vec<Arc<Rules>> {
        let chooser = select::Chooser::new(self);
        let share = |choice: &select::Choice| Arc::new(Rules::collect(self, choice));
        let mut everyone = None;
        let mut named: HashMap<select::Choice, Arc<Rules>> = HashMap::new();
        let rules_of = |agent: &Agent| match chooser.named(agent) {
            Some(choice) => match named.entry(choice) {
                Entry::Occupied(entry) => Arc::clone(entry.get()),
                Entry::Vacant(entry) => {
                    let rules = share(entry.key());
                    Arc::clone(entry.insert(rules))
                }
            },
            None if agent.ignores_star() => share(&select::Choice::default()),
            None => Arc::clone(everyone.get_or_insert_with(|| share(&chooser.everyone()))),
        };
        agents.into_iter().map(rules_of).collect()
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

    /// The values of a group's user-agent records.
    pub(super) fn agents_of(&self, group: usize) -> impl Iterator<Item = &[u8]> {
        let data = self.groups[group];
        (data.start as usize..data.end as usize)
            .filter(|&index| self.records.kind(index) == DirectiveKind::UserAgent)
            .map(|index| &self.text[self.records.get(index).value])
    }

    /// The records of known kinds of one group, in the order of the file.
    pub(super) fn records_of(&self, group: usize) -> impl Iterator<Item = Record<'_>> {
        let data = self.groups[group];
        let mut lines = match self.records.get(data.start as usize) {
            first if data.start < data.end => LineCounter { offset: first.key_start, line: data.line },
            _ => LineCounter::default(),
        };
        (data.start as usize..data.end as usize)
            .map(move |index| self.known_record(index, group, &mut lines))
            .filter(|record| record.group.is_some())
    }

    /// As [`records_of`](Self::records_of), with those of unknown kinds.
    fn every_record_of(&self, group: usize) -> impl Iterator<Item = Record<'_>> {
        let (data, quirks) = (self.groups[group], self.dialect.row());
        let first = self.records.get(data.start as usize);
        let lines = LineCounter { offset: first.key_start, line: data.line };
        let mut grouper = Grouper::new(quirks.grouping);
        grouper.record(first.kind, || data.line, || true);
        // The first record is at hand; what follows starts with the next line.
        let value_end = first.value.end;
        let next_line = lines::split(&self.text[value_end..], quirks.lines).nth(1);
        let from = next_line.map_or(self.text.len(), |line| value_end + line.start);
        let rest = self.read_again(from, lines, grouper);
        let rest = rest.take_while(|(_, place)| *place == Some(0)).map(|(record, _)| record);
        let rest = rest.filter(|record| record.group.is_some());
        let records = std::iter::once(self.view(first, Some(0), data.line)).chain(rest);
        records.map(move |record| Record { group: Some(group), ..record })
    }

    /// Reads the lines from `from` on again, with unknown directives; `lines` and `grouper` have come that far.
    fn read_again(
        &self,
        from: usize,
        mut lines: LineCounter,
        mut grouper: Grouper,
    ) -> impl Iterator<Item = (Record<'_>, Option<usize>)> {
        let quirks = self.dialect.row();
        let mut reader = Reader::starting_at(&self.text, from, quirks);
        std::iter::from_fn(move || {
            loop {
                match reader.next()? {
                    Event::Blank { empty } => grouper.blank_line(empty),
                    Event::Directive(directive) => {
                        let line = lines.advance(&self.text, directive.key_start, quirks.lines);
                        if directive.kind != DirectiveKind::Unknown {
                            let value = directive.value.clone();
                            let named = || select::names_somebody(&self.text[value]);
                            grouper.record(directive.kind, || line, named);
                        }
                        let place = grouper.current();
                        return Some((self.view(directive, place, line), place));
                    }
                }
            }
        })
    }

    /// A record that is kept, with its line number and its group, given the only group that can be it.
    fn known_record(&self, index: usize, group: usize, lines: &mut LineCounter) -> Record<'_> {
        let record = self.records.get(index);
        let line = lines.advance(&self.text, record.key_start, self.dialect.row().lines);
        let is_inside = self.groups.get(group).is_some_and(|data| data.start as usize <= index);
        self.view(record, is_inside.then_some(group), line)
    }

    /// A record with the group among whose lines it stands.
    fn view(&self, record: Unpacked, place: Option<usize>, line: u32) -> Record<'_> {
        let Unpacked { kind, misspelt, missing_colon, key_start, value } = record;
        Record {
            line,
            kind,
            group: place.filter(|_| !kind.is_file_wide()),
            head: &self.text[key_start..value.start],
            syntax: self.dialect.row().syntax,
            value: &self.text[value],
            misspelt,
            missing_colon,
        }
    }
}

/// What can be read of a body: offsets are kept in 32 bits, and nothing that long is a robots.txt.
fn counted(body: &[u8]) -> &[u8] {
    &body[..body.len().min(u32::MAX as usize / 4)]
}

/// Counts lines on the way from one record to the next.
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
    /// The line of `offset`, which stands after all offsets asked for before, and inside a line.
    fn advance(&mut self, text: &[u8], offset: usize, style: Lines) -> u32 {
        self.line += lines::count_ends(&text[self.offset..offset], style);
        self.offset = offset;
        self.line
    }
}

/// Reads every record of `text` that is of a known kind, as [`read_records`] does, for the dialects that are scanned.
fn scan_records(text: &[u8], quirks: &Quirks) -> (Records, Vec<GroupData>) {
    let mut records = Collector::new(text.len());
    let mut grouper = Grouper::new(quirks.grouping);
    let mut lines = LineCounter::default();
    for found in Scanner::<Known>::new(text) {
        // Lines are counted where a group starts, and not at all where none does.
        grouper.record(found.kind, || lines.advance(text, found.key_start, quirks.lines), || true);
        records.push(found.unpacked(text));
    }
    (records.finish(), grouper.finish())
}

/// Reads every record of `text` that is of a known kind, a line at a time.
fn read_records(text: &[u8], quirks: &Quirks) -> (Records, Vec<GroupData>) {
    let mut records = Collector::new(text.len());
    let mut grouper = Grouper::new(quirks.grouping);
    for line in lines::split(text, quirks.lines) {
        match read_line(text, line, quirks.syntax) {
            Some(Event::Blank { empty }) => grouper.blank_line(empty),
            Some(Event::Directive(directive)) if directive.kind != DirectiveKind::Unknown => {
                let named = || select::names_somebody(&text[directive.value.clone()]);
                grouper.record(directive.kind, || line.number, named);
                records.push(directive);
            }
            _ => {}
        }
    }
    (records.finish(), grouper.finish())
}

/// What a line says, as far as records and groups are concerned.
enum Event {
    /// Nothing but white space; `empty` if not even that.
    Blank { empty: bool },
    /// A directive of any kind.
    Directive(Unpacked),
}

fn read_line(text: &[u8], line: lines::Line, syntax: Syntax) -> Option<Event> {
    let content = &text[line.start..line.end];
    match syntax::read(content, syntax) {
        Content::Blank => Some(Event::Blank { empty: content.is_empty() }),
        Content::Comment | Content::Other => None,
        Content::Directive(directive) => Some(Event::Directive(Unpacked {
            kind: directive.kind,
            misspelt: directive.misspelt,
            missing_colon: directive.missing_colon,
            key_start: line.start + directive.key.start,
            value: line.start + directive.value.start..line.start + directive.value.end,
        })),
    }
}

/// Reads every line, also those that [`read_records`] passes over.
enum Reader<'t, L> {
    Scanner(&'t [u8], Scanner<'t, Every>),
    Lines(&'t [u8], Syntax, L),
}

impl<'t> Reader<'t, ()> {
    /// From `from` on, where a line starts.
    fn starting_at(
        text: &'t [u8],
        from: usize,
        quirks: &Quirks,
    ) -> Reader<'t, impl Iterator<Item = lines::Line>> {
        let (syntax, style) = (quirks.syntax, quirks.lines);
        if syntax == Syntax::Lenient {
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
    pub fn agents(&self) -> impl Iterator<Item = Record<'r>> + use<'r> {
        self.robots.records_of(self.index).filter(|record| record.kind() == DirectiveKind::UserAgent)
    }

    /// Everything it says, user-agent lines included, in the order of the file. As [`RobotsTxt::records`] does, it reads
    /// the group anew.
    pub fn records(&self) -> impl Iterator<Item = Record<'r>> + use<'r> {
        self.robots.every_record_of(self.index)
    }

    /// Its `Allow` and `Disallow` records.
    pub fn rules(&self) -> impl Iterator<Item = Record<'r>> + use<'r> {
        self.robots.records_of(self.index).filter(|record| record.kind().is_rule())
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

#[cfg(test)]
mod tests {
    use testkit::bodies::{self, Kind};
    use testkit::generate::Generator;

    use super::*;

    #[test]
    fn records_are_the_same_however_they_are_asked_for() {
        let mut generator = Generator::new(5);
        for seed in 0..200 {
            let kind = Kind::ALL[seed % Kind::ALL.len()];
            let body = match seed % 2 {
                0 => bodies::strewn(kind, 500, seed as u64),
                _ => generator.next_file(),
            };
            for dialect in Dialect::ALL {
                let robots = RobotsTxt::parse_as(&body, dialect);
                let told = |record: Record<'_>| {
                    (record.line(), record.group(), record.kind(), record.value().to_vec())
                };
                let every: Vec<_> = robots.records().map(told).collect();
                let mut grouped = every.clone();
                grouped.retain(|(_, group, ..)| group.is_some());
                let mut known = every;
                known.retain(|(_, _, kind, _)| *kind != DirectiveKind::Unknown);
                let by_group: Vec<_> =
                    robots.groups().flat_map(|group| group.records().map(told).collect::<Vec<_>>()).collect();
                let shown = body.escape_ascii();
                assert_eq!(by_group, grouped, "{dialect}: {shown}");
                assert_eq!(robots.known_records().map(told).collect::<Vec<_>>(), known, "{dialect}: {shown}");
            }
        }
    }
}
