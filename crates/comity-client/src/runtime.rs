//! The tokio runtime, which the client needs for timers, tasks and sockets.

use tokio::runtime::Handle;

/// The error of a call outside of a tokio runtime.
#[derive(Debug, thiserror::Error)]
#[error("no tokio runtime: await the call inside of one, or use `blocking::Client`")]
pub(crate) struct NoRuntime;

/// Returns an error outside of a tokio runtime, where timers and tasks would panic.
pub(crate) fn check() -> Result<(), NoRuntime> {
    Handle::try_current().map(|_| ()).map_err(|_| NoRuntime)
}
