//! Counts by name, with a bounded number of names.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::map::Map;

/// Separator between the parts of a name. URLs and rules have no line ends.
pub(super) const SEPARATOR: char = '\n';

/// Number of names that remain after an eviction. At twice this number, the names with the fewest rows are evicted.
const KEPT: usize = 50_000;

/// Values by name, one for each view. If there are too many names, the least frequent ones are evicted.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Top<V> {
    /// Number of values of each name.
    views: usize,
    values: Map<Box<str>, (u64, Box<[V]>)>,
    /// Buffer for joining the parts of a name.
    #[serde(skip)]
    name: String,
    left_out: u64,
}

impl<V: Default + Copy> Top<V> {
    pub(super) fn new(views: usize) -> Self {
        Top { views, values: Map::default(), name: String::new(), left_out: 0 }
    }

    /// Counts rows of a name, and changes its values.
    pub(super) fn add(&mut self, name: &str, rows: u64, change: impl FnOnce(&mut [V])) {
        match self.values.get_mut(name) {
            Some((known, values)) => {
                *known += rows;
                change(values);
            }
            None => {
                let mut values = vec![V::default(); self.views].into_boxed_slice();
                change(&mut values);
                self.values.insert(name.into(), (rows, values));
                self.evict();
            }
        }
    }

    /// Counts rows of a name with two parts, and changes its values.
    pub(super) fn add_parts(&mut self, first: &str, second: &str, rows: u64, change: impl FnOnce(&mut [V])) {
        let mut name = std::mem::take(&mut self.name);
        name.clear();
        name.extend([first, "\n", second]);
        self.add(&name, rows, change);
        self.name = name;
    }

    /// Adds the counts of another collection. `join` adds one value to another.
    pub(super) fn join(&mut self, other: Top<V>, join: impl Fn(&mut V, V)) {
        self.left_out += other.left_out;
        for (name, (rows, values)) in other.values {
            let views = self.views;
            let (known_rows, known) =
                self.values.entry(name).or_insert_with(|| (0, vec![V::default(); views].into_boxed_slice()));
            *known_rows += rows;
            known.iter_mut().zip(values).for_each(|(known, more)| join(known, more));
        }
        self.evict();
    }

    fn evict(&mut self) {
        if self.values.len() < 2 * KEPT {
            return;
        }
        let mut names: Vec<(Reverse<u64>, &str)> =
            self.values.iter().map(|(name, (rows, _))| (Reverse(*rows), &**name)).collect();
        // Of names with equal rows, the first in alphabetical order stay.
        let (_, (Reverse(least), last), _) = names.select_nth_unstable(KEPT - 1);
        let (least, last) = (*least, Box::<str>::from(*last));
        let before = self.values.len();
        self.values.retain(|name, (rows, _)| (Reverse(*rows), &**name) <= (Reverse(least), &*last));
        self.left_out += (before - self.values.len()) as u64;
    }

    /// Returns the number of evictions. The rows that were counted for an evicted name are lost.
    pub(super) fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Returns the names with the highest numbers in a view, without those that have 0.
    pub(super) fn first(&self, view: usize, most: usize, number: impl Fn(&V) -> u64) -> Vec<(String, V)> {
        let values = self.values.iter();
        let mut all: Vec<(u64, &str, V)> = values
            .filter_map(|(name, (_, values))| values.get(view).map(|value| (number(value), &**name, *value)))
            .filter(|(number, ..)| *number > 0)
            .collect();
        all.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        all.into_iter().take(most).map(|(_, name, value)| (name.to_owned(), value)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_frequent_names_survive_eviction() {
        let mut top: Top<u64> = Top::new(1);
        for number in 0..3 * KEPT {
            top.add(&format!("once{number}"), 1, |counts| counts[0] += 1);
            top.add(["a", "b"][number % 2], 1, |counts| counts[0] += 1);
        }
        assert!(top.values.len() <= 2 * KEPT);
        assert!(top.left_out() > 0);
        let first = top.first(0, 2, |count| *count);
        let half = (3 * KEPT / 2) as u64;
        assert_eq!(first, [("a".to_owned(), half), ("b".to_owned(), half)]);
    }

    #[test]
    fn eviction_keeps_its_number_of_names_with_equal_counts_and_after_a_join() {
        let top = |prefix: &str| {
            let mut top: Top<u64> = Top::new(1);
            for number in 0..2 * KEPT - 1 {
                top.add(&format!("{prefix}{number}"), 1, |counts| counts[0] += 1);
            }
            top
        };
        let mut joined = top("a");
        assert_eq!(joined.values.len(), 2 * KEPT - 1);
        joined.join(top("b"), |known, more| *known += more);
        assert_eq!(joined.values.len(), KEPT);
        assert_eq!(joined.left_out(), 3 * KEPT as u64 - 2);
        assert!(joined.values.keys().all(|name| name.starts_with('a')));
    }
}
