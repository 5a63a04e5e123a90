//! Sitemaps, read as a stream.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use comity::sitemap::{Item, Reader, ReaderOptions, Scope};
use pyo3::exceptions::{PyException, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};

use crate::input::{BytesLike, UrlText, type_name};
use crate::{data, errors};

/// An iterator over the items of a sitemap, which are `Url`, `Sitemap` and `Finding`.
///
/// The iterator reads the file as a stream and stores one entry at a time. It repairs or skips invalid entries, and reports
/// each of them as a `Finding`.
#[pyclass(frozen, module = "comity.sitemap")]
pub(crate) struct SitemapReader {
    reader: Mutex<Reader<Input>>,
    /// Name of the source, for `repr`.
    name: Option<String>,
    interrupt: Interrupt,
}

/// Exception of the file's `read` that ends the program rather than the file, such as `KeyboardInterrupt`.
type Interrupt = Arc<Mutex<Option<PyErr>>>;

#[pymethods]
impl SitemapReader {
    /// Opens a sitemap. `source` is a path (`str` or `os.PathLike`), the content (`bytes`), or an open binary file.
    #[new]
    #[pyo3(signature = (source, *, url = None, scope = "any", proven_hosts = Vec::new(), max_entries = None,
        max_bytes = None, stop_at_limits = false, find_duplicates = false))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments")]
    fn new(
        source: &Bound<'_, PyAny>,
        url: Option<UrlText<'_>>,
        scope: &str,
        proven_hosts: Vec<String>,
        max_entries: Option<u64>,
        max_bytes: Option<u64>,
        stop_at_limits: bool,
        find_duplicates: bool,
    ) -> PyResult<Self> {
        let mut options = ReaderOptions::new()
            .scope(scope_of(scope)?)
            .stop_at_limits(stop_at_limits)
            .find_duplicates(find_duplicates);
        if let Some(url) = &url {
            let url = url.text()?;
            options = options.at(url).map_err(|error| errors::bad_url(url, error))?;
        }
        for host in &proven_hosts {
            options = options.proven_host(host);
        }
        if let Some(entries) = max_entries {
            options = options.max_entries(entries);
        }
        if let Some(bytes) = max_bytes {
            options = options.max_bytes(bytes);
        }
        let interrupt = Interrupt::default();
        let (source, name) = Input::of(source, &interrupt)?;
        Ok(SitemapReader { reader: Mutex::new(Reader::with_options(source, options)), name, interrupt })
    }

    /// The summary of the entries that were read so far. The summary is complete when the iterator has ended.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let summary = py.detach(|| self.reader.lock().unwrap_or_else(PoisonError::into_inner).summary());
        data::build(py, "sitemap.Summary", &summary)
    }

    fn __iter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let item = py.detach(|| self.reader.lock().unwrap_or_else(PoisonError::into_inner).next());
        if let Some(error) = self.interrupt.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(error);
        }
        match item {
            None => Ok(None),
            Some(Item::Url(url)) => data::build(py, "sitemap.Url", &url).map(Some),
            Some(Item::Sitemap(sitemap)) => data::build(py, "sitemap.Sitemap", &sitemap).map(Some),
            Some(Item::Finding(finding)) => data::build(py, "findings.Finding", &finding).map(Some),
            Some(_) => Ok(None),
        }
    }

    fn __repr__(&self) -> String {
        format!("<SitemapReader of {}>", self.name.as_deref().unwrap_or("an open file"))
    }
}

fn scope_of(name: &str) -> PyResult<Scope> {
    match name {
        "any" => Ok(Scope::Any),
        "report" => Ok(Scope::Report),
        "drop" => Ok(Scope::Drop),
        _ => Err(errors::unknown(format!("unknown scope `{name}`; must be one of: any, report, drop"))),
    }
}

/// Source of the bytes.
enum Input {
    File(File),
    Memory(Cursor<Vec<u8>>),
    Object(Py<PyAny>, Interrupt),
}

impl Input {
    fn of(source: &Bound<'_, PyAny>, interrupt: &Interrupt) -> PyResult<(Input, Option<String>)> {
        if source.cast::<PyBytes>().is_ok() || source.cast::<PyByteArray>().is_ok() {
            let bytes = source.extract::<BytesLike<'_>>()?.to_vec();
            let name = format!("{} bytes", bytes.len());
            return Ok((Input::Memory(Cursor::new(bytes)), Some(name)));
        }
        if source.hasattr(intern!(source.py(), "read"))? {
            let text = source
                .py()
                .import(intern!(source.py(), "io"))?
                .getattr(intern!(source.py(), "TextIOBase"))?;
            if source.is_instance(&text)? {
                return Err(PyTypeError::new_err(
                    "this file is open in text mode: open it in binary mode, as in open(path, \"rb\")",
                ));
            }
            return Ok((Input::Object(source.clone().unbind(), interrupt.clone()), None));
        }
        let path: PathBuf = source.extract().map_err(|_| {
            PyTypeError::new_err(format!(
                "pass the path of a sitemap, its content as bytes, or an open binary file, not {}",
                type_name(source)
            ))
        })?;
        let file = File::open(&path).map_err(|error| errors::io(error, &path))?;
        Ok((Input::File(file), Some(path.display().to_string())))
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Input::File(file) => file.read(buffer),
            Input::Memory(bytes) => bytes.read(buffer),
            Input::Object(file, interrupt) => Python::attach(|py| {
                read(file.bind(py), buffer).map_err(|error| {
                    if !error.is_instance_of::<PyException>(py) {
                        *interrupt.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                        return io::Error::other("read() was interrupted");
                    }
                    // The reader's error must not refer to the interpreter, so it has only the kind and text of the
                    // exception.
                    let error = io::Error::from(error);
                    io::Error::new(error.kind(), error.to_string())
                })
            }),
        }
    }
}

fn read(object: &Bound<'_, PyAny>, buffer: &mut [u8]) -> PyResult<usize> {
    let read = object.call_method1(intern!(object.py(), "read"), (buffer.len(),))?;
    let Ok(bytes) = read.cast::<PyBytes>() else {
        let got = type_name(&read);
        let message = format!("read() returned {got}, not bytes: open the file in binary mode");
        return Err(PyTypeError::new_err(message));
    };
    let bytes = bytes.as_bytes();
    match buffer.get_mut(..bytes.len()) {
        Some(place) => place.copy_from_slice(bytes),
        None => return Err(PyValueError::new_err("read() returned more bytes than were requested")),
    }
    Ok(bytes.len())
}
