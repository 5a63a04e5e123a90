//! `/v1/matrix`: which known crawlers a robots.txt lets in.

use axum_core::response::Response;
use comity_answers::matrix::{Asked, Matrix, URLS, Wanted};
use comity_answers::request;
use comity_answers::robots_file::Reading;
use http::request::Parts;

use super::{json, question};
use crate::body::RequestBody;
use crate::context::Context;
use crate::problem::{Kind, Problem};
use crate::questions::{FileQuestion, MatrixQuestion};

pub(crate) async fn answer(context: Context, parts: Parts, body: RequestBody) -> Result<Response, Problem> {
    let question = question(&context, &parts, body).await?;
    of(&context, question, json).await?
}

/// Answers a question with whatever is made of the matrix.
pub(crate) async fn of<T: Send + 'static>(
    context: &Context,
    question: MatrixQuestion,
    with: impl FnOnce(&Matrix) -> T + Send + 'static,
) -> Result<T, Problem> {
    request::agents(&question.agents, &question.user_agents, &[])?;
    let MatrixQuestion { robots, site, dialect, charset, urls, agents, user_agents, purposes, all } =
        question;
    let wrong = |text: String| Problem::new(Kind::BadQuestion, text);
    if urls.len() > URLS {
        return Err(wrong(format!("a matrix judges {URLS} URLs at most; /v1/check takes any number")));
    }
    let file = context.robots_file(FileQuestion { robots, site }, "robots.txt").await?;
    let most = context.shared.options.rows;
    let work = move || {
        let robots = file.read(&Reading { dialect, charset });
        let wanted = Wanted { agents, user_agents, purposes, all, also: Vec::new() };
        let asked = Asked::new(&wanted, &robots);
        let rows = asked.crawlers().saturating_mul(urls.len());
        if rows > most {
            let text = format!("{rows} decisions are asked for, and an answer has {most} at most");
            return Err(Problem::new(Kind::TooLarge, text));
        }
        let urls: Vec<Vec<u8>> = urls.into_iter().map(String::into_bytes).collect();
        let matrix = Matrix::new((&file.name, &file.provenance), &robots, asked, &urls)
            .map_err(|(index, error)| wrong(format!("URL {}: {error}", index + 1)))?;
        Ok(with(&matrix))
    };
    context.heavily(work).await?
}
