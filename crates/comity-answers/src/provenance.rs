//! The source of a robots.txt.

use std::time::SystemTime;

use base64::Engine;
use comity::policy::{Decision, Failure};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The source of a robots.txt: the JSON object `robots_txt`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RobotsTxt"))]
pub struct Provenance {
    /// The path of the file; `stdin` for standard input. Null for other sources.
    pub file: Option<String>,
    /// The URL, if a site serves the robots.txt.
    pub url: Option<String>,
    /// The status code of the site's answer.
    pub status: Option<u16>,
    /// The error instead of an answer: `dns`, `timeout`, ...
    pub failure: Option<Failure>,
    /// The number of seconds since the robots.txt was fetched.
    pub age_seconds: Option<u64>,
    /// `sha-256=:...:` of the bytes of the robots.txt (RFC 9530).
    pub digest: Option<String>,
}

impl Provenance {
    /// Creates the provenance of a file or of standard input.
    pub fn of_file(name: &str, body: &[u8]) -> Self {
        Provenance { file: Some(name.to_owned()), digest: Some(digest(body)), ..Provenance::default() }
    }

    /// Creates the provenance of a body in a request.
    pub fn of_body(body: &[u8]) -> Self {
        Provenance { digest: Some(digest(body)), ..Provenance::default() }
    }

    /// Creates the provenance of the answer behind a decision. During an outage, status and failure are those of the latest
    /// answer, and the other values those of the copy. `file` and `url` are not set.
    pub fn of_decision(decision: &Decision<'_>, now: SystemTime) -> Self {
        let latest = decision.outage().map(|outage| outage.latest());
        let evidence = decision.evidence();
        let age = evidence.map(|evidence| now.duration_since(evidence.fetched_at()).unwrap_or_default());
        Provenance {
            status: latest.or(evidence).and_then(|answer| answer.status()),
            failure: latest.or(evidence).and_then(|answer| answer.failure()),
            age_seconds: age.map(|age| age.as_secs()),
            digest: evidence.and_then(|evidence| evidence.digest()).map(str::to_owned),
            ..Provenance::default()
        }
    }
}

fn digest(body: &[u8]) -> String {
    // 32 bytes are 44 characters in base64.
    let mut text = String::with_capacity("sha-256=:".len() + 44 + 1);
    text.push_str("sha-256=:");
    base64::engine::general_purpose::STANDARD.encode_string(Sha256::digest(body), &mut text);
    text.push(':');
    text
}
