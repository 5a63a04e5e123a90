//! Crawler names that may be misspellings of other names. Front ends show them to users; they never change a decision.

use std::fmt;

use comity::agents;
use comity::robots::{Agent, RobotsTxt};
use comity::shown::short;
use serde::{Deserialize, Serialize};

/// A name that the crawler's name resembles.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NearMiss {
    /// The name in the request.
    #[serde(skip)]
    requested: String,
    /// The similar name.
    name: String,
    /// The place of the similar name.
    found_in: FoundIn,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "snake_case")]
enum FoundIn {
    /// Among the known crawlers.
    Catalogue,
    /// In the robots.txt.
    RobotsTxt,
}

impl NearMiss {
    /// Returns the similar name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns a similar name from the file, if no group of the file names the crawler. Otherwise, returns a similar name
    /// of a known crawler.
    pub fn of(agent: &Agent, robots: Option<&RobotsTxt<'_>>) -> Option<NearMiss> {
        NearMiss::in_file(agent, robots).or_else(|| {
            let name = (!agent.is_header()).then(|| agents::closest(agent.as_str()))??.token();
            Some(NearMiss::new(agent, name.to_owned(), FoundIn::Catalogue))
        })
    }

    /// Returns a similar name from a file, if no group of the file names the crawler.
    pub(crate) fn in_file(agent: &Agent, robots: Option<&RobotsTxt<'_>>) -> Option<NearMiss> {
        let name = robots?.near_miss(agent)?.into_owned();
        Some(NearMiss::new(agent, name, FoundIn::RobotsTxt))
    }

    fn new(agent: &Agent, name: String, found_in: FoundIn) -> NearMiss {
        NearMiss { requested: agent.as_str().to_owned(), name, found_in }
    }
}

impl fmt::Display for NearMiss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [requested, name] = [&self.requested, &self.name].map(|name| short(name.as_bytes(), 60));
        match self.found_in {
            FoundIn::Catalogue => write!(f, "`{requested}` is not a known crawler; did you mean `{name}`?"),
            FoundIn::RobotsTxt => write!(f, "no group names `{requested}`, but a group names `{name}`"),
        }
    }
}
