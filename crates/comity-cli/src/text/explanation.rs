//! Renders the reasons for one decision: lines, the selected group, and other groups.

use std::io::Write;

use comity::decision::{ContenderRecord, GroupRecord, RuleRecord};
use comity::robots::{Agent, Basis, Dialect, Group, Record, RobotsTxt, RuleOutcome, Rules};
use comity_answers::explain::{ExplainRow, OtherGroup};

use super::decision::delay;
use super::{Layout, Render};
use crate::exit::Failure;
use crate::output::Output;
use crate::render::{self, Palette};

/// Maximum number of losing rules that are shown.
const LOSERS_SHOWN: usize = 12;
/// Maximum number of characters of a line that are shown.
const LINE_SHOWN: usize = 120;

/// A robots.txt with its display name.
pub(crate) struct File<'a> {
    pub(crate) name: String,
    pub(crate) body: &'a [u8],
    pub(crate) charset: Option<&'a str>,
    pub(crate) robots: RobotsTxt<'a>,
}

impl Render for ExplainRow<'_> {
    /// The crawler, and the robots.txt that decided; `None` if its text is unknown.
    type View<'v> = (&'v Agent, Option<&'v File<'v>>);

    const LAYOUT: Layout = Layout::Block;

    fn text(
        &self,
        (agent, file): &mut (&Agent, Option<&File<'_>>),
        output: &mut Output,
    ) -> Result<(), Failure> {
        match file {
            Some(file) => by_file(self, agent, file, output),
            None => without_file(self, output),
        }
    }
}

/// The parts of one decision, as text.
struct Evidence {
    /// The lines of the decision, in the order of the file.
    lines: Vec<Line>,
    /// Number of matching rules that lost and are not shown.
    unshown: usize,
    /// The decision in a sentence.
    why: String,
    /// The selected group, with the reason.
    group: String,
}

/// A line of the file that matters to the decision.
struct Line {
    number: u32,
    text: String,
    /// True if the deciding rule allows the URL, false if it disallows the URL; `None` if the line does not decide.
    decides: Option<bool>,
    remark: String,
}

impl Evidence {
    fn new(row: &ExplainRow<'_>, agent: &Agent, file: &File<'_>) -> Self {
        let source = SourceLines::new(file);
        let mut contenders: Vec<&ContenderRecord> = row.contenders.iter().collect();
        // One line can yield two patterns. Only the first, which has the higher precedence, is shown.
        let mut seen = std::collections::HashSet::new();
        contenders.retain(|contender| seen.insert(contender.rule.line));
        let unshown = contenders.len().saturating_sub(LOSERS_SHOWN + 1);
        contenders.truncate(LOSERS_SHOWN + 1);
        let mut lines: Vec<Line> = naming_records(&file.robots, &row.groups)
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
        let rules = file.robots.rules_for(agent);
        let group = group(row, &rules, agent);
        Evidence { lines, unshown, why: why(row, &rules), group }
    }
}

/// Returns the decision in a sentence.
fn why(row: &ExplainRow<'_>, rules: &Rules) -> String {
    let decision = row.decision.as_ref();
    match (decision.and_then(|d| d.basis), decision.and_then(|d| d.rule.as_ref())) {
        (_, Some(rule)) if row.contenders.len() == 1 => {
            format!("line {} is the only rule that matches", rule.line)
        }
        (_, Some(rule)) => {
            format!("of {} that match, line {} wins", render::count(row.contenders.len(), "rule"), rule.line)
        }
        (Some(Basis::RobotsTxt), _) => "/robots.txt is always allowed (RFC 9309, section 2.2.2)".to_owned(),
        (Some(Basis::NoGroup), _) => "no group applies to the crawler, so everything is allowed".to_owned(),
        _ if rules.is_empty() => "the group has no rule, so everything is allowed".to_owned(),
        _ if rules.len() == 1 => "the group's only rule does not match, so the URL is allowed".to_owned(),
        _ => format!(
            "none of the group's {} matches, so the URL is allowed",
            render::count(rules.len(), "rule")
        ),
    }
}

/// Returns the selected group, with the reason.
fn group(row: &ExplainRow<'_>, rules: &Rules, agent: &Agent) -> String {
    let Some(name) = rules.group() else {
        return "none: no group names the crawler, and there is no group for `*`".to_owned();
    };
    let reason = if name == "*" && agent.as_str() != "*" {
        "for all crawlers, since no group names the crawler"
    } else if name.eq_ignore_ascii_case(agent.as_str()) {
        "which names the crawler"
    } else if agent.fallbacks().any(|token| token.eq_ignore_ascii_case(name)) {
        "a fallback, since no group names the crawler itself"
    } else if agent.is_header() {
        "which the User-Agent header names"
    } else {
        "whose name is part of the crawler's name in this dialect"
    };
    let name = render::short(name.as_bytes(), 60);
    match row.groups.as_slice() {
        [] => format!("`{name}`, {reason}"),
        [group] => format!("`{name}` (line {}), {reason}", group.line),
        groups => {
            let lines: Vec<String> = groups.iter().map(|group| group.line.to_string()).collect();
            format!("`{name}` (lines {}, which are one group), {reason}", render::list(&lines))
        }
    }
}

/// Returns the user-agent lines that selected the groups; all user-agent lines of a group that has few.
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

/// Returns the line of a rule that matched, with the result of the rule.
fn rule_line(contender: &ContenderRecord, all: &[&ContenderRecord], source: &SourceLines<'_>) -> Line {
    let rule = &contender.rule;
    let winner = all.iter().find(|other| other.outcome == RuleOutcome::Decides);
    let won = winner.map_or(0, |winner| winner.length);
    let decides = contender.outcome == RuleOutcome::Decides;
    let remark = match contender.outcome {
        RuleOutcome::Decides => format!("decides{}", advantage(all, won, source.robots.dialect())),
        RuleOutcome::Shorter => format!("loses: {} ({} < {won})", contender.reason, contender.length),
        RuleOutcome::RobotsTxtIsAlwaysAllowed => "has no effect: /robots.txt is always allowed".to_owned(),
        _ => format!("loses: {}", contender.reason),
    };
    let text = source.rule_text(rule);
    Line { number: rule.line, text, decides: decides.then_some(rule.allows), remark }
}

/// Returns the reason why the deciding rule wins.
fn advantage(all: &[&ContenderRecord], length: u32, dialect: Dialect) -> String {
    let has = |outcome| all.iter().any(|contender| contender.outcome == outcome);
    let measured = if dialect.is_longest_match() { "match" } else { "pattern" };
    if all.len() == 1 {
        String::new()
    } else if has(RuleOutcome::LaterInFile) {
        ": the first matching rule".to_owned()
    } else if has(RuleOutcome::TieAllows) {
        format!(": the longest {measured} ({length}); `Allow` wins a tie")
    } else {
        format!(": the longest {measured} ({length})")
    }
}

/// The lines of the file, unchanged.
struct SourceLines<'a> {
    robots: &'a RobotsTxt<'a>,
    lines: Vec<&'a [u8]>,
}

impl<'a> SourceLines<'a> {
    fn new(file: &'a File<'a>) -> Self {
        SourceLines { robots: &file.robots, lines: lines(file.body) }
    }

    /// Returns the line of a record. If a dialect counts lines differently or decodes them, the line is generated from
    /// the record.
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

/// Returns the lines of a body, ended by CR, LF or CRLF, without a byte order mark.
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

/// Returns a phrase about the other groups that are not shown.
fn unlisted_text(row: &ExplainRow<'_>) -> String {
    let number = row.unlisted_groups;
    match (row.other_groups.is_empty(), row.unlisted_are_silent) {
        (true, true) => format!("{}, without a matching rule", render::count(number, "other group")),
        (false, true) => format!("{} without a matching rule", render::count(number, "more group")),
        (_, false) => render::count(number, "more group"),
    }
}

/// Returns the decision of a group that was not selected.
fn other_text(other: &OtherGroup) -> String {
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

/// Prints the verdict, the URL and the crawler.
fn print_question(row: &ExplainRow<'_>, output: &mut Output) -> Result<(), Failure> {
    let (style, strong) = (output.palette.verdict(row.allowed), output.palette.strong);
    let (verdict, url) = (render::verdict(row.allowed), render::text(row.url.as_bytes()));
    let agent = render::text(row.agent.as_bytes());
    Ok(writeln!(output, "{style}{verdict}{style:#}  {strong}{url}{strong:#}  for {strong}{agent}{strong:#}")?)
}

/// Prints an explanation by the rules of a file.
fn by_file(row: &ExplainRow<'_>, agent: &Agent, file: &File<'_>, output: &mut Output) -> Result<(), Failure> {
    let evidence = Evidence::new(row, agent, file);
    let palette = output.palette;
    let dialect = file.robots.dialect();
    print_question(row, output)?;
    writeln!(output, "by {}, read as {dialect} ({})", file.name, dialect.defined_by())?;
    writeln!(output)?;
    print_lines(&evidence, &palette, output)?;
    let width = output.width;
    let mut fact = |name: &str, text: &str| -> Result<(), Failure> {
        let strong = palette.strong;
        let text = render::wrap(text, width, 10);
        Ok(writeln!(output, "  {strong}{name:<7}{strong:#} {text}")?)
    };
    fact("why", &evidence.why)?;
    fact("group", &evidence.group)?;
    if let Some((delay, record)) = row.decision.as_ref().and_then(delay) {
        fact("delay", &format!("{delay} between two requests, by {record}"))?;
    }
    if let Some(near_miss) = &row.near_miss {
        fact("note", &near_miss.to_string())?;
    }
    for (index, other) in row.other_groups.iter().enumerate() {
        fact(if index == 0 { "others" } else { "" }, &other_text(other))?;
    }
    if row.unlisted_groups > 0 {
        fact(if row.other_groups.is_empty() { "others" } else { "" }, &unlisted_text(row))?;
    }
    Ok(())
}

/// Prints a decision without rules.
#[cfg(feature = "live")]
fn without_file(row: &ExplainRow<'_>, output: &mut Output) -> Result<(), Failure> {
    use crate::sites::phrases;

    let Some(decision) = &row.decision else { return Ok(()) };
    print_question(row, output)?;
    let url = row.robots_txt.url.as_deref().unwrap_or_default();
    let source = phrases::source(decision, std::time::SystemTime::now());
    writeln!(output, "by {} ({source})\n", render::text(url.as_bytes()))?;
    let strong = output.palette.strong;
    writeln!(output, "  {strong}why{strong:#}     {}", phrases::basis(decision, &row.agent))?;
    if let Some(near_miss) = &row.near_miss {
        let text = render::wrap(&near_miss.to_string(), output.width, 10);
        writeln!(output, "  {strong}note{strong:#}    {text}")?;
    }
    if let Some(preset) = decision.preset {
        let text = format!(
            "{preset} ({}); `comity presets {preset}` shows its treatment of each answer",
            preset.defined_by()
        );
        writeln!(output, "  {strong}preset{strong:#}  {}", render::wrap(&text, output.width, 10))?;
    }
    Ok(writeln!(output, "  {strong}verdict{strong:#} {}, {}", decision.verdict, decision.recommendation)?)
}

#[cfg(not(feature = "live"))]
fn without_file(_: &ExplainRow<'_>, _: &mut Output) -> Result<(), Failure> {
    Ok(())
}

/// Prints the lines of the file, with a mark at the deciding line.
fn print_lines(evidence: &Evidence, palette: &Palette, output: &mut Output) -> Result<(), Failure> {
    const WIDEST: usize = 56;
    let Some(last) = evidence.lines.last() else { return Ok(()) };
    let digits = last.number.to_string().len().max(3);
    let columns = evidence.lines.iter().filter(|line| !line.remark.is_empty());
    let columns = columns.map(|line| render::width(&line.text).min(WIDEST)).max().unwrap_or(0);
    let (gutter, faint) = (palette.gutter, palette.faint);
    let mut before = None;
    for line in &evidence.lines {
        if before.is_some_and(|before| line.number > before + 1) {
            writeln!(output, "    {gutter}{:>digits$}{gutter:#}", "...")?;
        }
        before = Some(line.number);
        let style = match line.decides {
            Some(allowed) => palette.verdict(allowed),
            None => anstyle::Style::new(),
        };
        let mark = if line.decides.is_some() { ">" } else { " " };
        write!(output, "  {style}{mark}{style:#} {gutter}{:>digits$} |{gutter:#} ", line.number)?;
        if line.remark.is_empty() {
            writeln!(output, "{}", line.text)?;
        } else {
            let remark_style = if line.decides.is_some() { style } else { faint };
            write!(output, "{style}{:<columns$}{style:#}   ", line.text)?;
            writeln!(output, "{remark_style}{}{remark_style:#}", line.remark)?;
        }
    }
    if evidence.unshown > 0 {
        let more = render::count(evidence.unshown, "more rule");
        writeln!(output, "    {faint}... and {more} that matched and lost{faint:#}")?;
    }
    Ok(writeln!(output)?)
}
