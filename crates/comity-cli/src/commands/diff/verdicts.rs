//! URLs whose verdict changes.

use comity::robots::Agent;
use comity_answers::diff::{Pair, PairRules, UrlChange, VerdictChange};
use comity_answers::notice::NoticeLog;

use crate::decisions::Urls;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::text::diff::{UrlTotals, print_url};

/// The decisions about URLs by both files for all crawlers.
pub(super) struct Verdicts<'a> {
    sides: PairRules<'a>,
    pub(super) urls: UrlTotals,
    pub(super) has_errors: bool,
    pub(super) log: NoticeLog,
}

impl<'a> Verdicts<'a> {
    pub(super) fn new(pair: &Pair<'_>, agents: &'a [Agent]) -> Self {
        Verdicts {
            sides: PairRules::new(pair, agents),
            urls: UrlTotals::default(),
            has_errors: false,
            log: NoticeLog::default(),
        }
    }

    /// Returns the changes, for JSON.
    pub(super) fn collect(
        &mut self,
        urls: &mut Option<Urls>,
        output: &mut Output,
    ) -> Result<Vec<UrlChange>, Failure> {
        let mut all = Vec::new();
        self.each(urls, output, |url, changes, _| {
            all.extend(changes.iter().map(|change| UrlChange::new(url, change)));
            Ok(())
        })?;
        Ok(all)
    }

    /// Prints the changes as text, in the order in which they are found.
    pub(super) fn print(
        &mut self,
        urls: &mut Option<Urls>,
        output: &mut Output,
    ) -> Result<UrlTotals, Failure> {
        self.each(urls, output, print_url)?;
        Ok(self.urls)
    }

    /// Calls `found` with every URL whose verdict changes for some crawler.
    fn each(
        &mut self,
        urls: &mut Option<Urls>,
        output: &mut Output,
        mut found: impl FnMut(&[u8], &[VerdictChange<'_>], &mut Output) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let Some(urls) = urls.take() else { return Ok(()) };
        let answer = |url: &[u8], output: &mut Output| {
            let verdict_changes = match self.sides.verdict_changes(url) {
                Ok(verdict_changes) => verdict_changes,
                Err(error) => return Ok(Err(error.to_string())),
            };
            self.urls.decided += 1;
            self.log.add_url(url);
            if !verdict_changes.is_empty() {
                self.urls.changed += 1;
                found(url, &verdict_changes, output)?;
            }
            Ok(Ok(Exit::Success))
        };
        let exit = urls.answer_each(output, answer, |_, _, _| Ok(()))?;
        self.has_errors |= exit == Exit::Error;
        Ok(())
    }
}
