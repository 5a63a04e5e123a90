//! One answer to a request for robots.txt, as a row tells it.

use comity::http::Headers;
use comity::policy::{self, Failure, Preset, Reading, Reply};

use crate::error::AuditError;
use crate::input::{BytesColumn, Codes, Found, Times, system_time};
use crate::options::Input;

/// The answer to a request for robots.txt. An answer without any part means that robots.txt was never asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Answer<'a> {
    /// `None` if there is no answer, or a good one of which no body was kept: an unknown robots.txt is not an empty one.
    pub reply: Option<Reply>,
    pub body: &'a [u8],
    pub content_type: &'a [u8],
    /// The time in nanoseconds since 1970.
    pub at: i128,
}

impl<'a> Answer<'a> {
    /// A failure counts before a status, and a body without either came with 200.
    pub(crate) fn new(body: Option<&'a [u8]>, status: Option<u16>, failure: Option<Failure>) -> Self {
        let is_good = |code: &u16| (200..300).contains(code);
        let reply = match (failure, status) {
            (Some(failure), _) => Some(Reply::Failure(failure)),
            (None, Some(code)) if is_good(&code) && body.is_none() => None,
            (None, Some(code)) => Some(Reply::Status(code)),
            (None, None) => body.map(|_| Reply::Status(200)),
        };
        // Of what came with anything else nobody reads the body.
        let is_read = matches!(reply, Some(Reply::Status(code)) if is_good(&code));
        Answer { reply, body: body.filter(|_| is_read).unwrap_or_default(), content_type: b"", at: 0 }
    }

    /// Reads it as a preset does; `None` if there is no answer.
    pub(crate) fn with_reading<T>(
        &self,
        preset: Preset,
        use_it: impl FnOnce(&Reading<'_>) -> T,
    ) -> Option<T> {
        let at = system_time(self.at);
        let answer = match self.reply? {
            Reply::Failure(failure) => policy::Answer::failure(failure, at),
            Reply::Status(code) => policy::Answer::status(code, at),
            _ => return None,
        };
        let headers: Headers<'_> = [("Content-Type", self.content_type)].into_iter().collect();
        let answer = answer.with_body(self.body);
        Some(match self.content_type {
            b"" => use_it(&preset.read(&answer)),
            _ => use_it(&preset.read(&answer.with_headers(&headers))),
        })
    }

    /// The charset that the header names.
    pub(crate) fn charset(&self) -> Option<String> {
        let headers: Headers<'_> = [("Content-Type", self.content_type)].into_iter().collect();
        headers.charset()
    }
}

/// The columns that tell of answers.
#[derive(Debug)]
pub(crate) struct AnswerColumns<'a> {
    pub body: Option<BytesColumn<'a>>,
    status: Option<Codes>,
    failure: Option<BytesColumn<'a>>,
    content_type: Option<BytesColumn<'a>>,
    times: Option<Times>,
}

impl<'a> AnswerColumns<'a> {
    pub(crate) fn new(found: &Found<'a>) -> Result<Self, AuditError> {
        Ok(AnswerColumns {
            body: found.bytes(Input::Robots)?,
            status: found.codes(Input::Status)?,
            failure: found.bytes(Input::Failure)?,
            content_type: found.bytes(Input::ContentType)?,
            times: found.times(Input::FetchedAt)?,
        })
    }

    /// Returns whether they tell anything.
    pub(crate) fn is_empty(&self) -> bool {
        self.body.is_none() && self.status.is_none() && self.failure.is_none()
    }

    /// When a row's answer came.
    #[inline]
    pub(crate) fn time(&self, row: usize) -> Option<i128> {
        self.times.as_ref().and_then(|times| times.get(row))
    }

    /// A row's answer, without its time.
    ///
    /// # Errors
    ///
    /// What is wrong with the name of the failure.
    #[inline]
    pub(crate) fn answer(&self, row: usize) -> Result<Answer<'a>, String> {
        let bytes = |column: &Option<BytesColumn<'a>>| column.as_ref().and_then(|column| column.get(row));
        let status = self.status.as_ref().and_then(|codes| codes.get(row));
        let failure = match bytes(&self.failure) {
            None | Some(b"") => None,
            Some(name) => {
                let failure = String::from_utf8_lossy(name).parse::<Failure>();
                Some(failure.map_err(|unknown| unknown.to_string())?)
            }
        };
        let answer = Answer::new(bytes(&self.body), status, failure);
        Ok(Answer { content_type: bytes(&self.content_type).unwrap_or_default(), ..answer })
    }
}
