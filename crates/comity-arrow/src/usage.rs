//! Usage preferences in robots.txt. If they are equal for all URLs, they are read once for each subject, else once for each
//! URL.

use std::sync::Arc;

use comity::robots::RobotsTxt;
use comity::usage::{ControlToken, Report, RobotsUsage, Signal, Stance, Usage};

use crate::answer::RowAnswer;
use crate::cache::Cache;
use crate::facts::shown;
use crate::input::BytesColumn;
use crate::map::Map;
use crate::output::{self, NO_WORD, UsageColumn};
use crate::subject::{BodyLocation, Reader, Subject, Usages};
use crate::table::RobotsTable;
use crate::texts::NONE;
use crate::walk::Rows;

/// The location of a row's usage statements: the number of the subject, and the index in its `usages`. The index is [`NONE`] if
/// no rules decided, or if the URL is invalid.
pub(crate) type StatementLocation = (u32, u32);

/// A reader of the usage statements of one subject.
struct StatementReader<'a> {
    usage: Usage<'a>,
    varies: bool,
    usages: Vec<Usages>,
}

/// Reads the usage statements for every row and one of the crawlers, and returns their locations.
pub(crate) fn read_statements(
    cache: &mut Cache,
    table: Option<&RobotsTable>,
    reader: Reader,
    (rows, crawler): (&Rows, usize),
    urls: &BytesColumn<'_>,
) -> Vec<StatementLocation> {
    let facts = rows.facts.get(crawler).map(Vec::as_slice).unwrap_or_default();
    let mut locations = Vec::with_capacity(facts.len());
    let mut readers: Map<u32, StatementReader<'_>> = Map::default();
    for (row, (&facts, &set)) in facts.iter().zip(&rows.sets).enumerate() {
        let facts = cache.facts(facts);
        let number = cache.subject_at(set, crawler, rows.facts.len());
        let subject = cache.subjects.get(number as usize);
        let index = match (facts, subject) {
            (Some(facts), Some(subject)) if facts.has_rules() => match subject.usage_varies {
                Some(false) => 0,
                _ => {
                    let statements = readers
                        .entry(number)
                        .or_insert_with(|| StatementReader::new(cache, table, reader, subject));
                    statements.index(urls.get(row).unwrap_or_default())
                }
            },
            _ => NONE,
        };
        locations.push((number, index));
    }
    let read: Vec<_> =
        readers.into_iter().map(|(number, reader)| (number, reader.varies, reader.usages)).collect();
    for (number, varies, usages) in read {
        if let Some(subject) = cache.subjects.get_mut(number as usize) {
            (subject.usage_varies, subject.usages) = (Some(varies), usages);
        }
    }
    locations
}

impl<'c> StatementReader<'c> {
    fn new(cache: &'c Cache, table: Option<&'c RobotsTable>, reader: Reader, subject: &Subject) -> Self {
        let answer = match (subject.source, table) {
            (BodyLocation::Cached(body, form, content_type), _) => RowAnswer {
                body: cache.bodies.get(body),
                form,
                content_type: content_type
                    .checked_sub(1)
                    .map_or(b"", |number| cache.content_types.get(number)),
                ..RowAnswer::default()
            },
            (BodyLocation::Table(answer), Some(table)) => table.answer(answer),
            _ => RowAnswer::default(),
        };
        let robots: RobotsTxt<'_> = reader.robots(&answer);
        let agent = cache.agents.get(subject.agent);
        let is_control =
            agent.is_some_and(|agent| !agent.is_header() && ControlToken::known(agent.as_str()).is_some());
        static ANY_AGENT: std::sync::LazyLock<comity::robots::Agent> =
            std::sync::LazyLock::new(|| comity::robots::Agent::unchecked_token("*"));
        let agent = agent.unwrap_or(&ANY_AGENT);
        let statements = RobotsUsage::new(&robots, agent);
        let varies = is_control || statements.varies_by_path();
        let usage = Usage::for_agent(agent).robots_usage(Arc::new(statements));
        StatementReader { usage, varies, usages: subject.usages.clone() }
    }

    /// Returns the index of the statements for a URL in `usages`, or [`NONE`] if the URL is invalid.
    fn index(&mut self, url: &[u8]) -> u32 {
        if !self.varies && !self.usages.is_empty() {
            return 0;
        }
        let Ok(report) = self.usage.report(url) else { return NONE };
        let usages = Usages::of(&report);
        let index = self.usages.iter().position(|known| *known == usages).unwrap_or_else(|| {
            self.usages.push(usages);
            self.usages.len() - 1
        });
        u32::try_from(index).unwrap_or(NONE)
    }
}

/// Maximum number of listed licenses, since the author of a robots.txt could name any number.
const MAX_LICENSES: usize = 16;

impl Usages {
    fn of(report: &Report) -> Self {
        let licenses = report.signal(Signal::Rsl).map(|report| report.licenses()).unwrap_or_default();
        Usages {
            words: UsageColumn::ALL.iter().map(|column| word(report, *column)).collect(),
            licenses: licenses.iter().take(MAX_LICENSES).map(|l| shown(l.url()).to_owned()).collect(),
        }
    }
}

/// Returns the word number of a column in a report.
fn word(report: &Report, column: UsageColumn) -> u8 {
    let Some(usage) = column.usage() else { return NO_WORD };
    let mut signals = report.signals().iter();
    let signal = signals.find(|signal| {
        signal.signal() == column.signal() && signal.interpretation() == column.interpretation()
    });
    let stance = match signal {
        Some(signal) => signal.stance(usage),
        None => return word_without_signal(column),
    };
    output::number_of(output::USAGE_WORDS, stance.as_str())
}

/// Returns the word number of a column if robots.txt contains no such signal: that of `unknown`, or [`NO_WORD`] for control
/// tokens and licenses.
pub(crate) fn word_without_signal(column: UsageColumn) -> u8 {
    match column.signal() {
        Signal::ControlToken | Signal::Rsl => NO_WORD,
        _ => output::number_of(output::USAGE_WORDS, Stance::Unknown.as_str()),
    }
}
