//! The robots.txt of a site, as a file that has been read.

use std::time::SystemTime;

use bytes::Bytes;
use comity::policy::{Policy, Treatment};
use comity_client::{Client, Origin};

use super::standing::Standing;
use super::trouble::Trouble;
use super::words;
use crate::render;

/// What a site's robots.txt holds, and where it came from.
pub(crate) struct SiteFile {
    /// Its URL, which is its name in messages.
    pub(crate) name: String,
    pub(crate) body: Bytes,
    /// That of its `Content-Type`.
    pub(crate) charset: Option<String>,
    /// `200, just now; rfc9309`.
    pub(crate) came: String,
}

/// What there is instead of a file.
pub(crate) struct NoFile {
    /// The URL at which there is none.
    pub(crate) name: String,
    /// `404, just now; rfc9309`.
    pub(crate) came: String,
    /// What the preset does about that.
    pub(crate) treatment: Option<Treatment>,
}

/// The robots.txt of an origin; or that there is none to read.
pub(crate) async fn file(client: &Client, origin: &Origin) -> Result<Result<SiteFile, NoFile>, Trouble> {
    let url = origin.robots_txt();
    let trouble = |cause| Trouble::new(url.as_str(), &cause);
    let agents = std::slice::from_ref(client.agent());
    let standing = Standing::ask(client, origin, agents).await.map_err(trouble)?;
    match standing.policies.first() {
        Some(policy) => file_of(client, origin, policy, SystemTime::now()).await,
        None => Err(Trouble::plain(format!("`{url}` was not asked for"))),
    }
}

/// The file that a policy rests on.
pub(crate) async fn file_of(
    client: &Client,
    origin: &Origin,
    policy: &Policy,
    now: SystemTime,
) -> Result<Result<SiteFile, NoFile>, Trouble> {
    let name = String::from(origin.robots_txt());
    let decision = policy.decide("/", now).map_err(|error| Trouble::plain(format!("`{name}`: {error}")))?;
    let came = words::source(&decision, now);
    let treatment = decision.treatment();
    let is_read = matches!(treatment, Some(Treatment::ReadRules | Treatment::LastGood));
    let store = |error| Trouble::new(&name, &comity_client::Cause::Store(error));
    let body = if is_read { client.robots().body(origin).await.map_err(store)? } else { None };
    let Some(body) = body else { return Ok(Err(NoFile { name, came, treatment })) };
    let charset = client.robots().charset(origin).await.map_err(store)?;
    Ok(Ok(SiteFile { name, body, charset, came }))
}

impl NoFile {
    /// The sentence about it.
    pub(crate) fn sentence(&self) -> String {
        let done = self.treatment.map_or("robots.txt is not looked at", words::done);
        format!("`{}`: {}: {done}", render::text(self.name.as_bytes()), self.came)
    }

    /// Where a file is what was wanted.
    pub(crate) fn trouble(&self) -> Trouble {
        Trouble::plain(format!("there is no robots.txt to read at {}", self.sentence()))
    }

    /// Whether everything is allowed for want of a file, as by an empty one.
    pub(crate) fn allows_all(&self) -> bool {
        self.treatment == Some(Treatment::AllowAll)
    }
}
