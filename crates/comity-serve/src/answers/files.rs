//! `/v1/lint`, `/v1/matrix`, `/v1/diff`, `/v1/new`: operations about files as a whole.

use axum_core::response::Response;
use comity_answers::operation::FileOperation;
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
    row::<O, _>(&context, request, |row| json(&row)).await?
}

/// Answers a request with whatever is made of its row.
pub(crate) async fn row<O: FileOperation, T: Send + 'static>(
    context: &Context,
    request: O::Request,
    with: impl FnOnce(O::Row) -> T + Send + 'static,
) -> Result<T, Problem> {
    let operation = O::prepare(request, &context.sources()).await;
    let operation = operation.map_err(|error| context.source_problem(error))?;
    let max_decisions = context.shared.options.rows;
    Ok(context.heavily(move || operation.row(max_decisions).map(with)).await??)
}
