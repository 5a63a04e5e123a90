//! The totals for one crawler at one moment, without sites and rules.

use std::collections::BTreeMap;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Int8Type;
use serde::{Deserialize, Serialize};

use super::batch::BatchCounts;
use super::rows::{host_of, month_name};
use super::{Class, Counts, EXAMPLES, PageRows, shares, sum};
use crate::cut::cut;
use crate::map::Map;
use crate::options::Moment;
use crate::summary::{AnswerAges, Example, MonthTotals, UsageTotals, ViewSummary};

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct ViewTotals {
    counts: Counts,
    verdicts: Map<String, u64>,
    answers: Map<String, u64>,
    ages: AnswerAges,
    /// Counts by month: years times twelve, plus months from 0.
    months: BTreeMap<i64, Counts>,
    /// Counts by column, in the order of the columns.
    usage: Vec<UsageTotals>,
    examples: [Vec<Example>; 4],
}

impl ViewTotals {
    /// Counts the rows of a batch.
    pub(super) fn add(&mut self, rows: &PageRows, batch: &BatchCounts<'_>) {
        sum(&mut self.counts, batch.counts);
        batch.verdicts.iter().for_each(|(word, count)| add_word(&mut self.verdicts, word, *count));
        self.ages.join(batch.ages);
        batch.answers.iter().for_each(|(word, count)| add_word(&mut self.answers, word, *count));
        for (month, counts) in rows.months().iter().zip(&batch.months) {
            sum(self.months.entry(*month).or_default(), *counts);
        }
        for class in Class::ALL {
            for row in batch.examples.get(class.number()).into_iter().flatten() {
                self.add_example(class, rows, batch, *row);
            }
        }
    }

    fn add_example(&mut self, class: Class, rows: &PageRows, batch: &BatchCounts<'_>, row: usize) {
        let Some(examples) = self.examples.get_mut(class.number()) else { return };
        let Some(url) = rows.url(row).filter(|_| examples.len() < EXAMPLES) else { return };
        let site = host_of(url);
        if examples.iter().any(|known| host_of(&known.url) == site) {
            return;
        }
        examples.push(Example {
            url: shown(url),
            seen_at: rows.seen_at(row),
            verdict: batch.verdict(row).map(str::to_owned),
            rule: batch.rule(row).map(str::to_owned),
            line: batch.line(row),
            answer: batch.answer(row).map(str::to_owned),
            error: batch.error(row).map(str::to_owned),
        });
    }

    /// Counts a column of stances: `allow`, `disallow`, `unknown`. Ignores other columns.
    pub(super) fn add_usage(&mut self, name: &str, column: &dyn Array) {
        let Some(column) = column.as_dictionary_opt::<Int8Type>() else { return };
        let Some(words) = column.values().as_string_opt::<i32>().filter(|_| !column.is_empty()) else {
            return;
        };
        let place = self.usage.iter().position(|known| known.column == name).unwrap_or_else(|| {
            let column = name.to_owned();
            self.usage.push(UsageTotals { column, allow: 0, disallow: 0, unknown: 0 });
            self.usage.len() - 1
        });
        let Some(totals) = self.usage.get_mut(place) else { return };
        for number in column.keys_iter().flatten() {
            match words.value(number) {
                "allow" => totals.allow += 1,
                "disallow" => totals.disallow += 1,
                _ => totals.unknown += 1,
            }
        }
    }

    /// Adds the totals of later rows.
    pub(super) fn join(&mut self, later: ViewTotals) {
        sum(&mut self.counts, later.counts);
        self.ages.join(later.ages);
        for (words, more) in [(&mut self.verdicts, later.verdicts), (&mut self.answers, later.answers)] {
            more.into_iter().for_each(|(word, count)| *words.entry(word).or_default() += count);
        }
        for (month, counts) in later.months {
            sum(self.months.entry(month).or_default(), counts);
        }
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

    /// Returns the summary, without sites and rules.
    pub(super) fn summary(&self, agent: Option<String>, moment: Moment) -> ViewSummary {
        let sorted = |counts: &Map<String, u64>| {
            let mut sorted: Vec<(String, u64)> =
                counts.iter().map(|(word, count)| (word.clone(), *count)).collect();
            sorted.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            sorted
        };
        let months = self.months.iter();
        let [allowed, disallowed, unknown, undecidable] = self.examples.clone();
        ViewSummary {
            agent,
            moment,
            shares: shares(&self.counts),
            verdicts: sorted(&self.verdicts),
            answers: sorted(&self.answers),
            ages: self.ages,
            months: months
                .map(|(month, counts)| MonthTotals { month: month_name(*month), shares: shares(counts) })
                .collect(),
            hosts: Vec::new(),
            hosts_left_out: 0,
            rules: Vec::new(),
            usage: self.usage.clone(),
            allowed,
            disallowed,
            unknown,
            undecidable,
        }
    }
}

fn add_word(counts: &mut Map<String, u64>, word: &str, count: u64) {
    match counts.get_mut(word) {
        Some(known) => *known += count,
        None => {
            counts.insert(word.to_owned(), count);
        }
    }
}

/// Returns the URL, cut to the length for an example.
fn shown(url: &str) -> String {
    cut(url, 1_000).to_owned()
}
