//! A decision with its question, as JSON. Every command that decides prints this shape, whatever came of the question.

use std::borrow::Cow;
use std::collections::BTreeMap;

use comity::decision::{DecisionRecord, Explanation};
use comity::policy;
use comity::robots::{self, Agent};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::RawValue;

use crate::provenance::Provenance;

/// A decision: whether a crawler may fetch a URL, and the evidence.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Decision"))]
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

/// What a row holds beside its question: a decision, or an explanation.
pub trait Answer {
    /// Returns the decision and what else is to be said.
    type Fields: Serialize;

    /// Returns the fields.
    fn fields(&self) -> Self::Fields;
}

/// An explanation as JSON.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplanationJson {
    #[serde(flatten)]
    decision: DecisionJson,
    /// The groups that apply to the crawler, in the order in which their rules are considered.
    groups: Vec<comity::decision::GroupRecord>,
    /// Every rule that matched, in order of precedence: the one that decided first.
    contenders: Vec<comity::decision::ContenderRecord>,
}

impl Answer for robots::Decision<'_> {
    type Fields = DecisionJson;

    fn fields(&self) -> DecisionJson {
        self.to_record().into()
    }
}

impl Answer for policy::Decision<'_> {
    type Fields = DecisionJson;

    fn fields(&self) -> DecisionJson {
        self.to_record().into()
    }
}

impl Answer for Explanation {
    type Fields = ExplanationJson;

    fn fields(&self) -> ExplanationJson {
        let Explanation { decision, groups, contenders, .. } = self.clone();
        ExplanationJson { decision: decision.into(), groups, contenders }
    }
}

/// A row: the question, the answer, the robots.txt that is meant.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DecisionRow"))]
pub struct DecisionRow<'a, F> {
    /// The URL, as it was given.
    url: Cow<'a, str>,
    /// The crawler: its product token or header, as it was given.
    agent: &'a str,
    #[serde(flatten)]
    fields: F,
    /// The robots.txt that was meant.
    robots_txt: &'a Provenance,
    /// The reason why there is no answer.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    error: Option<()>,
}

impl<'a, F: Serialize> DecisionRow<'a, F> {
    /// Creates the row. Bytes of the URL that are not UTF-8 are replaced.
    pub fn new(
        url: &'a [u8],
        agent: &'a Agent,
        answer: &impl Answer<Fields = F>,
        robots_txt: &'a Provenance,
    ) -> Self {
        // Nearly all are UTF-8, which is seen faster than what has to be replaced.
        let url = str::from_utf8(url).map_or_else(|_| String::from_utf8_lossy(url), Cow::Borrowed);
        DecisionRow { url, agent: agent.as_str(), fields: answer.fields(), robots_txt, error: None }
    }
}

impl<F: Serialize> DecisionRow<'_, F> {
    /// Returns the fields as they are printed, in their order.
    ///
    /// # Errors
    ///
    /// None that the types allow; serde's form of one.
    pub fn to_fields(&self) -> Result<Vec<(String, Box<RawValue>)>, serde_json::Error> {
        let text = serde_json::to_string(self)?;
        let mut values: BTreeMap<String, Box<RawValue>> = serde_json::from_str(&text)?;
        let decision = DecisionRecord::FIELDS.iter().map(|field| field.name);
        let names = ["url", "agent", "allowed"].into_iter().chain(decision).chain(["robots_txt", "error"]);
        Ok(names.filter_map(|name| Some((name.to_owned(), values.remove(name)?))).collect())
    }
}

/// The row of a question that has no answer. It has all the fields of a [`DecisionRow`].
#[derive(Debug)]
pub struct ErrorRow<'a> {
    /// The URL, as it was written.
    pub url: &'a [u8],
    /// The crawler.
    pub agent: &'a Agent,
    /// The robots.txt that was meant.
    pub robots_txt: Provenance,
    /// The reason why there is no answer.
    pub error: &'a str,
}

impl Serialize for ErrorRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(None)?;
        fields.serialize_entry("url", &String::from_utf8_lossy(self.url))?;
        fields.serialize_entry("agent", self.agent.as_str())?;
        fields.serialize_entry("allowed", &false)?;
        for field in DecisionRecord::FIELDS {
            fields.serialize_entry(field.name, &())?;
        }
        fields.serialize_entry("robots_txt", &self.robots_txt)?;
        fields.serialize_entry("error", self.error)?;
        fields.end()
    }
}
