//! Explanations: a decision with every rule that matched, the reason why each rule won or lost, and the chosen groups.

use std::fmt;

use super::fields::{others, record};
use super::record::{DecisionRecord, RuleRecord};
use super::{FieldKind, Value};
use crate::decision::fields::FieldValue;
use crate::robots::{Agent, Contender, RobotsTxt, Rule, RuleOutcome, UrlError};

record! {
    /// A decision with the groups and rules that led to it. [`RobotsTxt::explain`] returns it.
    ///
    /// The JSON form (feature `serde`) has the fields of the decision, then `groups` and `contenders`. The `Display`
    /// form is for people.
    pub struct Explanation as "Explanation" {
        /// The decision.
        #[serde(flatten)]
        pub decision: DecisionRecord,
        /// The groups that apply to the crawler, in the order in which their rules are considered.
        pub groups: Vec<GroupRecord>,
        /// Every rule that matched, in order of precedence. The first one decided, unless `/robots.txt` is always
        /// allowed.
        pub contenders: Vec<ContenderRecord>,
    }
}

record! {
    /// A group that applies to the crawler.
    pub struct GroupRecord as "ChosenGroup" {
        /// The group's index among those of the file, from 0.
        pub index: usize,
        /// The line on which the group begins, from 1.
        pub line: u32,
        /// The names on its user-agent lines, as written.
        pub agents: Vec<String>,
        /// The user-agent lines by which the group was chosen. In dialects other than `rfc9309`, `google`, `yandex`
        /// and `robots-parser`, these are all user-agent lines of the group.
        pub named_on: Vec<u32>,
    }
}

record! {
    /// A rule that matched, and its outcome.
    pub struct ContenderRecord as "Contender" {
        /// The rule.
        pub rule: RuleRecord,
        /// The outcome: whether the rule decided, or the reason why it lost.
        pub outcome: RuleOutcome,
        /// The outcome in a few words.
        pub reason: String,
        /// The length that determines precedence: that of the pattern, in bytes or in some dialects in characters; in
        /// `urllib-2026` that of the match.
        pub length: u32,
    }
}

others! {
    Vec<GroupRecord>: FieldKind::Records("ChosenGroup", GroupRecord::FIELDS);
    Vec<ContenderRecord>: FieldKind::Records("Contender", ContenderRecord::FIELDS);
}

impl RobotsTxt<'_> {
    /// Decides one URL for one crawler, and returns the groups that apply to it and the outcome of every rule that
    /// matched.
    ///
    /// The cost is that of [`rules_for`](RobotsTxt::rules_for) plus one check of every rule. If only the
    /// [`Rules`](crate::robots::Rules) are available, [`Rules::contenders`](crate::robots::Rules::contenders) returns
    /// the rules that matched.
    ///
    /// ```
    /// use comity::robots::{Agent, RuleOutcome, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse("User-agent: *\nDisallow: /search\nAllow: /search/about\n");
    /// let explanation = robots.explain(&Agent::token("examplebot")?, "/search/about")?;
    /// assert_eq!(explanation.groups[0].line, 1);
    /// assert_eq!(explanation.contenders[1].outcome, RuleOutcome::Shorter);
    /// assert_eq!(
    ///     explanation.to_string(),
    ///     "allowed_explicit: line 3: Allow: /search/about\n\
    ///      group * (line 1)\n  \
    ///        line 3: Allow: /search/about (decides)\n  \
    ///        line 2: Disallow: /search (a longer pattern wins)"
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`UrlError`] in the cases of [`Rules::decide`](crate::robots::Rules::decide).
    pub fn explain<U: AsRef<[u8]> + ?Sized>(&self, agent: &Agent, url: &U) -> Result<Explanation, UrlError> {
        let choice = self.chooser().choose(agent);
        let rules = self.rules_of(&choice);
        let decision = rules.decide(url)?.to_record();
        // Finding the line of one rule requires a pass over the preceding lines. One pass finds the lines of all rules.
        let lines = Rule::lines_of(&rules);
        let contenders = rules.contenders(url)?;
        let contenders =
            contenders.iter().map(|contender| contender.on_line(contender.rule().line_in(&lines)));
        let contenders = contenders.collect();
        let groups = self.chosen_groups(&choice);
        let groups = groups.map(|(group, named_on)| GroupRecord {
            index: group.index(),
            line: group.line(),
            agents: group.agents().map(|record| record.value_text().into_owned()).collect(),
            named_on,
        });
        Ok(Explanation { decision, groups: groups.collect(), contenders })
    }
}

/// Makes the explanation of a decision without rules: there are no groups and no contenders.
impl From<DecisionRecord> for Explanation {
    fn from(decision: DecisionRecord) -> Self {
        Explanation { decision, groups: Vec::new(), contenders: Vec::new() }
    }
}

impl Contender<'_> {
    /// Returns an owned record of the contender.
    pub fn to_record(&self) -> ContenderRecord {
        self.on_line(self.rule().line())
    }

    fn on_line(&self, line: u32) -> ContenderRecord {
        let rule = self.rule();
        let pattern = rule.pattern_text().into_owned();
        ContenderRecord {
            rule: RuleRecord { kind: rule.kind(), pattern, line, allows: rule.allows() },
            outcome: self.outcome(),
            reason: self.reason().to_owned(),
            length: self.length(),
        }
    }
}

impl fmt::Display for ContenderRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {} ({})", self.rule.line, self.rule, self.reason)
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.decision)?;
        if let Some(group) = &self.decision.group {
            let lines: Vec<String> = self.groups.iter().map(|group| group.line.to_string()).collect();
            let noun = if lines.len() == 1 { "line" } else { "lines" };
            write!(f, "\ngroup {} ({noun} {})", crate::shown::text(group), lines.join(", "))?;
        }
        self.contenders.iter().try_for_each(|contender| write!(f, "\n  {contender}"))
    }
}
