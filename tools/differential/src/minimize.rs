//! Minimises a disagreement: removes lines and bytes of robots.txt, then characters of the URL and of the agent, as
//! long as the answers still differ in the same way.

use testkit::generate::Case;

use crate::Result;
use crate::compare::{Comparison, Difference};
use crate::model::{Model, Oracle};

/// Maximum number of questions to the reference program for one disagreement.
const BUDGET: usize = 4_000;

/// Returns the comparison, minimised if an oracle is given.
pub(crate) fn minimized(oracle: Option<&mut Oracle>, model: Model, found: Comparison) -> Result<Comparison> {
    match (oracle, found.difference()) {
        (Some(oracle), Some(difference)) => {
            Shrinking { oracle, model, difference, best: found, left: BUDGET }.run()
        }
        _ => Ok(found),
    }
}

struct Shrinking<'o> {
    oracle: &'o mut Oracle,
    model: Model,
    difference: Difference,
    best: Comparison,
    left: usize,
}

impl Shrinking<'_> {
    fn run(mut self) -> Result<Comparison> {
        loop {
            let before = self.size();
            let lines = lines_of(&self.best.case.robots);
            self.shrink(lines, |case, lines| case.robots = lines.concat())?;
            let bytes = self.best.case.robots.clone();
            self.shrink(bytes, |case, bytes| case.robots = bytes.to_vec())?;
            let url: Vec<char> = self.best.case.url.chars().collect();
            self.shrink(url, |case, url| case.url = url.iter().collect())?;
            let agent: Vec<char> = self.best.case.agent.chars().collect();
            self.shrink(agent, |case, agent| case.agent = agent.iter().collect())?;
            if self.size() == before || self.left == 0 {
                return Ok(self.best);
            }
        }
    }

    fn size(&self) -> usize {
        let case = &self.best.case;
        case.robots.len() + case.url.len() + case.agent.len()
    }

    /// Removes runs of `items`, first long runs and then shorter ones. `put` writes the remaining items into a case.
    fn shrink<T: Clone>(&mut self, mut items: Vec<T>, put: impl Fn(&mut Case, &[T])) -> Result<()> {
        let mut run = items.len().div_ceil(2);
        while run > 0 {
            let mut start = 0;
            while start < items.len() {
                let mut fewer = items.clone();
                fewer.drain(start..items.len().min(start + run));
                let mut case = self.best.case.clone();
                put(&mut case, &fewer);
                if self.still_differs(case)? {
                    items = fewer;
                } else {
                    start += run;
                }
            }
            run /= 2;
        }
        Ok(())
    }

    fn still_differs(&mut self, case: Case) -> Result<bool> {
        if self.left == 0 {
            return Ok(false);
        }
        self.left -= 1;
        let theirs = self.oracle.ask(&case)?;
        let comparison = Comparison::new(self.model, case, theirs);
        let differs = comparison.difference() == Some(self.difference);
        if differs {
            self.best = comparison;
        }
        Ok(differs)
    }
}

fn lines_of(robots: &[u8]) -> Vec<Vec<u8>> {
    robots.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')).map(<[u8]>::to_vec).collect()
}
