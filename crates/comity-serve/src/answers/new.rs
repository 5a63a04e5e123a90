//! `/v1/new`: a robots.txt from wishes.

use axum_core::response::Response;
use comity::finding::Finding;
use comity_answers::wishes::{Wishes, Written};
use http::request::Parts;
use serde::Serialize;

use super::{json, question};
use crate::body::RequestBody;
use crate::context::Context;
use crate::problem::{Kind, Problem};
use crate::questions::{self, NewQuestion};
use crate::shape::{PurposeName, shape};

shape! {
    answer
    /// A robots.txt that was written.
    #[derive(Serialize)]
    NewAnswer {
        /// The text.
        robots: String,
        /// Remarks on what was wished for.
        notes: Vec<String>,
        /// What lint says of the text.
        findings: Vec<Finding>,
    }
}

pub(crate) async fn answer(context: Context, parts: Parts, body: RequestBody) -> Result<Response, Problem> {
    let question: NewQuestion = question(&context, &parts, body).await?;
    for names in [&question.block, &question.allow] {
        questions::agents(names, &[], &[])?;
    }
    let purposes = |names: Vec<PurposeName>| names.into_iter().map(|purpose| purpose.0).collect();
    let wishes = Wishes {
        block_purposes: purposes(question.block_purposes),
        allow_purposes: purposes(question.allow_purposes),
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
