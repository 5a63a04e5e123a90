//! `comity.client.Admission`: the permit to send one request with another HTTP library.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use comity_client::{Admission, Client};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use pyo3::prelude::*;

use crate::client::{ProcessBound, admission_error, seconds};
use crate::decision::Decision;
use crate::errors;
use crate::input::Fields;
use crate::waiting::Runner;

/// Admission behind `comity.client.Admission` and `comity.client.AsyncAdmission`.
#[pyclass(frozen, module = "comity._comity")]
pub(crate) struct NativeAdmission {
    admission: Mutex<ProcessBound<Shared>>,
    url: String,
    addresses: Vec<(String, u16)>,
    waited: f64,
    runner: Runner,
    is_async: bool,
}

/// Admission with a lock, so that its methods run one at a time.
type Shared = Arc<tokio::sync::Mutex<Admission>>;

impl NativeAdmission {
    /// Returns the admission for a request, once the request may be sent.
    pub(crate) fn wait<'py>(
        py: Python<'py>,
        client: Client,
        (url, call): (String, String),
        max_wait: Option<f64>,
        runner: &Runner,
        is_async: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let max_wait = match max_wait {
            Some(f64::INFINITY) => Some(Duration::MAX),
            Some(wait) => Some(seconds("max_wait", wait)?),
            None => client.fetch_options().max_wait,
        };
        let (requested, own_runner) = (url.clone(), runner.clone());
        let future = async move { client.admit(url, max_wait).await };
        runner.run(py, is_async, future, move |py, admitted| match admitted {
            Ok(admission) => {
                admission.set_call(call);
                Ok(Py::new(py, NativeAdmission::new(admission, own_runner, is_async))?.into_any())
            }
            Err(cause) => Err(admission_error(py, &requested, &cause)),
        })
    }

    fn new(admission: Admission, runner: Runner, is_async: bool) -> Self {
        let addresses = admission.addresses().iter();
        NativeAdmission {
            url: admission.url().to_string(),
            addresses: addresses.map(|address| (address.ip().to_string(), address.port())).collect(),
            waited: admission.waited().as_secs_f64(),
            admission: Mutex::new(ProcessBound::new(
                Arc::new(tokio::sync::Mutex::new(admission)),
                runner.clone(),
            )),
            runner,
            is_async,
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, ProcessBound<Shared>> {
        self.admission.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shared(&self) -> PyResult<Shared> {
        self.lock().get().cloned()
    }
}

#[pymethods]
impl NativeAdmission {
    /// Returns the admitted URL, in the form in which it must be sent.
    #[getter]
    fn url(&self) -> &str {
        &self.url
    }

    /// Returns the addresses and ports that the guard checked.
    #[getter]
    fn addresses(&self) -> Vec<(String, u16)> {
        self.addresses.clone()
    }

    /// Returns the number of seconds that the request waited for the permit.
    #[getter]
    fn waited(&self) -> f64 {
        self.waited
    }

    /// Returns the decision.
    #[getter]
    fn decision(&self, py: Python<'_>) -> PyResult<Decision> {
        let shared = self.shared()?;
        let record = py.detach(|| shared.blocking_lock().decision().clone());
        Ok(Decision::by_record(record))
    }

    /// Reports that the answer has arrived.
    fn answered<'py>(
        &self,
        py: Python<'py>,
        status: u16,
        headers: Option<Fields>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let shared = self.shared()?;
        let status = StatusCode::from_u16(status)
            .map_err(|_| errors::setting(format!("status: `{status}` is not an HTTP status code")))?;
        let mut header = HeaderMap::new();
        if let Some(fields) = headers {
            for (name, value) in fields.headers()?.iter() {
                // An invalid field name or value is ignored.
                let name = HeaderName::try_from(name);
                if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(value)) {
                    header.append(name, value);
                }
            }
        }
        let future = async move { shared.lock().await.answered(status, &header).await };
        let url = self.url.clone();
        self.runner.run(py, self.is_async, future, move |py, settled| match settled {
            Ok(()) => Ok(py.None()),
            Err(cause) => Err(admission_error(py, &url, &cause)),
        })
    }

    /// Reports that there was no answer.
    fn failed(&self, py: Python<'_>) -> PyResult<()> {
        let shared = self.shared()?;
        py.detach(|| shared.blocking_lock().failed());
        Ok(())
    }

    /// Releases the admission.
    fn close(&self, py: Python<'_>) {
        let shared = self.lock().take();
        let runner = self.runner.clone();
        py.detach(|| runner.inside(|| drop(shared)));
    }
}
