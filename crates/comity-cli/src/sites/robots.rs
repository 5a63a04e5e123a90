//! The robots.txt of a site, as a file that has been read.

use std::time::SystemTime;

use comity::decision::DecisionRecord;
use comity::policy::{Policy, Treatment};
use comity_answers::provenance::Provenance;
use comity_answers::site::{SiteError, SiteFile};
use comity_client::{Cause, Client, Origin};

use super::standing::Served;
use super::trouble::Trouble;
use super::words;
use crate::render;
use crate::robots_txt::RobotsFile;

/// The reason why there is no robots.txt.
#[derive(Debug)]
pub(crate) struct NoFile {
    name: String,
    /// `404, just now; rfc9309`.
    came: String,
    /// The decision about `/` that follows from the answer.
    decision: DecisionRecord,
    provenance: Provenance,
    /// The page that stands in its place.
    page: Option<Vec<u8>>,
}

/// The file that a policy rests on.
pub(super) async fn file_of(client: &Client, origin: &Origin, policy: &Policy) -> Result<Served, Trouble> {
    let (name, now) = (String::from(origin.robots_txt()), SystemTime::now());
    let decision = policy.decide("/", now).map_err(|error| Trouble::plain(format!("`{name}`: {error}")))?;
    let came = words::source(&decision, now);
    let served = SiteFile::of(client, origin, policy, now).await.map_err(|error| match error {
        SiteError::Client(cause) => Trouble::new(&name, &cause),
        SiteError::Url(error) => Trouble::plain(format!("`{name}`: {error}")),
    })?;
    let SiteFile { provenance, decision, body, charset, page, .. } = served;
    let Some(body) = body else {
        return Ok(Err(Box::new(NoFile { name, came, decision, provenance, page })));
    };
    Ok(Ok((RobotsFile { name, body, charset, provenance, is_foreign: false }, came)))
}

impl NoFile {
    /// Returns what stands in its place, with what there is to know of it: nothing, if the site says that there is no
    /// robots.txt; a page, if it serves one. Anything else is an error for commands that are about the text.
    pub(crate) fn into_file(self) -> Result<(RobotsFile, Option<String>), Trouble> {
        let sentence = self.sentence();
        let is_foreign = self.page.is_some();
        if !is_foreign && !self.allows_all() {
            return Err(Trouble::plain(sentence).with_remedy(&Cause::Robots(Box::new(self.decision))));
        }
        let body = self.page.unwrap_or_default();
        let file =
            RobotsFile { name: self.name, body, charset: None, provenance: self.provenance, is_foreign };
        Ok((file, (!is_foreign).then_some(sentence)))
    }

    /// Returns a sentence about the answer and what is done about it.
    pub(crate) fn sentence(&self) -> String {
        let done = self.decision.treatment.map_or("robots.txt is not looked at", words::done);
        let name = render::text(self.name.as_bytes());
        format!("there is no robots.txt to read at `{name}` ({}): {done}", self.came)
    }

    /// Returns whether everything is allowed because there is no file, as with an empty one.
    pub(crate) fn allows_all(&self) -> bool {
        self.decision.treatment == Some(Treatment::AllowAll)
    }
}
