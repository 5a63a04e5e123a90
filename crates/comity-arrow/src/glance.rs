//! Decides rows by one scan of the body, called a glance, without storing parsed rules.
//!
//! Most origins in a crawl have one or two pages. Parsing their robots.txt into stored rules and looking those up takes several
//! times as long as one scan of the body. So an answer is scanned for its first rows, and parsed when it is used again. The
//! result of a scan fills a **mould**: the cells of a decision that the parsed rules would give, except for the pattern and the
//! line of the rule, and the delay.

use comity::robots::{Basis, QuickDecision, RecordKind};

use crate::facts::{self, FactTable, Places, shown};
use crate::map::Map;
use crate::subject::Standing;
use crate::texts::{NONE, Texts, number};

/// Number of glances at an answer before its rules are stored.
pub(crate) const GLANCES: u8 = 2;

/// The bit that marks a number of facts, or of a text, that is valid for the current batch only.
pub(crate) const OF_BATCH: u32 = 1 << 31;

/// Results of glances.
#[derive(Debug, Default)]
pub(crate) struct Glanced {
    /// Number of glances at each answer of the table.
    met: Vec<u8>,
    moulds: Vec<Mould>,
    places: Map<Shape, u32>,
    /// Facts and patterns of one batch.
    pub facts: FactTable,
    pub texts: Texts,
}

/// The common part of decisions whose cells differ only in pattern, line and delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    /// The subject for the reply with a file without rules.
    stand_in: u32,
    treatment: u8,
    /// Word number; [`NO_WORD`](crate::output::NO_WORD) without a time.
    stale: u8,
    basis: Basis,
    kind: Option<RecordKind>,
    is_allowed: bool,
    is_named: bool,
    is_for_everyone: bool,
    has_delay: bool,
}

impl Shape {
    pub(crate) fn of(stand_in: u32, stale: u8, standing: &Standing, glance: &QuickDecision<'_>) -> Self {
        Shape {
            stand_in,
            treatment: standing.treatment as u8,
            stale,
            basis: glance.basis(),
            kind: glance.rule_kind(),
            is_allowed: glance.is_allowed(),
            is_named: glance.is_named(),
            is_for_everyone: glance.is_for_everyone(),
            has_delay: glance.crawl_delay().is_some(),
        }
    }
}

/// The cells of one decision of a shape.
#[derive(Debug)]
struct Mould {
    cells: Vec<u32>,
    /// The number of the facts, if all decisions of the shape have equal facts.
    facts: Option<u32>,
}

impl Glanced {
    /// Clears the facts of the previous batch.
    pub(crate) fn begin_batch(&mut self) {
        self.facts.clear();
        self.texts.clear();
    }

    /// Returns true if an answer of the table should be scanned, and counts the scan. `answers` is the number of answers.
    #[inline]
    pub(crate) fn is_due(&mut self, answer: u32, answers: usize) -> bool {
        if self.met.is_empty() {
            self.met.resize(answers, 0);
        }
        match self.met.get_mut(answer as usize) {
            Some(times) if *times < GLANCES => {
                *times += 1;
                true
            }
            _ => false,
        }
    }

    /// Returns the number of the mould for a shape.
    #[inline]
    pub(crate) fn mould(&self, shape: &Shape) -> Option<u32> {
        self.places.get(shape).copied()
    }

    /// Stores the cells of the first decision of a shape. `facts` is the number of these facts, if every decision of the shape
    /// has equal facts.
    pub(crate) fn push_mould(&mut self, shape: Shape, cells: Vec<u32>, facts: Option<u32>) -> u32 {
        let place = number(self.moulds.len());
        self.moulds.push(Mould { cells, facts });
        self.places.insert(shape, place);
        place
    }

    /// Returns the number of the facts for a glance and a mould.
    pub(crate) fn facts_of(&mut self, mould: u32, glance: &QuickDecision<'_>, places: Places) -> u32 {
        let Some(Mould { cells, facts }) = self.moulds.get(mould as usize) else { return NONE };
        if let Some(facts) = facts {
            return *facts;
        }
        let made = self.facts.push(cells);
        let Some(cells) = self.facts.last_mut() else { return NONE };
        let mut set = |place: Option<usize>, value: u32| {
            if let Some(cell) = place.and_then(|place| cells.get_mut(place)) {
                *cell = value;
            }
        };
        if let (Some(pattern), Some(line)) = (glance.pattern_text(), glance.line()) {
            set(places.line, line);
            if places.rule.is_some() {
                set(places.rule, self.texts.push(shown(&pattern)) | OF_BATCH);
            }
        }
        if let Some(delay) = glance.crawl_delay() {
            facts::set_delay(cells, delay);
        }
        made | OF_BATCH
    }

    /// Returns the size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let mould = |mould: &Mould| size_of::<(Mould, Shape)>() + size_of_val(&*mould.cells);
        self.met.len() + self.moulds.first().map_or(0, |first| self.moulds.len() * mould(first))
    }
}
