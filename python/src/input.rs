//! Conversion of arguments from Python.

use std::borrow::Cow;
use std::time::{Duration, SystemTime};

use comity::http::Headers;
use comity::robots::Body;
use http::{HeaderMap, HeaderName, HeaderValue};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMapping, PyString};

use crate::errors;

/// `bytes`, `bytearray`, `memoryview` or `str`. The bytes of Python are borrowed where possible.
///
/// Text is encoded as UTF-8, which cannot represent unpaired surrogates. If all of them come from `surrogateescape`, each
/// becomes the byte that it represents; otherwise each becomes three bytes, as in WTF-8.
#[derive(Debug)]
pub(crate) struct BytesLike<'a>(pub(crate) Cow<'a, [u8]>);

/// Body of a robots.txt: a [`BytesLike`] that records whether the argument was text.
#[derive(Debug)]
pub(crate) struct BodyLike<'a> {
    bytes: BytesLike<'a>,
    is_text: bool,
}

impl<'a, 'py> FromPyObject<'a, 'py> for BodyLike<'a> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Ok(BodyLike { bytes: object.extract()?, is_text: object.cast::<PyString>().is_ok() })
    }
}

impl BodyLike<'_> {
    pub(crate) fn body(&self) -> Body<'_> {
        if self.is_text { Body::utf8(&self.bytes) } else { Body::from(&*self.bytes) }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for BytesLike<'a> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = object.cast::<PyString>() {
            return Ok(BytesLike(match object.extract::<&'a str>() {
                Ok(text) => Cow::Borrowed(text.as_bytes()),
                Err(_) => Cow::Owned(encode(&text)?),
            }));
        }
        if object.cast::<PyBytes>().is_ok() {
            return Ok(BytesLike(Cow::Borrowed(object.extract::<&'a [u8]>()?)));
        }
        if let Ok(bytes) = object.cast::<PyByteArray>() {
            return Ok(BytesLike(Cow::Owned(bytes.to_vec())));
        }
        let py = object.py();
        // Other buffers are read through `memoryview`: abi3 has no buffer protocol before Python 3.11, but `memoryview`
        // exists in every version.
        let view = py.import(intern!(py, "builtins"))?.getattr(intern!(py, "memoryview"))?.call1((object,));
        let Ok(view) = view else {
            return Err(PyTypeError::new_err(format!("pass bytes or str, not {}", type_name(&object))));
        };
        let bytes = view.call_method0(intern!(py, "tobytes"))?;
        Ok(BytesLike(Cow::Owned(bytes.cast::<PyBytes>()?.as_bytes().to_vec())))
    }
}

impl std::ops::Deref for BytesLike<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// A URL: `str`, `bytes`, or a type that `comity._urls` converts to text, such as the result of `urlsplit` and `yarl.URL`.
#[derive(Debug)]
pub(crate) struct UrlText<'a>(BytesLike<'a>);

impl<'a, 'py> FromPyObject<'a, 'py> for UrlText<'a> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if object.cast::<PyString>().is_ok() || object.cast::<PyBytes>().is_ok() {
            return Ok(UrlText(object.extract()?));
        }
        let py = object.py();
        let text =
            py.import(intern!(py, "comity._urls"))?.getattr(intern!(py, "text_of"))?.call1((object,))?;
        let text: BytesLike<'_> = text.extract()?;
        Ok(UrlText(BytesLike(Cow::Owned(text.to_vec()))))
    }
}

impl UrlText<'_> {
    /// Passes the bytes of a URL to `use_bytes`, and returns its result.
    ///
    /// Nearly every URL is a plain `str`, for which an exact type check costs nothing. A check for a subclass of `str` calls
    /// the interpreter, and creating a `UrlText` costs as much again.
    #[inline]
    pub(crate) fn with_bytes<T>(url: &Bound<'_, PyAny>, use_bytes: impl FnOnce(&[u8]) -> T) -> PyResult<T> {
        if let Ok(text) = url.cast_exact::<PyString>()
            && let Ok(text) = text.to_str()
        {
            return Ok(use_bytes(text.as_bytes()));
        }
        Ok(use_bytes(&url.extract::<UrlText<'_>>()?))
    }

    /// Returns the URL as text. Raises `UrlError` if it is not UTF-8.
    pub(crate) fn text(&self) -> PyResult<&str> {
        std::str::from_utf8(self).map_err(|error| errors::bad_url(&String::from_utf8_lossy(self), error))
    }
}

impl std::ops::Deref for UrlText<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// Encodes a string that contains unpaired surrogates.
fn encode(text: &Borrowed<'_, '_, PyString>) -> PyResult<Vec<u8>> {
    let py = text.py();
    let encoded = |errors: &str| text.call_method1(intern!(py, "encode"), ("utf-8", errors));
    let bytes = encoded("surrogateescape").or_else(|_| encoded("surrogatepass"))?;
    Ok(bytes.cast::<PyBytes>()?.as_bytes().to_vec())
}

/// Converts a sequence of texts. An error names the argument.
pub(crate) fn texts(name: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<String>> {
    let Some(value) = value.filter(|value| !value.is_none()) else { return Ok(Vec::new()) };
    let wrong = |what: &Bound<'_, PyAny>| {
        PyTypeError::new_err(format!("{name}: pass a list of str, not {}", type_name(what)))
    };
    if value.cast::<PyString>().is_ok() || value.cast::<PyBytes>().is_ok() {
        return Err(wrong(value));
    }
    let items = value.try_iter().map_err(|_| wrong(value))?;
    items
        .map(|item| {
            let item = item?;
            item.extract().map_err(|_| {
                PyTypeError::new_err(format!(
                    "{name}: pass a list of str; it has an item of type {}",
                    type_name(&item)
                ))
            })
        })
        .collect()
}

/// Returns the name of an object's type, for messages.
pub(crate) fn type_name(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| "that".to_owned(), |name| name.to_string())
}

/// A point in time: seconds since 1970 (as returned by `time.time()`), or a `datetime` with a time zone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment(pub(crate) SystemTime);

impl Moment {
    /// Returns the given time, or the current time.
    pub(crate) fn or_now(moment: Option<Moment>) -> SystemTime {
        moment.map_or_else(SystemTime::now, |moment| moment.0)
    }
}

impl<'py> FromPyObject<'_, 'py> for Moment {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let seconds: f64 = if let Ok(zone) = object.getattr(intern!(py, "tzinfo")) {
            if zone.is_none() {
                return Err(PyTypeError::new_err(
                    "a datetime without a time zone is ambiguous: pass datetime(..., tzinfo=timezone.utc) or seconds \
                     since 1970",
                ));
            }
            object.call_method0(intern!(py, "timestamp"))?.extract()?
        } else {
            object.extract().map_err(|_| {
                PyTypeError::new_err(format!(
                    "pass a datetime or seconds since 1970, not {}",
                    type_name(&object)
                ))
            })?
        };
        let distance = Duration::try_from_secs_f64(seconds.abs());
        let time = distance.ok().and_then(|distance| match seconds < 0.0 {
            true => SystemTime::UNIX_EPOCH.checked_sub(distance),
            false => SystemTime::UNIX_EPOCH.checked_add(distance),
        });
        time.map(Moment).ok_or_else(|| {
            errors::setting(format!("{seconds:e} is out of range for a time in seconds since 1970"))
        })
    }
}

/// Header fields: a mapping, pairs, or the raw text of a saved header.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    pairs: Vec<(String, Vec<u8>)>,
    raw: Option<Vec<u8>>,
}

impl Fields {
    /// Converts the fields to the header type of the engine.
    pub(crate) fn headers(&self) -> PyResult<Headers<'_>> {
        if let Some(raw) = &self.raw {
            return Headers::parse(raw).map_err(errors::unreadable);
        }
        Ok(self.pairs.iter().map(|(name, value)| (name.as_str(), value.as_slice())).collect())
    }

    /// Returns the fields in the form that HTTP clients take. Raises `SettingError` for an invalid name or value.
    pub(crate) fn to_map(&self) -> PyResult<HeaderMap> {
        let mut map = HeaderMap::new();
        for (name, value) in self.headers()?.iter() {
            let invalid = || errors::setting(format!("headers: the field `{name}` is not valid"));
            let value = HeaderValue::from_bytes(value).map_err(|_| invalid())?;
            map.append(HeaderName::try_from(name).map_err(|_| invalid())?, value);
        }
        Ok(map)
    }

    fn push(&mut self, name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let name = String::from_utf8_lossy(&name.extract::<BytesLike<'_>>()?).into_owned();
        let wrong = |value: &Bound<'_, PyAny>| {
            PyTypeError::new_err(format!(
                "headers: pass the value of the field `{name}` as str or bytes, not {}",
                type_name(value)
            ))
        };
        let bytes = |value: &Bound<'_, PyAny>| {
            Ok::<_, PyErr>(value.extract::<BytesLike<'_>>().map_err(|_| wrong(value))?.to_vec())
        };
        // A value may be a list, because some clients store repeated fields as a list of values.
        let mut values = Vec::new();
        if value.cast::<PyString>().is_err() && value.cast::<PyBytes>().is_err() {
            for value in value.try_iter().map_err(|_| wrong(value))? {
                values.push(bytes(&value?)?);
            }
        } else {
            values.push(bytes(value)?);
        }
        self.pairs.extend(values.into_iter().map(|value| (name.clone(), value)));
        Ok(())
    }
}

impl<'py> FromPyObject<'_, 'py> for Fields {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let mut fields = Fields::default();
        if object.cast::<PyString>().is_ok() || object.cast::<PyBytes>().is_ok() {
            fields.raw = Some(object.extract::<BytesLike<'_>>()?.to_vec());
            return Ok(fields);
        }
        let items = match object.cast::<PyMapping>() {
            Ok(mapping) => mapping.items()?.into_any(),
            Err(_) => object.to_owned(),
        };
        let wrong = |object: &Bound<'_, PyAny>| {
            PyTypeError::new_err(format!(
                "headers: pass header fields as a mapping, as pairs of name and value, or as raw text, not {}",
                type_name(object)
            ))
        };
        for item in items.try_iter().map_err(|_| wrong(&object))? {
            let item = item?;
            let (name, value) =
                item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>().map_err(|_| wrong(&item))?;
            fields.push(&name, &value)?;
        }
        Ok(fields)
    }
}
