//! `/v1/lint`: what is odd in a robots.txt.

use axum::body::Body;
use axum::response::Response;
use comity_answers::lint::{FindingOf, findings};
use http::request::Parts;
use serde::Serialize;

use super::{json, question};
use crate::context::Context;
use crate::problem::Problem;
use crate::questions::FileQuestion;
use crate::sites::File;

/// The findings, in the order of the file.
#[derive(Serialize)]
struct Findings<'a> {
    findings: Vec<FindingOf<'a>>,
}

pub(crate) async fn answer(context: Context, parts: Parts, body: Body) -> Result<Response, Problem> {
    let FileQuestion { robots, site } = question(&context, &parts, body).await?;
    let file = File::of(&context, robots, site, "robots.txt").await?;
    let work = move || {
        let found = findings(&file.body);
        let findings = found.iter().map(|finding| FindingOf { file: &file.name, finding }).collect();
        json(&Findings { findings })
    };
    context.heavily(work).await?
}
