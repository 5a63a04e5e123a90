//! The answers: a file for each question. The rows are those of `comity_answers`; here they are asked for.

pub(crate) mod admit;
pub(crate) mod diff;
pub(crate) mod lint;
pub(crate) mod matrix;
pub(crate) mod new;
pub(crate) mod robots;
pub(crate) mod urls;
pub(crate) mod verify;

use axum_core::body::Body;
use axum_core::response::Response;
use comity_answers::notice::Notice;
use http::request::Parts;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::batch;
use crate::body::{self, MediaType, RequestBody};
use crate::context::Context;
use crate::problem::{Kind, Problem};

/// Reads a question that is no batch.
pub(crate) async fn question<Q: DeserializeOwned>(
    context: &Context,
    parts: &Parts,
    body: RequestBody,
) -> Result<Q, Problem> {
    MediaType::of(parts, &[MediaType::Json])?;
    let options = &context.shared.options;
    body::question(parts, body, options.body_bytes, options.body_timeout).await
}

/// An answer with the notices about it.
#[derive(Serialize)]
pub(crate) struct Noticed<T> {
    #[serde(flatten)]
    pub(crate) answer: T,
    pub(crate) notices: Vec<Notice>,
}

/// Answers with one JSON object.
pub(crate) fn json(answer: &impl Serialize) -> Result<Response, Problem> {
    let text = serde_json::to_vec(answer);
    let text = text.map_err(|error| Problem::new(Kind::Internal, error.to_string()))?;
    Ok(batch::response(MediaType::Json, Body::from(text)))
}
