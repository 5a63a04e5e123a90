//! `/v1/new`: a robots.txt from wishes.

use axum_core::response::Response;
use comity::finding::Finding;
use comity_answers::request;
use comity_answers::wishes::{Wishes, Written};
use http::request::Parts;
use schemars::JsonSchema;
use serde::Serialize;

use super::{json, question};
use crate::body::RequestBody;
use crate::context::Context;
use crate::problem::{Kind, Problem};
use crate::questions::NewQuestion;

/// A robots.txt that was written.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct NewAnswer {
    /// The text.
    pub(crate) robots: String,
    /// Remarks on what was wished for.
    pub(crate) notes: Vec<String>,
    /// What lint says of the text.
    pub(crate) findings: Vec<Finding>,
}

pub(crate) async fn answer(context: Context, parts: Parts, body: RequestBody) -> Result<Response, Problem> {
    let question: NewQuestion = question(&context, &parts, body).await?;
    for names in [&question.block, &question.allow] {
        request::agents(names, &[], &[])?;
    }
    let wishes = Wishes {
        block_purposes: question.block_purposes,
        allow_purposes: question.allow_purposes,
        block: question.block,
        allow: question.allow,
        block_everyone: question.block_everyone,
        disallow: question.disallow,
        sitemaps: question.sitemaps,
        content_signal: question.content_signal,
        content_usage: question.content_usage,
    };
    let work = move || {
        let Written { robots, notes, findings } =
            wishes.write().map_err(|error| Problem::new(Kind::BadQuestion, error.to_string()))?;
        json(&NewAnswer { robots, notes, findings })
    };
    context.heavily(work).await?
}
