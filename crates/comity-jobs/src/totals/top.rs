//! Counts by name, of which only so many are kept.

use serde::{Deserialize, Serialize};

use crate::map::Map;

/// Stands between the parts of a name. No part holds it: URLs and rules have no line ends.
pub(super) const SEPARATOR: char = '\n';

/// So many names are kept. Beyond twice as many, those with the fewest rows are forgotten.
const KEPT: usize = 50_000;

/// Values by name. When there are too many names, those that came up least are forgotten.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Top<V> {
    values: Map<Box<str>, (u64, V)>,
    /// The name that is being put together.
    #[serde(skip)]
    name: String,
    left_out: u64,
}

impl<V> Default for Top<V> {
    fn default() -> Self {
        Top { values: Map::default(), name: String::new(), left_out: 0 }
    }
}

impl<V: Default + Copy> Top<V> {
    /// Counts rows of a name.
    pub(super) fn add(&mut self, name: &str, rows: u64, change: impl FnOnce(&mut V)) {
        match self.values.get_mut(name) {
            Some((known, value)) => {
                *known += rows;
                change(value);
            }
            None => {
                let mut value = V::default();
                change(&mut value);
                self.values.insert(name.into(), (rows, value));
                self.forget();
            }
        }
    }

    /// The same for a name of two parts.
    pub(super) fn add_parts(&mut self, first: &str, second: &str, rows: u64, change: impl FnOnce(&mut V)) {
        let mut name = std::mem::take(&mut self.name);
        name.clear();
        name.extend([first, "\n", second]);
        self.add(&name, rows, change);
        self.name = name;
    }

    /// Adds the counts of another. `join` adds one value to another.
    pub(super) fn join(&mut self, other: Top<V>, join: impl Fn(&mut V, V)) {
        self.left_out += other.left_out;
        for (name, (rows, value)) in other.values {
            let (known_rows, known) = self.values.entry(name).or_default();
            *known_rows += rows;
            join(known, value);
        }
        self.forget();
    }

    fn forget(&mut self) {
        if self.values.len() < 2 * KEPT {
            return;
        }
        let mut rows: Vec<u64> = self.values.values().map(|(rows, _)| *rows).collect();
        let (_, least, _) = rows.select_nth_unstable(KEPT);
        let least = *least;
        let before = self.values.len();
        self.values.retain(|_, (rows, _)| *rows > least);
        self.left_out += (before - self.values.len()) as u64;
    }

    /// Returns how many names were forgotten. Their rows are missing from the names' counts.
    pub(super) fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Returns the names with the highest numbers, without those that have none.
    pub(super) fn first(&self, most: usize, number: impl Fn(&V) -> u64) -> Vec<(String, &V)> {
        let mut all: Vec<(u64, &str, &V)> =
            self.values.iter().map(|(name, (_, value))| (number(value), &**name, value)).collect();
        all.retain(|(number, ..)| *number > 0);
        all.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        all.into_iter().take(most).map(|(_, name, value)| (name.to_owned(), value)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_that_come_up_most_survive_those_that_come_up_once() {
        let mut top: Top<u64> = Top::default();
        for number in 0..3 * KEPT {
            top.add(&format!("once{number}"), 1, |count| *count += 1);
            top.add(["a", "b"][number % 2], 1, |count| *count += 1);
        }
        assert!(top.values.len() <= 2 * KEPT);
        assert!(top.left_out() > 0);
        let first: Vec<(String, u64)> =
            top.first(2, |count| *count).into_iter().map(|(name, n)| (name, *n)).collect();
        let half = (3 * KEPT / 2) as u64;
        assert_eq!(first, [("a".to_owned(), half), ("b".to_owned(), half)]);
    }
}
