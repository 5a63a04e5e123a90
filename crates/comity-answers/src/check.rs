//! `check`: decides whether each crawler may fetch each URL, and by which line.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::SystemTime;

use comity::decision::{DecisionRecord, Field};
use comity::robots::{Access, Agent, Rules};
use serde::de::Error as _;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::notice::Notice;
use crate::operation::{Prepared, UrlOperation, UrlRow};
use crate::provenance::Provenance;
use crate::request::{RequestError, UrlsParts, UrlsRequest};
use crate::robots_file::{Reading, RobotsFile};
use crate::site::Site;
use crate::url::UrlKind;

/// URLs to decide for crawlers, by one given robots.txt or by the robots.txt of each URL's site.
pub type CheckRequest = UrlsRequest;

/// The operation `check`: decides whether each crawler may fetch each URL, and by which line.
///
/// ```
/// use comity::robots::Agent;
/// use comity_answers::check::Check;
/// use comity_answers::operation::UrlOperation;
/// use comity_answers::robots_file::{Reading, RobotsFile};
///
/// let check = Check::new([Agent::token("ExampleBot")?], Reading::default());
/// let file = RobotsFile::of_text("robots.txt", "User-agent: *\nDisallow: /private\n".to_owned());
/// let (file, _) = check.read(&file)?;
/// let rows = check.by_file(b"/private/x", &file);
/// let row = serde_json::to_value(&rows[0])?;
/// assert_eq!((&row["allowed"], &row["rule"]["line"]), (&false.into(), &2.into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Check {
    agents: Arc<[Agent]>,
    reading: Reading,
}

/// The rules of a robots.txt for each crawler of a request.
#[derive(Clone, Debug)]
pub struct CheckFile {
    rules: Vec<Arc<Rules>>,
    provenance: Provenance,
}

/// The answer for a URL and a crawler. The JSON form has all fields; those of the decision are null if there is an error.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DecisionRow"))]
pub struct CheckRow<'a> {
    /// The URL, as in the request.
    pub url: Cow<'a, str>,
    /// The product token or header of the crawler.
    pub agent: Cow<'a, str>,
    /// True if the recommendation is `recommended` or `allowed_but_warn`.
    pub allowed: bool,
    /// The decision; `None` if there is an error, or for a whole site.
    #[serde(flatten, with = "decision_fields")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::or_error::OrError<DecisionRecord>"))]
    pub decision: Option<DecisionRecord>,
    /// Source of the robots.txt.
    pub robots_txt: Cow<'a, Provenance>,
    /// The error that prevents a decision; null if the URL was decided.
    pub error: Option<String>,
}

impl UrlRow for CheckRow<'_> {
    fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    fn decision(&self) -> Option<&DecisionRecord> {
        self.decision.as_ref()
    }
}

/// Serializes the fields of a decision as fields of a row. For `None`, every field is null.
pub(crate) mod decision_fields {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        decision: &Option<DecisionRecord>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        if let Some(decision) = decision {
            return decision.serialize(serializer);
        }
        let mut fields = serializer.serialize_map(Some(DecisionRecord::FIELDS.len()))?;
        for field in DecisionRecord::FIELDS {
            fields.serialize_entry(field.name, &())?;
        }
        fields.end()
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<DecisionRecord>, D::Error> {
        let fields = serde_json::Map::deserialize(deserializer)?;
        let is_null = |field: &Field| fields.get(field.name).is_none_or(serde_json::Value::is_null);
        if DecisionRecord::FIELDS.iter().all(is_null) {
            return Ok(None);
        }
        DecisionRecord::deserialize(fields).map(Some).map_err(D::Error::custom)
    }
}

impl<'a> CheckRow<'a> {
    /// Creates the row of a decision. Bytes of the URL that are not UTF-8 are replaced.
    pub fn new(
        url: &'a [u8],
        agent: &'a Agent,
        decision: DecisionRecord,
        robots_txt: Cow<'a, Provenance>,
    ) -> CheckRow<'a> {
        CheckRow {
            url: text(url),
            agent: agent.as_str().into(),
            allowed: decision.recommendation.allows(),
            decision: Some(decision),
            robots_txt,
            error: None,
        }
    }

    /// Returns the row without borrowed parts.
    pub fn into_owned(self) -> CheckRow<'static> {
        CheckRow {
            url: self.url.into_owned().into(),
            agent: self.agent.into_owned().into(),
            allowed: self.allowed,
            decision: self.decision,
            robots_txt: Cow::Owned(self.robots_txt.into_owned()),
            error: self.error,
        }
    }

    /// Creates the row of a URL that cannot be decided.
    pub fn of_error(url: &'a [u8], agent: &'a Agent, robots_txt: Provenance, error: String) -> CheckRow<'a> {
        CheckRow {
            url: text(url),
            agent: agent.as_str().into(),
            allowed: false,
            decision: None,
            robots_txt: Cow::Owned(robots_txt),
            error: Some(error),
        }
    }

    /// Creates the row of a whole site, which has no URL and no decision.
    pub(crate) fn of_site(agent: &'a Agent, access: Access, robots_txt: Cow<'a, Provenance>) -> CheckRow<'a> {
        CheckRow {
            url: Cow::Borrowed(""),
            agent: agent.as_str().into(),
            allowed: access == Access::Allowed,
            decision: None,
            robots_txt,
            error: None,
        }
    }
}

/// Returns bytes as text. Valid UTF-8, the usual case, is checked first and not copied.
pub(crate) fn text(bytes: &[u8]) -> Cow<'_, str> {
    str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

impl Check {
    /// Creates the operation for these crawlers.
    pub fn new(agents: impl Into<Arc<[Agent]>>, reading: Reading) -> Check {
        Check { agents: agents.into(), reading }
    }
}

impl UrlOperation for Check {
    type Request = UrlsRequest;
    type File = CheckFile;
    type Row<'a> = CheckRow<'a>;

    const NEEDS_FILE: bool = false;
    const IS_LIGHT: bool = true;

    fn body_bytes(request: &UrlsRequest) -> usize {
        request.robots.as_ref().map_or(0, String::len)
    }

    fn prepare(request: UrlsRequest) -> Result<Prepared<Check>, RequestError> {
        let UrlsParts { urls, agents, file, reading } = request.into_parts()?;
        Prepared::new(Check::new(agents, reading), urls, file.as_ref())
    }

    fn agents(&self) -> &[Agent] {
        &self.agents
    }

    fn read(&self, file: &RobotsFile) -> Result<(CheckFile, Vec<Notice>), RequestError> {
        let robots = file.read(&self.reading);
        let rules = robots.rules_for_each(&*self.agents);
        let notices = Notice::of_agents(&*self.agents, Some(&robots));
        Ok((CheckFile { rules, provenance: file.provenance.clone() }, notices))
    }

    fn by_file<'a>(&'a self, url: &'a [u8], file: &'a CheckFile) -> Vec<CheckRow<'a>> {
        if let Err(problem) = UrlKind::of(url) {
            return self.error_rows(url, &Provenance::default(), &problem.to_string());
        }
        let rows = self.agents.iter().zip(&file.rules).map(|(agent, rules)| match rules.decide(url) {
            Ok(decision) => CheckRow::new(url, agent, decision.to_record(), Cow::Borrowed(&file.provenance)),
            Err(error) => self.error_row(url, agent, Provenance::default(), error.to_string()),
        });
        rows.collect()
    }

    fn by_site<'a>(&'a self, url: &'a [u8], site: &'a Site, now: SystemTime) -> Vec<CheckRow<'a>> {
        let decided = self.agents.iter().zip(&site.policies);
        let rows = decided.map(|(agent, policy)| match policy.decide(url, now) {
            Ok(decision) => {
                let robots_txt = Cow::Owned(site.provenance(&decision, now));
                CheckRow::new(url, agent, decision.to_record(), robots_txt)
            }
            Err(error) => self.error_row(url, agent, Provenance::default(), error.to_string()),
        });
        rows.collect()
    }

    fn error_row<'a>(
        &'a self,
        url: &'a [u8],
        agent: &'a Agent,
        robots_txt: Provenance,
        error: String,
    ) -> CheckRow<'a> {
        CheckRow::of_error(url, agent, robots_txt, error)
    }
}
