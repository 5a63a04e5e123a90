//! The answers: a file for each way to ask. Operations and their rows are those of `comity_answers`.

pub(crate) mod admit;
pub(crate) mod files;
pub(crate) mod robots;
pub(crate) mod urls;
pub(crate) mod verify;

use axum_core::body::Body;
use axum_core::response::Response;
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

/// Answers with one JSON object.
pub(crate) fn json(answer: &impl Serialize) -> Result<Response, Problem> {
    let text = serde_json::to_vec(answer);
    let text = text.map_err(|error| Problem::new(Kind::Internal, error.to_string()))?;
    Ok(batch::response(MediaType::Json, Body::from(text)))
}
