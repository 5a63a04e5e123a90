//! `/v1/lint`, `/v1/matrix`, `/v1/diff`, `/v1/new`: operations about files as a whole.

use axum_core::response::Response;
use comity_answers::notice::Noticed;
use comity_answers::operation::FileOperation;
use comity_answers::request::RequestError;
use http::request::Parts;

use super::{json, question};
use crate::body::RequestBody;
use crate::context::Context;
use crate::problem::Problem;

pub(crate) async fn answer<O: FileOperation>(
    context: Context,
    parts: Parts,
    body: RequestBody,
) -> Result<Response, Problem> {
    let request = question(&context, &parts, body).await?;
    let with = |row: Noticed<O::Row>| if O::HAS_NOTICES { json(&row) } else { json(&row.answer) };
    row::<O, _>(&context, request, with).await?
}

/// Answers a request with whatever is made of its row and the notices. The name of the service itself has no notice.
pub(crate) async fn row<O: FileOperation, T: Send + 'static>(
    context: &Context,
    request: O::Request,
    with: impl FnOnce(Noticed<O::Row>) -> T + Send + 'static,
) -> Result<T, Problem> {
    let operation = O::prepare(request, &context.sources()).await;
    let operation = operation.map_err(|error| context.source_problem(error))?;
    let max_decisions = context.shared.options.rows;
    let own = context.client().agent().clone();
    let work = move || {
        let mut row = operation.row(max_decisions)?;
        row.notices.retain(|notice| !notice.is_about(&own));
        Ok::<_, RequestError>(with(row))
    };
    Ok(context.heavily(work).await??)
}
