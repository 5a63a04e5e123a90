//! A decision as JSON.

use comity::decision::DecisionRecord;
use serde::Serialize;

/// A decision as JSON: `allowed`, and the fields of [`DecisionRecord`].
#[derive(Clone, Debug, Serialize)]
pub struct DecisionJson {
    /// True if fetching is recommended, whatever the mode.
    pub allowed: bool,
    /// The decision.
    #[serde(flatten)]
    pub record: DecisionRecord,
}

impl From<DecisionRecord> for DecisionJson {
    fn from(record: DecisionRecord) -> Self {
        DecisionJson { allowed: record.recommendation.allows(), record }
    }
}
