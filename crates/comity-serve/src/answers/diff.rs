//! `/v1/diff`: what a change of a robots.txt changes in meaning.

use axum_core::response::Response;
use comity_answers::diff::{DiffDocument, Pair, Report, Sides, UrlChange};
use http::request::Parts;

use super::{json, question};
use crate::batch::LONGEST_URL;
use crate::body::RequestBody;
use crate::context::Context;
use crate::problem::{Kind, Problem};
use crate::questions::{self, DiffQuestion};
use crate::sites::File;

pub(crate) async fn answer(context: Context, parts: Parts, body: RequestBody) -> Result<Response, Problem> {
    let DiffQuestion { old, new, dialect, agents, user_agents, urls } =
        question(&context, &parts, body).await?;
    let asked = questions::agents(&agents, &user_agents, &[])?;
    let old = File::of(&context, old.robots, old.site, "old").await?.without_page();
    let new = File::of(&context, new.robots, new.site, "new").await?.without_page();
    let most = context.shared.options.rows;
    let work = move || {
        let read =
            |file: &'_ File| questions::read(file.robots(), dialect, file.charset.as_deref()).into_owned();
        let pair = Pair { old: read(&old), new: read(&new) };
        let agents = if asked.is_empty() { pair.named() } else { asked };
        if agents.len().saturating_mul(urls.len()) > most {
            let text = format!("{} crawlers and {} URLs are too many", agents.len(), urls.len());
            return Err(Problem::new(Kind::TooLarge, text));
        }
        let report = Report::new(&pair, &agents, || {})
            .map_err(|error| Problem::new(Kind::TooLarge, error.to_string()))?;
        let sides = Sides::new(&pair, if urls.is_empty() { &[] } else { &agents });
        let mut changes = Vec::new();
        for (index, url) in urls.iter().enumerate() {
            let wrong = |text: String| Problem::new(Kind::BadQuestion, format!("URL {}: {text}", index + 1));
            if url.len() > LONGEST_URL {
                return Err(wrong(format!("a URL has {LONGEST_URL} bytes at most")));
            }
            let turns = sides.turns(url.as_bytes()).map_err(|error| wrong(error.to_string()))?;
            changes.extend(turns.iter().map(|turn| UrlChange::new(url.as_bytes(), turn)));
        }
        let (old, new) = (&old.provenance, &new.provenance);
        json(&DiffDocument { old, new, report: &report, urls: changes })
    };
    context.heavily(work).await?
}
