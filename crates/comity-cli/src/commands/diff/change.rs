//! What changed for one crawler.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;

use comity::robots::{RecordKind, RequestRate, Rules, VisitTime};
use serde::Serialize;

use crate::exit::Failure;
use crate::output::Output;
use crate::render;

/// A crawler's rules before and after. Only made if they differ.
#[derive(Serialize)]
pub(super) struct Change {
    /// The group that spoke to the crawler, and the one that does; shown if that is what changed.
    old_group: Option<String>,
    new_group: Option<String>,
    lost: Vec<RuleLine>,
    gained: Vec<RuleLine>,
    /// The same rules in another order, where the order decides.
    reordered: bool,
    pacing: Vec<Pacing>,
}

/// A rule with the line of the file it stands in.
#[derive(Serialize)]
struct RuleLine {
    kind: RecordKind,
    pattern: String,
    line: u32,
}

/// `Crawl-delay`, `Request-rate` or `Visit-time`, before and after.
#[derive(PartialEq, Serialize)]
struct Pacing {
    kind: RecordKind,
    old: Option<Pace>,
    new: Option<Pace>,
}

/// What such a line asks for: seconds, or the fields of a rate or of a time of day.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
enum Pace {
    Seconds(f64),
    Rate(RequestRate),
    Time(VisitTime),
}

impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pace::Seconds(seconds) => write!(f, "{seconds} s"),
            Pace::Rate(rate) => {
                write!(f, "{} in {} s", rate.documents, rate.seconds)?;
                rate.window.as_ref().map_or(Ok(()), |window| write!(f, ", {}", hours(window)))
            }
            Pace::Time(window) => f.write_str(&hours(window)),
        }
    }
}

/// A rule as far as it has a meaning.
type Meaning = (bool, Vec<u8>);

impl Change {
    /// The difference, if there is one.
    pub(super) fn new(old: &Rules, new: &Rules) -> Option<Change> {
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

    /// Returns whether the same happened, wherever it stands in the files.
    pub(super) fn is_same(&self, other: &Change) -> bool {
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

    pub(super) fn print(&self, output: &mut Output) -> Result<(), Failure> {
        let palette = output.palette;
        let faint = palette.faint;
        if let Some(text) = self.group_text() {
            writeln!(output, "  {faint}{text}{faint:#}")?;
        }
        let widths = self.lost.iter().chain(&self.gained).map(|line| render::width(&line.text()));
        let columns = widths.max().unwrap_or(0).min(60);
        for (mark, style, lines) in [("-", palette.bad, &self.lost), ("+", palette.good, &self.gained)] {
            for line in lines {
                let file = if mark == "-" { "old" } else { "new" };
                let (text, number) = (line.text(), line.line);
                writeln!(
                    output,
                    "  {style}{mark}{style:#} {text:<columns$}  {faint}{file} line {number}{faint:#}"
                )?;
            }
        }
        if self.reordered {
            writeln!(output, "  the same rules in another order, and the first that matches decides")?;
        }
        for Pacing { kind, old, new } in &self.pacing {
            let text =
                |value: &Option<Pace>| value.map_or_else(|| "none".to_owned(), |value| value.to_string());
            writeln!(output, "  {}: {} -> {}", kind.canonical_name(), text(old), text(new))?;
        }
        Ok(())
    }

    /// Returns what became of the crawler's group.
    fn group_text(&self) -> Option<&'static str> {
        let group = |name: &Option<String>| name.as_deref().map(|name| name == "*");
        match (group(&self.old_group), group(&self.new_group)) {
            (Some(true), Some(false)) => {
                Some("has a group of its own now, and the rules of `*` no longer count")
            }
            (Some(false), Some(true)) => Some("has no group of its own any more, and the rules of `*` count"),
            (Some(false), None) => Some("has no group any more"),
            (Some(true), None) => Some("there is no group `*` any more"),
            (None, Some(true)) => Some("there was no group `*` before"),
            (None, Some(false)) => Some("had no group before"),
            _ => None,
        }
    }
}

impl RuleLine {
    fn copy(&self) -> Self {
        RuleLine { kind: self.kind, pattern: self.pattern.clone(), line: self.line }
    }

    fn text(&self) -> String {
        format!("{}: {}", self.kind.canonical_name(), render::short(self.pattern.as_bytes(), 120))
    }
}

/// The rules as a set.
fn meanings(rules: &Rules) -> BTreeMap<Meaning, RuleLine> {
    let mut all = BTreeMap::new();
    for rule in rules.iter() {
        let line = RuleLine {
            kind: rule.kind(),
            pattern: render::text(rule.pattern()).into_owned(),
            line: rule.line(),
        };
        let meaning = (rule.allows(), rule.normalized_pattern());
        all.entry(meaning).or_insert(line);
    }
    all
}

fn sequence(rules: &Rules) -> Vec<Meaning> {
    rules.iter().map(|rule| (rule.allows(), rule.normalized_pattern())).collect()
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

fn hours(window: &VisitTime) -> String {
    let clock = |minute: u16| format!("{:02}:{:02}", minute / 60, minute % 60);
    format!("{}-{} UTC", clock(window.from_minute), clock(window.to_minute))
}

#[cfg(test)]
mod tests {
    use comity::robots::Dialect;

    use super::*;
    use comity::robots::{Agent, RobotsTxt};

    fn change(old: &str, new: &str, dialect: Dialect) -> Option<Change> {
        let rules = |body: &str| RobotsTxt::parse_as(body, dialect).rules_for(&Agent::token("bot"));
        Change::new(&rules(old), &rules(new))
    }

    #[test]
    fn layout_has_no_meaning() {
        let old = "User-agent: *\nDisallow: /a\nAllow: /b%c3%a9\nDisallow: /a\n";
        let new = "# new\nUSER-AGENT: *\nallow: /b\u{e9}\n\nUser-agent: *\nDisallow: /a # same\nDisallow:\n";
        assert!(change(old, new, Dialect::Rfc9309).is_none());
    }

    #[test]
    fn order_has_a_meaning_where_the_first_match_decides() {
        let old = "User-agent: *\nDisallow: /a\nAllow: /a/b\n";
        let new = "User-agent: *\nAllow: /a/b\nDisallow: /a\n";
        assert!(change(old, new, Dialect::Rfc9309).is_none());
        assert!(change(old, new, Dialect::Urllib).is_some_and(|change| change.reordered));
    }
}
