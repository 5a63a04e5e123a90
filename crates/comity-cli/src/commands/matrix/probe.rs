//! `--probe`: the answers of the site to Comity, in addition to the rules of its robots.txt for each crawler.
//!
//! A page is requested under Comity's own name, and only if robots.txt allows it for Comity. So a refusal does not show
//! how the site answers other crawlers. The output lists refusals in a separate section, and never in the row of a
//! crawler.

use comity_answers::matrix::Probe;
#[cfg(feature = "live")]
use comity_answers::matrix::ProbedPage;
#[cfg(feature = "live")]
use comity_client::retrieval::FetchRecord;
use url::Url;

use crate::exit::{Exit, Failure};
use crate::location::Location;
use crate::output::Output;
use crate::sites::Session;

/// Requests pages of the site.
#[cfg(feature = "live")]
pub(super) fn request_pages(session: &Session, pages: &[Url], output: &mut Output) -> (Probe, Exit) {
    let client = session.client();
    let mut probe = Probe { agent: String::new(), user_agent: String::new(), pages: Vec::new() };
    let mut exit = Exit::Success;
    for url in pages {
        let record = match session.wait(crate::sites::page::request_start(client, url.as_str())) {
            Ok(page) => page.record().clone(),
            Err(error) => {
                let record = error.record().clone();
                let error = crate::sites::failure::SiteFailure::from(error);
                // A refusal by robots.txt is shown with the page.
                if error.exit != Exit::Objection {
                    exit = exit.max(error.report(output));
                }
                record
            }
        };
        probe.agent.clone_from(&record.agent);
        probe.user_agent.clone_from(&record.user_agent);
        probe.pages.push(probed(&record));
    }
    (probe, exit)
}

#[cfg(feature = "live")]
fn probed(record: &FetchRecord) -> ProbedPage {
    ProbedPage {
        url: record.requested_url.clone(),
        final_url: record.final_url.clone(),
        outcome: record.outcome.as_str(),
        status: record.content.as_ref().map(|content| content.status),
        refusal: record.refusal.clone(),
        error: record.error.clone(),
    }
}

/// Requests nothing: a build without the network has no session.
#[cfg(not(feature = "live"))]
pub(super) fn request_pages(session: &Session, _: &[Url], _: &mut Output) -> (Probe, Exit) {
    match *session {}
}

/// Returns the URLs of the pages to request, without duplicates. If `urls` is empty, returns the root of the site.
pub(super) fn pages(location: &Location, urls: &[Vec<u8>]) -> Result<Vec<Url>, Failure> {
    let base: Option<Url> = match location {
        Location::Site { url, .. } => url.parse().ok(),
        _ => None,
    };
    let nowhere = |what: &str| {
        Failure::new(format!("the site of {what} is unknown"))
            .hint("write URLs with https://, or name the site: comity matrix --probe https://example.com")
    };
    if urls.is_empty() {
        let root = base.and_then(|base| base.join("/").ok());
        return root.map(|root| vec![root]).ok_or_else(|| nowhere("the page to request"));
    }
    let mut pages: Vec<Url> = Vec::new();
    for url in urls {
        let text = String::from_utf8_lossy(url);
        let page = match &base {
            _ if comity_answers::url::has_web_scheme(url) => text.parse().ok(),
            Some(base) => base.join(&text).ok(),
            None => None,
        };
        let page = page.ok_or_else(|| nowhere(&format!("`{text}`")))?;
        if !pages.contains(&page) {
            pages.push(page);
        }
    }
    Ok(pages)
}
