//! A client at work, for commands that ask one thing after the other.

use std::ffi::OsStr;

use comity_client::retrieval::Page;
use comity_client::{Client, Origin};
use url::Url;

use super::robots::NoFile;
use super::trouble::Trouble;
use super::{Network, page, standing};
use crate::args::NetworkArgs;
use crate::exit::Failure;
use crate::output::Output;
use crate::robots_txt::RobotsFile;

/// A client at work.
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

    /// The client.
    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// Runs a future to its end.
    pub(crate) fn wait<F: Future>(&self, future: F) -> F::Output {
        self.live.wait(future)
    }

    /// Returns the robots.txt of the site that a URL is on, or says why it cannot be read.
    pub(crate) fn robots(&self, url: &OsStr) -> Result<Result<RobotsFile, Box<NoFile>>, Trouble> {
        let (_, origin) = located(url)?;
        self.wait(standing::file(&self.client, &origin)).map(|file| file.map(|file| file.0))
    }

    /// Returns the robots.txt of the site that a URL is on. One that is not there is an empty one, and a page in its place
    /// is that page; what there is to know of either comes with it.
    pub(crate) fn robots_txt(&self, url: &OsStr) -> Result<(RobotsFile, Option<String>), Trouble> {
        match self.robots(url)? {
            Ok(file) => Ok((file, None)),
            Err(none) => none.into_file(),
        }
    }

    /// A file about a site, if the answer is a good one.
    pub(crate) fn file(&self, url: &str, max_bytes: usize) -> Result<Page, Trouble> {
        self.wait(page::fetch_file(&self.client, url, max_bytes))
    }

    /// Ends without waiting for what is still under way.
    pub(crate) fn finish(self) {
        self.live.finish();
    }
}

/// The URL that an argument is, and its origin.
pub(crate) fn located(argument: &OsStr) -> Result<(Url, Origin), Trouble> {
    parse(argument.as_encoded_bytes()).map_err(Trouble::plain)
}

/// The URL that an argument is, and its origin.
pub(crate) fn parse(text: &[u8]) -> Result<(Url, Origin), String> {
    let text = std::str::from_utf8(text).map_err(|_| "the URL is not UTF-8".to_owned())?;
    let url: Url = text.trim().parse().map_err(|error| format!("`{text}` is not a URL: {error}"))?;
    match Origin::of(&url) {
        Some(origin) => Ok((url, origin)),
        None => Err(format!("`{text}` is not a URL of the web")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_starts_as_a_url_may_still_be_none() {
        assert_eq!(parse(b" https://Example.com:443/a ").unwrap().1.as_str(), "https://example.com");
        assert!(parse(b"http://").unwrap_err().contains("is not a URL"));
        assert!(parse(b"http://a/\xFF").unwrap_err().contains("UTF-8"));
    }
}
