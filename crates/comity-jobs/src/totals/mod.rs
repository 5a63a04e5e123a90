//! What rows add up to. Everything is bounded: of sites and rules, those with the most rows are kept.

mod rows;
mod top;

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowDictionaryKeyType, Int8Type, UInt32Type};
use arrow_array::{Array, BooleanArray, RecordBatch, StringArray};
use serde::{Deserialize, Serialize};

pub(crate) use self::rows::PageRows;
use self::top::Top;
use crate::cut::cut;
use crate::map::Map;
use crate::options::Moment;
use crate::summary::{Example, HostTotals, MonthTotals, RuleTotals, Shares, UsageTotals, ViewSummary};

/// How a row fares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// It may be fetched.
    Allowed,
    /// A rule, or what the preset makes of an answer, says that it must not be.
    Disallowed,
    /// Nothing is known, so it may not be fetched.
    Unknown,
    /// It cannot be decided: it is not a URL, for instance.
    Error,
}

impl Class {
    const ALL: [Class; 4] = [Class::Allowed, Class::Disallowed, Class::Unknown, Class::Error];

    fn number(self) -> usize {
        self as usize
    }
}

/// So many examples of each kind are kept, each from another site.
const EXAMPLES: usize = 5;

/// So many sites and rules are shown.
const SHOWN: usize = 25;

/// Counts by [`Class::number`].
type Counts = [u64; 4];

/// The totals for one crawler at one moment.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Totals {
    counts: Counts,
    verdicts: Map<String, u64>,
    answers: Map<String, u64>,
    /// By month: years times twelve, and months from 0.
    months: BTreeMap<i64, Counts>,
    hosts: Top<Counts>,
    rules: Top<RuleCount>,
    /// By column, in the order of the columns.
    usage: Vec<UsageTotals>,
    examples: [Vec<Example>; 4],
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct RuleCount {
    line: u32,
    rows: u64,
}

/// The columns that are counted.
struct Counted<'a> {
    allowed: Option<&'a BooleanArray>,
    answers: Option<&'a StringArray>,
    rules: Option<&'a StringArray>,
    errors: Option<&'a StringArray>,
    verdicts: Vec<Option<&'a str>>,
    lines: Option<&'a arrow_array::UInt32Array>,
}

impl<'a> Counted<'a> {
    fn of(decided: &'a RecordBatch) -> Counted<'a> {
        let text = |name| decided.column_by_name(name).and_then(|column| column.as_string_opt::<i32>());
        let verdicts = decided.column_by_name("verdict");
        Counted {
            allowed: decided.column_by_name("allowed").and_then(|column| column.as_boolean_opt()),
            answers: text("answer"),
            rules: text("rule"),
            errors: text("error"),
            verdicts: verdicts.map(|column| words::<Int8Type>(column.as_ref())).unwrap_or_default(),
            lines: decided.column_by_name("line").and_then(|column| column.as_primitive_opt::<UInt32Type>()),
        }
    }

    fn line(&self, row: usize) -> Option<u32> {
        self.lines.filter(|lines| lines.is_valid(row)).map(|lines| lines.value(row))
    }

    fn class(&self, row: usize, verdict: Option<&str>) -> Class {
        match self.allowed.filter(|allowed| allowed.is_valid(row)).map(|allowed| allowed.value(row)) {
            None => Class::Error,
            Some(true) => Class::Allowed,
            Some(false) if verdict.is_some_and(|verdict| verdict.starts_with("disallowed")) => {
                Class::Disallowed
            }
            Some(false) => Class::Unknown,
        }
    }
}

/// Returns the word of each row of a column of words.
fn words<K: ArrowDictionaryKeyType>(column: &dyn Array) -> Vec<Option<&str>> {
    let Some(column) = column.as_dictionary_opt::<K>() else { return Vec::new() };
    let Some(values) = column.values().as_string_opt::<i32>() else { return Vec::new() };
    column.keys_iter().map(|key| Some(values.value(key?))).collect()
}

fn at(column: Option<&StringArray>, row: usize) -> Option<&str> {
    column.filter(|column| column.is_valid(row)).map(|column| column.value(row))
}

impl Totals {
    /// Counts the rows of a batch. Returns how each fares.
    pub(crate) fn add(&mut self, rows: &PageRows, decided: &RecordBatch) -> Vec<Class> {
        let counted = Counted::of(decided);
        let mut classes = Vec::with_capacity(rows.count());
        let mut sites: Vec<Counts> = vec![Counts::default(); rows.sites().len()];
        let mut months: Vec<Counts> = vec![Counts::default(); rows.months().len()];
        let mut rules = RulesOfBatch::default();
        // Rows of one verdict and answer often follow each other.
        let (mut verdicts, mut answers) = (Run::default(), Run::default());
        for row in 0..rows.count() {
            let verdict = counted.verdicts.get(row).copied().flatten();
            let class = counted.class(row, verdict);
            classes.push(class);
            count(&mut self.counts, class);
            verdicts.add(verdict, &mut self.verdicts);
            answers.add(at(counted.answers, row), &mut self.answers);
            if let Some(counts) = rows.month(row).and_then(|month| months.get_mut(month)) {
                count(counts, class);
            }
            let Some(site) = rows.site(row) else { continue };
            let counts = sites.get_mut(site);
            let is_first = counts.as_ref().is_some_and(|counts| counts[class.number()] == 0);
            counts.into_iter().for_each(|counts| count(counts, class));
            if class == Class::Disallowed
                && let Some(rule) = at(counted.rules, row)
            {
                rules.add(site, rule, counted.line(row));
            }
            // One row of a site is enough for an example.
            if is_first {
                self.add_example(class, rows, verdict, &counted, row);
            }
        }
        verdicts.end(&mut self.verdicts);
        answers.end(&mut self.answers);
        for (month, counts) in rows.months().iter().zip(months) {
            sum(self.months.entry(*month).or_default(), counts);
        }
        let names: Vec<&str> = rows.sites().collect();
        for (name, mut counts) in names.iter().zip(sites) {
            // What is no URL belongs to no site.
            counts[Class::Error.number()] = 0;
            let rows = counts.iter().sum();
            if rows > 0 {
                self.hosts.add(name, rows, |known| sum(known, counts));
            }
        }
        for (site, rule, count) in rules.found {
            let name = names.get(site).copied().unwrap_or_default();
            self.rules.add_parts(name, rule, count.rows, |known| {
                (known.line, known.rows) = (count.line, known.rows + count.rows);
            });
        }
        classes
    }

    /// Counts a column of stances: `allow`, `disallow`, `unknown`. Other columns are not counted.
    pub(crate) fn add_usage(&mut self, name: &str, column: &dyn Array) {
        let words = words::<Int8Type>(column);
        if words.is_empty() {
            return;
        }
        let place = self.usage.iter().position(|known| known.column == name).unwrap_or_else(|| {
            let column = name.to_owned();
            self.usage.push(UsageTotals { column, allow: 0, disallow: 0, unknown: 0 });
            self.usage.len() - 1
        });
        let Some(totals) = self.usage.get_mut(place) else { return };
        for word in words.into_iter().flatten() {
            match word {
                "allow" => totals.allow += 1,
                "disallow" => totals.disallow += 1,
                _ => totals.unknown += 1,
            }
        }
    }

    /// Adds the totals of later rows.
    pub(crate) fn join(&mut self, later: Totals) {
        sum(&mut self.counts, later.counts);
        for (words, more) in [(&mut self.verdicts, later.verdicts), (&mut self.answers, later.answers)] {
            more.into_iter().for_each(|(word, count)| *words.entry(word).or_default() += count);
        }
        for (month, counts) in later.months {
            sum(self.months.entry(month).or_default(), counts);
        }
        self.hosts.join(later.hosts, sum);
        self.rules.join(later.rules, |count, more| {
            (count.line, count.rows) = (more.line, count.rows + more.rows);
        });
        for more in later.usage {
            match self.usage.iter_mut().find(|known| known.column == more.column) {
                Some(known) => {
                    known.allow += more.allow;
                    known.disallow += more.disallow;
                    known.unknown += more.unknown;
                }
                None => self.usage.push(more),
            }
        }
        for (examples, more) in self.examples.iter_mut().zip(later.examples) {
            for example in more {
                let is_new = examples.iter().all(|known| host_of(&known.url) != host_of(&example.url));
                if is_new && examples.len() < EXAMPLES {
                    examples.push(example);
                }
            }
        }
    }

    fn add_example(
        &mut self,
        class: Class,
        rows: &PageRows,
        verdict: Option<&str>,
        counted: &Counted<'_>,
        row: usize,
    ) {
        let Some(examples) = self.examples.get_mut(class.number()) else { return };
        let Some(url) = rows.url(row).filter(|_| examples.len() < EXAMPLES) else { return };
        let site = host_of(url);
        if examples.iter().any(|known| host_of(&known.url) == site) {
            return;
        }
        let text = |column| at(column, row).map(str::to_owned);
        examples.push(Example {
            url: shown(url),
            seen_at: rows.seen_at(row),
            verdict: verdict.map(str::to_owned),
            rule: text(counted.rules),
            line: counted.line(row),
            answer: text(counted.answers),
            error: text(counted.errors),
        });
    }

    /// Returns the totals as they are shown.
    pub(crate) fn summary(&self, agent: Option<String>, moment: Moment) -> ViewSummary {
        let sorted = |counts: &Map<String, u64>| {
            let mut sorted: Vec<(String, u64)> =
                counts.iter().map(|(word, count)| (word.clone(), *count)).collect();
            sorted.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            sorted
        };
        let hosts = self.hosts.first(SHOWN, |counts| {
            // What costs rows comes first: allowed rows cost none.
            Class::ALL
                .iter()
                .filter(|class| **class != Class::Allowed)
                .map(|class| counts[class.number()])
                .sum()
        });
        let [allowed, disallowed, unknown, undecidable] = self.examples.clone();
        ViewSummary {
            agent,
            moment,
            shares: shares(&self.counts),
            verdicts: sorted(&self.verdicts),
            answers: sorted(&self.answers),
            months: self
                .months
                .iter()
                .map(|(month, counts)| MonthTotals { month: month_name(*month), shares: shares(counts) })
                .collect(),
            hosts: hosts
                .into_iter()
                .map(|(host, counts)| HostTotals { host, shares: shares(counts) })
                .collect(),
            hosts_left_out: self.hosts.left_out(),
            rules: self
                .rules
                .first(SHOWN, |count| count.rows)
                .into_iter()
                .map(|(key, count)| {
                    let (host, rule) = key.split_once(top::SEPARATOR).unwrap_or((&key, ""));
                    RuleTotals { host: host.into(), rule: rule.into(), line: count.line, rows: count.rows }
                })
                .collect(),
            usage: self.usage.clone(),
            allowed,
            disallowed,
            unknown,
            undecidable,
        }
    }
}

fn shares(counts: &Counts) -> Shares {
    let [allowed, disallowed, unknown, undecidable] = *counts;
    Shares { allowed, disallowed, unknown, undecidable }
}

/// Adds a row.
fn count(counts: &mut Counts, class: Class) {
    if let Some(count) = counts.get_mut(class.number()) {
        *count += 1;
    }
}

fn sum(counts: &mut Counts, more: Counts) {
    counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
}

/// The rules that disallow rows of a batch, by the number of their site.
#[derive(Default)]
struct RulesOfBatch<'a> {
    found: Vec<(usize, &'a str, RuleCount)>,
    places: Map<(usize, &'a str), usize>,
    /// The place of the last rule of each site.
    lasts: Map<usize, usize>,
}

impl<'a> RulesOfBatch<'a> {
    fn add(&mut self, site: usize, rule: &'a str, line: Option<u32>) {
        let last = self.lasts.entry(site).or_insert(usize::MAX);
        if self.found.get(*last).is_none_or(|(_, known, _)| *known != rule) {
            *last = *self.places.entry((site, rule)).or_insert_with(|| {
                self.found.push((site, rule, RuleCount::default()));
                self.found.len() - 1
            });
        }
        if let Some((_, _, count)) = self.found.get_mut(*last) {
            count.line = line.unwrap_or_default();
            count.rows += 1;
        }
    }
}

/// A run of equal words, which is counted when it ends.
#[derive(Debug, Default)]
struct Run<'a> {
    word: Option<&'a str>,
    count: u64,
}

impl<'a> Run<'a> {
    fn add(&mut self, word: Option<&'a str>, counts: &mut Map<String, u64>) {
        if word != self.word {
            self.end(counts);
            self.word = word;
        }
        self.count += 1;
    }

    fn end(&mut self, counts: &mut Map<String, u64>) {
        let count = std::mem::take(&mut self.count);
        let Some(word) = self.word.filter(|_| count > 0) else { return };
        match counts.get_mut(word) {
            Some(known) => *known += count,
            None => {
                counts.insert(word.to_owned(), count);
            }
        }
    }
}

/// Returns the part of a URL that names the site: scheme and authority, as it stands there.
fn host_of(url: &str) -> &str {
    let start = url.find("://").map_or(0, |at| at + 3);
    let end = url.get(start..).and_then(|rest| rest.find(['/', '?', '#']));
    let host = end.and_then(|end| url.get(..start + end)).unwrap_or(url);
    cut(host, 300)
}

/// Returns the part of a URL that an example shows.
fn shown(url: &str) -> String {
    cut(url, 1_000).to_owned()
}

/// Returns the month of a time in microseconds since 1970, as years times twelve and months.
fn month_of(micros: i64) -> i64 {
    let days = micros.div_euclid(86_400 * 1_000_000);
    // Days are counted from the first of March of the year 0, so that a leap day ends a year.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let (year, month) = (era * 400 + year, month + 2);
    year * 12 + month
}

/// `2024-03`.
fn month_name(month: i64) -> String {
    format!("{:04}-{:02}", month.div_euclid(12), month.rem_euclid(12) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_in_its_month() {
        let cases = [
            (0, "1970-01"),
            (-1, "1969-12"),
            (1_709_251_199_999_999, "2024-02"),
            (1_709_251_200_000_000, "2024-03"),
            (1_735_689_599_000_000, "2024-12"),
            (1_735_689_600_000_000, "2025-01"),
            (951_782_400_000_000, "2000-02"),
        ];
        for (micros, month) in cases {
            assert_eq!(month_name(month_of(micros)), month, "{micros}");
        }
    }

    #[test]
    fn the_site_of_a_url_is_its_beginning() {
        for (url, host) in [
            ("https://example.com/a?b", "https://example.com"),
            ("http://example.com:8080", "http://example.com:8080"),
            ("https://example.com?x://y/", "https://example.com"),
            ("nonsense", "nonsense"),
        ] {
            assert_eq!(host_of(url), host);
        }
    }
}
