//! `presets`: the presets and their tables.

use std::time::{Duration, SystemTime};

use comity::policy::{
    AnswerKind, Availability, Mode, OutageStep, Preset, PresetEntry, Recommendation, Treatment, Verdict,
};
use comity::robots::Dialect;
use serde::{Deserialize, Serialize};

use crate::operation::{RequestOperation, Rows, each_once};
use crate::request::RequestError;

/// Presets to list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PresetsRequest {
    /// These presets only, each once; all of them if empty.
    pub presets: Vec<Preset>,
}

/// A preset.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Table"))]
pub struct PresetRow {
    /// The name of the preset.
    pub name: &'static str,
    /// True if it is the default.
    pub default: bool,
    /// The program or text that defines it.
    pub defined_by: &'static str,
    /// Notes on the preset.
    pub notes: &'static [&'static str],
    /// The dialect for parsing robots.txt.
    pub dialect: Dialect,
    /// The mode.
    pub mode: Mode,
    /// True if it allows fetching although robots.txt is unknown.
    pub fails_open: bool,
    /// Maximum number of bytes that are read of a body; null without a limit.
    pub body_limit: Option<usize>,
    /// The treatment of each kind of answer.
    pub answers: Vec<PresetAnswer>,
    /// Maximum age of a usable copy, in seconds; null without a limit.
    pub stale_seconds: Option<u64>,
    /// The steps of an outage.
    pub outage: Vec<PresetStep>,
}

/// The treatment of a kind of answer.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PresetAnswer {
    /// The kind of answer.
    pub answer: AnswerKind,
    /// The kind of answer in a few words.
    pub label: &'static str,
    /// The availability of robots.txt according to the preset.
    pub availability: Availability,
    /// The treatment of the answer.
    pub treatment: Treatment,
    /// The verdict for this answer without a last good copy; null if rules decide.
    pub verdict: Option<Verdict>,
    /// The recommendation for this answer without a last good copy; null if rules decide.
    pub recommendation: Option<Recommendation>,
    /// The header fields that set the lifetime of the answer.
    pub headers: Option<&'static str>,
    /// The shortest lifetime.
    pub floor_seconds: u64,
    /// The longest lifetime; null means as long as the program runs.
    pub ceiling_seconds: Option<u64>,
    /// The lifetime if no header field sets it; null means as long as the program runs.
    pub otherwise_seconds: Option<u64>,
    /// The treatment in a few words.
    #[serde(skip)]
    pub summary: String,
    /// The lifetime in words.
    #[serde(skip)]
    pub kept: String,
}

/// A step of an outage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "OutageStep"))]
pub struct PresetStep {
    /// The end of the step, from the first failure; null for the last step.
    pub until_seconds: Option<u64>,
    /// The treatment if there is a copy.
    pub with_copy: Treatment,
    /// The treatment without a last good copy.
    pub without_copy: Treatment,
    /// True if the preset fails open once another URL of the site answers.
    pub opens_if_site_is_reachable: bool,
}

/// Returns a row for each preset.
///
/// ```
/// use comity_answers::presets::{PresetsRequest, answer};
///
/// assert!(answer(&PresetsRequest::default()).iter().any(|row| row.default && row.name == "rfc9309"));
/// ```
pub fn answer(request: &PresetsRequest) -> Vec<PresetRow> {
    let named = request.presets.as_slice();
    let presets: &[Preset] = if named.is_empty() { &Preset::ALL } else { named };
    each_once(presets.iter().copied()).map(PresetRow::from).collect()
}

impl RequestOperation for PresetsRequest {
    type Request = PresetsRequest;
    type Answer<'a> = Rows<PresetRow>;

    fn read(request: PresetsRequest) -> Result<PresetsRequest, RequestError> {
        Ok(request)
    }

    fn answer(&self, _: SystemTime, _: usize) -> Result<Rows<PresetRow>, RequestError> {
        Ok(Rows { rows: answer(self) })
    }
}

fn seconds(duration: Option<Duration>) -> Option<u64> {
    duration.map(|duration| duration.as_secs())
}

impl From<PresetEntry> for PresetAnswer {
    fn from(entry: PresetEntry) -> PresetAnswer {
        let lifetime = entry.lifetime();
        let (floor, ceiling) = lifetime.bounds();
        PresetAnswer {
            answer: entry.kind(),
            label: entry.kind().label(),
            availability: entry.availability(),
            treatment: entry.treatment(),
            verdict: entry.verdict(),
            recommendation: entry.recommendation(),
            headers: lifetime.headers(),
            floor_seconds: floor.as_secs(),
            ceiling_seconds: seconds(ceiling),
            otherwise_seconds: seconds(lifetime.otherwise()),
            summary: entry.to_string(),
            kept: lifetime.to_string(),
        }
    }
}

impl From<&OutageStep> for PresetStep {
    fn from(step: &OutageStep) -> PresetStep {
        PresetStep {
            until_seconds: seconds(step.until()),
            with_copy: step.with_copy(),
            without_copy: step.without_copy(),
            opens_if_site_is_reachable: step.opens_if_site_is_reachable(),
        }
    }
}

impl From<Preset> for PresetRow {
    fn from(preset: Preset) -> PresetRow {
        PresetRow {
            name: preset.name(),
            default: preset == Preset::default(),
            defined_by: preset.defined_by(),
            notes: preset.notes(),
            dialect: preset.dialect(),
            mode: preset.mode(),
            fails_open: preset.can_fail_open(),
            body_limit: preset.body_limit(),
            answers: AnswerKind::ALL.map(|kind| preset.entry(kind).into()).into(),
            stale_seconds: seconds(preset.stale_for()),
            outage: preset.outage_steps().iter().map(PresetStep::from).collect(),
        }
    }
}
