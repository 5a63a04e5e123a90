//! Columns of usage preferences: for each use and each signal in robots.txt that has a word for it, what it says.
//!
//! Nothing is merged across signals, nor across the two readings of `Content-Signal`. RSL has no column: robots.txt only
//! says where its documents are.

use arrow_array::builder::StringBuilder;
use comity::usage::{Reading, Report, Signal, Use};

/// A column that says what one signal says of one use: `allow`, `disallow` or `unknown`; null where no robots.txt is
/// read, and, for control tokens, where the crawler is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UsageColumn {
    usage: Use,
    signal: Signal,
    reading: Option<Reading>,
}

/// The signals that robots.txt gives, with their readings.
const SIGNALS: [(Signal, Option<Reading>); 4] = [
    (Signal::ContentUsage, None),
    (Signal::ContentSignal, Some(Reading::Group)),
    (Signal::ContentSignal, Some(Reading::WholeFile)),
    (Signal::ControlToken, None),
];

impl UsageColumn {
    /// The columns about a use.
    pub fn of(usage: Use) -> Vec<UsageColumn> {
        // What control tokens speak about differs from token to token, and is none of these two.
        let by_token = !matches!(usage, Use::AiIndex | Use::TextAndDataMining);
        let speaks = |signal: Signal| match signal {
            Signal::ControlToken => by_token,
            signal => signal.terms().iter().any(|(term, _)| *term == usage),
        };
        let columns = SIGNALS.into_iter().filter(|(signal, _)| speaks(*signal));
        columns.map(|(signal, reading)| UsageColumn { usage, signal, reading }).collect()
    }

    /// The column's name without a prefix: `usage_train_content_usage`, `usage_train_content_signal`,
    /// `usage_train_content_signal_whole_file`, `usage_train_control_token`, and so on.
    pub fn name(self) -> String {
        let reading = if self.reading == Some(Reading::WholeFile) { "_whole_file" } else { "" };
        format!("usage_{}_{}{reading}", self.usage.as_str(), self.signal.as_str())
    }

    /// Writes what a report says.
    pub(crate) fn write(self, report: &Report, builder: &mut StringBuilder) {
        let is_mine = |given: &&comity::usage::SignalReport| {
            given.signal() == self.signal && given.reading() == self.reading
        };
        match report.signals().iter().find(is_mine) {
            Some(signal) => builder.append_value(signal.answer(self.usage).as_str()),
            None if self.signal == Signal::ControlToken => builder.append_null(),
            None => builder.append_value(comity::usage::Answer::Unknown.as_str()),
        }
    }
}
