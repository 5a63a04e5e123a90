//! Handler of `/v1/verify`, which verifies the signature of a request.

use axum::extract::State;
use comity::http::Headers;
use comity_answers::signature::SignatureRow;
use comity_identity::Request;

use super::Json;
use crate::body::Question;
use crate::context::Context;
use crate::problem::{Kind, Problem};
use crate::questions::VerifyQuestion;

pub(crate) async fn verify(
    State(context): State<Context>,
    Question(VerifyQuestion { method, url, headers }): Question<VerifyQuestion>,
) -> Result<Json<SignatureRow>, Problem> {
    let fields: Headers<'_> = headers.iter().collect();
    let request = Request::spelled(&method, &url, &fields)
        .map_err(|error| Problem::new(Kind::BadQuestion, error.to_string()))?;
    Ok(Json((&context.setup.signatures.outcome(context.caller, &request).await).into()))
}
