//! Prints the findings of a site audit for people.

use std::io::Write;

use comity::finding::Severity;
use comity::site::SiteFinding;
use comity_audit::ManifestSite;

use crate::exit::Failure;
use crate::output::Output;
use crate::render;

/// Maximum number of findings listed per kind, and of URLs listed per finding. `--summary` lifts both limits.
const LISTED: (usize, usize) = (10, 3);

/// Maximum number of crawlers that are named.
const NAMED: usize = 5;

/// Returns the page counts: `11 pages listed: 9 fetched as Comity; 2 not fetched, because robots.txt disallows them for
/// Comity`.
pub(super) fn looked_at(site: &ManifestSite) -> String {
    let agent = render::text(site.agent.as_bytes());
    let mut parts = vec![format!("{} fetched as {agent}", render::number(site.looked_at))];
    let mut also = |count: u64, what: String| {
        if count > 0 {
            parts.push(format!("{} {what}", render::number(count)));
        }
    };
    also(site.failed, "without an answer".to_owned());
    also(site.forbidden, format!("not fetched, because robots.txt disallows them for {agent}"));
    also(site.beyond_limit, format!("not fetched, because --limit is {}", render::number(site.limit)));
    also(site.foreign, "more of other sites, which are not fetched".to_owned());
    format!("{} listed: {}", render::count_of(site.listed, "page"), parts.join("; "))
}

/// Prints the findings and their counts.
pub(super) fn print(site: &ManifestSite, is_whole: bool, output: &mut Output) -> Result<(), Failure> {
    let (strong, faint) = (output.palette.strong, output.palette.faint);
    writeln!(output, "{strong}Findings{strong:#}")?;
    let (most, most_urls) = if is_whole { (usize::MAX, usize::MAX) } else { LISTED };
    for same in
        site.findings.chunk_by(|one, other| (&one.code, one.severity) == (&other.code, other.severity))
    {
        for found in same.iter().take(most) {
            finding(found, most_urls, output)?;
        }
        let more = same.len().saturating_sub(most);
        if more > 0 {
            writeln!(output, "  {faint}and {more} more of this kind; --summary lists all{faint:#}")?;
        }
        if let Some(first) = same.first() {
            let help = format!("help: {}", render::text(first.help.as_bytes()));
            writeln!(output, "  {faint}{}{faint:#}", render::wrap(&help, output.width, 4))?;
        }
    }
    let counts =
        [Severity::Error, Severity::Warning, Severity::Note].map(|severity| (site.count(severity), severity));
    let words: Vec<String> = counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, severity)| render::count_of(count, severity.as_str()))
        .collect();
    match words.is_empty() {
        true => writeln!(output, "  no findings")?,
        false => writeln!(output, "{}", render::list(&words))?,
    }
    Ok(())
}

/// Prints a finding as `warning[CODE]: MESSAGE (line 3), for GPTBot`, and its URLs below.
fn finding(found: &SiteFinding, most: usize, output: &mut Output) -> Result<(), Failure> {
    let (style, faint) = (output.palette.severity(found.severity), output.palette.faint);
    let (severity, code) = (found.severity, render::text(found.code.as_bytes()));
    let line = found.line.map(|line| format!(" (line {line})")).unwrap_or_default();
    let message = render::text(found.message.as_bytes());
    writeln!(output, "{style}{severity}[{code}]{style:#}: {message}{line}{}", whom(&found.agents))?;
    for url in found.urls.iter().take(most) {
        writeln!(output, "    {}", render::text(url.as_bytes()))?;
    }
    let shown = found.urls.len().min(most) as u64;
    if found.count > shown {
        writeln!(output, "    {faint}and {} more{faint:#}", render::number(found.count - shown))?;
    }
    Ok(())
}

/// Returns the crawlers of a finding: `, for GPTBot, CCBot and 11 more`. Returns an empty text if the finding applies
/// to all crawlers.
fn whom(agents: &[String]) -> String {
    if agents.is_empty() {
        return String::new();
    }
    let name = |agent: &String| match agent.as_str() {
        "*" => "crawlers without a group of their own".to_owned(),
        agent => render::short(agent.as_bytes(), 40).into_owned(),
    };
    let mut named: Vec<String> = agents.iter().take(NAMED).map(name).collect();
    if agents.len() > NAMED {
        named.push(format!("{} more", agents.len() - NAMED));
    }
    format!(", for {}", render::list(&named))
}
