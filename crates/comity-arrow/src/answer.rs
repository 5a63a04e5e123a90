//! One answer to a request for robots.txt, built from a row.

use std::borrow::Cow;

use comity::http::Headers;
use comity::policy::{self, Failure, Preset, Reading, Reply};
use comity::robots::Body;

use crate::error::BatchError;
use crate::input::{BatchColumns, BytesColumn, Codes, Times, system_time};
use crate::options::Input;

/// An answer to a request for robots.txt. Without any part, it means that robots.txt was never requested.
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
    /// A null value: an unknown robots.txt differs from an empty one.
    #[default]
    Missing,
    /// A value of a binary column.
    Bytes,
    /// A value of a text column, which is UTF-8.
    Text,
}

impl<'a> RowAnswer<'a> {
    /// Creates an answer. A failure takes precedence over a status. A body without either counts as status 200.
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

    /// Returns the body in the form of the engine; `None` if it is unknown.
    pub(crate) fn body(&self) -> Option<Body<'a>> {
        match self.form {
            BodyForm::Missing => None,
            BodyForm::Bytes => Some(Body::from(self.body)),
            BodyForm::Text => Some(Body::utf8(self.body)),
        }
    }

    /// Reads the answer under a preset. Returns `None` if there is no answer.
    pub(crate) fn with_reading<T>(
        &self,
        preset: Preset,
        use_it: impl FnOnce(&Reading<'_>) -> T,
    ) -> Option<T> {
        self.with_answer(|answer| use_it(&preset.read(answer)))
    }

    /// Calls a function with the answer in the form of the engine. Returns `None` if there is no answer.
    #[inline]
    pub(crate) fn with_answer<T>(&self, use_it: impl FnOnce(&policy::Answer<'_>) -> T) -> Option<T> {
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
            return Some(use_it(&answer));
        }
        let headers: Headers<'_> = [("Content-Type", self.content_type)].into_iter().collect();
        Some(use_it(&answer.with_headers(&headers)))
    }

    /// Returns the charset in the header.
    pub(crate) fn charset(&self) -> Option<String> {
        let headers: Headers<'_> = [("Content-Type", self.content_type)].into_iter().collect();
        headers.charset()
    }
}

/// The answer behind a decision, as one word: the column `answer`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Answered {
    /// There is no answer.
    None,
    /// The first answer came after the time of the decision.
    NotYet,
    /// The time of the decision is missing.
    NoTime,
    /// Times are missing from all answers that could decide.
    Undated,
    /// The answer is older than the options accept.
    TooOld,
    Reply(Reply),
}

impl Answered {
    pub(crate) fn of(reply: Option<Reply>) -> Self {
        reply.map_or(Answered::None, Answered::Reply)
    }

    /// Returns the word: `http_503`, `timeout`, ….
    pub(crate) fn word(self) -> Cow<'static, str> {
        match self {
            Answered::NotYet => "not_yet".into(),
            Answered::NoTime => "no_time".into(),
            Answered::Undated => "undated".into(),
            Answered::TooOld => "too_old".into(),
            Answered::Reply(Reply::Status(code)) => format!("http_{code}").into(),
            Answered::Reply(Reply::Failure(failure)) => failure.as_str().into(),
            _ => "none".into(),
        }
    }
}

/// The columns with the parts of answers.
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

    /// Returns true if no column has a part of an answer.
    pub(crate) fn is_empty(&self) -> bool {
        self.body.is_none() && self.status.is_none() && self.failure.is_none()
    }

    /// Returns the position of a row's body, if it has one.
    pub(crate) fn body_place(&self, row: usize) -> Option<u32> {
        self.body.as_ref().and_then(|bodies| bodies.place(row))
    }

    /// Returns whether a column has the times of answers.
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
