//! The engine's errors as the package's exceptions (`comity.errors`).

use std::fmt::Display;

use comity::robots::{TokenError, UrlError};
use pyo3::prelude::*;

mod python {
    #![allow(
        missing_docs,
        clippy::missing_docs_in_private_items,
        reason = "documented where they are defined"
    )]
    pyo3::import_exception!(comity.errors, ComityError);
    pyo3::import_exception!(comity.errors, FetchError);
    pyo3::import_exception!(comity.errors, ForkError);
    pyo3::import_exception!(comity.errors, Refused);
    pyo3::import_exception!(comity.errors, SettingError);
    pyo3::import_exception!(comity.errors, StoreError);
    pyo3::import_exception!(comity.errors, TokenError);
    pyo3::import_exception!(comity.errors, UrlError);
    pyo3::import_exception!(comity.errors, UnknownNameError);
    pyo3::import_exception!(comity.errors, ReadError);
    pyo3::import_exception!(comity.errors, BatchError);
}

/// Text that no path can be taken from.
pub(crate) fn url(error: UrlError) -> PyErr {
    python::UrlError::new_err(error.to_string())
}

/// The error for a text that is not a product token.
pub(crate) fn token(error: TokenError) -> PyErr {
    let problem = error.problem();
    python::TokenError::new_err(format!("{problem}; a whole User-Agent header is comity.Agent.header(...)"))
}

/// The same as [`url`] from something else that reads URLs.
pub(crate) fn bad_url(url: &str, error: impl Display) -> PyErr {
    python::UrlError::new_err(format!("`{url}` is not an absolute URL: {error}"))
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

/// A client in a process that it was not made in.
pub(crate) fn forked() -> PyErr {
    python::ForkError::new_err(
        "this client was made before the process forked, and its threads stayed behind: make a client in each process; \
         a store in a file (store=\"robots.db\") lets them share robots.txt answers and the pace",
    )
}

/// A client that was closed.
pub(crate) fn closed() -> PyErr {
    python::ComityError::new_err("the client is closed: make another one")
}

/// A task that ended without a result, which only an error in here or the end of the process brings about.
pub(crate) fn ended() -> PyErr {
    python::ComityError::new_err("the client stopped before there was a result")
}

/// Makes the error for a setting that cannot have this value.
pub(crate) fn setting(error: impl Display) -> PyErr {
    python::SettingError::new_err(error.to_string())
}

/// A store that did not do what it was asked for.
pub(crate) fn store(error: impl Display) -> PyErr {
    python::StoreError::new_err(error.to_string())
}

/// A fetch that led to no page: the error, and the record as dictionaries.
pub(crate) fn fetch(message: String, record: Bound<'_, PyAny>, is_refusal: bool) -> PyErr {
    let arguments = (message, record.unbind());
    if is_refusal { python::Refused::new_err(arguments) } else { python::FetchError::new_err(arguments) }
}
