//! Limits work that grows with the product of two sizes of a file, and counts work for tests.

/// The number of steps that remain for a check.
#[derive(Debug)]
pub(super) struct Steps {
    left: usize,
}

impl Steps {
    pub(super) fn new(left: usize) -> Self {
        Steps { left }
    }

    /// Subtracts `count` steps. If fewer steps remain, returns `false` and sets the number to 0.
    pub(super) fn take(&mut self, count: usize) -> bool {
        let left = self.left.checked_sub(count);
        self::count(left.map_or(0, |_| count));
        self.left = left.unwrap_or(0);
        left.is_some()
    }
}

/// Counts bytes and rules that are examined more than once. Only tests count them.
#[cfg(test)]
pub(super) fn count(steps: usize) {
    COUNTED.set(COUNTED.get() + steps + 1);
}

#[cfg(not(test))]
pub(super) fn count(_steps: usize) {}

#[cfg(test)]
thread_local!(static COUNTED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) });

/// Returns the result of `work` and the number of steps.
#[cfg(test)]
pub(super) fn counted<T>(work: impl FnOnce() -> T) -> (T, usize) {
    COUNTED.set(0);
    let result = work();
    (result, COUNTED.get())
}
