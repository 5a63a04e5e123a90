//! `GET /v1/robots?origin=`: the robots.txt of a site, and how it came.

use axum_core::response::Response;
use comity::robots::RobotsTxt;
use comity_answers::provenance::Provenance;
use http::request::Parts;
use serde::Serialize;

use super::json;
use crate::context::{Context, web_url};
use crate::problem::{Kind, Problem};
use crate::shape::shape;
use crate::sites;

shape! {
    answer
    /// The robots.txt of a site.
    #[derive(Serialize)]
    RobotsAnswer {
        /// The origin: scheme, host, port.
        origin: String,
        /// Where it is from, and how it came.
        robots_txt: Provenance,
        /// The URLs that redirects led to, in order. The rules count for the origin that was asked.
        redirects: Vec<String>,
        /// What the preset does about the answer; null if robots.txt is not looked at.
        treatment: Option<String>,
        /// The preset that the service goes by.
        preset: String,
        /// The dialect in which it is read.
        dialect: String,
        /// The charset that its Content-Type names.
        charset: Option<String>,
        /// The text, a site's own words: bytes that are not UTF-8 are replaced. Null if no rules decide.
        text: Option<String>,
        /// The sitemaps that it names.
        sitemaps: Vec<String>,
    }
}

pub(crate) async fn answer(context: Context, parts: Parts) -> Result<Response, Problem> {
    let query = parts.uri.query().unwrap_or_default();
    let mut asked = None;
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        match (&*name, &asked) {
            ("origin", None) => asked = Some(value.into_owned()),
            ("origin", Some(_)) => return Err(wrong("name one `origin`")),
            _ => return Err(wrong(&format!("there is no parameter `{}`", comity::shown::text(&name)))),
        }
    }
    let asked = asked.ok_or_else(|| wrong("name an origin: /v1/robots?origin=https://example.com"))?;
    let url = web_url(&asked).map_err(|error| wrong(&error))?;
    let origin = context.origin_now(&url)?;
    let served = sites::serve(&context, &origin).await?;
    let preset = context.client().preset();
    let work = move || {
        let (charset, dialect) = (served.charset, preset.dialect());
        let body = served.body.as_deref();
        let robots = body.map(|body| RobotsTxt::parse_with_charset(body, dialect, charset.as_deref()));
        let sitemaps = robots.iter().flat_map(|robots| robots.sitemaps().map(|url| url.into_owned()));
        json(&RobotsAnswer {
            origin: origin.as_str().to_owned(),
            robots_txt: served.provenance,
            redirects: served.redirects,
            treatment: served.decision.treatment.map(|treatment| treatment.to_string()),
            preset: preset.to_string(),
            dialect: dialect.to_string(),
            sitemaps: sitemaps.collect(),
            text: body.map(|body| String::from_utf8_lossy(body).into_owned()),
            charset,
        })
    };
    context.heavily(work).await?
}

fn wrong(text: &str) -> Problem {
    Problem::new(Kind::BadQuestion, text)
}
