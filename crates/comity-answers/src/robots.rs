//! `robots`: the robots.txt of a site, and the answer of the site.

use comity::robots::RobotsTxt;
use serde::{Deserialize, Serialize};

use crate::notice::WithNotices;
use crate::operation::FileOperation;
use crate::provenance::Provenance;
use crate::request::RequestError;
use crate::site::SiteFile;
use crate::sources::{SourceError, Sources};

/// A site whose robots.txt is returned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RobotsRequest {
    /// A URL of the site.
    pub origin: String,
}

/// The operation `robots`: the robots.txt of a site.
#[derive(Clone, Debug)]
pub struct Robots(SiteFile);

/// The robots.txt of a site.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RobotsRow {
    /// The origin: scheme, host, port.
    pub origin: String,
    /// The source of the file: URL, status, age.
    pub robots_txt: Provenance,
    /// The URLs that redirects led to, in order. The rules apply to the requested origin.
    pub redirects: Vec<String>,
    /// The treatment of the answer by the preset; null if robots.txt is ignored.
    pub treatment: Option<String>,
    /// The preset of the client.
    pub preset: String,
    /// The dialect for parsing the file.
    pub dialect: String,
    /// The charset in the Content-Type of the file.
    pub charset: Option<String>,
    /// The text of the file, with invalid UTF-8 replaced. Null if decisions do not use the rules of a file.
    pub text: Option<String>,
    /// The sitemaps in the file.
    pub sitemaps: Vec<String>,
}

impl FileOperation for Robots {
    type Request = RobotsRequest;
    type Row = RobotsRow;

    async fn prepare(request: RobotsRequest, sources: &Sources) -> Result<Robots, SourceError> {
        Ok(Robots(sources.site_file(request.origin.as_bytes()).await?))
    }

    fn row(self, _: usize) -> Result<WithNotices<RobotsRow>, RequestError> {
        let SiteFile { origin, decision, provenance, body, charset, .. } = self.0;
        let (body, dialect) = (body.as_deref(), decision.dialect);
        let robots = body.map(|body| RobotsTxt::parse_with_charset(body, dialect, charset.as_deref()));
        let sitemaps = robots.iter().flat_map(|robots| robots.sitemaps().map(|url| url.into_owned()));
        Ok(RobotsRow {
            origin,
            robots_txt: provenance,
            redirects: decision.evidence.as_ref().map_or_else(Vec::new, |answer| answer.redirects().to_vec()),
            treatment: decision.treatment.map(|treatment| treatment.to_string()),
            preset: decision.preset.unwrap_or_default().to_string(),
            dialect: dialect.to_string(),
            sitemaps: sitemaps.collect(),
            text: body.map(|body| String::from_utf8_lossy(body).into_owned()),
            charset,
        }
        .into())
    }
}
