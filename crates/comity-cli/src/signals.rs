//! What asks a command to end that runs until it is told to.

use crate::exit::Failure;
#[cfg(unix)]
use crate::exit::reason;

/// The signals that end a service in good order.
pub(crate) struct Signals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl Signals {
    /// Takes signals from now on.
    pub(crate) fn new() -> Result<Self, Failure> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};

            let cannot = |error| Failure::new(format!("cannot wait for signals: {}", reason(&error)));
            let interrupt = signal(SignalKind::interrupt()).map_err(cannot)?;
            let terminate = signal(SignalKind::terminate()).map_err(cannot)?;
            Ok(Signals { interrupt, terminate })
        }
        #[cfg(not(unix))]
        Ok(Signals {})
    }

    /// Waits for the next one.
    #[cfg(unix)]
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }

    #[cfg(not(unix))]
    pub(crate) async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
