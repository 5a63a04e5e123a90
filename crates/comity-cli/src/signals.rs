//! Handles signals that end long-running commands. A watchdog ends the process of a service that blocks.

use std::thread;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
#[cfg(feature = "jobs")]
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::exit::{Exit, Failure, reason};

/// Time limit for the process to end after the second signal.
const AT_ONCE: Duration = Duration::from_secs(1);

/// Time limit for the process to end after the grace period.
pub(crate) const AFTER_GRACE: Duration = Duration::from_secs(5);

/// Receiver of the signals that shut a service down gracefully.
pub(crate) struct Signals(mpsc::UnboundedReceiver<()>);

/// Guard that ends the process if the command does not return in time after a signal. Dropping the guard disarms it.
pub(crate) struct Watchdog {
    _stop: oneshot::Sender<()>,
}

impl Signals {
    /// Starts to receive signals, on a thread that other code cannot block.
    ///
    /// The watchdog ends the process `limit` after the first signal, and one second after the second signal. Without
    /// the watchdog, a write to a full pipe could block the process forever.
    pub(crate) fn new(limit: Duration) -> Result<(Signals, Watchdog), Failure> {
        let cannot = |error| Failure::new(format!("cannot wait for signals: {}", reason(&error)));
        let (sender, received) = mpsc::unbounded_channel();
        let (_stop, stopped) = oneshot::channel();
        let (ready, is_ready) = std::sync::mpsc::channel();
        let watching = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = match runtime {
                Ok(runtime) => runtime,
                Err(error) => return drop(ready.send(Err(error))),
            };
            runtime.block_on(async {
                let source = Source::new();
                match source {
                    Ok(source) => {
                        let _ = ready.send(Ok(()));
                        watch(source, &sender, stopped, limit).await;
                    }
                    Err(error) => drop(ready.send(Err(error))),
                }
            });
        };
        thread::Builder::new().name("signals".to_owned()).spawn(watching).map_err(cannot)?;
        let lost = |_| Failure::new("cannot wait for signals: the thread ended");
        is_ready.recv().map_err(lost)?.map_err(cannot)?;
        Ok((Signals(received), Watchdog { _stop }))
    }

    /// Waits for the next signal.
    pub(crate) async fn next(&mut self) {
        if self.0.recv().await.is_none() {
            std::future::pending().await
        }
    }
}

/// Forwards signals until the command returns. Ends the process if the command does not return in time.
async fn watch(
    mut source: Source,
    sender: &mpsc::UnboundedSender<()>,
    mut stopped: oneshot::Receiver<()>,
    limit: Duration,
) {
    tokio::select! {
        _ = &mut stopped => return,
        () = source.next() => {}
    }
    // Sending fails if the receiver has been dropped.
    let _ = sender.send(());
    let (exit, limit) = tokio::select! {
        _ = &mut stopped => return,
        () = tokio::time::sleep(limit) => (Exit::Error, Duration::ZERO),
        () = source.next() => (Exit::Interrupted, AT_ONCE),
    };
    let _ = sender.send(());
    if tokio::time::timeout(limit, stopped).await.is_err() {
        std::process::exit(exit as i32);
    }
}

/// Cancels a job at the first SIGINT or SIGTERM. Ends the process at the second one. After the guard is
/// dropped, signals have neither effect.
#[cfg(feature = "jobs")]
pub(crate) fn cancel_on_signal(cancel: &CancellationToken) -> Result<DropGuard, Failure> {
    let cannot = |error| Failure::new(format!("cannot wait for signals: {}", reason(&error)));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(cannot)?;
    let source = runtime.block_on(async { Source::new() });
    let (mut source, cancel) = (source.map_err(cannot)?, cancel.clone());
    let ended = CancellationToken::new();
    let guard = ended.clone().drop_guard();
    let watching = move || {
        runtime.block_on(ended.run_until_cancelled(async {
            source.next().await;
            cancel.cancel();
            source.next().await;
            std::process::exit(Exit::Interrupted as i32);
        }));
    };
    thread::Builder::new().name("signals".to_owned()).spawn(watching).map_err(cannot)?;
    Ok(guard)
}

/// Source of SIGINT and SIGTERM. From its creation on, these signals no longer end the process by themselves, even
/// after the source is dropped.
#[cfg(unix)]
pub(crate) struct Source {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Source {
    /// Installs the signal handlers. Must be called within a runtime.
    pub(crate) fn new() -> std::io::Result<Source> {
        use tokio::signal::unix::{SignalKind, signal};

        Ok(Source {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Waits for the next signal.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// Receiver of SIGHUP, which makes a service reload its files. From its creation on, SIGHUP no longer ends the process.
pub(crate) struct Hangups {
    #[cfg(unix)]
    signal: tokio::signal::unix::Signal,
}

impl Hangups {
    /// Installs the signal handler. Must be called within a runtime.
    pub(crate) fn new() -> Result<Hangups, Failure> {
        Ok(Hangups {
            #[cfg(unix)]
            signal: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup())
                .map_err(|error| Failure::new(format!("cannot wait for signals: {}", reason(&error))))?,
        })
    }

    /// Waits for the next signal. Never returns on systems without SIGHUP.
    pub(crate) async fn next(&mut self) {
        #[cfg(unix)]
        if self.signal.recv().await.is_some() {
            return;
        }
        std::future::pending().await
    }
}

/// Source of Ctrl-C events. From its creation on, Ctrl-C no longer ends the process by itself, even after the source is
/// dropped.
#[cfg(windows)]
pub(crate) struct Source(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Source {
    /// Installs the handler. Must be called within a runtime.
    pub(crate) fn new() -> std::io::Result<Source> {
        tokio::signal::windows::ctrl_c().map(Source)
    }

    /// Waits for the next signal.
    pub(crate) async fn next(&mut self) {
        self.0.recv().await;
    }
}
