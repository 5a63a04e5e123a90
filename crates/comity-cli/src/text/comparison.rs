//! Renders a decision in every dialect, and the reasons for differences.
//!
//! The evidence of a dialect is compared with that of the reference dialect (`--dialect`), in the order of the steps of
//! a decision: the URL, the group, the rule.

use std::borrow::Cow;
use std::io::Write;

use comity::decision::{DecisionRecord, Explanation, GroupRecord, RuleRecord};
use comity::robots::{Agent, Basis, Dialect, Group, RobotsTxt, RuleOutcome, Rules};
use comity_answers::explain::ExplainRow;
use comity_answers::provenance::Provenance;
use comity_answers::row::DecisionJson;
use serde::Serialize;

use super::explanation::File;
use super::{Layout, Render};
use crate::exit::Failure;
use crate::output::Output;
use crate::render;

/// Parses the file in every dialect, in the order of [`Dialect::ALL`].
pub(crate) fn read<'f>(file: &File<'f>) -> Vec<RobotsTxt<'f>> {
    let read = |dialect| RobotsTxt::parse_with_charset(file.body, dialect, file.charset);
    Dialect::ALL.into_iter().map(read).collect()
}

/// A URL and a crawler.
struct Case<'a> {
    url: &'a [u8],
    agent: &'a Agent,
}

/// The decision in every dialect, and the differences.
#[derive(Serialize)]
pub(crate) struct Comparison<'a> {
    url: &'a str,
    agent: &'a str,
    robots_txt: &'a Provenance,
    reference: Dialect,
    dialects: Vec<Side>,
    differences: Vec<Difference>,
    /// The URL as in the argument.
    #[serde(skip)]
    given: &'a [u8],
    #[serde(skip)]
    file: &'a str,
}

/// The decision of one dialect, or the error if the dialect rejects the URL.
#[derive(Serialize)]
#[serde(untagged)]
enum Side {
    Decision(Box<DecisionJson>),
    Error { dialect: Dialect, error: String },
}

impl<'a> Comparison<'a> {
    /// Compares the decisions of the dialects about a URL. `readings` is the file as parsed in each dialect. Returns
    /// `None` if no reading is in the reference dialect.
    pub(crate) fn new(
        row: &'a ExplainRow<'_>,
        (url, agent): (&'a [u8], &'a Agent),
        file: &'a File<'_>,
        readings: &[RobotsTxt<'_>],
    ) -> Option<Comparison<'a>> {
        let case = &Case { url, agent };
        let rules: Vec<Rules> = readings.iter().map(|robots| robots.rules_for(agent)).collect();
        let views: Vec<View<'_>> =
            readings.iter().zip(&rules).map(|(robots, rules)| View::new(robots, rules, case)).collect();
        let reference = views.iter().find(|view| view.dialect == file.robots.dialect())?;
        Some(Comparison {
            url: &row.url,
            agent: agent.as_str(),
            robots_txt: &row.robots_txt,
            reference: reference.dialect,
            differences: differences(reference, &views, case),
            dialects: views.iter().map(View::side).collect(),
            given: url,
            file: &file.name,
        })
    }

    fn decisions(&self) -> impl Iterator<Item = &DecisionRecord> {
        self.dialects.iter().filter_map(|side| match side {
            Side::Decision(decision) => Some(&decision.record),
            Side::Error { .. } => None,
        })
    }
}

impl Render for Comparison<'_> {
    type View<'v> = ();

    const LAYOUT: Layout = Layout::Block;

    fn text(&self, (): &mut (), output: &mut Output) -> Result<(), Failure> {
        print_table(self, output)?;
        print_differences(self, output)
    }
}

/// The decision of one dialect, with its evidence.
struct View<'a> {
    dialect: Dialect,
    robots: &'a RobotsTxt<'a>,
    rules: &'a Rules,
    explanation: Result<Explanation, String>,
}

impl<'a> View<'a> {
    fn new(robots: &'a RobotsTxt<'a>, rules: &'a Rules, case: &Case<'_>) -> Self {
        let explanation = robots.explain(case.agent, case.url).map_err(|error| error.to_string());
        View { dialect: robots.dialect(), robots, rules, explanation }
    }

    fn decision(&self) -> Option<&DecisionRecord> {
        self.explanation.as_ref().ok().map(|explanation| &explanation.decision)
    }

    /// Returns the groups whose rules were considered.
    fn groups(&self) -> &[GroupRecord] {
        self.explanation.as_ref().map_or(&[], |explanation| &explanation.groups)
    }

    /// Returns the lines at which the considered groups start.
    fn group_lines(&self) -> Vec<u32> {
        self.groups().iter().map(|group| group.line).collect()
    }

    fn side(&self) -> Side {
        match &self.explanation {
            Ok(explanation) => Side::Decision(Box::new(explanation.decision.clone().into())),
            Err(error) => Side::Error { dialect: self.dialect, error: error.clone() },
        }
    }
}

/// Returns the name of a group as the table shows it.
fn group_name(decision: &DecisionRecord) -> Cow<'_, str> {
    decision.group.as_ref().map_or("none".into(), |name| render::short(name.as_bytes(), 24))
}

fn print_table(comparison: &Comparison<'_>, output: &mut Output) -> Result<(), Failure> {
    let (strong, faint) = (output.palette.strong, output.palette.faint);
    let (url, agent) = (render::text(comparison.given), render::text(comparison.agent.as_bytes()));
    writeln!(output, "{strong}{url}{strong:#}  for {strong}{agent}{strong:#}, by {}\n", comparison.file)?;
    let groups = comparison.decisions().map(|decision| render::width(&group_name(decision)));
    let group_columns = groups.max().unwrap_or(0).max(5);
    writeln!(
        output,
        "  {faint}{:<13}  {:<10}  {:<group_columns$}  decided by{faint:#}",
        "dialect", "verdict", "group"
    )?;
    for side in &comparison.dialects {
        match side {
            Side::Decision(decision) => {
                let decision = &decision.record;
                let style = output.palette.verdict(!decision.blocked);
                let (dialect, verdict) = (decision.dialect, render::verdict(!decision.blocked));
                let (group, basis) = (group_name(decision), render::basis(decision, comparison.agent));
                writeln!(
                    output,
                    "  {dialect:<13}  {style}{verdict:<10}{style:#}  {group:<group_columns$}  {basis}"
                )?;
            }
            Side::Error { dialect, error } => {
                let style = output.palette.warning;
                writeln!(
                    output,
                    "  {dialect:<13}  {style}{:<10}{style:#}  {:<group_columns$}  {error}",
                    "error", ""
                )?;
            }
        }
    }
    Ok(())
}

fn print_differences(comparison: &Comparison<'_>, output: &mut Output) -> Result<(), Failure> {
    let (strong, faint, width) = (output.palette.strong, output.palette.faint, output.width);
    let yes = comparison.decisions().filter(|decision| !decision.blocked).count();
    let all = comparison.decisions().count();
    let decide = if all == comparison.dialects.len() { "dialects" } else { "dialects without an error" };
    let verdicts = match (yes, all - yes) {
        (0, 0) => "No dialect decides".to_owned(),
        (_, 0) => format!("All {decide} allow it"),
        (0, _) => format!("All {decide} disallow it"),
        (1, no) => format!("1 of {all} {decide} allows it, {no} disallow it"),
        (yes, 1) => format!("{yes} of {all} {decide} allow it, 1 disallows it"),
        (yes, no) => format!("{yes} of {all} {decide} allow it, {no} disallow it"),
    };
    if comparison.differences.is_empty() {
        return Ok(writeln!(output, "\n{verdicts}, for the same reason.")?);
    }
    writeln!(output, "\n{verdicts}. Differences from {}:", comparison.reference)?;
    for difference in &comparison.differences {
        let names: Vec<&str> = difference.dialects.iter().map(|dialect| dialect.name()).collect();
        writeln!(output, "\n  {strong}{}{strong:#}", render::list(&names))?;
        writeln!(output, "    {}", render::wrap(&difference.what, width, 4))?;
        for (dialect, quirk) in &difference.quirks {
            let text = render::wrap(&format!("{dialect}: {quirk}"), width, 6);
            writeln!(output, "    {faint}- {text}{faint:#}")?;
        }
    }
    Ok(())
}

/// A difference between some dialects and the reference.
#[derive(Serialize)]
struct Difference {
    dialects: Vec<Dialect>,
    what: String,
    /// For each dialect, the line of its documentation about the difference, if there is one.
    quirks: Vec<(Dialect, &'static str)>,
}

/// The step of a decision at which two dialects differ.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Url,
    Group,
    Dropped,
    Spelling,
    Grouping,
    Matching,
    Precedence,
    RobotsTxt,
}

/// Returns the differences from the reference. Dialects with equal differences are grouped.
fn differences(reference: &View<'_>, sides: &[View<'_>], case: &Case<'_>) -> Vec<Difference> {
    let mut found: Vec<Difference> = Vec::new();
    for side in sides {
        let Some((step, what, pattern)) = difference(reference, side) else { continue };
        let quirk = relevant_quirk(side.dialect, step, pattern.as_bytes(), case.url)
            .map(|quirk| (side.dialect, quirk));
        match found.iter_mut().find(|difference| difference.what == what) {
            Some(difference) => {
                difference.dialects.push(side.dialect);
                difference.quirks.extend(quirk);
            }
            None => found.push(Difference {
                dialects: vec![side.dialect],
                what,
                quirks: quirk.into_iter().collect(),
            }),
        }
    }
    found
}

/// Returns the first step at which `side` differs from `reference`, a text about the difference, and the pattern of the
/// rule that differs.
fn difference(reference: &View<'_>, side: &View<'_>) -> Option<(Step, String, String)> {
    let (expected, actual) = match (reference.decision(), side.decision()) {
        (Some(expected), Some(actual)) => (expected, actual),
        (None, None) => return None,
        (_, None) => return Some((Step::Url, "finds no path in this text".to_owned(), String::new())),
        (None, _) => {
            return Some((Step::Url, "finds a path in this text".to_owned(), String::new()));
        }
    };
    let pattern = |rule: Option<&RuleRecord>| rule.map(|rule| rule.pattern.clone()).unwrap_or_default();
    let is_exempt = |decision: &DecisionRecord| decision.basis == Some(Basis::RobotsTxt);
    if is_exempt(expected) != is_exempt(actual) {
        let what = if is_exempt(actual) { "/robots.txt is exempt" } else { "/robots.txt is not exempt" };
        return Some((Step::RobotsTxt, format!("{what}{}", deciding(actual)), pattern(actual.rule.as_ref())));
    }
    if let Some((step, what)) = other_group(reference, side) {
        return Some((step, format!("{what}{}", deciding(actual)), String::new()));
    }
    match (&expected.rule, &actual.rule) {
        (None, None) => None,
        (Some(a), Some(b)) if a.line == b.line => (a.allows != b.allows).then(|| {
            let word = if b.allows { "Allow" } else { "Disallow" };
            (Step::Matching, format!("line {} counts as {word}", b.line), pattern(Some(b)))
        }),
        (None, Some(rule)) => {
            let what = format!("line {} matches: {rule}", rule.line);
            Some((Step::Matching, what, pattern(Some(rule))))
        }
        (Some(missed), _) => {
            let (step, what) = why_not(missed, reference, side);
            Some((step, format!("{what}{}", deciding(actual)), pattern(Some(missed))))
        }
    }
}

fn deciding(decision: &DecisionRecord) -> String {
    match &decision.rule {
        Some(rule) => format!(", so line {} decides", rule.line),
        None => ", so no rule decides".to_owned(),
    }
}

/// Returns the difference between the selected groups, if there is one.
fn other_group(reference: &View<'_>, side: &View<'_>) -> Option<(Step, String)> {
    let (expected, actual) = (reference.group_lines(), side.group_lines());
    let same_name = match (reference.rules.group(), side.rules.group()) {
        (Some(a), Some(b)) => a.eq_ignore_ascii_case(b),
        (None, None) => true,
        _ => false,
    };
    // Dialects may split the file into different groups, so groups with equal names count as equal.
    if same_name || (!expected.is_empty() && expected == actual) {
        return None;
    }
    let is_dropped = |line: &u32| {
        let dropped = side.robots.groups().filter(|group| group.is_dropped());
        dropped.flat_map(|group| group.agents()).any(|agent| agent.line() == *line)
    };
    if let Some(line) = expected.iter().find(|line| is_dropped(line)) {
        return Some((Step::Dropped, format!("drops the group of line {line}, in which it finds no rule")));
    }
    let instead = match reference.rules.group() {
        Some(name) => format!("instead of `{}`", render::short(name.as_bytes(), 40)),
        None => "where the reference selects none".to_owned(),
    };
    let chosen = match side.rules.group() {
        Some(name) => format!("selects the group `{}`", render::short(name.as_bytes(), 40)),
        None => "selects no group".to_owned(),
    };
    let lines: Vec<String> = actual.iter().map(|line| format!("line {line}")).collect();
    let lines = if lines.is_empty() { String::new() } else { format!(" ({})", render::list(&lines)) };
    Some((Step::Group, format!("{chosen}{lines} {instead}")))
}

/// Returns the reason why the deciding rule of the reference does not decide in the dialect.
fn why_not(missed: &RuleRecord, reference: &View<'_>, side: &View<'_>) -> (Step, String) {
    let line = missed.line;
    let contenders = side.explanation.as_ref().map_or(&[][..], |explanation| &explanation.contenders);
    if let Some(contender) = contenders.iter().find(|contender| contender.rule.line == line) {
        let won = contenders.first().map_or(0, |first| first.length);
        let lengths = match contender.outcome {
            RuleOutcome::Shorter => format!(" ({} < {won})", contender.length),
            _ => String::new(),
        };
        return (Step::Precedence, format!("line {line} matches, but {}{lengths}", contender.reason));
    }
    let written = |side: &View<'_>| {
        side.robots.records().find(|record| record.line() == line).map(|r| r.value().to_vec())
    };
    let is_rule = side.robots.records().any(|record| record.line() == line && record.kind().is_rule());
    if !is_rule {
        let slip =
            reference.robots.records().find(|record| record.line() == line).map_or("", |record| {
                match (record.is_misspelt(), record.is_missing_colon()) {
                    (true, _) => ", because its key is misspelt",
                    (_, true) => ", because its colon is missing",
                    _ => "",
                }
            });
        return (Step::Spelling, format!("line {line} is not a rule{slip}"));
    }
    // Rules are compared by pattern, because a search for the line of each rule would read the whole file once per
    // rule.
    let value =
        side.robots.records().find(|record| record.line() == line).map(|record| record.value().to_vec());
    if !side.rules.iter().any(|rule| Some(rule.pattern()) == value.as_deref()) {
        let is_chosen = |group: &Group<'_>| side.groups().iter().any(|chosen| chosen.index == group.index());
        let mut chosen = side.robots.groups().filter(is_chosen);
        let is_in_group = chosen.any(|group| group.rules().any(|rule| rule.line() == line));
        let what = if is_in_group { "can never match" } else { "applies to other crawlers" };
        return (Step::Grouping, format!("line {line} {what}"));
    }
    let same = written(reference) == written(side);
    let what = if same { "does not match" } else { "is read differently and does not match" };
    (Step::Matching, format!("line {line} {what}"))
}

/// Returns the quirk of the dialect that explains a difference at this step, if there is one.
fn relevant_quirk(dialect: Dialect, step: Step, pattern: &[u8], url: &[u8]) -> Option<&'static str> {
    let has = |text: &[u8], bytes: &[u8]| text.iter().any(|byte| bytes.contains(byte));
    let keywords: &[&[&str]] = match step {
        Step::Url => &[],
        Step::Dropped => &[&["drops user-agent lines"]],
        Step::RobotsTxt => &[&["/robots.txt"]],
        Step::Group => &[&["substring"], &["name"], &["falls back"]],
        Step::Precedence => &[&["first matching rule"], &["first rule that matches"], &["longest"]],
        Step::Spelling => &[&["misspelling"], &["suffix of a known key"]],
        Step::Grouping => &[&["listed together"], &["blank line"]],
        Step::Matching if pattern.is_empty() => &[&["empty"], &["blank `Allow`"]],
        Step::Matching if has(pattern, b"%") || has(url, b"%") => {
            &[&["percent"], &["%2F"], &["matched as given"]]
        }
        Step::Matching if has(pattern, b"*$") => &[&["plain characters"], &["wildcards"], &["final `$`"]],
        Step::Matching => &[&["index.html"], &["fragment"]],
    };
    let quirks = dialect.quirks();
    keywords
        .iter()
        .find_map(|words| quirks.iter().copied().find(|quirk| words.iter().all(|word| quirk.contains(word))))
}
