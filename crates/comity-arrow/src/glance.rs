//! Rows that a glance at the body decides, of which nothing is kept.
//!
//! Of many origins a crawl has a page or two. Reading their robots.txt into rules that are kept, and looking those up, takes
//! several times as long as one walk over the body. So an answer is glanced at the first times, and read when it is asked
//! about again. What a glance says is put into a **mould**: the cells of a decision that was made by rules in the usual way
//! and differs in nothing but the rule's pattern, its line, and the delay.

use comity::robots::{Basis, Glance, RecordKind};

use crate::facts::{self, FactTable, Places, shown};
use crate::map::Map;
use crate::subject::Standing;
use crate::texts::{NONE, Texts, number};

/// How often an answer is glanced at before its rules are kept.
pub(crate) const GLANCES: u8 = 2;

/// The bit of a number that stands for facts, or a text, of this batch alone.
pub(crate) const OF_BATCH: u32 = 1 << 31;

/// What glances said.
#[derive(Debug, Default)]
pub(crate) struct Glanced {
    /// How often each answer of the table was glanced at.
    met: Vec<u8>,
    moulds: Vec<Mould>,
    places: Map<Shape, u32>,
    /// The facts and the patterns of one batch.
    pub facts: FactTable,
    pub texts: Texts,
}

/// What decisions have in common whose cells differ in pattern, line and delay alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    /// The subject with the same answer, whose file has no rules.
    stand_in: u32,
    treatment: u8,
    /// [`NO_WORD`](crate::output::NO_WORD) without a time.
    stale: u8,
    basis: Basis,
    kind: Option<RecordKind>,
    is_allowed: bool,
    is_named: bool,
    is_for_everyone: bool,
    has_delay: bool,
}

impl Shape {
    pub(crate) fn of(stand_in: u32, stale: u8, standing: &Standing, glance: &Glance<'_>) -> Self {
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
    /// The number of the facts, if all decisions of the shape have the same.
    facts: Option<u32>,
}

impl Glanced {
    /// Forgets the facts of the batch before.
    pub(crate) fn begin_batch(&mut self) {
        self.facts.clear();
        self.texts.clear();
    }

    /// Returns true if an answer of the table is to be glanced at, and counts that. `answers` is how many there are.
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

    /// Returns the number of a shape's mould.
    #[inline]
    pub(crate) fn mould(&self, shape: &Shape) -> Option<u32> {
        self.places.get(shape).copied()
    }

    /// Keeps the cells of a first decision of a shape. `facts` is the number of these facts, if every decision of the shape has
    /// them.
    pub(crate) fn push_mould(&mut self, shape: Shape, cells: Vec<u32>, facts: Option<u32>) -> u32 {
        let place = number(self.moulds.len());
        self.moulds.push(Mould { cells, facts });
        self.places.insert(shape, place);
        place
    }

    /// Returns the number of the facts that a glance makes of a mould.
    pub(crate) fn facts_of(&mut self, mould: u32, glance: &Glance<'_>, places: Places) -> u32 {
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

    /// Returns its bytes.
    pub(crate) fn bytes(&self) -> usize {
        let mould = |mould: &Mould| size_of::<(Mould, Shape)>() + size_of_val(&*mould.cells);
        self.met.len() + self.moulds.first().map_or(0, |first| self.moulds.len() * mould(first))
    }
}
