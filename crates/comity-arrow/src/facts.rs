//! Facts: the values of a row's output columns, computed once for each distinct decision of a subject.
//!
//! The facts of a decision are a list of cells: some cells that every row has, and one or two cells for each requested column
//! of decisions.

use std::time::{Duration, SystemTime};

use comity::decision::{DecisionRecord, Value};
use comity::robots::{Basis, Decision, Rules};

use crate::options::AuditorOptions;
use crate::output::{DecisionColumn, NO_WORD, Output, ValueKind};
use crate::subject::SiteState;
use crate::texts::{NONE, Texts, number};

/// The values of a row's output columns, as cells of 32 bits. A missing value is [`NONE`]. Small cells let the facts of many
/// rows fit into the CPU cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts<'c>(pub &'c [u32]);

// Indexes of the cells that every row has. The cells of the decision columns follow.

/// Index of the cell that is 1 if rules decided.
const HAS_RULES: usize = 0;
/// Index of the cell that is 1 if the URL may be fetched.
const ALLOWED: usize = 1;
/// Index of the first of two cells with the `Crawl-delay`, in seconds.
pub(crate) const DELAY: usize = 2;
/// Index of the cell with the text number for the state of the answer.
pub(crate) const ANSWER: usize = 4;
/// Index of the first of two cells with the time of the answer that decides, in seconds since 1970.
const EVIDENCE: usize = 5;
/// Index of the first cell of the decision columns.
const FIRST_COLUMN: usize = 7;

/// Maximum length of a text in a column, in bytes, since the author of a robots.txt could write a text of any length.
const MAX_TEXT: usize = 1024;

/// Returns the text, truncated to the maximum length.
pub(crate) fn shown(text: &str) -> &str {
    let end = (0..=MAX_TEXT.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

/// Returns the requested columns of decisions, in the order of their cells.
pub(crate) fn layout(options: &AuditorOptions) -> Vec<DecisionColumn> {
    let column = |output: &Output| match output {
        Output::Decision(column) => Some(*column),
        _ => None,
    };
    options.outputs.iter().filter_map(column).collect()
}

/// Returns the index of the first cell of a column.
pub(crate) fn cell_of(layout: &[DecisionColumn], column: DecisionColumn) -> usize {
    let before = layout.iter().take_while(|known| **known != column);
    FIRST_COLUMN + before.map(|known| known.kind().cells()).sum::<usize>()
}

impl Facts<'_> {
    /// The facts of a row with an error: no cells.
    pub(crate) const ERROR: Facts<'static> = Facts(&[]);

    #[inline]
    pub(crate) fn cell(&self, cell: usize) -> u32 {
        self.0.get(cell).copied().unwrap_or(NONE)
    }

    /// Returns the number of the word in a cell, or [`NO_WORD`].
    #[inline]
    pub(crate) fn word(&self, cell: usize) -> u8 {
        // Every word number fits into 8 bits, and the low bits of `NONE` are `NO_WORD`.
        self.cell(cell) as u8
    }

    #[inline]
    pub(crate) fn flag(&self, cell: usize) -> Option<bool> {
        let flag = self.cell(cell);
        (flag != NONE).then_some(flag == 1)
    }

    /// Returns whether the row has an error.
    pub(crate) fn is_error(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether rules decided.
    pub(crate) fn has_rules(&self) -> bool {
        self.cell(HAS_RULES) == 1
    }

    /// Returns whether the URL may be fetched: recommended, or allowed with a warning.
    pub(crate) fn is_allowed(&self) -> Option<bool> {
        self.flag(ALLOWED)
    }

    /// Returns the age of the answer that decides, in seconds. `seconds` is a time since 1970.
    #[inline]
    pub(crate) fn age_at(&self, seconds: f64) -> Option<i64> {
        let age = seconds - self.seconds(EVIDENCE)?;
        (!age.is_nan()).then(|| age.floor() as i64)
    }

    /// Returns whether the decision is based on an answer.
    pub(crate) fn has_evidence(&self) -> bool {
        self.seconds(EVIDENCE).is_some()
    }

    /// Returns the seconds that are stored in two cells.
    pub(crate) fn seconds(&self, cell: usize) -> Option<f64> {
        let [low, high] = [cell, cell + 1].map(|cell| u64::from(self.cell(cell)));
        let seconds = f64::from_bits(high << 32 | low);
        // Two cells of `NONE` are NaN.
        (!seconds.is_nan()).then_some(seconds)
    }
}

/// Facts by number. All facts have the same number of cells.
#[derive(Debug, Default)]
pub(crate) struct FactTable {
    cells: Vec<u32>,
    length: usize,
}

impl FactTable {
    pub(crate) fn clear(&mut self) {
        self.cells.clear();
    }

    /// Returns the cells that were pushed last.
    pub(crate) fn last_mut(&mut self) -> Option<&mut [u32]> {
        let start = self.cells.len().checked_sub(self.length)?;
        self.cells.get_mut(start..)
    }

    pub(crate) fn push(&mut self, cells: &[u32]) -> u32 {
        self.length = cells.len();
        let number = number(self.cells.len() / self.length.max(1));
        self.cells.extend_from_slice(cells);
        number
    }

    #[inline]
    pub(crate) fn get(&self, number: u32) -> Option<Facts<'_>> {
        let start = (number as usize).checked_mul(self.length)?;
        self.cells.get(start..start + self.length).filter(|cells| !cells.is_empty()).map(Facts)
    }
}

/// Key of facts. A rule is identified by the address and the length of its pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FactKey {
    subject: u32,
    pattern: (usize, usize),
    allows: bool,
    basis: u8,
    treatment: u8,
    stale: u8,
}

impl FactKey {
    /// The key for missing facts.
    pub(crate) const NONE: FactKey =
        FactKey { subject: NONE, pattern: (0, 0), allows: false, basis: 0, treatment: 0, stale: 0 };

    #[inline]
    pub(crate) fn new(subject: u32, is_timed: bool, site_state: &SiteState, decision: &Decision<'_>) -> Self {
        // `/robots.txt` itself is always allowed (RFC 9309 §2.2.2), so the fixed decision does not apply to it.
        let is_fixed = site_state.is_fixed && decision.basis() != Basis::RobotsTxt;
        let pattern = decision.rule().filter(|_| !is_fixed).map(|rule| rule.pattern());
        FactKey {
            subject,
            pattern: pattern.map_or((0, 0), |pattern| (pattern.as_ptr().addr(), pattern.len())),
            allows: decision.is_allowed(),
            basis: if is_fixed { NO_WORD } else { decision.basis() as u8 },
            treatment: site_state.treatment as u8,
            stale: if is_timed { site_state.stale.into() } else { NO_WORD },
        }
    }

    /// Returns bits that usually differ between the keys of one subject: an index of a small cache.
    #[inline]
    pub(crate) fn few_bits(&self) -> usize {
        let bits = self.pattern.0 ^ self.pattern.0 >> 4 ^ self.pattern.1;
        bits ^ usize::from(self.basis)
    }
}

/// Indexes of the cells for the columns `rule` and `line`, if these columns are requested.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RuleCells {
    pub rule: Option<usize>,
    pub line: Option<usize>,
}

impl RuleCells {
    pub(crate) fn of(layout: &[DecisionColumn]) -> Self {
        let cell = |name: &str| {
            layout.iter().find(|column| column.name() == name).map(|column| cell_of(layout, *column))
        };
        RuleCells { rule: cell("rule"), line: cell("line") }
    }
}

/// Writes the `Crawl-delay` into cells.
pub(crate) fn set_delay(cells: &mut [u32], delay: Duration) {
    set_halves(cells, DELAY, halves(delay.as_secs_f64()));
}

fn set_halves(cells: &mut [u32], first: usize, halves: [u32; 2]) {
    for (index, half) in (first..).zip(halves) {
        if let Some(cell) = cells.get_mut(index) {
            *cell = half;
        }
    }
}

/// Returns the two cells for a number of seconds.
fn halves(seconds: f64) -> [u32; 2] {
    let seconds = seconds.to_bits();
    [seconds as u32, (seconds >> 32) as u32]
}

/// Returns a time in seconds since 1970.
pub(crate) fn since_1970(time: SystemTime) -> f64 {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => after.as_secs_f64(),
        Err(before) => -before.duration().as_secs_f64(),
    }
}

/// Creates the cells of a decision. `rules` are the rules that decided, or rules without a delay. `answer` is the text number
/// for the state of the answer.
pub(crate) fn cells(
    record: &DecisionRecord,
    rules: &Rules,
    layout: &[DecisionColumn],
    answer: u32,
    texts: &mut Texts,
) -> Vec<u32> {
    let has_rules = record.basis.is_some();
    let delay = rules.crawl_delay().filter(|_| has_rules);
    let mut cells = Vec::with_capacity(FIRST_COLUMN + layout.len());
    cells.resize(FIRST_COLUMN, NONE);
    cells[HAS_RULES] = has_rules.into();
    cells[ANSWER] = answer;
    cells[ALLOWED] = record.recommendation.allows().into();
    if let Some(delay) = delay {
        set_delay(&mut cells, delay);
    }
    if let Some(evidence) = &record.evidence {
        set_halves(&mut cells, EVIDENCE, halves(since_1970(evidence.fetched_at())));
    }
    for column in layout {
        let cell = match (column.value(record), column.kind()) {
            (Value::Seconds(seconds), _) => {
                cells.extend(halves(seconds.as_secs_f64()));
                continue;
            }
            (Value::Word(word), ValueKind::Words(words)) => {
                words.iter().position(|known| *known == word).map_or(NONE, |index| index as u32)
            }
            (Value::Text(text), _) => texts.push(shown(text)),
            (Value::Flag(flag), _) => u32::from(flag),
            (Value::Number(number), _) => u32::try_from(number).unwrap_or(NONE),
            _ => NONE,
        };
        cells.resize(cells.len() + column.kind().cells(), cell);
    }
    cells
}
