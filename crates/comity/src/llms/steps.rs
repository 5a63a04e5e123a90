//! Counts the bytes that the reader looks at, in tests only: that the work is linear is asserted, not timed.

#[cfg(test)]
thread_local!(pub(super) static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) });

#[cfg(test)]
pub(super) fn count(bytes: usize) {
    STEPS.set(STEPS.get() + bytes);
}

#[cfg(not(test))]
pub(super) fn count(_bytes: usize) {}

/// Returns how many bytes some work looks at.
#[cfg(test)]
pub(super) fn of(work: impl FnOnce()) -> usize {
    STEPS.set(0);
    work();
    STEPS.get()
}
