//! Rules that a change of a pattern's length would rank anew.
//!
//! The longest pattern wins, so a pattern that matches the same URLs with fewer characters may lose to a rule of the
//! other effect that it outranks now. Advice to shorten one says so, and names that rule.

use std::collections::{HashMap, HashSet};

use crate::robots::lint::forms::Rule;

/// How many rules of the lengths in question are looked at; beyond that, the next is taken to be a rival.
const LOOKED_AT: usize = 32;

/// The rules of a file, by what may decide beside each.
pub(super) struct Rivals<'r, 'c> {
    /// Rules that count together, sorted by length: those of one group, or those of all groups that share a crawler.
    pools: Vec<Vec<&'r Rule<'c>>>,
    /// Pool and rule by line index.
    by_line: HashMap<usize, (usize, &'r Rule<'c>)>,
}

impl<'r, 'c> Rivals<'r, 'c> {
    pub(super) fn new(groups: &'r [Vec<Rule<'c>>], is_shared: &HashSet<usize>) -> Self {
        let mut pools = vec![Vec::new()];
        let mut by_line = HashMap::new();
        for (index, rules) in groups.iter().enumerate() {
            // The first pool is that of all groups that share a crawler.
            let pool = if is_shared.contains(&index) { 0 } else { pools.len() };
            if pool > 0 {
                pools.push(Vec::new());
            }
            for rule in rules {
                by_line.insert(rule.record.line, (pool, rule));
                if let Some(pool) = pools.get_mut(pool) {
                    pool.push(rule);
                }
            }
        }
        for pool in &mut pools {
            pool.sort_by_key(|rule| rule.length);
        }
        Rivals { pools, by_line }
    }

    /// A rule that may win over the one on this line once that is `shorter` long, and does not now.
    pub(super) fn of(&self, line: usize, shorter: u32) -> Option<&'r Rule<'c>> {
        let (pool, rule) = self.by_line.get(&line)?;
        let pool = self.pools.get(*pool)?;
        let start = pool.partition_point(|other| other.length < shorter);
        let of_length = pool.get(start..)?.iter().take_while(|other| other.length <= rule.length);
        let mut others = of_length.filter(|other| other.effect != rule.effect);
        others.by_ref().take(LOOKED_AT).find(|other| other.may_meet(rule)).or_else(|| others.next()).copied()
    }
}
