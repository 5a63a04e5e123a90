//! What led to one decision: lines, groups, and the groups that were not asked.

use comity::decision::{ContenderRecord, Explanation, GroupRecord, RuleRecord};
use comity::robots::{Basis, Group, Record, RobotsTxt, RuleOutcome};
use comity_answers::explanation::{ExplanationRow, Other, Others};
use comity_answers::near_miss::NearMiss;

use super::{Case, File};
use crate::render;

/// The largest number of losing rules that are shown.
const LOSERS_SHOWN: usize = 12;
/// The largest number of characters of a line that are shown.
const LINE_SHOWN: usize = 120;

/// Everything about one decision.
pub(super) struct Evidence<'a> {
    pub(super) explanation: &'a Explanation,
    /// In the order of the file.
    pub(super) lines: Vec<Line>,
    /// Rules that matched and lost, and are not among the lines.
    pub(super) unshown: usize,
    pub(super) others: Others,
    /// The name that the crawler's own may be a slip of.
    pub(super) near_miss: Option<NearMiss>,
}

/// A line of the file that mattered.
pub(super) struct Line {
    pub(super) number: u32,
    pub(super) text: String,
    /// Whether the rule allows, if it decides; `None` if it does not decide.
    pub(super) decides: Option<bool>,
    pub(super) remark: String,
}

impl<'a> Evidence<'a> {
    pub(super) fn new(case: &Case<'_>, explanation: &'a Explanation) -> Self {
        let file = case.file;
        let source = SourceLines::new(file);
        let mut contenders: Vec<&ContenderRecord> = explanation.contenders.iter().collect();
        // One line may stand for two patterns; its better one comes first.
        let mut seen = std::collections::HashSet::new();
        contenders.retain(|contender| seen.insert(contender.rule.line));
        let unshown = contenders.len().saturating_sub(LOSERS_SHOWN + 1);
        contenders.truncate(LOSERS_SHOWN + 1);
        let mut lines: Vec<Line> = naming_records(&file.robots, &explanation.groups)
            .iter()
            .map(|record| Line {
                number: record.line(),
                text: source.text(record),
                decides: None,
                remark: String::new(),
            })
            .collect();
        lines.extend(contenders.iter().map(|contender| rule_line(contender, &contenders, &source)));
        lines.sort_by_key(|line| line.number);
        Evidence {
            explanation,
            lines,
            unshown,
            others: Others::ask(&file.robots, case.url, &explanation.groups),
            near_miss: NearMiss::of(case.agent, Some(&file.robots)),
        }
    }

    /// The decision in a sentence.
    pub(super) fn why(&self, case: &Case<'_>) -> String {
        let Explanation { decision, contenders, .. } = self.explanation;
        match (decision.basis, &decision.rule) {
            (_, Some(rule)) if contenders.len() == 1 => {
                format!("line {} is the only rule that matches", rule.line)
            }
            (_, Some(rule)) => {
                format!("of {} that match, line {} wins", render::count(contenders.len(), "rule"), rule.line)
            }
            (Some(Basis::RobotsTxt), _) => {
                "/robots.txt is always allowed (RFC 9309, section 2.2.2)".to_owned()
            }
            (Some(Basis::NoGroup), _) => {
                "no group speaks to the crawler, so everything is allowed".to_owned()
            }
            _ if case.rules.is_empty() => "the group has no rule, so everything is allowed".to_owned(),
            _ if case.rules.len() == 1 => {
                "the group's only rule does not match, and what no rule forbids is allowed".to_owned()
            }
            _ => format!(
                "none of the group's {} matches, and what no rule forbids is allowed",
                render::count(case.rules.len(), "rule")
            ),
        }
    }

    /// Returns which group was chosen, and why.
    pub(super) fn group(&self, case: &Case<'_>) -> String {
        let Some(name) = case.rules.group() else {
            return "none: no group names the crawler, and none is for everyone (`*`)".to_owned();
        };
        let agent = case.agent;
        let fallbacks = &case.args.question.agents.fallback;
        let reason = if name == "*" && agent.as_str() != "*" {
            "for everyone, since no group names the crawler"
        } else if name.eq_ignore_ascii_case(agent.as_str()) {
            "which names the crawler"
        } else if fallbacks.iter().any(|token| token.eq_ignore_ascii_case(name)) {
            "a fallback, since no group names the crawler itself"
        } else if agent.is_header() {
            "which the User-Agent header names"
        } else {
            "whose name this dialect finds in the crawler's"
        };
        let name = render::short(name.as_bytes(), 60);
        match self.explanation.groups.as_slice() {
            [] => format!("`{name}`, {reason}"),
            [group] => format!("`{name}` (line {}), {reason}", group.line),
            groups => {
                let lines: Vec<String> = groups.iter().map(|group| group.line.to_string()).collect();
                format!("`{name}` (lines {}, which count as one group), {reason}", render::list(&lines))
            }
        }
    }

    /// All of it as JSON.
    pub(super) fn json<'j>(&'j self, case: &'j Case<'_>) -> ExplanationRow<'j> {
        let question = (case.url, case.agent, case.file.provenance);
        let policy = case.policy.map(|decision| decision.to_record().into());
        ExplanationRow::new(question, self.explanation, &self.others, self.near_miss.as_ref(), policy)
    }
}

/// The user-agent lines by which the groups were chosen; all of a group's, if there are few.
fn naming_records<'r>(robots: &'r RobotsTxt<'r>, chosen: &[GroupRecord]) -> Vec<Record<'r>> {
    const ALL_SHOWN: usize = 4;
    let of_group = |group: &GroupRecord| {
        let mut records: Vec<_> = robots.groups().nth(group.index).iter().flat_map(Group::agents).collect();
        if records.len() > ALL_SHOWN {
            records.retain(|record| group.named_on.contains(&record.line()));
        }
        records.truncate(ALL_SHOWN);
        records
    };
    chosen.iter().flat_map(of_group).collect()
}

/// A rule that matched, with what became of it.
fn rule_line(contender: &ContenderRecord, all: &[&ContenderRecord], source: &SourceLines<'_>) -> Line {
    let rule = &contender.rule;
    let winner = all.iter().find(|other| other.outcome == RuleOutcome::Decides);
    let won = winner.map_or(0, |winner| winner.length);
    let decides = contender.outcome == RuleOutcome::Decides;
    let remark = match contender.outcome {
        RuleOutcome::Decides => format!("decides{}", advantage(all, won)),
        RuleOutcome::Shorter => format!("loses: a longer pattern wins ({} < {won})", contender.length),
        RuleOutcome::RobotsTxtIsAlwaysAllowed => "does not count: /robots.txt is always allowed".to_owned(),
        other => format!("loses: {}", other.reason()),
    };
    let text = source.rule_text(rule);
    Line { number: rule.line, text, decides: decides.then_some(rule.allows), remark }
}

/// Says why the deciding rule wins.
fn advantage(all: &[&ContenderRecord], length: u32) -> String {
    let has = |outcome| all.iter().any(|contender| contender.outcome == outcome);
    if all.len() == 1 {
        String::new()
    } else if has(RuleOutcome::LaterInFile) {
        ": the first rule that matches".to_owned()
    } else if has(RuleOutcome::TieAllows) {
        format!(": the longest pattern ({length}), and a tie allows")
    } else {
        format!(": the longest pattern ({length})")
    }
}

/// The lines of the file as they are written.
struct SourceLines<'a> {
    robots: &'a RobotsTxt<'a>,
    lines: Vec<&'a [u8]>,
}

impl<'a> SourceLines<'a> {
    fn new(file: &'a File<'a>) -> Self {
        SourceLines { robots: &file.robots, lines: lines(file.body) }
    }

    /// The line of a record. A dialect may count lines by other rules, or decode them; then it is written anew.
    fn text(&self, record: &Record<'_>) -> String {
        let line = self.lines.get(record.line() as usize - 1).map(|line| line.trim_ascii());
        let contains =
            |line: &[u8], part: &[u8]| part.is_empty() || line.windows(part.len()).any(|w| w == part);
        match line {
            Some(line) if contains(line, record.key()) && contains(line, record.value()) => {
                render::short(line, LINE_SHOWN).into_owned()
            }
            _ => render::short(render::record(record).as_bytes(), LINE_SHOWN).into_owned(),
        }
    }

    fn rule_text(&self, rule: &RuleRecord) -> String {
        let record =
            self.robots.records().find(|record| record.line() == rule.line && record.kind().is_rule());
        record.map_or_else(|| rule.to_string(), |record| self.text(&record))
    }
}

/// The lines of a body, ended by CR, LF or CRLF, without a byte order mark.
fn lines(body: &[u8]) -> Vec<&[u8]> {
    let mut rest = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    let mut lines = Vec::new();
    while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
        lines.push(&rest[..end]);
        let terminator = if rest[end..].starts_with(b"\r\n") { 2 } else { 1 };
        rest = &rest[end + terminator..];
    }
    lines.push(rest);
    lines
}

/// Returns what to say about the groups that were not chosen and are not shown.
pub(super) fn rest_text(others: &Others) -> String {
    match (others.listed.is_empty(), others.rest_is_silent) {
        (true, true) => {
            format!("{}, without a rule that matches", render::count(others.rest, "other group"))
        }
        (false, true) => {
            format!("{} without a rule that matches", render::count(others.rest, "more group"))
        }
        (_, false) => render::count(others.rest, "more group"),
    }
}

/// Returns what a group that was not chosen would have said.
pub(super) fn other_text(other: &Other) -> String {
    const NAMES_SHOWN: usize = 3;
    let mut names: Vec<String> =
        other.agents.iter().take(NAMES_SHOWN).map(|name| format!("`{name}`")).collect();
    if other.agents.len() > NAMES_SHOWN {
        names.push(format!("{} more", other.agents.len() - NAMES_SHOWN));
    }
    let names = if names.is_empty() { "`*`".to_owned() } else { render::list(&names) };
    let would = if !other.decision.allowed { "disallow" } else { "allow" };
    format!("{names} (line {}) would {would} it: {}", other.line, other.decision.record.reason())
}
