//! `/v1/matrix`: which known crawlers a robots.txt lets in.

use axum_core::response::Response;
use comity_answers::matrix::{Asked, Matrix, URLS, Wanted};
use comity_answers::notice::{Notice, NoticeLog};
use comity_answers::request;
use comity_answers::robots_file::Reading;
use http::request::Parts;

use super::{Noticed, json, question};
use crate::body::RequestBody;
use crate::context::Context;
use crate::problem::{Kind, Problem};
use crate::questions::{FileQuestion, MatrixQuestion};

pub(crate) async fn answer(context: Context, parts: Parts, body: RequestBody) -> Result<Response, Problem> {
    let question = question(&context, &parts, body).await?;
    of(&context, question, |answer, notices| json(&Noticed { answer, notices })).await?
}

/// Answers a question with whatever is made of the matrix.
pub(crate) async fn of<T: Send + 'static>(
    context: &Context,
    question: MatrixQuestion,
    with: impl FnOnce(&Matrix, Vec<Notice>) -> T + Send + 'static,
) -> Result<T, Problem> {
    let named = request::agents(&question.agents, &question.user_agents, &[])?;
    let MatrixQuestion { robots, site, dialect, charset, urls, agents, user_agents, purposes, all } =
        question;
    let wrong = |text: String| Problem::new(Kind::BadQuestion, text);
    if urls.len() > URLS {
        return Err(wrong(format!("a matrix judges {URLS} URLs at most; /v1/check takes any number")));
    }
    let has_text = robots.is_some();
    let (file, page) = context.robots_file(FileQuestion { robots, site }, "robots.txt").await?;
    let most = context.shared.options.rows;
    let own = context.client().agent().clone();
    let work = move || {
        let robots = file.read(&Reading { dialect, charset });
        let wanted = Wanted { agents, user_agents, purposes, all, also: Vec::new() };
        let asked = Asked::new(&wanted, &robots);
        let rows = asked.crawlers().saturating_mul(urls.len());
        if rows > most {
            let text = format!("{rows} decisions are asked for, and an answer has {most} at most");
            return Err(Problem::new(Kind::TooLarge, text));
        }
        let mut notices: Vec<Notice> = page.into_iter().collect();
        notices.extend(Notice::of_agents(&named, Some(&robots)));
        notices.retain(|notice| !notice.is_about(&own));
        let mut log = NoticeLog::default();
        urls.iter().for_each(|url| log.add_url(url.as_bytes()));
        notices.extend(log.into_notices(has_text.then_some("robots")));
        let urls: Vec<Vec<u8>> = urls.into_iter().map(String::into_bytes).collect();
        let matrix = Matrix::new((&file.name, &file.provenance), &robots, asked, &urls)
            .map_err(|(index, error)| wrong(format!("URL {}: {error}", index + 1)))?;
        Ok(with(&matrix, notices))
    };
    context.heavily(work).await?
}
