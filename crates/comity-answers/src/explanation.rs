//! What led to a decision, and what groups that were not asked would have said.

use comity::decision::{Explanation, GroupRecord};
use comity::robots::{Agent, Group, RobotsTxt};
use serde::Serialize;

use crate::near_miss::NearMiss;
use crate::provenance::Provenance;
use crate::row::{DecisionJson, DecisionRow, ExplanationJson};
use crate::shown::short;

/// The largest number of groups that are listed, and the largest number that are asked at all.
const OTHERS_LISTED: usize = 6;
const OTHERS_ASKED: usize = 100;

/// An explanation: the fields of a decision's row, then the groups and rules that led to the decision.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ExplainedRow"))]
pub struct ExplanationRow<'j> {
    /// The question, the decision, the groups and the rules that matched.
    #[serde(flatten)]
    pub answer: DecisionRow<'j, ExplanationJson>,
    /// The groups that were not chosen and have a rule that matches.
    pub other_groups: &'j [Other],
    /// The name that the crawler's own may be a slip of.
    pub near_miss: Option<&'j NearMiss>,
    /// The preset's decision, where a site's own robots.txt was asked for.
    pub policy: Option<DecisionJson>,
}

impl<'j> ExplanationRow<'j> {
    /// Creates the row of an explanation by the rules of a file. `policy` is the preset's decision about a site.
    pub fn new(
        (url, agent, robots_txt): (&'j [u8], &'j Agent, &'j Provenance),
        explanation: &Explanation,
        others: &'j Others,
        near_miss: Option<&'j NearMiss>,
        policy: Option<DecisionJson>,
    ) -> Self {
        let answer = DecisionRow::new(url, agent, explanation, robots_txt);
        ExplanationRow { answer, other_groups: &others.listed, near_miss, policy }
    }

    /// Creates the row of a decision that no rules led to.
    pub fn without_rules(
        (url, agent, robots_txt): (&'j [u8], &'j Agent, &'j Provenance),
        decision: &comity::policy::Decision<'_>,
        near_miss: Option<&'j NearMiss>,
    ) -> Self {
        let explanation = Explanation::from(decision.to_record());
        let answer = DecisionRow::new(url, agent, &explanation, robots_txt);
        ExplanationRow { answer, other_groups: &[], near_miss, policy: Some(decision.to_record().into()) }
    }
}

/// The groups that were not chosen.
#[derive(Debug)]
pub struct Others {
    /// Those with a rule that matches, in the order of the file, the first few.
    pub listed: Vec<Other>,
    /// The number of further ones.
    pub rest: usize,
    /// All of the rest were asked, and none has a rule that matches.
    pub rest_is_silent: bool,
}

/// A group that was not chosen, and its decision.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "OtherGroup"))]
pub struct Other {
    /// The names on its user-agent lines.
    pub agents: Vec<String>,
    /// The line that it begins at.
    pub line: u32,
    /// Its decision for the first of these names.
    pub decision: DecisionJson,
}

impl Others {
    /// Asks the groups of a file that were not chosen about a URL.
    pub fn ask(robots: &RobotsTxt<'_>, url: &[u8], chosen: &[GroupRecord]) -> Others {
        let is_chosen = |group: &Group<'_>| chosen.iter().any(|other| other.index == group.index());
        let others: Vec<_> =
            robots.groups().filter(|group| !is_chosen(group) && !group.is_dropped()).collect();
        let total = others.len();
        let asked = others.into_iter().take(OTHERS_ASKED);
        let mut listed: Vec<Other> = asked.filter_map(|group| Other::ask(robots, url, &group)).collect();
        let rest_is_silent = listed.len() <= OTHERS_LISTED && total <= OTHERS_ASKED;
        listed.truncate(OTHERS_LISTED);
        Others { rest: total - listed.len(), listed, rest_is_silent }
    }
}

impl Other {
    /// Returns what `group` says about the URL to the first crawler it names, if a rule of it matches.
    fn ask(robots: &RobotsTxt<'_>, url: &[u8], group: &Group<'_>) -> Option<Other> {
        let agents: Vec<String> = group.agents().map(|agent| short(agent.value(), 40).into_owned()).collect();
        let first = group.agents().next().map_or_else(|| "*".into(), |agent| agent.value_text());
        let rules = robots.rules_for(&Agent::token(&*first));
        let decision = DecisionJson::from(rules.decide(url).ok()?.to_record());
        let line = decision.record.rule.as_ref()?.line;
        // The name may lead to another group, such as an earlier one in dialects where the first counts.
        if !group.rules().any(|record| record.line() == line) {
            return None;
        }
        Some(Other { agents, line: group.line(), decision })
    }
}
