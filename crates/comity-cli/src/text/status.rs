//! Renders the effect of an answer to the request for robots.txt: for the site as a whole, and for URLs.

use std::io::Write;
use std::time::SystemTime;

use comity::policy::{Decision, Evidence, Mode, Treatment};
use comity_answers::check::CheckRow;
use comity_answers::status::StatusRow;
use serde::Serialize;

use super::Render;
use crate::exit::Failure;
use crate::output::Output;
use crate::render;

/// The decision about a URL: `blocked  /x  disallowed_explicit, not_recommended  line 2: Disallow: /x`.
#[derive(Serialize)]
#[serde(transparent)]
pub(crate) struct StatusDecision<'a>(pub(crate) CheckRow<'a>);

impl Render for StatusDecision<'_> {
    /// The URL as in the argument.
    type View<'v> = &'v [u8];

    fn text(&self, url: &mut &[u8], output: &mut Output) -> Result<(), Failure> {
        // The error was already printed.
        let Some(decision) = &self.0.decision else { return Ok(()) };
        let (style, faint) = (output.palette.verdict(!decision.blocked), output.palette.faint);
        let word = if decision.blocked { "blocked" } else { "passes" };
        let basis = match (decision.basis, decision.treatment, decision.preset) {
            (Some(_), ..) => render::basis(decision, &self.0.agent),
            (None, Some(Treatment::FailOpen), Some(preset)) => format!("{preset} fails open"),
            (None, Some(treatment), _) => treatment.label().to_owned(),
            (None, None, _) => "robots.txt is ignored".to_owned(),
        };
        let (url, verdict, recommendation) = (render::text(url), decision.verdict, decision.recommendation);
        Ok(writeln!(
            output,
            "{style}{word:<8}{style:#} {url}  {verdict}, {recommendation}  {faint}{basis}{faint:#}"
        )?)
    }
}

impl Render for StatusRow {
    type View<'v> = Summary<'v>;

    fn text(&self, summary: &mut Summary<'_>, output: &mut Output) -> Result<(), Failure> {
        summary.print(false, output)
    }
}

/// The part of a decision that applies to every URL.
#[derive(Clone, Copy)]
pub(crate) struct Summary<'a> {
    /// The decision about the root of the site. If no rule decides, all URLs have this result.
    decision: &'a Decision<'a>,
    now: SystemTime,
}

impl<'a> Summary<'a> {
    pub(crate) fn new(decision: &'a Decision<'a>, now: SystemTime) -> Self {
        Summary { decision, now }
    }

    /// Returns the decision if it applies to every URL.
    pub(crate) fn fixed(&self) -> Option<&Decision<'a>> {
        Some(self.decision).filter(|decision| decision.rules().is_none())
    }

    /// Prints the decision as text. `with_urls` is true if decisions about URLs follow.
    pub(crate) fn print(&self, with_urls: bool, output: &mut Output) -> Result<(), Failure> {
        let now = self.now;
        let faint = output.palette.faint;
        let mut lines: Vec<(&str, String)> = Vec::new();
        let decision = self.decision;
        let (preset, mode) = (decision.preset(), decision.mode());
        let own = match preset.mode() {
            own if own == mode || own == Mode::Respect => String::new(),
            own => format!(" (the preset's mode is {own})"),
        };
        lines.push(("preset", format!("{preset}, dialect {}, mode {mode}{own}", decision.dialect())));
        match decision.outage() {
            Some(outage) => {
                lines.push(("answer", answer(outage.latest())));
                let age = now.duration_since(outage.since()).unwrap_or_default();
                lines.push(("outage", format!("since {}, for {}", time(outage.since()), render::span(age))));
            }
            None => lines.extend(decision.evidence().map(|evidence| ("answer", answer(evidence)))),
        }
        let done = decision.treatment().map_or("robots.txt is ignored", Treatment::label);
        lines.push(("treatment", done.to_owned()));
        match self.fixed() {
            Some(fixed) => {
                lines.push(("verdict", fixed.verdict().to_string()));
                lines.push(("recommendation", fixed.recommendation().to_string()));
            }
            None if with_urls => lines.push(("verdict", "by the rules".to_owned())),
            None => lines.push(("verdict", "by the rules, for a crawler (--agent) and a URL".to_owned())),
        }
        if decision.failed_open() {
            lines.push(("failed open", format!("{preset} allows URLs although the rules are unknown")));
        }
        lines.extend(self.times());
        for (name, value) in lines {
            writeln!(output, "{faint}{name:<15}{faint:#} {value}")?;
        }
        if let (Some(fixed), false) = (self.fixed(), with_urls) {
            let blocked = fixed.blocks();
            let style = output.palette.verdict(!blocked);
            let word = if blocked { "blocked" } else { "passes" };
            writeln!(output, "{style}{word:<8}{style:#} every URL of the site")?;
        }
        Ok(())
    }

    /// Returns the lines about the lifetime of the answer.
    fn times(&self) -> Vec<(&'static str, String)> {
        let now = self.now;
        let mut lines = Vec::new();
        let serves = |evidence: &Evidence| match evidence.stale_until() {
            None => "any age".to_owned(),
            until => moment(until, now),
        };
        let outage = self.decision.outage();
        match (self.decision.evidence(), self.decision.treatment()) {
            (Some(copy), Some(Treatment::LastGood)) => {
                lines.push(("copy fetched", moment(Some(copy.fetched_at()), now)));
                lines.push(("copy expires", serves(copy)));
            }
            (Some(evidence), _) if outage.is_none() => {
                lines.push(("fresh until", moment(evidence.fresh_until(), now)));
                if evidence.treatment() == Treatment::ReadRules {
                    lines.push(("stale until", serves(evidence)));
                }
            }
            _ => {}
        }
        lines.extend(outage.map(|outage| match outage.latest().fresh_until() {
            None => ("next request", "not while the program runs".to_owned()),
            until => ("next request", moment(until, now)),
        }));
        lines
    }
}

/// Formats an answer as `503: server_error, unreachable`.
fn answer(evidence: &Evidence) -> String {
    let reply = match (evidence.status(), evidence.failure()) {
        (Some(status), _) => status.to_string(),
        (None, Some(failure)) => failure.summary().to_owned(),
        (None, None) => String::new(),
    };
    format!("{reply}: {}, {}", evidence.kind(), evidence.availability())
}

/// Formats a time, with the distance from now.
fn moment(at: Option<SystemTime>, now: SystemTime) -> String {
    let Some(at) = at else { return "as long as the program runs".to_owned() };
    match at.duration_since(now) {
        Ok(wait) if wait.as_secs() == 0 => format!("{}, now", time(at)),
        Ok(wait) => format!("{}, in {}", time(at), render::span(wait)),
        Err(passed) => format!("{}, {} ago", time(at), render::span(passed.duration())),
    }
}

/// Formats a time as RFC 3339 in UTC, to the second.
fn time(at: SystemTime) -> String {
    comity::rfc3339::seconds(at).unwrap_or_else(|| "beyond the year 9999".to_owned())
}
