//! Catches panics of engines, so that a run continues and reports the engine.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};

thread_local! {
    /// True while an engine runs. Panics of engines are not printed.
    static IS_ENGINE: Cell<bool> = const { Cell::new(false) };
}

/// Disables the messages of panics inside [`survive`].
pub(crate) fn prepare() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !IS_ENGINE.get() {
            usual(info);
        }
    }));
}

/// Runs an engine. Returns `None` if the engine panics.
pub(crate) fn survive<T>(run: impl FnOnce() -> T) -> Option<T> {
    IS_ENGINE.set(true);
    // Unwind safety: after a panic, the engine's data is not used again.
    let result = panic::catch_unwind(AssertUnwindSafe(run));
    IS_ENGINE.set(false);
    result.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panic_of_an_engine_returns_none() {
        prepare();
        assert_eq!(survive(|| 1), Some(1));
        assert_eq!(
            survive(|| if IS_ENGINE.get() {
                panic!("as an engine does")
            }),
            None
        );
        assert_eq!(survive(|| 2), Some(2));
    }
}
