//! The engine's errors as the package's exceptions (`comity.errors`).

use std::fmt::Display;

use comity::robots::UrlError;
use pyo3::prelude::*;

mod python {
    #![allow(
        missing_docs,
        clippy::missing_docs_in_private_items,
        reason = "documented where they are defined"
    )]
    pyo3::import_exception!(comity.errors, UrlError);
    pyo3::import_exception!(comity.errors, UnknownNameError);
    pyo3::import_exception!(comity.errors, ReadError);
    pyo3::import_exception!(comity.errors, BatchError);
}

/// Text that no path can be taken from.
pub(crate) fn url(error: UrlError) -> PyErr {
    python::UrlError::new_err(error.to_string())
}

/// The same from something else that reads URLs.
pub(crate) fn bad_url(url: &str, error: impl Display) -> PyErr {
    python::UrlError::new_err(format!("`{url}` is no absolute URL: {error}"))
}

/// A name that nothing has.
pub(crate) fn unknown(error: impl Display) -> PyErr {
    python::UnknownNameError::new_err(error.to_string())
}

/// A document that cannot be read at all.
pub(crate) fn unreadable(error: impl Display) -> PyErr {
    python::ReadError::new_err(error.to_string())
}

/// A batch that cannot be decided as a whole.
pub(crate) fn batch(error: impl Display) -> PyErr {
    python::BatchError::new_err(error.to_string())
}
