//! The changes for one crawler.

use std::collections::{BTreeMap, BTreeSet};

use comity::robots::{RecordKind, RequestRate, Rules, VisitTime};
use comity::shown;
use serde::{Deserialize, Serialize};

/// The differences between a crawler's rules and delays in two files.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RulesChange"))]
pub struct Change {
    /// The group that applied to the crawler before.
    pub old_group: Option<String>,
    /// The group that applies to it now.
    pub new_group: Option<String>,
    /// The rules that only the old file has.
    pub lost: Vec<RuleLine>,
    /// The rules that only the new file has.
    pub gained: Vec<RuleLine>,
    /// True if the rules are equal but in another order, in a dialect where the order decides.
    pub reordered: bool,
    /// Delays and rates that changed.
    pub pacing: Vec<Pacing>,
}

/// A rule with its line in the file.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RuleLine {
    /// `allow` or `disallow`.
    pub kind: RecordKind,
    /// Its path pattern.
    pub pattern: String,
    /// The line.
    pub line: u32,
}

/// `Crawl-delay`, `Request-rate` or `Visit-time`, before and after.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pacing {
    /// The kind of record.
    pub kind: RecordKind,
    /// The old value; null if there was none.
    pub old: Option<Pace>,
    /// The new value; null if it was removed.
    pub new: Option<Pace>,
}

/// The value of a `Crawl-delay`, `Request-rate` or `Visit-time` line: seconds, a rate, or hours of a day.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(untagged)]
pub enum Pace {
    /// A delay.
    Seconds(f64),
    /// A rate.
    Rate(RequestRate),
    /// Hours of a day.
    Time(VisitTime),
}

/// The effect (true for allow) and the normalized pattern of a rule. Rules with equal values have equal meanings.
type Meaning = (bool, Vec<u8>);

impl Change {
    /// Returns the difference, if there is one.
    pub fn new(old: &Rules, new: &Rules) -> Option<Change> {
        let (old_rules, new_rules) = (meanings(old), meanings(new));
        let without = |a: &BTreeMap<Meaning, RuleLine>, b: &BTreeMap<Meaning, RuleLine>| {
            let mut lines: Vec<RuleLine> = a
                .iter()
                .filter(|(meaning, _)| !b.contains_key(*meaning))
                .map(|(_, line)| line.copy())
                .collect();
            lines.sort_by_key(|line| line.line);
            lines
        };
        let lost = without(&old_rules, &new_rules);
        let gained = without(&new_rules, &old_rules);
        let same_rules = lost.is_empty() && gained.is_empty();
        let reordered = same_rules && old.dialect().is_first_match() && sequence(old) != sequence(new);
        let pacing = pacing(old, new);
        if same_rules && !reordered && pacing.is_empty() {
            return None;
        }
        let name = |rules: &Rules| rules.group().map(str::to_lowercase);
        Some(Change { old_group: name(old), new_group: name(new), lost, gained, reordered, pacing })
    }

    /// Returns true if two changes of the same pair of files are equal. The names of groups are ignored, except `*` and
    /// the absence of a group.
    pub fn is_same(&self, other: &Change) -> bool {
        let same_lines = |a: &[RuleLine], b: &[RuleLine]| {
            a.len() == b.len()
                && a.iter().zip(b).all(|(a, b)| (a.kind, &a.pattern, a.line) == (b.kind, &b.pattern, b.line))
        };
        let is_own = |name: &Option<String>| name.as_ref().map(|name| name != "*");
        is_own(&self.old_group) == is_own(&other.old_group)
            && is_own(&self.new_group) == is_own(&other.new_group)
            && self.reordered == other.reordered
            && self.pacing == other.pacing
            && same_lines(&self.lost, &other.lost)
            && same_lines(&self.gained, &other.gained)
    }
}

impl RuleLine {
    fn copy(&self) -> Self {
        RuleLine { kind: self.kind, pattern: self.pattern.clone(), line: self.line }
    }
}

/// Returns the first line of each distinct rule.
fn meanings(rules: &Rules) -> BTreeMap<Meaning, RuleLine> {
    let mut all = BTreeMap::new();
    for rule in rules.iter() {
        let line = RuleLine {
            kind: rule.kind(),
            pattern: shown::bytes(rule.pattern()).into_owned(),
            line: rule.line(),
        };
        let meaning = (rule.allows(), rule.normalized_pattern());
        all.entry(meaning).or_insert(line);
    }
    all
}

/// Returns the distinct rules in the order of their first lines.
fn sequence(rules: &Rules) -> Vec<Meaning> {
    let mut found = BTreeSet::new();
    let meanings = rules.iter().map(|rule| (rule.allows(), rule.normalized_pattern()));
    meanings.filter(|meaning| found.insert(meaning.clone())).collect()
}

fn pacing(old: &Rules, new: &Rules) -> Vec<Pacing> {
    let delay = |rules: &Rules| rules.crawl_delay().map(|delay| Pace::Seconds(delay.as_secs_f64()));
    let rate = |rules: &Rules| rules.request_rate().map(Pace::Rate);
    let visit = |rules: &Rules| rules.visit_time().map(Pace::Time);
    let all = [
        Pacing { kind: RecordKind::CrawlDelay, old: delay(old), new: delay(new) },
        Pacing { kind: RecordKind::RequestRate, old: rate(old), new: rate(new) },
        Pacing { kind: RecordKind::VisitTime, old: visit(old), new: visit(new) },
    ];
    all.into_iter().filter(|pacing| pacing.old != pacing.new).collect()
}

#[cfg(test)]
mod tests {
    use comity::robots::Dialect;

    use super::*;
    use comity::robots::{Agent, RobotsTxt};

    fn change(old: &str, new: &str, dialect: Dialect) -> Option<Change> {
        let rules = |body: &str| RobotsTxt::parse_as(body, dialect).rules_for(&Agent::unchecked_token("bot"));
        Change::new(&rules(old), &rules(new))
    }

    #[test]
    fn change_of_layout_is_ignored() {
        let old = "User-agent: *\nDisallow: /a\nAllow: /b%c3%a9\nDisallow: /a\n";
        let new = "# new\nUSER-AGENT: *\nallow: /b\u{e9}\n\nUser-agent: *\nDisallow: /a # same\nDisallow:\n";
        assert!(change(old, new, Dialect::Rfc9309).is_none());
    }

    #[test]
    fn reordered_rules_are_a_change_if_the_first_match_decides() {
        let old = "User-agent: *\nDisallow: /a\nAllow: /a/b\n";
        let new = "User-agent: *\nAllow: /a/b\nDisallow: /a\n";
        assert!(change(old, new, Dialect::Rfc9309).is_none());
        assert!(change(old, new, Dialect::Urllib).is_some_and(|change| change.reordered));
        let repeated = "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a\n";
        assert!(change(old, repeated, Dialect::Urllib).is_none());
    }
}
