//! Tables in memory that remove unused rows.

use std::collections::HashMap;
use std::hash::Hash;

/// A table that removes unused rows whenever its size has doubled since the last sweep. So the cost of sweeping per
/// added row is constant.
#[derive(Debug)]
pub(super) struct Table<K, T> {
    pub(super) rows: HashMap<K, T>,
    sweep_at: usize,
}

pub(super) const FIRST_SWEEP: usize = 1024;

impl<K: Eq + Hash, T> Table<K, T> {
    pub(super) fn sweep(&mut self, over: impl Fn(&T) -> bool) {
        if self.rows.len() < self.sweep_at {
            return;
        }
        self.rows.retain(|_, row| !over(row));
        self.sweep_at = (self.rows.len() * 2).max(FIRST_SWEEP);
        self.rows.shrink_to(self.sweep_at);
    }
}

impl<K, T> Default for Table<K, T> {
    fn default() -> Self {
        Table { rows: HashMap::new(), sweep_at: FIRST_SWEEP }
    }
}
