//! Usage preferences in robots.txt. They are read once for each site if they are equal for every URL, and URL by URL otherwise.

use std::sync::Arc;

use comity::robots::RobotsTxt;
use comity::usage::{ControlToken, Report, RobotsUsage, Signal, Stance as Says, Usage};

use crate::answer::RowAnswer;

use crate::cache::Cache;
use crate::facts::shown;
use crate::input::BytesColumn;
use crate::map::Map;
use crate::output::{self, NO_WORD, UsageColumn};
use crate::subject::{BodyPlace, Reader, Subject, Usages};
use crate::table::RobotsTable;
use crate::texts::NONE;
use crate::walk::Rows;

/// The location of a row's usage statements: the subject, and the index among the subject's usages, which is [`NONE`] if no
/// robots.txt was read.
pub(crate) type StatementPlace = (u32, u32);

/// A subject whose statements are being read.
struct Asked<'a> {
    usage: Usage<'a>,
    varies: bool,
    usages: Vec<Usages>,
}

/// Reads the statements for every row, as they apply to one of the crawlers.
pub(crate) fn say(
    cache: &mut Cache,
    table: Option<&RobotsTable>,
    reader: Reader,
    (rows, crawler): (&Rows, usize),
    urls: &BytesColumn<'_>,
) -> Vec<StatementPlace> {
    let facts = rows.facts.get(crawler).map(Vec::as_slice).unwrap_or_default();
    let mut places = Vec::with_capacity(facts.len());
    let mut asked: Map<u32, Asked<'_>> = Map::default();
    for (row, (&facts, &place)) in facts.iter().zip(&rows.places).enumerate() {
        let facts = cache.facts(facts);
        let number = cache.subject_at(place, crawler, rows.facts.len());
        let subject = cache.subjects.get(number as usize);
        let place = match (facts, subject) {
            (Some(facts), Some(subject)) if facts.has_rules() => match subject.usage_varies {
                Some(false) => 0,
                _ => {
                    let asked = asked.entry(number).or_insert_with(|| ask(cache, table, reader, subject));
                    asked.place(urls.get(row).unwrap_or_default())
                }
            },
            _ => NONE,
        };
        places.push((number, place));
    }
    let learnt: Vec<_> =
        asked.into_iter().map(|(number, asked)| (number, asked.varies, asked.usages)).collect();
    for (number, varies, usages) in learnt {
        if let Some(subject) = cache.subjects.get_mut(number as usize) {
            (subject.usage_varies, subject.usages) = (Some(varies), usages);
        }
    }
    places
}

fn ask<'c>(cache: &'c Cache, table: Option<&'c RobotsTable>, reader: Reader, subject: &Subject) -> Asked<'c> {
    let answer = match (subject.source, table) {
        (BodyPlace::Kept(body, form, content_type), _) => RowAnswer {
            body: cache.bodies.get(body),
            form,
            content_type: content_type.checked_sub(1).map_or(b"", |place| cache.content_types.get(place)),
            ..RowAnswer::default()
        },
        (BodyPlace::Table(answer), Some(table)) => table.answer(answer),
        _ => RowAnswer::default(),
    };
    let robots: RobotsTxt<'_> = reader.robots(&answer);
    let agent = cache.agents.get(subject.agent);
    let is_control =
        agent.is_some_and(|agent| !agent.is_header() && ControlToken::known(agent.as_str()).is_some());
    static NOBODY: std::sync::LazyLock<comity::robots::Agent> =
        std::sync::LazyLock::new(|| comity::robots::Agent::unchecked_token("*"));
    let agent = agent.unwrap_or(&NOBODY);
    let said = RobotsUsage::new(&robots, agent);
    let varies = is_control || said.varies_by_path();
    let usage = Usage::for_agent(agent).robots_usage(Arc::new(said));
    Asked { usage, varies, usages: subject.usages.clone() }
}

impl Asked<'_> {
    fn place(&mut self, url: &[u8]) -> u32 {
        if !self.varies && !self.usages.is_empty() {
            return 0;
        }
        let Ok(report) = self.usage.report(url) else { return NONE };
        let usages = Usages::of(&report);
        let place = self.usages.iter().position(|known| *known == usages).unwrap_or_else(|| {
            self.usages.push(usages);
            self.usages.len() - 1
        });
        u32::try_from(place).unwrap_or(NONE)
    }
}

/// Maximum number of listed licenses. It keeps the author of a robots.txt from filling a column.
const MOST_LICENSES: usize = 16;

impl Usages {
    fn of(report: &Report) -> Self {
        let licenses = report.signal(Signal::Rsl).map(|report| report.licenses()).unwrap_or_default();
        Usages {
            answers: UsageColumn::ALL.iter().map(|column| answer(report, *column)).collect(),
            licenses: licenses.iter().take(MOST_LICENSES).map(|l| shown(l.url()).to_owned()).collect(),
        }
    }
}

/// Returns the word number of a column.
fn answer(report: &Report, column: UsageColumn) -> u8 {
    let Some(usage) = column.usage() else { return NO_WORD };
    let mut signals = report.signals().iter();
    let signal = signals.find(|signal| {
        signal.signal() == column.signal() && signal.interpretation() == column.interpretation()
    });
    let says = match signal {
        Some(signal) => signal.stance(usage),
        None => return silence(column),
    };
    output::number_of(output::USAGE_WORDS, says.as_str())
}

/// Returns the value of a column if no robots.txt was read. It is `unknown`, except for control tokens if the crawler is not one.
pub(crate) fn silence(column: UsageColumn) -> u8 {
    match column.signal() {
        Signal::ControlToken | Signal::Rsl => NO_WORD,
        _ => output::number_of(output::USAGE_WORDS, Says::Unknown.as_str()),
    }
}
