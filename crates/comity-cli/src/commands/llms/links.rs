//! Requests the documents that the links of an llms.txt lead to.

use std::collections::HashMap;

use comity::llms::{LinkAnswer, LlmsTxt};
use comity_answers::llms::LinkCheck;
use comity_client::{Cause, Client, FetchError, Origin};
use futures_util::{StreamExt, stream};
use url::Url;

use crate::output::Output;
use crate::render;
use crate::sites::{Session, page};

/// Maximum number of sites that are requested at the same time.
const SITES_AT_ONCE: usize = 16;

/// Requests each document once: those of one site in turn, those of several sites at the same time.
pub(super) fn check(llms: &LlmsTxt, session: &Session, output: &mut Output) -> LinkCheck {
    let relative = llms.links().filter(|link| link.url().is_none()).count();
    if relative > 0 {
        let links = render::count(relative, "link");
        output.warning(&format!("{links} cannot be requested: invalid, or relative without `--url`"));
    }
    let mut sites: HashMap<Origin, Vec<Url>> = HashMap::new();
    let urls = llms.link_urls();
    let documents = urls.len();
    for url in urls {
        if let Some(site) = Origin::of(&url) {
            sites.entry(site).or_default().push(url);
        }
    }
    let (client, home) = (session.client(), llms.url().and_then(Origin::of));
    let mut progress = output.progress(Some(documents as u64), "links");
    let of_site = |urls: Vec<Url>| {
        let answers = stream::iter(urls).then(|url| async {
            let answer = request(client, &url, home.as_ref()).await;
            (url, answer)
        });
        Box::pin(answers)
    };
    let answers = stream::iter(sites.into_values().map(of_site))
        .flatten_unordered(SITES_AT_ONCE)
        .inspect(|_| progress.step());
    let answers: HashMap<Url, LinkAnswer> = session.wait(answers.collect());
    LinkCheck { documents, findings: llms.link_findings(&answers) }
}

async fn request(client: &Client, url: &Url, home: Option<&Origin>) -> LinkAnswer {
    match page::request_linked_start(client, url, home).await {
        Ok(page) => LinkAnswer::Answered {
            status: page.status().as_u16(),
            redirected_to: page.url().filter(|last| last != url),
        },
        Err(error) => unanswered(&error),
    }
}

fn unanswered(error: &FetchError) -> LinkAnswer {
    match error.cause() {
        cause @ Cause::Robots(_) => LinkAnswer::Disallowed(cause.to_string()),
        cause => LinkAnswer::Failed(cause.to_string()),
    }
}
