//! What a mode lets through that robots.txt would keep back.

use comity::policy::{Decision, Mode};

use crate::output::Output;
use crate::render;

/// Counts decisions that do not recommend a fetch, and block nothing since the mode does not respect them.
#[derive(Debug, Default)]
pub(crate) struct LetThrough {
    disallowed: usize,
    unasked: usize,
}

impl LetThrough {
    /// Counts a decision.
    pub(crate) fn see(&mut self, decision: &Decision<'_>) {
        match decision.mode() {
            Mode::ReportOnly if !decision.recommendation().allows() => self.disallowed += 1,
            Mode::Ignore => self.unasked += 1,
            _ => {}
        }
    }

    /// Says it, if there is anything to say.
    pub(crate) fn say(&self, output: &mut Output) {
        if self.disallowed > 0 {
            output.warning(&format!(
                "the mode report_only blocks nothing: it lets {} through that should not be fetched",
                render::count(self.disallowed, "URL")
            ));
        }
        if self.unasked > 0 {
            output.warning(&format!(
                "the mode ignore looks at no robots.txt: nothing is known of {}",
                render::count(self.unasked, "URL")
            ));
        }
    }
}
