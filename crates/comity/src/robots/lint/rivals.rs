//! Rules that could override a pattern if the pattern were shorter.
//!
//! The longest pattern wins. If a pattern is rewritten with fewer characters, a rule with the opposite effect may
//! override it. Advice to shorten a pattern warns about this and names that rule.

use std::collections::{HashMap, HashSet};

use crate::robots::lint::forms::Rule;
use crate::robots::matching::pattern::Effect;

/// Maximum number of rules of a suitable length that [`Rivals::of`] compares. If none of them is a rival, the next rule
/// is assumed to be one.
const MAX_COMPARED: usize = 32;

/// Rules of a file, in pools. Rules compete only with rules of their own pool.
pub(super) struct Rivals<'r, 'c> {
    pools: Vec<Pool<'r, 'c>>,
    /// Pool index and rule for each line index.
    by_line: HashMap<usize, (usize, &'r Rule<'c>)>,
}

/// Rules that apply together, sorted by length: the rules of one group, or of all groups that share a crawler.
#[derive(Default)]
struct Pool<'r, 'c> {
    allows: Vec<&'r Rule<'c>>,
    forbids: Vec<&'r Rule<'c>>,
}

impl<'r, 'c> Rivals<'r, 'c> {
    pub(super) fn new(groups: &'r [Vec<Rule<'c>>], is_shared: &HashSet<usize>) -> Self {
        // The first pool contains the rules of all groups that share a crawler with another group.
        let mut pools = vec![Pool::default()];
        let mut by_line = HashMap::new();
        for (index, rules) in groups.iter().enumerate() {
            let at = if is_shared.contains(&index) { 0 } else { pools.len() };
            if at > 0 {
                pools.push(Pool::default());
            }
            let Some(pool) = pools.get_mut(at) else { continue };
            for rule in rules {
                by_line.insert(rule.record.line, (at, rule));
                let same = if rule.effect == Effect::Allow { &mut pool.allows } else { &mut pool.forbids };
                same.push(rule);
            }
        }
        for pool in &mut pools {
            pool.allows.sort_by_key(|rule| rule.length);
            pool.forbids.sort_by_key(|rule| rule.length);
        }
        Rivals { pools, by_line }
    }

    /// Returns a rule with the opposite effect that could override the rule on this line if this line's pattern had the
    /// length `shorter`: a rule whose length is between the two.
    pub(super) fn of(&self, line: usize, shorter: u32) -> Option<&'r Rule<'c>> {
        let (pool, rule) = self.by_line.get(&line)?;
        let pool = self.pools.get(*pool)?;
        let others = if rule.effect == Effect::Allow { &pool.forbids } else { &pool.allows };
        let start = others.partition_point(|other| other.length < shorter);
        let mut others = others.get(start..)?.iter().take_while(|other| other.length <= rule.length);
        others
            .by_ref()
            .take(MAX_COMPARED)
            .find(|other| other.may_meet(rule))
            .or_else(|| others.next())
            .copied()
    }
}
