//! Counts the rows of one batch, for all views with equal decisions.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int64Type, UInt32Type};
use arrow_array::{Array, BooleanArray, Int64Array, RecordBatch, StringArray, UInt32Array};

use super::{Class, Counts, EXAMPLES, PageRows, RuleCount, count};
use crate::map::Map;
use crate::summary::AnswerAges;

/// The counts of a batch.
pub(super) struct BatchCounts<'a> {
    /// The decisions.
    pub decided: &'a RecordBatch,
    /// The views with these decisions.
    pub views: Vec<usize>,
    /// The result of each row.
    pub classes: Arc<Vec<Class>>,
    pub counts: Counts,
    pub verdicts: Vec<(&'a str, u64)>,
    pub answers: Map<&'a str, u64>,
    pub ages: AnswerAges,
    /// Counts by the index of the month.
    pub months: Vec<Counts>,
    /// Counts by the number of the site.
    sites: Vec<Counts>,
    rules: RulesOfBatch<'a>,
    /// Rows of different sites, by class.
    pub examples: [Vec<usize>; 4],
    columns: CountedColumns<'a>,
}

/// Maximum number of candidates for examples in each class: some of their sites may have an example already.
const CANDIDATES: usize = 2 * EXAMPLES;

impl<'a> BatchCounts<'a> {
    pub(super) fn of(rows: &PageRows, decided: &'a RecordBatch) -> BatchCounts<'a> {
        let mut counts = BatchCounts {
            decided,
            views: Vec::new(),
            classes: Arc::default(),
            counts: Counts::default(),
            verdicts: Vec::new(),
            answers: Map::default(),
            ages: AnswerAges::default(),
            months: vec![Counts::default(); rows.months().len()],
            sites: vec![Counts::default(); rows.sites().len()],
            rules: RulesOfBatch::of_sites(rows.sites().len()),
            examples: Default::default(),
            columns: CountedColumns::of(decided),
        };
        counts.count(rows);
        counts
    }

    fn count(&mut self, rows: &PageRows) {
        let columns = &self.columns;
        let mut classes = Vec::with_capacity(rows.count());
        let mut verdicts = vec![0; columns.words.len()];
        // Adjacent rows often have equal answers.
        let mut answers = Run::default();
        for row in 0..rows.count() {
            let verdict = columns.verdict(row);
            let class = columns.class(row, verdict);
            classes.push(class);
            count(&mut self.counts, class);
            verdict.and_then(|word| verdicts.get_mut(word)).into_iter().for_each(|count| *count += 1);
            let answer = at(columns.answers, row);
            answers.add(answer, &mut self.answers);
            if answer.is_some_and(is_answer) {
                self.ages.add(columns.age(row));
            }
            if let Some(counts) = rows.month(row).and_then(|month| self.months.get_mut(month)) {
                count(counts, class);
            }
            let Some(site) = rows.site(row) else { continue };
            let Some(counts) = self.sites.get_mut(site) else { continue };
            count(counts, class);
            // One row of a site is enough for an example.
            if counts[class.number()] == 1
                && let Some(examples) = self.examples.get_mut(class.number())
                && examples.len() < CANDIDATES
            {
                examples.push(row);
            }
            if class == Class::Disallowed
                && let Some(rule) = at(columns.rules, row)
            {
                self.rules.add(site, rule, columns.line(row));
            }
        }
        answers.end(&mut self.answers);
        let words = columns.words.iter().map(|word| word.text).zip(verdicts);
        self.verdicts = words.filter(|(_, count)| *count > 0).collect();
        self.classes = Arc::new(classes);
    }

    /// Returns the counts of a site. An invalid URL belongs to no site.
    pub(super) fn site(&self, site: usize) -> Counts {
        let mut counts = self.sites.get(site).copied().unwrap_or_default();
        counts[Class::Error.number()] = 0;
        counts
    }

    /// Returns the rules that disallow rows, with the numbers of their sites.
    pub(super) fn rules(&self) -> &[(usize, &'a str, RuleCount)] {
        &self.rules.found
    }

    /// Changes the values of the views of this batch.
    pub(super) fn add_to<T>(&self, values: &mut [T], mut change: impl FnMut(&mut T)) {
        for view in &self.views {
            values.get_mut(*view).into_iter().for_each(&mut change);
        }
    }

    pub(super) fn verdict(&self, row: usize) -> Option<&'a str> {
        self.columns.verdict(row).and_then(|word| self.columns.words.get(word)).map(|word| word.text)
    }

    pub(super) fn rule(&self, row: usize) -> Option<&'a str> {
        at(self.columns.rules, row)
    }

    pub(super) fn line(&self, row: usize) -> Option<u32> {
        self.columns.line(row)
    }

    pub(super) fn answer(&self, row: usize) -> Option<&'a str> {
        at(self.columns.answers, row)
    }

    pub(super) fn error(&self, row: usize) -> Option<&'a str> {
        at(self.columns.errors, row)
    }
}

/// The counted columns.
struct CountedColumns<'a> {
    allowed: Option<&'a BooleanArray>,
    answers: Option<&'a StringArray>,
    rules: Option<&'a StringArray>,
    errors: Option<&'a StringArray>,
    lines: Option<&'a UInt32Array>,
    ages: Option<&'a Int64Array>,
    verdicts: Option<&'a arrow_array::Int8Array>,
    /// The words of the verdicts, by number.
    words: Vec<Word<'a>>,
}

struct Word<'a> {
    text: &'a str,
    disallows: bool,
}

impl<'a> CountedColumns<'a> {
    fn of(decided: &'a RecordBatch) -> CountedColumns<'a> {
        let text = |name| decided.column_by_name(name).and_then(|column| column.as_string_opt::<i32>());
        let verdicts = decided.column_by_name("verdict");
        let verdicts = verdicts.and_then(|column| column.as_dictionary_opt::<Int8Type>());
        let words = verdicts.and_then(|verdicts| verdicts.values().as_string_opt::<i32>());
        let words = words.into_iter().flatten().map(Option::unwrap_or_default);
        CountedColumns {
            allowed: decided.column_by_name("allowed").and_then(|column| column.as_boolean_opt()),
            answers: text("answer"),
            rules: text("rule"),
            errors: text("error"),
            lines: decided.column_by_name("line").and_then(|column| column.as_primitive_opt::<UInt32Type>()),
            ages: decided
                .column_by_name("answer_age")
                .and_then(|column| column.as_primitive_opt::<Int64Type>()),
            verdicts: verdicts.map(|verdicts| verdicts.keys()),
            words: words.map(|text| Word { text, disallows: text.starts_with("disallowed") }).collect(),
        }
    }

    /// Returns the number of a row's verdict.
    fn verdict(&self, row: usize) -> Option<usize> {
        let verdicts = self.verdicts.filter(|verdicts| verdicts.is_valid(row))?;
        usize::try_from(verdicts.value(row)).ok()
    }

    fn line(&self, row: usize) -> Option<u32> {
        self.lines.filter(|lines| lines.is_valid(row)).map(|lines| lines.value(row))
    }

    fn age(&self, row: usize) -> Option<i64> {
        self.ages.filter(|ages| ages.is_valid(row)).map(|ages| ages.value(row))
    }

    fn class(&self, row: usize, verdict: Option<usize>) -> Class {
        match self.allowed.filter(|allowed| allowed.is_valid(row)).map(|allowed| allowed.value(row)) {
            None => Class::Error,
            Some(true) => Class::Allowed,
            Some(false) => {
                match verdict.and_then(|word| self.words.get(word)).is_some_and(|word| word.disallows) {
                    true => Class::Disallowed,
                    false => Class::Unknown,
                }
            }
        }
    }
}

/// Returns whether a word of the column `answer` is an answer, and not the reason for its absence.
fn is_answer(word: &str) -> bool {
    !matches!(word, "none" | "not_yet" | "no_time" | "undated" | "too_old")
}

fn at(column: Option<&StringArray>, row: usize) -> Option<&str> {
    column.filter(|column| column.is_valid(row)).map(|column| column.value(row))
}

/// The rules that disallow rows of a batch, with the numbers of their sites.
struct RulesOfBatch<'a> {
    found: Vec<(usize, &'a str, RuleCount)>,
    places: Map<(usize, &'a str), usize>,
    /// Index of the last rule of each site, by the number of the site.
    lasts: Vec<usize>,
}

impl<'a> RulesOfBatch<'a> {
    fn of_sites(sites: usize) -> RulesOfBatch<'a> {
        RulesOfBatch { found: Vec::new(), places: Map::default(), lasts: vec![usize::MAX; sites] }
    }

    fn add(&mut self, site: usize, rule: &'a str, line: Option<u32>) {
        let Some(last) = self.lasts.get_mut(site) else { return };
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
    fn add(&mut self, word: Option<&'a str>, counts: &mut Map<&'a str, u64>) {
        if word != self.word {
            self.end(counts);
            self.word = word;
        }
        self.count += 1;
    }

    fn end(&mut self, counts: &mut Map<&'a str, u64>) {
        let count = std::mem::take(&mut self.count);
        if let Some(word) = self.word.filter(|_| count > 0) {
            *counts.entry(word).or_default() += count;
        }
    }
}
