//! A decision with its question, as JSON.

use comity::robots::Agent;
use serde::Serialize;

/// A decision or an explanation, with its question. The fields are those of [`comity::decision::DecisionRecord`] and
/// [`comity::decision::Explanation`].
#[derive(Serialize)]
pub(crate) struct DecisionRow<'a, D> {
    url: String,
    agent: &'a str,
    #[serde(flatten)]
    decision: &'a D,
}

impl<'a, D: Serialize> DecisionRow<'a, D> {
    /// The row. Bytes of the URL that are not UTF-8 are replaced.
    pub(crate) fn new(url: &[u8], agent: &'a Agent, decision: &'a D) -> Self {
        DecisionRow { url: String::from_utf8_lossy(url).into_owned(), agent: agent.as_str(), decision }
    }
}
