//! `agents`: known crawlers, and the IP addresses that their operators publish.

use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::LazyLock;
use std::time::SystemTime;

use comity::agents::{self, KnownAgent, Prefix, Purpose, RangeList, Ranges};
use comity::shown::short;
use serde::{Deserialize, Serialize};

use crate::operation::{RequestOperation, Rows};
use crate::request::RequestError;

/// Known crawlers to list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AgentsRequest {
    /// Product tokens of the crawlers to list, each once; if empty, all known crawlers.
    pub names: Vec<String>,
    /// Crawlers of these purposes only.
    #[cfg_attr(feature = "schema", schemars(extend("x-titles" = crate::request::purpose_titles())))]
    pub purposes: Vec<Purpose>,
}

/// A known crawler: the entry of the catalogue, and the lists of its addresses.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentRow<'r> {
    /// The entry of the catalogue.
    #[serde(flatten)]
    pub agent: &'static KnownAgent,
    /// The lists of its addresses.
    pub ranges: Vec<RangeListRow<'r>>,
}

/// A list of address ranges, without the ranges.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RangeListRow<'r> {
    /// The name of the list.
    pub list: &'r str,
    /// The operator that publishes it.
    pub operator: &'r str,
    /// The URL of the list.
    pub from: &'r str,
    /// The day on which the list was created or downloaded.
    pub date: &'r str,
    /// The kind of source of the list.
    pub sourcing: &'static str,
    /// The number of ranges.
    pub prefixes: usize,
}

/// An address, and a list that contains it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AddressRow<'r> {
    /// The address.
    pub address: IpAddr,
    /// The range with the address.
    pub prefix: String,
    /// The product tokens of the crawlers that use the range.
    pub tokens: &'r [String],
    /// The list.
    #[serde(flatten)]
    pub list: RangeListRow<'r>,
}

/// Returns a row for each crawler.
///
/// ```
/// use comity::agents::Ranges;
/// use comity_answers::agents::{AgentsRequest, answer};
///
/// let request = AgentsRequest { names: vec!["gptbot".to_owned()], ..AgentsRequest::default() };
/// let ranges = Ranges::bundled();
/// assert_eq!(answer(&request, &ranges)?[0].agent.operator(), "OpenAI");
/// # Ok::<(), comity_answers::request::RequestError>(())
/// ```
///
/// # Errors
///
/// Returns [`RequestError::Invalid`] if a name is not that of a known crawler.
pub fn answer<'r>(request: &AgentsRequest, ranges: &'r Ranges) -> Result<Vec<AgentRow<'r>>, RequestError> {
    let known = named(&request.names)?;
    let all = if request.names.is_empty() { agents::all().iter().collect() } else { known };
    let is_selected =
        |agent: &&KnownAgent| request.purposes.is_empty() || request.purposes.contains(&agent.purpose());
    let mut seen = HashSet::new();
    let selected = all.into_iter().filter(is_selected).filter(|agent| seen.insert(agent.token()));
    Ok(selected.map(|agent| AgentRow::new(agent, ranges)).collect())
}

impl RequestOperation for AgentsRequest {
    type Request = AgentsRequest;
    type Answer<'a> = Rows<AgentRow<'static>>;

    fn read(request: AgentsRequest) -> Result<AgentsRequest, RequestError> {
        Ok(request)
    }

    fn answer(&self, _: SystemTime, _: usize) -> Result<Rows<AgentRow<'static>>, RequestError> {
        static RANGES: LazyLock<Ranges> = LazyLock::new(Ranges::bundled);
        Ok(Rows { rows: answer(self, &RANGES)? })
    }
}

fn named(names: &[String]) -> Result<Vec<&'static KnownAgent>, RequestError> {
    let find = |name: &String| {
        agents::known(name).ok_or_else(|| {
            let meant = agents::closest(name).map(|closest| format!("; did you mean `{}`?", closest.token()));
            let name = short(name.as_bytes(), 200);
            RequestError::Invalid(format!("no crawler named `{name}` is known{}", meant.unwrap_or_default()))
        })
    };
    names.iter().map(find).collect()
}

impl<'r> AgentRow<'r> {
    /// Creates the row of a crawler, with its lists among `ranges`.
    pub fn new(agent: &'static KnownAgent, ranges: &'r Ranges) -> AgentRow<'r> {
        AgentRow { agent, ranges: ranges.lists_of(agent.token()).map(RangeListRow::from).collect() }
    }
}

impl<'r> From<&'r RangeList> for RangeListRow<'r> {
    fn from(list: &'r RangeList) -> RangeListRow<'r> {
        RangeListRow {
            list: list.name(),
            operator: list.operator(),
            from: list.from(),
            date: list.date(),
            sourcing: list.sourcing().as_str(),
            prefixes: list.prefixes().len(),
        }
    }
}

impl<'r> AddressRow<'r> {
    /// Creates the row of an address in a range of a list.
    pub fn new(address: IpAddr, list: &'r RangeList, prefix: &Prefix) -> AddressRow<'r> {
        AddressRow { address, prefix: prefix.to_string(), tokens: list.tokens(), list: list.into() }
    }
}
