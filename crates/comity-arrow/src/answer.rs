//! One answer to a request for robots.txt, built from a row.

use std::borrow::Cow;

use comity::http::Headers;
use comity::policy::{self, Failure, Preset, Reading, Reply};
use comity::robots::Body;

use crate::error::BatchError;
use crate::input::{BatchColumns, BytesColumn, Codes, Times, system_time};
use crate::options::Input;

/// An answer to a request for robots.txt. The default value means that robots.txt was never requested.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RowAnswer<'a> {
    /// `None` if there is no answer.
    pub reply: Option<Reply>,
    pub body: &'a [u8],
    pub form: BodyForm,
    pub content_type: &'a [u8],
    /// The time of the answer, in nanoseconds since 1970.
    pub at: i128,
}

/// The form of the body in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum BodyForm {
    /// The content of the file is unknown: the value is null, or the answer is not 2xx. An empty value is an empty file.
    #[default]
    Missing,
    /// A value of a binary column.
    Bytes,
    /// A value of a text column, which is UTF-8.
    Text,
}

impl<'a> RowAnswer<'a> {
    /// Creates an answer. A failure takes precedence over a status. A body without a failure and
    /// without a status counts as status 200.
    pub(crate) fn new(body: Option<Body<'a>>, status: Option<u16>, failure: Option<Failure>) -> Self {
        let reply = match (failure, status) {
            (Some(failure), _) => Some(Reply::Failure(failure)),
            (None, Some(code)) => Some(Reply::Status(code)),
            (None, None) => body.map(|_| Reply::Status(200)),
        };
        // The body is used only for 2xx answers.
        let is_read = matches!(reply, Some(Reply::Status(200..300)));
        let (body, form) = match body.filter(|_| is_read) {
            None => (&b""[..], BodyForm::Missing),
            Some(body) if body.is_text() => (body.as_bytes(), BodyForm::Text),
            Some(body) => (body.as_bytes(), BodyForm::Bytes),
        };
        RowAnswer { reply, body, form, content_type: b"", at: 0 }
    }

    /// Converts the body for the engine, the crate `comity`. Returns `None` if the body is unknown.
    pub(crate) fn body(&self) -> Option<Body<'a>> {
        match self.form {
            BodyForm::Missing => None,
            BodyForm::Bytes => Some(Body::from(self.body)),
            BodyForm::Text => Some(Body::utf8(self.body)),
        }
    }

    /// Classifies the answer under a preset, and passes the result to a function. Returns `None` if there is no answer.
    pub(crate) fn with_reading<T>(&self, preset: Preset, call: impl FnOnce(&Reading<'_>) -> T) -> Option<T> {
        self.with_answer(|answer| call(&preset.read(answer)))
    }

    /// Converts the answer for the engine, and passes it to a function. Returns `None` if there is no answer.
    #[inline]
    pub(crate) fn with_answer<T>(&self, call: impl FnOnce(&policy::Answer<'_>) -> T) -> Option<T> {
        let at = system_time(self.at);
        let answer = match self.reply? {
            Reply::Failure(failure) => policy::Answer::failure(failure, at),
            Reply::Status(code) => policy::Answer::status(code, at),
            _ => return None,
        };
        let answer = match self.body() {
            Some(body) => answer.with_body(body),
            None => answer,
        };
        if self.content_type.is_empty() {
            return Some(call(&answer));
        }
        let headers: Headers<'_> = [("Content-Type", self.content_type)].into_iter().collect();
        Some(call(&answer.with_headers(&headers)))
    }

    /// Returns the charset in the `Content-Type` header.
    pub(crate) fn charset(&self) -> Option<String> {
        let headers: Headers<'_> = [("Content-Type", self.content_type)].into_iter().collect();
        headers.charset()
    }
}

/// The state of the answer on which a decision is based. The column `answer` shows it as one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum AnswerState {
    /// There is no answer.
    None,
    /// The first answer was received after the decision time.
    NotYet,
    /// The decision time is missing.
    NoTime,
    /// The times of all answers that could decide are missing.
    Undated,
    /// The age of the answer is unknown, or exceeds the maximum in the options.
    TooOld,
    Reply(Reply),
}

impl AnswerState {
    pub(crate) fn of(reply: Option<Reply>) -> Self {
        reply.map_or(AnswerState::None, AnswerState::Reply)
    }

    /// Returns the word: `http_503`, `timeout`, ….
    pub(crate) fn word(self) -> Cow<'static, str> {
        match self {
            AnswerState::NotYet => "not_yet".into(),
            AnswerState::NoTime => "no_time".into(),
            AnswerState::Undated => "undated".into(),
            AnswerState::TooOld => "too_old".into(),
            AnswerState::Reply(Reply::Status(code)) => format!("http_{code}").into(),
            AnswerState::Reply(Reply::Failure(failure)) => failure.as_str().into(),
            _ => "none".into(),
        }
    }
}

/// The columns from which the answers of a batch are built.
#[derive(Debug)]
pub(crate) struct AnswerColumns<'a> {
    pub body: Option<BytesColumn<'a>>,
    status: Option<Codes>,
    failure: Option<BytesColumn<'a>>,
    content_type: Option<BytesColumn<'a>>,
    times: Option<Times>,
}

impl<'a> AnswerColumns<'a> {
    pub(crate) fn new(found: &BatchColumns<'a>) -> Result<Self, BatchError> {
        Ok(AnswerColumns {
            body: found.bytes(Input::Robots)?,
            status: found.codes(Input::Status)?,
            failure: found.bytes(Input::Failure)?,
            content_type: found.bytes(Input::ContentType)?,
            times: found.times(Input::FetchedAt)?,
        })
    }

    /// Returns true if there are no columns for body, status and failure.
    pub(crate) fn is_empty(&self) -> bool {
        self.body.is_none() && self.status.is_none() && self.failure.is_none()
    }

    /// Returns the index of the value that is the body of a row, or `None` if the row has no body.
    pub(crate) fn body_index(&self, row: usize) -> Option<u32> {
        self.body.as_ref().and_then(|bodies| bodies.value_index(row))
    }

    /// Returns whether there is a column for the times of answers.
    pub(crate) fn has_times(&self) -> bool {
        self.times.is_some()
    }

    /// Returns the time of the answer in a row.
    #[inline]
    pub(crate) fn time(&self, row: usize) -> Option<i128> {
        self.times.as_ref().and_then(|times| times.get(row))
    }

    /// Returns the answer of a row, without its time.
    ///
    /// # Errors
    ///
    /// Returns a message if the name of the failure is unknown.
    #[inline]
    pub(crate) fn answer(&self, row: usize) -> Result<RowAnswer<'a>, String> {
        let bytes = |column: &Option<BytesColumn<'a>>| column.as_ref().and_then(|column| column.get(row));
        let status = self.status.as_ref().and_then(|codes| codes.get(row));
        let failure = match bytes(&self.failure) {
            None | Some(b"") => None,
            Some(name) => {
                let failure = String::from_utf8_lossy(name).parse::<Failure>();
                Some(failure.map_err(|unknown| unknown.to_string())?)
            }
        };
        let body = self.body.as_ref().and_then(|column| column.body(row));
        // In a table with statuses, a body without a status may be an error page.
        let body = body.filter(|_| self.status.is_none() || status.is_some());
        let answer = RowAnswer::new(body, status, failure);
        Ok(RowAnswer { content_type: bytes(&self.content_type).unwrap_or_default(), ..answer })
    }
}
