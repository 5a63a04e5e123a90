//! A client for commands that send one request after the other.

use std::ffi::OsStr;
use std::time::SystemTime;

use comity::decision::DecisionRecord;
use comity_answers::robots_file::RobotsFile;
use comity_answers::site::SiteFile;
use comity_answers::sources::{Sources, consequence};
use comity_answers::url::web_url;
use comity_client::retrieval::Page;
use comity_client::{Cause, Client, Origin};
use url::Url;

use super::failure::SiteFailure;
use super::{Network, page, phrases};
use crate::args::NetworkArgs;
use crate::exit::Failure;
use crate::output::Output;
use crate::render;

/// A client with its runtime.
pub(crate) struct Session {
    live: Network,
    client: Client,
}

impl Session {
    /// Reads the settings and opens the store.
    pub(crate) fn new(args: &NetworkArgs, output: &mut Output) -> Result<Session, Failure> {
        let live = Network::new(args, Vec::new(), output)?;
        let client = live.client()?;
        Ok(Session { live, client })
    }

    /// Returns the client.
    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// Runs a future to completion.
    pub(crate) fn wait<F: Future>(&self, future: F) -> F::Output {
        self.live.wait(future)
    }

    /// Returns the answer of a site to the request for robots.txt.
    pub(crate) fn site_file(&self, url: &OsStr) -> Result<SiteFile, SiteFailure> {
        let sources = Sources::live(self.client.clone());
        self.wait(sources.site_file(url.as_encoded_bytes())).map_err(|error| SiteFailure::of_source(&error))
    }

    /// Returns the robots.txt of the site of a URL, and a remark for the user. If the site has no robots.txt, the file
    /// is empty and the remark names the reason. An HTML page in place of robots.txt is returned unchanged.
    pub(crate) fn robots_txt(&self, url: &OsStr) -> Result<(RobotsFile, Option<String>), SiteFailure> {
        let file = self.site_file(url)?;
        let is_missing = file.body.is_none() && file.page.is_none() && file.allows_all();
        let remark = is_missing.then(|| missing(&file.url(), &file.decision));
        match file.into_robots_file() {
            Ok(file) => Ok((file, remark)),
            Err(unreadable) => {
                let sentence = missing(&unreadable.name, &unreadable.decision);
                Err(SiteFailure::plain(sentence).with_remedy(&Cause::of_decision(unreadable.decision)))
            }
        }
    }

    /// Fetches a file of a site. An answer without a success status is an error.
    pub(crate) fn file(&self, url: &str, max_bytes: usize) -> Result<Page, SiteFailure> {
        self.wait(page::fetch_file(&self.client, url, max_bytes))
    }

    /// Fetches a file that a document of `site` names. An answer without a success status is an error.
    pub(crate) fn linked_file(
        &self,
        url: &Url,
        max_bytes: usize,
        site: &Origin,
    ) -> Result<Page, SiteFailure> {
        self.wait(page::fetch_linked_file(&self.client, url, max_bytes, site))
    }

    /// Shuts down without waiting for running requests.
    pub(crate) fn finish(self) {
        self.live.finish();
    }
}

/// Returns a message about a robots.txt that cannot be read, with the consequence.
pub(crate) fn missing(robots_txt: &str, decision: &DecisionRecord) -> String {
    let transport = phrases::source(decision, SystemTime::now());
    let name = render::text(robots_txt.as_bytes());
    format!("cannot read a robots.txt at `{name}` ({transport}): {}", consequence(decision.treatment))
}

/// Returns the URL in an argument, and its origin.
pub(crate) fn parse_location(argument: &OsStr) -> Result<(Url, Origin), SiteFailure> {
    web_url(argument.as_encoded_bytes()).map_err(|problem| SiteFailure::plain(problem.to_string()))
}
