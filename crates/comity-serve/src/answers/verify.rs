//! `/v1/verify`: whose request is it, by its signature?

use axum_core::response::Response;
use comity::http::Headers;
use comity_answers::signature::SignatureRow;
use comity_identity::Request;
use http::request::Parts;

use super::{json, question};
use crate::body::RequestBody;
use crate::context::Context;
use crate::problem::{Kind, Problem};
use crate::questions::VerifyQuestion;

pub(crate) async fn answer(context: Context, parts: Parts, body: RequestBody) -> Result<Response, Problem> {
    let VerifyQuestion { method, url, headers } = question(&context, &parts, body).await?;
    let fields: Headers<'_> = headers.iter().collect();
    let request = Request::spelled(&method, &url, &fields)
        .map_err(|error| Problem::new(Kind::BadQuestion, error.to_string()))?;
    json(&SignatureRow::from(&context.shared.signatures.outcome(context.caller, &request).await))
}
