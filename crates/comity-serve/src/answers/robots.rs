//! `GET /v1/robots?origin=`: the robots.txt of a site, and how it came.

use axum_core::response::Response;
use comity_answers::robots::{Robots, RobotsRequest};
use http::request::Parts;

use super::{files, json};
use crate::context::Context;
use crate::problem::{Kind, Problem};

pub(crate) async fn answer(context: Context, parts: Parts) -> Result<Response, Problem> {
    let request = request(parts.uri.query().unwrap_or_default())?;
    files::row::<Robots, _>(&context, request, |row| json(&row.answer)).await?
}

fn request(query: &str) -> Result<RobotsRequest, Problem> {
    let wrong = |text: &str| Problem::new(Kind::BadQuestion, text);
    let mut origin = None;
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        match (&*name, &origin) {
            ("origin", None) => origin = Some(value.into_owned()),
            ("origin", Some(_)) => return Err(wrong("name one `origin`")),
            _ => return Err(wrong(&format!("there is no parameter `{}`", comity::shown::text(&name)))),
        }
    }
    let origin = origin.ok_or_else(|| wrong("name an origin: /v1/robots?origin=https://example.com"))?;
    Ok(RobotsRequest { origin })
}
