//! `/v1/lint`: what is odd in a robots.txt.

use axum_core::response::Response;
use comity::finding::Finding;
use comity_answers::lint::{FindingOf, findings};
use http::request::Parts;
use serde::Serialize;

use super::{json, question};
use crate::body::RequestBody;
use crate::context::Context;
use crate::problem::Problem;
use crate::questions::FileQuestion;

/// The findings, in the order of the file.
#[derive(Serialize)]
struct Findings<'a> {
    findings: Vec<FindingOf<'a>>,
}

pub(crate) async fn answer(context: Context, parts: Parts, body: RequestBody) -> Result<Response, Problem> {
    let question = question(&context, &parts, body).await?;
    of(&context, question, |name, found| {
        let findings = found.iter().map(|finding| FindingOf { file: name, finding }).collect();
        json(&Findings { findings })
    })
    .await?
}

/// Answers a question with whatever is made of the file's name and its findings.
pub(crate) async fn of<T: Send + 'static>(
    context: &Context,
    question: FileQuestion,
    with: impl FnOnce(&str, &[Finding]) -> T + Send + 'static,
) -> Result<T, Problem> {
    let FileQuestion { robots, site } = question;
    let file = context.sources().robots_file(robots, site.as_deref(), "robots.txt").await;
    let file = file.map_err(|error| context.source_problem(error))?;
    context.heavily(move || with(&file.name, &findings(&file.body))).await
}
