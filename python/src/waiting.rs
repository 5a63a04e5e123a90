//! Waits for operations of the client: with the interpreter's lock released, or as a future of asyncio.
//!
//! Every process has one runtime, created at its first use. Each operation is a separate task of the runtime. Without
//! asyncio, a wait checks for signals at intervals, so that Ctrl-C ends the wait and the task. With asyncio, cancelling the
//! future ends the task. A separate thread delivers results to event loops: a worker of the runtime that waited for the
//! interpreter would delay other downloads.

use std::future::Future;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::intern;
use pyo3::prelude::*;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::AbortHandle;

use crate::errors;

/// Interval at which a wait checks for signals, such as Ctrl-C.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// Callback that creates a Python object from a result. It runs while the interpreter is attached.
type Delivery = Box<dyn FnOnce(Python<'_>) + Send>;

/// Runtime that executes futures.
#[derive(Clone, Debug)]
pub(crate) struct Runner {
    runtime: Arc<Runtime>,
    deliveries: Sender<Delivery>,
    /// Id of the process that created the runner. After a fork, the runner's threads do not exist in the child.
    process: u32,
}

/// Runner of this process. The mutex is held only while the interpreter is attached. So, unless the interpreter is
/// free-threaded, it is free whenever Python code forks.
static RUNNER: Mutex<Option<Runner>> = Mutex::new(None);

impl Runner {
    /// Returns the runner of this process, creating it if needed.
    pub(crate) fn of_process() -> PyResult<Self> {
        let mut place = RUNNER.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(runner) = place.as_ref().filter(|runner| runner.is_ours()) {
            return Ok(runner.clone());
        }
        let runner = Runner::new().map_err(|error| {
            PyRuntimeError::new_err(format!("cannot start threads for the client: {error}"))
        })?;
        // The destructor of a runner from before a fork would stop threads that do not exist in this process.
        std::mem::forget(place.replace(runner.clone()));
        Ok(runner)
    }

    fn new() -> std::io::Result<Self> {
        let runtime =
            Builder::new_multi_thread().worker_threads(2).thread_name("comity").enable_all().build()?;
        let (deliveries, received) = mpsc::channel::<Delivery>();
        std::thread::Builder::new().name("comity-deliver".to_owned()).spawn(move || {
            while let Ok(delivery) = received.recv() {
                // The interpreter has shut down, so nothing waits for the result.
                if Python::try_attach(delivery).is_none() {
                    return;
                }
            }
        })?;
        Ok(Runner { runtime: Arc::new(runtime), deliveries, process: std::process::id() })
    }

    /// Returns true if the runner belongs to this process.
    pub(crate) fn is_ours(&self) -> bool {
        self.process == std::process::id()
    }

    /// Returns the runtime.
    pub(crate) fn handle(&self) -> Handle {
        self.runtime.handle().clone()
    }

    /// Calls `make` in the context of the runtime, which creating a socket requires.
    pub(crate) fn inside<T>(&self, make: impl FnOnce() -> T) -> T {
        let _inside = self.runtime.enter();
        make()
    }

    /// Runs a future and converts its result with `convert`. Without asyncio it blocks and returns the result. With
    /// asyncio it returns a future of the running loop.
    pub(crate) fn run<'py, T: Send + 'static>(
        &self,
        py: Python<'py>,
        is_async: bool,
        future: impl Future<Output = T> + Send + 'static,
        convert: impl FnOnce(Python<'_>, T) -> PyResult<Py<PyAny>> + Send + 'static,
    ) -> PyResult<Bound<'py, PyAny>> {
        if !self.is_ours() {
            return Err(errors::forked());
        }
        crate::log::follow(py);
        if is_async {
            return self.start(py, future, convert);
        }
        let value = self.wait(py, future)?;
        Ok(convert(py, value)?.into_bound(py))
    }

    fn wait<T: Send + 'static>(
        &self,
        py: Python<'_>,
        future: impl Future<Output = T> + Send + 'static,
    ) -> PyResult<T> {
        let (sender, receiver) = mpsc::sync_channel(1);
        let task = self.runtime.spawn(async move {
            // The receiver is dropped if the caller was interrupted.
            let _ = sender.send(future.await);
        });
        // The closure of `detach` borrows the receiver, which is not `Sync` without the mutex.
        let receiver = Mutex::new(receiver);
        loop {
            let received = py.detach(|| {
                receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(SIGNAL_INTERVAL)
            });
            match received {
                Ok(value) => return Ok(value),
                Err(RecvTimeoutError::Timeout) => py.check_signals().inspect_err(|_| task.abort())?,
                Err(RecvTimeoutError::Disconnected) => return Err(errors::ended()),
            }
        }
    }

    fn start<'py, T: Send + 'static>(
        &self,
        py: Python<'py>,
        future: impl Future<Output = T> + Send + 'static,
        convert: impl FnOnce(Python<'_>, T) -> PyResult<Py<PyAny>> + Send + 'static,
    ) -> PyResult<Bound<'py, PyAny>> {
        let event_loop = py.import(intern!(py, "asyncio"))?.call_method0(intern!(py, "get_running_loop"))?;
        let promise = event_loop.call_method0(intern!(py, "create_future"))?;
        let (loop_then, promise_then) = (event_loop.unbind(), promise.clone().unbind());
        let deliveries = self.deliveries.clone();
        let task = self.runtime.spawn(future);
        let abort = task.abort_handle();
        self.runtime.spawn(async move {
            let value = task.await;
            let delivery: Delivery = Box::new(move |py| {
                let result = match value {
                    Ok(value) => convert(py, value),
                    Err(error) if error.is_cancelled() => return,
                    Err(_) => Err(errors::ended()),
                };
                let (method, value) = match result {
                    Ok(value) => (intern!(py, "set_result"), value),
                    Err(error) => (intern!(py, "set_exception"), error.into_value(py).into_any()),
                };
                let settle = Settle { method: method.clone().unbind(), value };
                // If the loop is closed, nothing waits for the result.
                let _ = loop_then
                    .bind(py)
                    .call_method1(intern!(py, "call_soon_threadsafe"), (settle, promise_then));
            });
            let _ = deliveries.send(delivery);
        });
        promise.call_method1(intern!(py, "add_done_callback"), (Abort(abort),))?;
        Ok(promise)
    }
}

/// Completes a future of asyncio, in the thread of its loop.
#[pyclass(frozen)]
struct Settle {
    method: Py<pyo3::types::PyString>,
    value: Py<PyAny>,
}

#[pymethods]
impl Settle {
    fn __call__(&self, py: Python<'_>, promise: &Bound<'_, PyAny>) -> PyResult<()> {
        if !promise.call_method0(intern!(py, "done"))?.is_truthy()? {
            promise.call_method1(self.method.bind(py), (self.value.bind(py),))?;
        }
        Ok(())
    }
}

/// Aborts a task whose future was cancelled.
#[pyclass(frozen)]
struct Abort(AbortHandle);

#[pymethods]
impl Abort {
    fn __call__(&self, promise: &Bound<'_, PyAny>) -> PyResult<()> {
        if promise.call_method0(intern!(promise.py(), "cancelled"))?.is_truthy()? {
            self.0.abort();
        }
        Ok(())
    }
}
