//! `explain`: the reasons for a decision, and the decisions that other groups would have made.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::SystemTime;

use comity::decision::{ContenderRecord, DecisionRecord, Explanation, GroupRecord};
use comity::robots::{Agent, Group, RobotsTxt};
use comity::shown::short;
use serde::{Deserialize, Serialize};

use crate::check::{decision_fields, text};
use crate::near_miss::NearMiss;
use crate::notice::Notice;
use crate::operation::{Prepared, UrlOperation, UrlRow};
use crate::provenance::Provenance;
use crate::request::{RequestError, UrlsParts, UrlsRequest};
use crate::robots_file::{Reading, RobotsFile};
use crate::row::DecisionJson;
use crate::site::Site;
use crate::url::UrlKind;

/// Maximum number of other groups that are listed.
const MAX_OTHERS_LISTED: usize = 6;

/// Maximum number of other groups that are evaluated.
const MAX_OTHERS_EVALUATED: usize = 100;

/// Maximum total size of the explanations of one URL for all crawlers of a request, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// URLs and crawlers whose decisions are explained. One given robots.txt decides, or the robots.txt of each URL's site.
pub type ExplainRequest = UrlsRequest;

/// The operation `explain`: the reasons for the decision about each URL for each crawler.
#[derive(Clone, Debug)]
pub struct Explain {
    agents: Arc<[Agent]>,
    reading: Reading,
    max_bytes: usize,
    /// True if text that is not a URL is an error, even if the dialect accepts it.
    is_strict: bool,
}

/// A parsed robots.txt, and its source.
#[derive(Clone, Debug)]
pub struct ExplainFile {
    /// The file.
    pub robots: RobotsTxt<'static>,
    /// Source of the file.
    pub provenance: Provenance,
}

/// The explanation for a URL and a crawler. The JSON form has all fields; those of the decision are null if there is an error.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ExplanationRow"))]
pub struct ExplainRow<'a> {
    /// The URL, as in the request.
    pub url: Cow<'a, str>,
    /// The product token or header of the crawler.
    pub agent: Cow<'a, str>,
    /// True if the recommendation is `recommended` or `allowed_but_warn`.
    pub allowed: bool,
    /// The decision; `None` if there is an error.
    #[serde(flatten, with = "decision_fields")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::or_error::OrError<DecisionRecord>"))]
    pub decision: Option<DecisionRecord>,
    /// The groups that apply to the crawler, in the order in which their rules are considered.
    pub groups: Vec<GroupRecord>,
    /// Every rule that matched, in order of precedence. The first one decided, unless `/robots.txt` is always allowed.
    pub contenders: Vec<ContenderRecord>,
    /// Source of the robots.txt.
    pub robots_txt: Cow<'a, Provenance>,
    /// The error that prevents an explanation; null if the URL was explained.
    pub error: Option<String>,
    /// The first few groups that were not selected and have a rule that matches.
    pub other_groups: Vec<OtherGroup>,
    /// Number of groups that were not selected and are not listed.
    #[serde(skip)]
    pub unlisted_groups: usize,
    /// True if it is certain that no unlisted group has a rule that matches.
    #[serde(skip)]
    pub unlisted_are_silent: bool,
    /// A similar name, if the crawler's name may be a misspelling of it.
    pub near_miss: Option<NearMiss>,
    /// The decision of the preset, if the robots.txt of the URL's site decides.
    pub policy: Option<DecisionJson>,
}

impl UrlRow for ExplainRow<'_> {
    fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    fn decision(&self) -> Option<&DecisionRecord> {
        // If the dialect differs from the preset's, the rules decide without the preset.
        let dialect = self.decision.as_ref().map(|decision| decision.dialect);
        let policy = self.policy.as_ref().map(|policy| &policy.record);
        policy.filter(|policy| Some(policy.dialect) == dialect).or(self.decision.as_ref())
    }
}

/// A group that was not selected, and the decision that it would have made.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OtherGroup {
    /// The names on its user-agent lines.
    pub agents: Vec<String>,
    /// The first line of the group.
    pub line: u32,
    /// The decision of the group for the first of the names.
    pub decision: DecisionJson,
}

impl Explain {
    /// Creates the operation for these crawlers. A dialect or charset in `reading` also applies to the files of sites.
    pub fn new(agents: impl Into<Arc<[Agent]>>, reading: Reading) -> Explain {
        Explain { agents: agents.into(), reading, max_bytes: usize::MAX, is_strict: true }
    }

    /// Accepts text that is not a URL if the dialect does, for comparisons of dialects.
    #[must_use]
    pub fn lenient(self) -> Explain {
        Explain { is_strict: false, ..self }
    }

    /// Collects the rows of all crawlers. Rows beyond the maximum size are replaced by errors.
    fn rows<'a>(
        &'a self,
        url: &'a [u8],
        row: impl Fn(usize, &'a Agent) -> ExplainRow<'a>,
    ) -> Vec<ExplainRow<'a>> {
        let (mut bytes, mut matching) = (0_usize, 0);
        let rows = self.agents.iter().enumerate().map(|(index, agent)| {
            if bytes <= self.max_bytes {
                let row = row(index, agent);
                bytes = bytes.saturating_add(row.weight());
                matching = row.contenders.len();
                if bytes <= self.max_bytes {
                    return row;
                }
            }
            let error = format!(
                "the explanations of one URL may have at most {} MiB, and here {matching} rules match; name fewer crawlers, or use `check` for this URL",
                self.max_bytes >> 20
            );
            self.error_row(url, agent, Provenance::default(), error)
        });
        rows.collect()
    }
}

impl<'a> ExplainRow<'a> {
    fn new(url: &'a [u8], agent: &'a Agent, robots_txt: Cow<'a, Provenance>) -> ExplainRow<'a> {
        ExplainRow {
            url: text(url),
            agent: agent.as_str().into(),
            allowed: false,
            decision: None,
            groups: Vec::new(),
            contenders: Vec::new(),
            robots_txt,
            error: None,
            other_groups: Vec::new(),
            unlisted_groups: 0,
            unlisted_are_silent: true,
            near_miss: None,
            policy: None,
        }
    }

    /// Explains a decision by the rules of a file. `policy` is the decision of the preset, if a site serves the file.
    fn by_rules(
        url: &'a [u8],
        agent: &'a Agent,
        robots: &RobotsTxt<'_>,
        robots_txt: Cow<'a, Provenance>,
        policy: Option<DecisionRecord>,
    ) -> ExplainRow<'a> {
        let row = ExplainRow::new(url, agent, robots_txt);
        let Explanation { decision, groups, contenders, .. } = match robots.explain(agent, url) {
            Ok(explanation) => explanation,
            Err(error) => return ExplainRow { error: Some(error.to_string()), ..row },
        };
        let row = ExplainRow {
            allowed: decision.recommendation.allows(),
            decision: Some(decision),
            contenders,
            near_miss: NearMiss::of(agent, Some(robots)),
            policy: policy.map(DecisionJson::from),
            ..row
        };
        row.with_others(robots, url, groups)
    }

    /// Explains a decision that does not depend on rules.
    fn without_rules(
        url: &'a [u8],
        agent: &'a Agent,
        robots_txt: Cow<'a, Provenance>,
        policy: DecisionRecord,
    ) -> ExplainRow<'a> {
        ExplainRow {
            allowed: policy.recommendation.allows(),
            decision: Some(policy.clone()),
            near_miss: NearMiss::of(agent, None),
            policy: Some(policy.into()),
            ..ExplainRow::new(url, agent, robots_txt)
        }
    }

    /// Adds the selected groups, and evaluates the other groups for the URL.
    fn with_others(self, robots: &RobotsTxt<'_>, url: &[u8], chosen: Vec<GroupRecord>) -> ExplainRow<'a> {
        let is_chosen = |group: &Group<'_>| chosen.iter().any(|other| other.index == group.index());
        let others: Vec<_> =
            robots.groups().filter(|group| !is_chosen(group) && !group.is_dropped()).collect();
        let total = others.len();
        let evaluated = others.into_iter().take(MAX_OTHERS_EVALUATED);
        let mut listed: Vec<_> = evaluated.filter_map(|group| OtherGroup::of(robots, url, &group)).collect();
        let unlisted_are_silent = listed.len() <= MAX_OTHERS_LISTED && total <= MAX_OTHERS_EVALUATED;
        listed.truncate(MAX_OTHERS_LISTED);
        ExplainRow {
            groups: chosen,
            unlisted_groups: total - listed.len(),
            unlisted_are_silent,
            other_groups: listed,
            ..self
        }
    }

    /// Returns the approximate size of the JSON form, in bytes.
    fn weight(&self) -> usize {
        const CONTENDER: usize = 200;
        let contenders = self.contenders.iter().map(|contender| CONTENDER + contender.rule.pattern.len());
        let names = self.groups.iter().flat_map(|group| &group.agents).map(String::len);
        let others = self.other_groups.iter().flat_map(|other| &other.agents).map(String::len);
        contenders.chain(names).chain(others).sum()
    }
}

impl OtherGroup {
    /// Returns the decision of the group about the URL for the first crawler that it names, if a rule of the group matches.
    fn of(robots: &RobotsTxt<'_>, url: &[u8], group: &Group<'_>) -> Option<OtherGroup> {
        let agents: Vec<String> = group.agents().map(|agent| short(agent.value(), 40).into_owned()).collect();
        let first = group.agents().next().map_or_else(|| "*".into(), |agent| agent.value_text());
        let rules = robots.rules_for(&Agent::unchecked_token(&*first));
        let decision = DecisionJson::from(rules.decide(url).ok()?.to_record());
        let line = decision.record.rule.as_ref()?.line;
        // The name may select another group, such as an earlier one in dialects that use the first.
        if !group.rules().any(|record| record.line() == line) {
            return None;
        }
        Some(OtherGroup { agents, line: group.line(), decision })
    }
}

impl UrlOperation for Explain {
    type Request = UrlsRequest;
    type File = ExplainFile;
    type Row<'a> = ExplainRow<'a>;

    const NEEDS_FILE: bool = true;
    const IS_LIGHT: bool = false;

    fn body_bytes(request: &UrlsRequest) -> usize {
        request.robots.as_ref().map_or(0, String::len)
    }

    fn prepare(request: UrlsRequest) -> Result<Prepared<Explain>, RequestError> {
        let UrlsParts { urls, agents, file, reading } = request.into_parts()?;
        let operation = Explain { max_bytes: MAX_BYTES, ..Explain::new(agents, reading) };
        Prepared::new(operation, urls, file.as_ref())
    }

    fn agents(&self) -> &[Agent] {
        &self.agents
    }

    fn read(&self, file: &RobotsFile) -> Result<(ExplainFile, Vec<Notice>), RequestError> {
        let robots = file.read(&self.reading).into_owned();
        let notices = Notice::of_agents(&*self.agents, Some(&robots));
        Ok((ExplainFile { robots, provenance: file.provenance.clone() }, notices))
    }

    fn by_file<'a>(&'a self, url: &'a [u8], file: &'a ExplainFile) -> Vec<ExplainRow<'a>> {
        if let (true, Err(problem)) = (self.is_strict, UrlKind::of(url)) {
            return self.error_rows(url, &Provenance::default(), &problem.to_string());
        }
        self.rows(url, |_, agent| {
            ExplainRow::by_rules(url, agent, &file.robots, Cow::Borrowed(&file.provenance), None)
        })
    }

    fn by_site<'a>(&'a self, url: &'a [u8], site: &'a Site, now: SystemTime) -> Vec<ExplainRow<'a>> {
        let other_reading = site.robots_as(&self.reading);
        let robots = other_reading.as_ref().or_else(|| site.robots());
        self.rows(url, |index, agent| {
            let Some(policy) = site.policies.get(index) else {
                return self.error_row(url, agent, Provenance::default(), "no policy".to_owned());
            };
            let decision = match policy.decide(url, now) {
                Ok(decision) => decision,
                Err(error) => return self.error_row(url, agent, Provenance::default(), error.to_string()),
            };
            let record = decision.to_record();
            match (robots, &site.file) {
                (Some(robots), Some(file)) => {
                    ExplainRow::by_rules(url, agent, robots, Cow::Borrowed(&file.provenance), Some(record))
                }
                _ => {
                    let robots_txt = Cow::Owned(site.provenance(&decision, now));
                    ExplainRow::without_rules(url, agent, robots_txt, record)
                }
            }
        })
    }

    fn error_row<'a>(
        &'a self,
        url: &'a [u8],
        agent: &'a Agent,
        robots_txt: Provenance,
        error: String,
    ) -> ExplainRow<'a> {
        ExplainRow { error: Some(error), ..ExplainRow::new(url, agent, Cow::Owned(robots_txt)) }
    }
}
