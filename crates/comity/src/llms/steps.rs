//! Counts the bytes that the reader examines, so that tests can assert linear time without a clock. Other builds count
//! nothing.

#[cfg(test)]
thread_local!(pub(super) static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) });

#[cfg(test)]
pub(super) fn count(bytes: usize) {
    STEPS.set(STEPS.get() + bytes);
}

#[cfg(not(test))]
pub(super) fn count(_bytes: usize) {}

/// Returns the number of bytes that a function examines.
#[cfg(test)]
pub(super) fn of(work: impl FnOnce()) -> usize {
    STEPS.set(0);
    work();
    STEPS.get()
}
