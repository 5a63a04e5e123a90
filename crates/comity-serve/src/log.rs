//! The queue of log entries, and the thread that calls the logger for each entry.

use std::thread;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use crate::access_control::Caller;
use crate::options::{Logger, RequestLog};

/// Maximum number of queued entries.
const QUEUE: usize = 8_192;

/// Maximum length of a logged method, in characters.
const METHOD: usize = 32;

/// An owned [`RequestLog`]. A borrowed one would keep the head of the request in memory, which may be large.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) request_id: String,
    pub(crate) caller: Caller,
    pub(crate) method: String,
    pub(crate) route: &'static str,
    pub(crate) status: u16,
    pub(crate) took: Duration,
}

/// A message to the thread that calls the logger.
enum Message {
    Entry(Entry),
    /// Confirms that all earlier entries were logged.
    Flush(oneshot::Sender<()>),
}

/// The queue of log entries. A slow logger does not delay answers.
#[derive(Debug)]
pub(crate) struct LogQueue(mpsc::Sender<Message>);

impl LogQueue {
    /// Starts the thread that calls the logger. The thread ends when the queue is dropped.
    pub(crate) fn start(logger: Logger) -> LogQueue {
        let (sender, mut receiver) = mpsc::channel(QUEUE);
        let work = move || {
            while let Some(message) = receiver.blocking_recv() {
                match message {
                    Message::Entry(entry) => call(&logger, &entry),
                    // The receiver is gone if the flush was cancelled.
                    Message::Flush(done) => drop(done.send(())),
                }
            }
        };
        // If the thread cannot be started, the receiver is dropped, and `push` returns false for every entry.
        let _ = thread::Builder::new().name("comity-log".to_owned()).spawn(work);
        LogQueue(sender)
    }

    /// Adds an entry. Returns false if the entry was dropped, because the queue is full or the thread ended with a
    /// panic.
    pub(crate) fn push(&self, entry: Entry) -> bool {
        self.0.try_send(Message::Entry(entry)).is_ok()
    }

    /// Waits until all entries were logged.
    pub(crate) async fn flush(&self) {
        let (done, flushed) = oneshot::channel();
        if self.0.send(Message::Flush(done)).await.is_ok() {
            let _ = flushed.await;
        }
    }
}

impl Entry {
    /// Returns a method for the log, cut to the maximum length.
    pub(crate) fn method(method: &http::Method) -> String {
        method.as_str().chars().take(METHOD).collect()
    }
}

fn call(logger: &Logger, entry: &Entry) {
    let caller = entry.caller.to_string();
    logger(&RequestLog {
        request_id: &entry.request_id,
        caller: &caller,
        method: &entry.method,
        route: entry.route,
        status: entry.status,
        took: entry.took,
    });
}
