//! Audits (`comity.audit`). Jobs run on a separate thread, so the interpreter stays responsive and Ctrl-C cancels the
//! job.

use std::fmt::Display;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use comity_answers::files::Pending;
use comity_audit::{
    AuditError, AuditRequest, CancellationToken, Event, IndexRequest, JobContext, Manifest, Progress,
    VerifyRequest,
};
use comity_python::client::NativeClient;
use comity_python::{data, errors, notices};
use pyo3::prelude::*;
use pythonize::depythonize;
use serde::Serialize;

mod python {
    #![allow(
        missing_docs,
        clippy::missing_docs_in_private_items,
        reason = "documented where they are defined"
    )]
    pyo3::import_exception!(comity.errors, AuditError);
}

/// Interval at which a wait checks for signals, such as Ctrl-C.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// Maximum number of events that are queued for the interpreter.
const MAX_QUEUED_EVENTS: usize = 64;

/// Event of a job, sent to the calling thread.
enum JobEvent {
    Warning(String),
    Progress(Progress),
}

/// Runs the audit that a request describes, and returns its manifest.
#[pyfunction]
pub(crate) fn audit<'py>(
    py: Python<'py>,
    request: &Bound<'py, PyAny>,
    client: Option<&NativeClient>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let request: AuditRequest = depythonize(request).map_err(failed)?;
    let client = client.map(NativeClient::client_and_runtime).transpose()?;
    run(py, progress, move |mut context| {
        if let Some((client, runtime)) = client {
            context = context.client(client, runtime);
        }
        comity_audit::run(&request, &mut context).map(|outcome| outcome.manifest)
    })
}

/// Collects robots.txt answers in an index, and returns its summary.
#[pyfunction]
pub(crate) fn audit_index<'py>(
    py: Python<'py>,
    sources: Vec<PathBuf>,
    output: PathBuf,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let request = IndexRequest { sources, output };
    run(py, progress, move |mut context| comity_audit::index(&request, &mut context))
}

/// Checks a table against its manifest, and returns the comparisons.
#[pyfunction]
pub(crate) fn audit_verify<'py>(
    py: Python<'py>,
    manifest: PathBuf,
    table: Option<PathBuf>,
    inputs: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let request = VerifyRequest { manifest, table, inputs };
    run(py, None, move |mut context| comity_audit::verify(&request, &mut context))
}

/// Writes the report of a manifest.
#[pyfunction]
pub(crate) fn audit_report(py: Python<'_>, manifest: &Bound<'_, PyAny>, output: PathBuf) -> PyResult<()> {
    let manifest: Manifest = depythonize(manifest)
        .map_err(|error| failed(format!("`manifest` is not the manifest of an audit: {error}")))?;
    py.detach(|| {
        let page = comity_audit::report(&manifest)?;
        Ok(Pending::write(&output, page.as_bytes())?)
    })
    .map_err(|error: AuditError| failed(error))
}

/// Returns the error for an audit that failed.
fn failed(error: impl Display) -> PyErr {
    python::AuditError::new_err(error.to_string())
}

/// Runs a job on a thread, and passes its events to Python until the job ends.
fn run<'py, T: Serialize + Send + 'static>(
    py: Python<'py>,
    progress: Option<&Bound<'py, PyAny>>,
    job: impl FnOnce(JobContext<'_>) -> Result<T, AuditError> + Send + 'static,
) -> PyResult<Bound<'py, PyAny>> {
    let cancel = CancellationToken::new();
    let (sender, events) = mpsc::sync_channel(MAX_QUEUED_EVENTS);
    let done = thread::Builder::new().name("comity-audit".to_owned()).spawn({
        let cancel = cancel.clone();
        move || job(JobContext::new(&cancel, |event| send_event(event, &sender)))
    });
    let done = done.map_err(failed)?;
    let forwarded = forward_events(py, events, progress);
    if forwarded.is_err() {
        cancel.cancel();
    }
    let result = py.detach(|| done.join()).map_err(|_| errors::ended())?;
    forwarded?;
    data::plain(py, &result.map_err(failed)?)
}

/// Sends an event to the calling thread. Drops the event if that thread was interrupted and no longer receives events.
fn send_event(event: Event<'_>, sender: &SyncSender<JobEvent>) {
    let event = match event {
        Event::Warning(message, Some(field)) => JobEvent::Warning(format!("{message} ({field})")),
        Event::Warning(message, None) => JobEvent::Warning(message.to_owned()),
        Event::Notice(notice) => JobEvent::Warning(notice.message.clone()),
        Event::Progress(progress) => JobEvent::Progress(progress),
        _ => return,
    };
    let _ = sender.send(event);
}

/// Passes events to Python until the job ends, a signal arrives, or the callback raises an exception.
fn forward_events(
    py: Python<'_>,
    events: Receiver<JobEvent>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    // The closure of `detach` borrows the receiver, which is not `Sync` without the mutex.
    let events = Mutex::new(events);
    loop {
        let next =
            py.detach(|| events.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(SIGNAL_INTERVAL));
        py.check_signals()?;
        match next {
            Ok(JobEvent::Warning(message)) => notices::warn_with(py, message, 2)?,
            Ok(JobEvent::Progress(now)) => {
                if let Some(progress) = progress {
                    progress.call1((now.stage.as_str(), now.done, now.total, now.rows))?;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}
