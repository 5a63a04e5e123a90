//! Counts the octets that the reader looks at, in tests only: that the work is linear is asserted, not timed.

#[cfg(test)]
thread_local!(pub(super) static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) });

#[cfg(test)]
pub(super) fn count(octets: usize) {
    STEPS.set(STEPS.get() + octets);
}

#[cfg(not(test))]
pub(super) fn count(_octets: usize) {}

/// How many octets some work looks at.
#[cfg(test)]
pub(super) fn of(work: impl FnOnce()) -> usize {
    STEPS.set(0);
    work();
    STEPS.get()
}
