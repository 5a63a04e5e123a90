//! The robots.txt of a site, as a file that has been read.

use std::time::SystemTime;

use comity::policy::{Policy, Treatment};
use comity_client::{Cause, Client, Origin};

use super::trouble::Trouble;
use super::words;
use crate::render;

/// A site's robots.txt: its content and its source.
#[derive(Debug)]
pub(crate) struct SiteFile {
    /// Its URL, which is its name in messages.
    pub(crate) name: String,
    pub(crate) body: Vec<u8>,
    /// The charset in its `Content-Type`.
    pub(crate) charset: Option<String>,
    /// `200, just now; rfc9309`.
    pub(crate) came: String,
}

/// The reason why there is no file.
#[derive(Debug)]
pub(crate) struct NoFile {
    name: String,
    /// `404, just now; rfc9309`.
    came: String,
    /// The preset's treatment of the answer; `None` if robots.txt is not looked at.
    treatment: Option<Treatment>,
}

/// The file that a policy rests on.
pub(super) async fn file_of(
    client: &Client,
    origin: &Origin,
    policy: &Policy,
) -> Result<Result<SiteFile, NoFile>, Trouble> {
    let (name, now) = (String::from(origin.robots_txt()), SystemTime::now());
    let decision = policy.decide("/", now).map_err(|error| Trouble::plain(format!("`{name}`: {error}")))?;
    let came = words::source(&decision, now);
    let treatment = decision.treatment();
    let is_read = matches!(treatment, Some(Treatment::ReadRules | Treatment::LastGood));
    let store = |error| Trouble::new(&name, &Cause::Store(error));
    let body = if is_read { client.robots().body(origin).await.map_err(store)? } else { None };
    let Some(body) = body else { return Ok(Err(NoFile { name, came, treatment })) };
    let charset = client.robots().charset(origin).await.map_err(store)?;
    Ok(Ok(SiteFile { name, body: body.to_vec(), charset, came }))
}

impl NoFile {
    /// Returns an empty file in its place.
    pub(crate) fn into_empty(self) -> SiteFile {
        SiteFile { name: self.name, body: Vec::new(), charset: None, came: self.came }
    }

    /// Returns the error for a command that cannot go on without a file.
    pub(crate) fn trouble(&self) -> Trouble {
        Trouble::plain(self.sentence())
    }

    /// Returns a sentence about the answer and what is done about it.
    pub(crate) fn sentence(&self) -> String {
        let done = self.treatment.map_or("robots.txt is not looked at", words::done);
        let name = render::text(self.name.as_bytes());
        format!("there is no robots.txt to read at `{name}` ({}): {done}", self.came)
    }

    /// Returns whether everything is allowed because there is no file, as with an empty one.
    pub(crate) fn allows_all(&self) -> bool {
        self.treatment == Some(Treatment::AllowAll)
    }
}
