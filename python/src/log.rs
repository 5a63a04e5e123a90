//! The client's log in Python: events of `tracing` become records of `logging.getLogger("comity")`.
//!
//! A thread delivers the records, since the workers of the client must not wait for handlers or for the interpreter's
//! lock. Its queue is bounded: while it is full, records are dropped and counted. The level of the logger is copied at
//! each call of the client. While the logger is disabled for an event's level, the event costs one comparison.

use std::fmt::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender, TrySendError};
use std::time::{Duration, SystemTime};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record as SpanRecord};
use tracing::subscriber::Interest;
use tracing::{Event, Level, Metadata, Subscriber};

/// Maximum number of records that wait for their delivery.
const MAX_QUEUED: usize = 4096;

/// Maximum number of characters of a message or field.
const MAX_FIELD_CHARS: usize = 2000;

/// Maximum time that the exit of the interpreter waits for the delivery of queued records.
const EXIT_WAIT: Duration = Duration::from_secs(1);

/// The levels of `logging`, from the most severe.
const LEVELS: [(Level, usize); 5] =
    [(Level::ERROR, 40), (Level::WARN, 30), (Level::INFO, 20), (Level::DEBUG, 10), (Level::TRACE, 5)];

/// The minimum level of the logger, as a number of `logging`. `usize::MAX` turns the log off.
static THRESHOLD: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Number of dropped records that were not reported yet.
static DROPPED: AtomicUsize = AtomicUsize::new(0);

/// The queues, the oldest first. A fork does not copy the thread that delivers, so the child process adds its own queue.
/// The list needs no lock, which a fork could leave locked.
static QUEUES: OnceLock<Queue> = OnceLock::new();

#[derive(Debug)]
struct Queue {
    process: u32,
    sender: SyncSender<Entry>,
    next: OnceLock<Box<Queue>>,
}

/// Entry of a queue.
#[derive(Debug)]
enum Entry {
    Record(LogRecord),
    /// Requests a confirmation that the records before it were delivered.
    Flush(SyncSender<()>),
}

#[derive(Debug)]
struct LogRecord {
    level: usize,
    created: f64,
    message: String,
    fields: Vec<(&'static str, String)>,
}

/// Copies the level of the logger, and starts the delivery if the logger is enabled. Failures leave the log off: a
/// program that replaced `logging` still gets its pages.
pub(crate) fn follow(py: Python<'_>) {
    let threshold = threshold(py).unwrap_or(usize::MAX);
    if THRESHOLD.load(Ordering::Relaxed) == threshold && queue().is_some() {
        return;
    }
    if threshold == usize::MAX || open(py).is_ok() {
        THRESHOLD.store(threshold, Ordering::Relaxed);
        tracing::callsite::rebuild_interest_cache();
    }
}

/// Returns the minimum level of records that the logger takes.
fn threshold(py: Python<'_>) -> PyResult<usize> {
    let logger = logger(py)?;
    if logger.getattr("disabled")?.is_truthy()? {
        return Ok(usize::MAX);
    }
    let own: usize = logger.call_method0("getEffectiveLevel")?.extract()?;
    let disabled: usize = logger.getattr("manager")?.getattr("disable")?.extract()?;
    Ok(own.max(disabled.saturating_add(1)))
}

fn logger(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static LOGGER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let logger = LOGGER.get_or_try_init(py, || {
        Ok::<_, PyErr>(py.import("logging")?.call_method1("getLogger", ("comity",))?.unbind())
    })?;
    Ok(logger.bind(py))
}

/// Returns the queue of this process.
fn queue() -> Option<&'static Queue> {
    let process = std::process::id();
    let mut next = QUEUES.get();
    while let Some(queue) = next.filter(|queue| queue.process != process) {
        next = queue.next.get().map(|next| &**next);
    }
    next
}

/// Creates the queue of this process with its thread, if it does not exist.
fn open(py: Python<'_>) -> PyResult<()> {
    if queue().is_some() {
        return Ok(());
    }
    let (sender, received) = mpsc::sync_channel(MAX_QUEUED);
    std::thread::Builder::new().name("comity-log".to_owned()).spawn(move || deliver(&received))?;
    let mut made = Queue { process: std::process::id(), sender, next: OnceLock::new() };
    if let Err(unset) = QUEUES.set(made) {
        made = unset;
        let mut last = QUEUES.get();
        let mut boxed = Box::new(made);
        while let Some(queue) = last {
            match queue.next.set(boxed) {
                Ok(()) => break,
                Err(unset) => boxed = unset,
            }
            last = queue.next.get().map(|next| &**next);
        }
    }
    // Fails in a forked process, because this module set the subscriber in the parent process.
    let _ = tracing::subscriber::set_global_default(PythonLog);
    let flush = pyo3::wrap_pyfunction!(flush_log, py)?;
    py.import("atexit")?.call_method1("register", (flush,))?;
    Ok(())
}

/// Delivers the records of a queue until the interpreter ends.
fn deliver(received: &Receiver<Entry>) {
    while let Ok(entry) = received.recv() {
        match entry {
            Entry::Flush(done) => {
                // The receiver is dropped if the exit no longer waits.
                let _ = done.try_send(());
            }
            Entry::Record(record) => {
                if Python::try_attach(|py| hand_over(py, record)).is_none() {
                    return;
                }
            }
        }
    }
}

/// Passes a record to the logger. Reports an exception of a handler through `sys.unraisablehook`.
fn hand_over(py: Python<'_>, record: LogRecord) {
    let dropped = DROPPED.swap(0, Ordering::Relaxed);
    if dropped > 0 {
        let message =
            format!("{dropped} log records were dropped, since the handlers are slower than the client");
        let created = record.created;
        hand_over(py, LogRecord { level: 30, created, message, fields: Vec::new() });
    }
    if let Err(error) = handle(py, &record) {
        error.write_unraisable(py, None);
    }
}

fn handle(py: Python<'_>, record: &LogRecord) -> PyResult<()> {
    let logger = logger(py)?;
    if !logger.call_method1("isEnabledFor", (record.level,))?.is_truthy()? {
        return Ok(());
    }
    let fields = PyDict::new(py);
    for (name, value) in &record.fields {
        fields.set_item(name, value)?;
    }
    let extra = PyDict::new(py);
    extra.set_item("comity", fields)?;
    let none = py.None();
    let parts = ("comity", record.level, "comity", 0, &record.message, (), &none, &none, extra);
    let made = logger.call_method1("makeRecord", parts)?;
    made.setattr("created", record.created)?;
    made.setattr("msecs", (record.created.fract() * 1000.0).floor())?;
    logger.call_method1("handle", (made,))?;
    Ok(())
}

/// Waits until the queued records are delivered, but at most a second.
#[pyfunction]
fn flush_log(py: Python<'_>) {
    let Some(queue) = queue() else { return };
    let (done, delivered) = mpsc::sync_channel(1);
    if queue.sender.try_send(Entry::Flush(done)).is_ok() {
        let delivered = std::sync::Mutex::new(delivered);
        py.detach(|| {
            let delivered = delivered.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            // A handler that takes longer loses its records.
            let _ = delivered.recv_timeout(EXIT_WAIT);
        });
    }
}

/// Subscriber that queues the events of Comity's crates.
struct PythonLog;

/// Returns the level of `logging` for an event.
fn level_of(metadata: &Metadata<'_>) -> usize {
    LEVELS.iter().find(|(level, _)| level == metadata.level()).map_or(0, |(_, number)| *number)
}

impl Subscriber for PythonLog {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        match metadata.is_event() && metadata.target().starts_with("comity") {
            true => Interest::sometimes(),
            false => Interest::never(),
        }
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && level_of(metadata) >= THRESHOLD.load(Ordering::Relaxed)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        let threshold = THRESHOLD.load(Ordering::Relaxed);
        let lowest = LEVELS.iter().rev().find(|(_, number)| *number >= threshold);
        Some(lowest.map_or(LevelFilter::OFF, |(level, _)| LevelFilter::from_level(*level)))
    }

    fn event(&self, event: &Event<'_>) {
        let Some(queue) = queue() else { return };
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let mut text = Text::default();
        event.record(&mut text);
        let level = level_of(event.metadata());
        let record =
            LogRecord { level, created: since.as_secs_f64(), message: text.message(), fields: text.fields };
        if let Err(TrySendError::Full(_)) = queue.sender.try_send(Entry::Record(record)) {
            DROPPED.fetch_add(1, Ordering::Relaxed);
        }
    }

    // Spans are never enabled.
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &SpanRecord<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// The message and the other fields of an event.
#[derive(Debug, Default)]
struct Text {
    message: String,
    fields: Vec<(&'static str, String)>,
}

impl Text {
    /// Returns the text of the record: the subject (URL or origin), the message, and the other fields.
    fn message(&self) -> String {
        let is_subject = |name: &str| matches!(name, "url" | "origin");
        let subject = self.fields.iter().find(|(name, _)| is_subject(name));
        let mut text = subject.map_or_else(String::new, |(_, subject)| format!("{subject}: "));
        text.push_str(&self.message);
        let others = self.fields.iter().filter(|(name, _)| !is_subject(name));
        for (index, (name, value)) in others.enumerate() {
            let separator = if index == 0 { " (" } else { ", " };
            // Writing to a string cannot fail.
            let _ = write!(text, "{separator}{name}: {value}");
        }
        if self.fields.iter().any(|(name, _)| !is_subject(name)) {
            text.push(')');
        }
        text
    }

    fn add(&mut self, field: &Field, value: &str) {
        // Values can come from a site.
        let value = comity::shown::short(value.as_bytes(), MAX_FIELD_CHARS).into_owned();
        match field.name() {
            "message" => self.message = value,
            name => self.fields.push((name, value)),
        }
    }
}

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, &format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, value);
    }
}
