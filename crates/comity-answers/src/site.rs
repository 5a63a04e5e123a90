//! The robots.txt of a site, and its policies for the crawlers of a request.

use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use comity::decision::DecisionRecord;
use comity::policy::{Decision, Policy, Treatment};
use comity::robots::{Dialect, RobotsTxt};

use crate::provenance::Provenance;
use crate::robots_file::Reading;

/// The policies of the robots.txt of a site for the crawlers of a request.
#[derive(Debug)]
pub struct Site {
    /// URL of the robots.txt.
    pub url: String,
    /// A policy for each crawler, in the order of the request.
    pub policies: Vec<Arc<Policy>>,
    /// The robots.txt itself, if the operation needs it.
    pub file: Option<SiteFile>,
    /// Dialect for parsing it.
    pub dialect: Dialect,
    robots: OnceLock<Option<RobotsTxt<'static>>>,
}

impl Site {
    /// Creates the site with the robots.txt at this URL.
    pub fn new(url: String, policies: Vec<Arc<Policy>>, file: Option<SiteFile>, dialect: Dialect) -> Site {
        Site { url, policies, file, dialect, robots: OnceLock::new() }
    }

    /// Returns the robots.txt, parsed in the dialect of the preset. Returns `None` if the file was not needed, or if no
    /// rules decide, for example after a 404.
    pub fn robots(&self) -> Option<&RobotsTxt<'static>> {
        let read = || {
            let file = self.file.as_ref()?;
            let charset = file.charset.as_deref();
            let body = file.body.as_deref()?;
            Some(RobotsTxt::parse_with_charset(body, self.dialect, charset).into_owned())
        };
        self.robots.get_or_init(read).as_ref()
    }

    /// Returns the robots.txt, parsed with the dialect or charset of `reading`. Returns `None` if `reading` sets neither,
    /// or if there is no text to parse.
    pub fn robots_as(&self, reading: &Reading) -> Option<RobotsTxt<'_>> {
        if reading.dialect.is_none() && reading.charset.is_none() {
            return None;
        }
        let file = self.file.as_ref()?;
        let reading = Reading { dialect: reading.dialect.or(Some(self.dialect)), ..reading.clone() };
        Some(reading.read(file.body.as_deref()?, file.charset.as_deref()))
    }

    /// Returns true if all policies are fresh.
    pub fn is_fresh(&self, now: SystemTime) -> bool {
        self.policies.iter().all(|policy| policy.is_fresh(now))
    }

    /// Returns the source of the robots.txt behind a decision.
    pub fn provenance(&self, decision: &Decision<'_>, now: SystemTime) -> Provenance {
        Provenance { url: Some(self.url.clone()), ..Provenance::of_decision(decision, now) }
    }
}

/// The answer of a site to a request for robots.txt: the decision about it, and its text.
#[derive(Clone, Debug)]
pub struct SiteFile {
    /// Origin of the site: scheme, host and port.
    pub origin: String,
    /// Decision of the preset about `/`, with the answer of the site as evidence.
    pub decision: DecisionRecord,
    /// Source of the file.
    pub provenance: Provenance,
    /// The text to parse; `None` if no rules decide, for example after a 404.
    pub body: Option<Vec<u8>>,
    /// Charset in the `Content-Type` of the file.
    pub charset: Option<String>,
    /// The page that the site serves instead of a robots.txt.
    pub page: Option<Vec<u8>>,
}

impl SiteFile {
    /// Returns the URL of the robots.txt.
    pub fn url(&self) -> String {
        [self.origin.as_str(), "/robots.txt"].concat()
    }

    /// Returns true if the answer allows every URL because it has no rules, for example a 404.
    pub fn allows_all(&self) -> bool {
        self.decision.treatment == Some(Treatment::AllowAll)
    }
}

/// Returns true if the answer is a page instead of a robots.txt.
#[cfg(feature = "live")]
pub(crate) fn is_page(decision: &Decision<'_>) -> bool {
    use comity::policy::AnswerKind;

    decision.evidence().is_some_and(|evidence| {
        let kind = evidence.kind();
        matches!(kind, AnswerKind::HtmlSoft404 | AnswerKind::XmlSoft404 | AnswerKind::JsonSoft404)
    })
}
