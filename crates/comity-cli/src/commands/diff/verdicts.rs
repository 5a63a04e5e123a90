//! Which URLs change verdict.

use std::io::Write;

use comity::robots::{Agent, Decision};
use comity_answers::diff::{Pair, Sides, Turn, UrlChange};
use comity_answers::notice::NoticeLog;

use crate::decisions::Urls;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::render;

/// Decides URLs by both files for all crawlers.
pub(super) struct Verdicts<'a> {
    sides: Sides<'a>,
    /// The number of URLs that were decided. The next field counts those that changed for some crawler.
    pub(super) urls: usize,
    pub(super) changed_urls: usize,
    pub(super) has_errors: bool,
    pub(super) log: NoticeLog,
}

impl<'a> Verdicts<'a> {
    pub(super) fn new(pair: &Pair<'_>, agents: &'a [Agent]) -> Self {
        Verdicts {
            sides: Sides::new(pair, agents),
            urls: 0,
            changed_urls: 0,
            has_errors: false,
            log: NoticeLog::default(),
        }
    }

    /// The changes, for JSON.
    pub(super) fn collect(
        &mut self,
        urls: &mut Option<Urls>,
        output: &mut Output,
    ) -> Result<Vec<UrlChange>, Failure> {
        let mut all = Vec::new();
        self.each(urls, output, |url, changes, _| {
            all.extend(changes.iter().map(|turn| UrlChange::new(url, turn)));
            Ok(())
        })?;
        Ok(all)
    }

    /// The changes for a person, as they are found.
    pub(super) fn print(&mut self, urls: &mut Option<Urls>, output: &mut Output) -> Result<(), Failure> {
        self.each(urls, output, print_url)?;
        if self.changed_urls > 0 { Ok(writeln!(output)?) } else { Ok(()) }
    }

    /// Calls `found` with every URL whose verdict changes for some crawler.
    fn each(
        &mut self,
        urls: &mut Option<Urls>,
        output: &mut Output,
        mut found: impl FnMut(&[u8], &[Turn<'_>], &mut Output) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let Some(urls) = urls.take() else { return Ok(()) };
        let answer = |url: &[u8], output: &mut Output| {
            let turns = match self.sides.turns(url) {
                Ok(turns) => turns,
                Err(error) => return Ok(Err(error.to_string())),
            };
            self.urls += 1;
            self.log.add_url(url);
            if !turns.is_empty() {
                self.changed_urls += 1;
                found(url, &turns, output)?;
            }
            Ok(Ok(Exit::Success))
        };
        let exit = urls.answer_each(output, answer, |_, _, _| Ok(()))?;
        self.has_errors |= exit == Exit::Trouble;
        Ok(())
    }
}

/// Prints a URL with its changes, crawlers with the same one together.
fn print_url(url: &[u8], turns: &[Turn<'_>], output: &mut Output) -> Result<(), Failure> {
    let palette = output.palette;
    let mut same: Vec<(Vec<String>, &Turn<'_>)> = Vec::new();
    let line = |decision: &Decision<'_>| decision.rule().map(|rule| rule.line());
    for turn in turns {
        let name = render::short(turn.0.as_str().as_bytes(), 60).into_owned();
        match same
            .iter_mut()
            .find(|(_, other)| (line(&other.1), line(&other.2)) == (line(&turn.1), line(&turn.2)))
        {
            Some((names, _)) => names.push(name),
            None => same.push((vec![name], turn)),
        }
    }
    writeln!(output, "{0}{1}{0:#}", palette.strong, render::text(url))?;
    for (names, (agent, old, new)) in same {
        writeln!(output, "  {}", render::wrap(&render::list(&names), output.width, 2))?;
        for (mark, decision) in [("-", old), ("+", new)] {
            let style = palette.verdict(decision.is_allowed());
            let verdict = render::verdict(decision.is_allowed());
            let basis = render::basis(&decision.to_record(), agent.as_str());
            writeln!(output, "    {mark} {style}{verdict:<10}{style:#}  {0}{basis}{0:#}", palette.faint)?;
        }
    }
    Ok(())
}
