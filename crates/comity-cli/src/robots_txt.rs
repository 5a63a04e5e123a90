//! A robots.txt that a command is about, and where it is from.

use std::time::SystemTime;

use base64::Engine;
use comity::policy::Decision;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::exit::Failure;
use crate::input::Source;
use crate::output::Output;

/// A robots.txt that has been read.
#[derive(Debug)]
pub(crate) struct RobotsFile {
    /// The file's path or URL, for messages.
    pub(crate) name: String,
    pub(crate) body: Vec<u8>,
    /// The charset in the `Content-Type` that it came with.
    pub(crate) charset: Option<String>,
    pub(crate) provenance: Provenance,
    /// A page stands in its place.
    pub(crate) is_foreign: bool,
}

/// Where a robots.txt is from, as JSON says it: `robots_txt`.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Provenance {
    /// The path of the file; `stdin` for standard input. Null for what a site serves.
    pub(crate) file: Option<String>,
    /// Its URL on the site. Null for a file.
    pub(crate) url: Option<String>,
    /// The status code of the site's answer.
    pub(crate) status: Option<u16>,
    /// The reason why there is no answer: `dns`, `timeout`, ...
    pub(crate) failure: Option<&'static str>,
    /// How many seconds ago it was fetched.
    pub(crate) age_seconds: Option<u64>,
    /// `sha-256=:...:` of its bytes (RFC 9530).
    pub(crate) digest: Option<String>,
}

impl Provenance {
    /// Of a file or of standard input.
    pub(crate) fn of_file(name: &str, body: &[u8]) -> Self {
        Provenance { file: Some(name.to_owned()), digest: Some(digest(body)), ..Provenance::default() }
    }
}

impl Provenance {
    /// Of the answer that a decision rests on, wherever it came from.
    pub(crate) fn of_decision(decision: &Decision<'_>, now: SystemTime) -> Self {
        let latest = decision.outage().map(|outage| outage.latest());
        let evidence = decision.evidence();
        let age = evidence.map(|evidence| now.duration_since(evidence.fetched_at()).unwrap_or_default());
        Provenance {
            status: latest.or(evidence).and_then(|answer| answer.status()),
            failure: latest.or(evidence).and_then(|answer| answer.failure()).map(|failure| failure.as_str()),
            age_seconds: age.map(|age| age.as_secs()),
            digest: evidence.and_then(|evidence| evidence.digest()).map(str::to_owned),
            ..Provenance::default()
        }
    }
}

#[cfg(feature = "live")]
impl Provenance {
    /// Of a site that was not asked, or gave no answer.
    pub(crate) fn of_url(origin: &comity_client::Origin) -> Self {
        Provenance { url: Some(origin.robots_txt().into()), ..Provenance::default() }
    }

    /// Of what a site serves, as a decision rests on it.
    pub(crate) fn of_site(origin: &comity_client::Origin, decision: &Decision<'_>, now: SystemTime) -> Self {
        let url = Provenance::of_url(origin).url;
        Provenance { url, ..Provenance::of_decision(decision, now) }
    }
}

fn digest(body: &[u8]) -> String {
    format!("sha-256=:{}:", base64::engine::general_purpose::STANDARD.encode(Sha256::digest(body)))
}

impl RobotsFile {
    /// Reads a file or standard input.
    pub(crate) fn read(source: &Source) -> Result<RobotsFile, Failure> {
        Ok(RobotsFile::of_bytes(source.name(), source.read()?))
    }

    /// Returns the bytes as a file of this name.
    pub(crate) fn of_bytes(name: String, body: Vec<u8>) -> RobotsFile {
        let provenance = Provenance::of_file(&name, &body);
        RobotsFile { name, body, charset: None, provenance, is_foreign: false }
    }

    /// Empties what is no robots.txt, for commands that decide by it: a page in its place allows everything.
    pub(crate) fn without_page(mut self, output: &mut Output) -> RobotsFile {
        if std::mem::take(&mut self.is_foreign) {
            output.warning(&format!(
                "`{}` is a page and not a robots.txt; it is read as an empty file",
                self.name
            ));
            self.body.clear();
        }
        self
    }
}
