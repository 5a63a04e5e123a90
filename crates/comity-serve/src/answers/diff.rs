//! `/v1/diff`: what a change of a robots.txt changes in meaning.

use axum_core::response::Response;
use comity_answers::diff::{DiffDocument, Pair, Report, Sides, UrlChange};
use comity_answers::notice::{Notice, NoticeLog};
use comity_answers::request::agents as agents_of;
use comity_answers::robots_file::Reading;
use http::request::Parts;

use super::{Noticed, json, question};
use crate::batch::LONGEST_URL;
use crate::body::RequestBody;
use crate::context::Context;
use crate::problem::{Kind, Problem};
use crate::questions::DiffQuestion;

pub(crate) async fn answer(context: Context, parts: Parts, body: RequestBody) -> Result<Response, Problem> {
    let DiffQuestion { old, new, dialect, agents, user_agents, urls } =
        question(&context, &parts, body).await?;
    let asked = agents_of(&agents, &user_agents, &[])?;
    let (old, old_page) = context.robots_file(old, "old").await?;
    let has_text = new.robots.is_some();
    let (new, new_page) = context.robots_file(new, "new").await?;
    let own = context.client().agent().clone();
    let most = context.shared.options.rows;
    let work = move || {
        let reading = Reading { dialect, charset: None };
        let pair = Pair { old: old.read(&reading), new: new.read(&reading) };
        let mut notices: Vec<Notice> = old_page.into_iter().chain(new_page).collect();
        notices.extend(pair.notices(&asked));
        notices.retain(|notice| !notice.is_about(&own));
        let agents = if asked.is_empty() { pair.named() } else { asked };
        if agents.len().saturating_mul(urls.len()) > most {
            let text = format!("{} crawlers and {} URLs are too many", agents.len(), urls.len());
            return Err(Problem::new(Kind::TooLarge, text));
        }
        let report = Report::new(&pair, &agents, || {})
            .map_err(|error| Problem::new(Kind::TooLarge, error.to_string()))?;
        let sides = Sides::new(&pair, if urls.is_empty() { &[] } else { &agents });
        let mut log = NoticeLog::default();
        let mut changes = Vec::new();
        for (index, url) in urls.iter().enumerate() {
            let wrong = |text: String| Problem::new(Kind::BadQuestion, format!("URL {}: {text}", index + 1));
            if url.len() > LONGEST_URL {
                return Err(wrong(format!("a URL has {LONGEST_URL} bytes at most")));
            }
            let turns = sides.turns(url.as_bytes()).map_err(|error| wrong(error.to_string()))?;
            log.add_url(url.as_bytes());
            changes.extend(turns.iter().map(|turn| UrlChange::new(url.as_bytes(), turn)));
        }
        let (old, new) = (&old.provenance, &new.provenance);
        notices.extend(log.into_notices(has_text.then_some("new")));
        json(&Noticed { answer: DiffDocument { old, new, report: &report, urls: changes }, notices })
    };
    context.heavily(work).await?
}
