//! Signatures of requests (Web Bot Auth): signing, and verification with given key directories.

use std::fs::File;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use comity::http::Headers;
use comity_answers::signature::SignatureRow;
use comity_identity::{
    Challenge, Directories, DirectoryAnswer, Discovery, Identity, MEDIA_TYPE, ReadIdentityError, Request,
    SignatureFields,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::client::seconds;
use crate::input::{BytesLike, Fields, Moment, UrlText};
use crate::{data, errors};

/// Signs requests, so that sites can distinguish the crawler from impostors that use its name.
///
/// `Signer(path)` reads a file that `comity identity new` created. The object never returns the private keys.
///
///     >>> signer = Signer("bot.identity.json")  # doctest: +SKIP
///     >>> sorted(signer.sign("GET", "https://example.com/heron"))  # doctest: +SKIP
///     ['Signature', 'Signature-Agent', 'Signature-Input']
#[pyclass(frozen, module = "comity.identity")]
#[derive(Debug)]
pub(crate) struct Signer {
    inner: Identity,
}

#[pymethods]
impl Signer {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let read = py.detach(|| Identity::read(File::open(&path).map_err(ReadIdentityError::Io)?));
        read.map(|inner| Signer { inner }).map_err(|error| match error {
            ReadIdentityError::Io(error) => errors::io(error, &path),
            error => errors::unreadable(format!("{}: {error}", path.display())),
        })
    }

    /// Creates a signer from the content of an identity file, for programs that store keys elsewhere. Raises `ReadError` if
    /// the text is not an identity.
    #[staticmethod]
    fn from_json(text: BytesLike<'_>) -> PyResult<Self> {
        let text = std::str::from_utf8(&text).unwrap_or_default();
        Identity::from_json(text).map(|inner| Signer { inner }).map_err(errors::unreadable)
    }

    /// The URL at which the keys are published. Verifiers identify the signer by this URL.
    #[getter]
    fn identifier(&self) -> &str {
        self.inner.discovery().identifier()
    }

    /// The thumbprints of the keys (RFC 7638).
    #[getter]
    fn keys(&self) -> Vec<String> {
        self.inner.keys().map(|(name, _)| name.to_string()).collect()
    }

    /// Returns the key directory to publish at `identifier`, as JSON. It has the public keys that are valid at `now` or later.
    #[pyo3(signature = (*, now = None))]
    fn directory(&self, now: Option<Moment>) -> String {
        self.inner.directory(Moment::or_now(now)).to_json()
    }

    /// Returns the header fields that sign a request: `Signature-Agent`, `Signature-Input` and `Signature`.
    ///
    /// Pass the URL exactly as it is sent, because the signer does not normalize it. A `Host` among the header fields
    /// replaces the URL's host. Raises `SignError` if the request cannot be signed, for example because it has no TLS, or has a
    /// signature already.
    #[pyo3(signature = (method, url, headers = None, *, nonce = None, now = None))]
    fn sign<'py>(
        &self,
        py: Python<'py>,
        method: &str,
        url: UrlText<'_>,
        headers: Option<Fields>,
        nonce: Option<&str>,
        now: Option<Moment>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let fields = headers.unwrap_or_default();
        let headers = fields.headers()?;
        let (request, now) = (request(method, url.text()?, &headers)?, Moment::or_now(now));
        let signed = match nonce {
            Some(nonce) => self.inner.sign_with_nonce(&request, nonce, now),
            None => self.inner.sign(&request, now),
        };
        dictionary(py, &signed.map_err(errors::sign)?)
    }

    /// Returns the header fields that answer a site's `Accept-Signature` challenge.
    ///
    /// `answer` is the header of the site's HTTP answer, which contains the challenge. The signature has the challenge's label
    /// and nonce. Returns None if this signer cannot answer any challenge. Raises `SignError` as `sign` does.
    #[pyo3(signature = (answer, method, url, headers = None, *, now = None))]
    fn answer<'py>(
        &self,
        py: Python<'py>,
        answer: Fields,
        method: &str,
        url: UrlText<'_>,
        headers: Option<Fields>,
        now: Option<Moment>,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let fields = headers.unwrap_or_default();
        let headers = fields.headers()?;
        let (request, now) = (request(method, url.text()?, &headers)?, Moment::or_now(now));
        for challenge in Challenge::read(&answer.headers()?) {
            match self.inner.answer(&challenge, &request, now) {
                Ok(signed) => return dictionary(py, &signed).map(Some),
                Err(comity_identity::SignError::OtherChallenge) => {}
                Err(error) => return Err(errors::sign(error)),
            }
        }
        Ok(None)
    }

    fn __repr__(&self) -> String {
        format!("<Signer: {}>", self.identifier())
    }
}

fn dictionary<'py>(py: Python<'py>, signed: &SignatureFields) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    for (name, value) in signed.iter() {
        fields.set_item(name, value)?;
    }
    Ok(fields)
}

fn request<'h>(method: &'h str, url: &str, headers: &'h Headers<'h>) -> PyResult<Request<'h>> {
    Request::spelled(method, url, headers).map_err(|error| errors::bad_url(url, error))
}

/// Verifies signed requests with the key directories of their signers.
///
/// The verifier sends no requests. If a directory is missing, fetch the URL in `Outcome.directory`, and pass the answer to
/// `add_directory`.
///
/// A signature is valid for at most `max_lifetime` seconds (None: no limit). The signer's clock may be ahead by
/// `clock_skew` seconds.
#[pyclass(frozen, module = "comity.identity")]
#[derive(Debug)]
pub(crate) struct Verifier {
    inner: comity_identity::Verifier,
    directories: Mutex<Directories>,
}

#[pymethods]
impl Verifier {
    #[new]
    #[pyo3(signature = (*, clock_skew = 60.0, max_lifetime = Some(86_400.0), accept_bare_agent = false, accept_test_keys = false))]
    fn new(
        clock_skew: f64,
        max_lifetime: Option<f64>,
        accept_bare_agent: bool,
        accept_test_keys: bool,
    ) -> PyResult<Self> {
        let max_lifetime: Option<Duration> =
            max_lifetime.map(|lifetime| seconds("max_lifetime", lifetime)).transpose()?;
        let inner = comity_identity::Verifier::new()
            .clock_skew(seconds("clock_skew", clock_skew)?)
            .max_lifetime(max_lifetime)
            .accept_bare_agent(accept_bare_agent)
            .accept_test_keys(accept_test_keys);
        Ok(Verifier { inner, directories: Mutex::new(Directories::new()) })
    }

    /// Adds the key directory of a signer, and returns the thumbprints of its keys.
    ///
    /// `place` is the signer's origin (`https://bot.example`) or the URL of its key set. `body`, `status`, `headers` and `url`
    /// describe the HTTP answer; the defaults are those of a valid answer from `place`. Raises `ReadError` if verifiers must
    /// not use the directory. In this case, keys that were added before remain valid.
    #[pyo3(signature = (place, body, *, status = 200, headers = None, url = None, now = None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments")]
    fn add_directory(
        &self,
        place: &str,
        body: BytesLike<'_>,
        status: u16,
        headers: Option<Fields>,
        url: Option<UrlText<'_>>,
        now: Option<Moment>,
    ) -> PyResult<Vec<String>> {
        let discovery = place.parse::<Discovery>().map_err(|error| errors::bad_url(place, error))?;
        let default_headers = || [("Content-Type", MEDIA_TYPE)].into_iter().collect::<Headers<'_>>();
        let headers = headers.as_ref().map_or_else(|| Ok(default_headers()), Fields::headers)?;
        let answered = match &url {
            Some(url) => {
                let url = url.text()?;
                url::Url::parse(url).map_err(|error| errors::bad_url(url, error))?
            }
            None => discovery.url().clone(),
        };
        let answer = DirectoryAnswer { url: &answered, status, headers: &headers, body: &body };
        let mut directories = self.directories.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = directories.take(&discovery, &answer, Moment::or_now(now));
        let keys = taken.map_err(errors::unreadable)?.keys();
        Ok(keys.iter().map(|key| key.thumbprint().to_string()).collect())
    }

    /// Returns the result of the verification (`verified`, `invalid`, `unverified` or `not_signed`) with the signer and
    /// the reason.
    ///
    /// Pass the URL that the client requested: behind a proxy that terminates TLS, its scheme is `https`. A signature is
    /// invalid if a `Host` among the header fields differs from the URL's host.
    #[pyo3(signature = (method, url, headers, *, now = None))]
    fn verify<'py>(
        &self,
        py: Python<'py>,
        method: &str,
        url: UrlText<'_>,
        headers: Fields,
        now: Option<Moment>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let headers = headers.headers()?;
        let request = request(method, url.text()?, &headers)?;
        let report = {
            let directories = self.directories.lock().unwrap_or_else(PoisonError::into_inner);
            self.inner.verify(&request, &directories, Moment::or_now(now))
        };
        data::build(py, "identity.Outcome", &SignatureRow::from(report.outcome()))
    }
}
