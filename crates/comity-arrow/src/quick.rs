//! Decides rows by a quick scan of the body, without stored rules.
//!
//! Most origins in a crawl have one or two pages. For these, one scan of the body takes a fraction of the time of parsing it
//! into stored rules. So a body is scanned for its first rows, and parsed if more rows need it.
//!
//! A **template** contains the cells of a decision that parsed rules made. The result of a scan selects the template of its
//! [`Shape`]. The pattern and the line of the rule, and the delay, are then replaced by those of the scan.

use comity::robots::{Basis, QuickDecision, RecordKind};

use crate::facts::{self, FactTable, RuleCells, shown};
use crate::map::Map;
use crate::subject::SiteState;
use crate::texts::{NONE, Texts, number};

/// Number of quick scans of an answer in the table before its rules are stored.
pub(crate) const QUICK_SCANS: u8 = 2;

/// Bit in a number of facts or of a text that is valid for the current batch only.
pub(crate) const BATCH_ONLY: u32 = 1 << 31;

/// Results of quick scans.
#[derive(Debug, Default)]
pub(crate) struct QuickScans {
    /// Number of quick scans of each answer in the table.
    scan_counts: Vec<u8>,
    templates: Vec<Template>,
    /// Numbers of templates by shape.
    numbers: Map<Shape, u32>,
    /// Facts and patterns of one batch.
    pub facts: FactTable,
    pub texts: Texts,
}

/// Properties of a decision that select its template. The cells of decisions with one shape differ only in pattern, line and
/// delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    /// The number of the stand-in subject, which represents all files with an equal reply (see `Walk::stand_in`).
    stand_in: u32,
    treatment: u8,
    /// 1 if the copy is stale, 0 if not; [`NO_WORD`](crate::output::NO_WORD) if there is no decision time.
    stale: u8,
    basis: Basis,
    kind: Option<RecordKind>,
    is_allowed: bool,
    is_named: bool,
    is_for_everyone: bool,
    has_delay: bool,
}

impl Shape {
    pub(crate) fn of(stand_in: u32, stale: u8, site_state: &SiteState, scan: &QuickDecision<'_>) -> Self {
        Shape {
            stand_in,
            treatment: site_state.treatment as u8,
            stale,
            basis: scan.basis(),
            kind: scan.rule_kind(),
            is_allowed: scan.is_allowed(),
            is_named: scan.is_named(),
            is_for_everyone: scan.is_for_everyone(),
            has_delay: scan.crawl_delay().is_some(),
        }
    }
}

/// The cells of one decision with a shape.
#[derive(Debug)]
struct Template {
    cells: Vec<u32>,
    /// The number that identifies the facts, if all decisions with the shape have equal facts.
    facts: Option<u32>,
}

impl QuickScans {
    /// Clears the facts of the previous batch.
    pub(crate) fn begin_batch(&mut self) {
        self.facts.clear();
        self.texts.clear();
    }

    /// Returns true if an answer in the table should be scanned, and counts the scan. `answers` is the number of answers.
    #[inline]
    pub(crate) fn needs_scan(&mut self, answer: u32, answers: usize) -> bool {
        if self.scan_counts.is_empty() {
            self.scan_counts.resize(answers, 0);
        }
        match self.scan_counts.get_mut(answer as usize) {
            Some(times) if *times < QUICK_SCANS => {
                *times += 1;
                true
            }
            _ => false,
        }
    }

    /// Returns the number of the template for a shape.
    #[inline]
    pub(crate) fn template(&self, shape: &Shape) -> Option<u32> {
        self.numbers.get(shape).copied()
    }

    /// Stores the cells of the first decision with a shape. `facts` identifies the facts of this decision, if all decisions
    /// with the shape have equal facts.
    pub(crate) fn push_template(&mut self, shape: Shape, cells: Vec<u32>, facts: Option<u32>) -> u32 {
        let number = number(self.templates.len());
        self.templates.push(Template { cells, facts });
        self.numbers.insert(shape, number);
        number
    }

    /// Returns the number that identifies the facts for the result of a scan and its template.
    pub(crate) fn facts_of(&mut self, template: u32, scan: &QuickDecision<'_>, rule_cells: RuleCells) -> u32 {
        let Some(Template { cells, facts }) = self.templates.get(template as usize) else { return NONE };
        if let Some(facts) = facts {
            return *facts;
        }
        let number = self.facts.push(cells);
        let Some(cells) = self.facts.last_mut() else { return NONE };
        let mut set = |index: Option<usize>, value: u32| {
            if let Some(cell) = index.and_then(|index| cells.get_mut(index)) {
                *cell = value;
            }
        };
        if let (Some(pattern), Some(line)) = (scan.pattern_text(), scan.line()) {
            set(rule_cells.line, line);
            if rule_cells.rule.is_some() {
                set(rule_cells.rule, self.texts.push(shown(&pattern)) | BATCH_ONLY);
            }
        }
        if let Some(delay) = scan.crawl_delay() {
            facts::set_delay(cells, delay);
        }
        number | BATCH_ONLY
    }

    /// Returns the size in memory, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let template = |template: &Template| size_of::<(Template, Shape)>() + size_of_val(&*template.cells);
        self.scan_counts.len()
            + self.templates.first().map_or(0, |first| self.templates.len() * template(first))
    }
}
