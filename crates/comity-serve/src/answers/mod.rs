//! Handlers, one file for each kind of request. The operations and their rows come from `comity_answers`.

pub(crate) mod admit;
pub(crate) mod files;
pub(crate) mod urls;
pub(crate) mod verify;

use std::io::{self, Write};

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::batch::{self, LONGEST_ANSWER};
use crate::body::MediaType;
use crate::problem::{Kind, Problem};

/// An answer as one JSON object.
#[derive(Debug)]
pub(crate) struct Json<A>(pub(crate) A);

impl<A: Serialize> IntoResponse for Json<A> {
    fn into_response(self) -> Response {
        let mut text = BoundedBuffer(Vec::new());
        match serde_json::to_writer(&mut text, &self.0) {
            Ok(()) => batch::response(MediaType::Json, Body::from(text.0)),
            Err(error) if error.is_io() => {
                let most = LONGEST_ANSWER >> 20;
                Problem::new(Kind::TooLarge, format!("an answer may have at most {most} MiB")).into_response()
            }
            Err(error) => Problem::new(Kind::Internal, error.to_string()).into_response(),
        }
    }
}

/// A buffer that accepts bytes up to the maximum length of an answer.
struct BoundedBuffer(Vec<u8>);

impl Write for BoundedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() > LONGEST_ANSWER - self.0.len() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
