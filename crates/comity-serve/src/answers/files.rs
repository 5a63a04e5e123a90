//! Handlers of operations with one object as the answer: operations about a whole file, and operations that need no
//! input but the request.

use std::time::SystemTime;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use comity_answers::notice::WithNotices;
use comity_answers::operation::{FileOperation, RequestOperation};
use comity_answers::request::RequestError;

use super::Json;
use crate::body::Question;
use crate::context::Context;
use crate::problem::Problem;

/// Answers the request in the body of a POST.
pub(crate) async fn by_body<O: FileOperation>(
    State(context): State<Context>,
    Question(request): Question<O::Request>,
) -> Result<Response, Problem> {
    answer::<O>(&context, request).await
}

/// Answers the request in the query of a GET.
pub(crate) async fn by_query<O: FileOperation>(
    State(context): State<Context>,
    query: Result<Query<O::Request>, QueryRejection>,
) -> Result<Response, Problem> {
    answer::<O>(&context, query?.0).await
}

/// Answers the request in the body. The operation needs no other input.
pub(crate) async fn by_request<O: RequestOperation>(
    State(context): State<Context>,
    Question(request): Question<O::Request>,
) -> Result<Response, Problem> {
    let max_decisions = context.shared.options.rows;
    let work = move || {
        let operation = O::read(request)?;
        Ok(Json(operation.answer(SystemTime::now(), max_decisions)?).into_response())
    };
    context.run_blocking(work).await?
}

async fn answer<O: FileOperation>(context: &Context, request: O::Request) -> Result<Response, Problem> {
    let with = |row: WithNotices<O::Row>| {
        if O::HAS_NOTICES { Json(row).into_response() } else { Json(row.answer).into_response() }
    };
    row::<O, _>(context, request, with).await
}

/// Computes the row of a request with its notices, and returns the result of `with` for them. Notices about the name of
/// the service's own crawler are removed.
pub(crate) async fn row<O: FileOperation, T: Send + 'static>(
    context: &Context,
    request: O::Request,
    with: impl FnOnce(WithNotices<O::Row>) -> T + Send + 'static,
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
    Ok(context.run_blocking(work).await??)
}
