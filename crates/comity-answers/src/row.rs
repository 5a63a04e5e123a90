//! The JSON form of a decision.

use comity::decision::DecisionRecord;
use serde::{Deserialize, Serialize};

/// A decision: whether a crawler may fetch a URL, and the evidence.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Decision"))]
pub struct DecisionJson {
    /// True if the recommendation is `recommended` or `allowed_but_warn`.
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
