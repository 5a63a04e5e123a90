//! Totals of rows for every crawler and moment. Memory is bounded: only the sites and rules with the most rows are kept.

mod batch;
mod rows;
mod top;
mod view;

use std::sync::Arc;

use arrow_array::{Array, RecordBatch};
use serde::{Deserialize, Serialize};

use self::batch::BatchCounts;
pub(crate) use self::rows::PageRows;
use self::top::Top;
use self::view::ViewTotals;
use crate::options::Moment;
use crate::summary::{HostTotals, RuleTotals, Shares, ViewSummary};

/// The result of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// The page may be fetched.
    Allowed,
    /// A rule disallows the page, or the preset disallows the whole site because of its robots.txt answer.
    Disallowed,
    /// The rules are unknown, so the page may not be fetched.
    Unknown,
    /// The row cannot be decided, for example because its URL is invalid.
    Error,
}

impl Class {
    const ALL: [Class; 4] = [Class::Allowed, Class::Disallowed, Class::Unknown, Class::Error];

    fn number(self) -> usize {
        self as usize
    }
}

/// Maximum number of examples of each kind, each from another site.
const EXAMPLES: usize = 5;

/// Maximum number of sites, and of rules, in a summary.
const SHOWN: usize = 25;

/// Counts by [`Class::number`].
type Counts = [u64; 4];

/// The totals for each view, which is one crawler at one moment.
///
/// Sites and rules are stored once for all views, so that each name is looked up once.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Totals {
    views: Vec<ViewTotals>,
    hosts: Top<Counts>,
    rules: Top<RuleCount>,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct RuleCount {
    line: u32,
    rows: u64,
}

impl Totals {
    pub(crate) fn new(views: usize) -> Totals {
        Totals {
            views: (0..views).map(|_| ViewTotals::default()).collect(),
            hosts: Top::new(views),
            rules: Top::new(views),
        }
    }

    /// Counts the rows of a batch by the decisions of each view. Returns the result of each row in each view.
    pub(crate) fn add(&mut self, rows: &PageRows, decided: &[RecordBatch]) -> Vec<Arc<Vec<Class>>> {
        let mut classes = Vec::with_capacity(decided.len());
        let mut of_views: Vec<BatchCounts<'_>> = Vec::new();
        for (view, batch) in decided.iter().enumerate() {
            // Views with equal decisions about the batch share their columns, so they are counted only once.
            let known = of_views.iter_mut().find(|known| is_shared(known.decided, batch));
            let counts = match known {
                Some(known) => known,
                None => {
                    of_views.push(BatchCounts::of(rows, batch));
                    let Some(last) = of_views.last_mut() else { continue };
                    last
                }
            };
            counts.views.push(view);
            classes.push(counts.classes.clone());
            if let Some(totals) = self.views.get_mut(view) {
                totals.add(rows, counts);
            }
        }
        for (site, name) in rows.sites().enumerate() {
            let counts = |of_views: &BatchCounts<'_>| of_views.site(site);
            let rows =
                of_views.iter().map(|known| known.views.len() as u64 * counts(known).iter().sum::<u64>());
            let rows = rows.sum();
            if rows == 0 {
                continue;
            }
            self.hosts.add(name, rows, |values| {
                for known in &of_views {
                    let counts = counts(known);
                    known.add_to(values, |value| sum(value, counts));
                }
            });
        }
        let names: Vec<&str> = rows.sites().collect();
        for known in &of_views {
            for (site, rule, count) in known.rules() {
                let name = names.get(*site).copied().unwrap_or_default();
                let rows = count.rows * known.views.len() as u64;
                self.rules
                    .add_parts(name, rule, rows, |values| known.add_to(values, |value| value.add(*count)));
            }
        }
        classes
    }

    /// Counts a column of stances of a view: `allow`, `disallow`, `unknown`. Ignores other columns.
    pub(crate) fn add_usage(&mut self, view: usize, name: &str, column: &dyn Array) {
        if let Some(totals) = self.views.get_mut(view) {
            totals.add_usage(name, column);
        }
    }

    /// Adds the totals of later rows.
    pub(crate) fn join(&mut self, later: Totals) {
        self.views.iter_mut().zip(later.views).for_each(|(view, more)| view.join(more));
        self.hosts.join(later.hosts, sum);
        self.rules.join(later.rules, RuleCount::add);
    }

    /// Returns the summary of a view.
    pub(crate) fn summary(&self, view: usize, agent: Option<String>, moment: Moment) -> ViewSummary {
        // Sites are ranked by rows that are not allowed.
        let cost = |counts: &Counts| {
            let costly = Class::ALL.iter().filter(|class| **class != Class::Allowed);
            costly.map(|class| counts[class.number()]).sum()
        };
        let mut summary = match self.views.get(view) {
            Some(totals) => totals.summary(agent, moment),
            None => ViewTotals::default().summary(agent, moment),
        };
        let hosts = self.hosts.first(view, SHOWN, cost).into_iter();
        summary.hosts = hosts.map(|(host, counts)| HostTotals { host, shares: shares(&counts) }).collect();
        summary.hosts_left_out = self.hosts.left_out();
        let rules = self.rules.first(view, SHOWN, |count| count.rows).into_iter();
        summary.rules = rules
            .map(|(key, count)| {
                let (host, rule) = key.split_once(top::SEPARATOR).unwrap_or((&key, ""));
                RuleTotals { host: host.into(), rule: rule.into(), line: count.line, rows: count.rows }
            })
            .collect();
        summary
    }
}

impl RuleCount {
    /// Adds later rows. Keeps the line that decided last.
    fn add(&mut self, more: RuleCount) {
        if more.rows > 0 {
            (self.line, self.rows) = (more.line, self.rows + more.rows);
        }
    }
}

/// Returns whether two batches share the memory of their columns.
fn is_shared(one: &RecordBatch, other: &RecordBatch) -> bool {
    one.num_columns() == other.num_columns()
        && one.columns().iter().zip(other.columns()).all(|(one, other)| Arc::ptr_eq(one, other))
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
