//! Shared parts of requests: the crawlers, and the dialect and charset of a robots.txt.

use comity::robots::{Agent, Dialect};
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::str::FromStr;
use thiserror::Error;

use crate::robots_file::{Reading, RobotsFile};
#[cfg(feature = "schema")]
use comity::agents::Purpose;
#[cfg(feature = "schema")]
use std::collections::BTreeMap;

/// Maximum number of crawlers, and of fallback tokens, in one request.
pub const MAX_AGENTS: usize = 100;

/// A request that cannot be answered.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestError {
    /// A field is missing, or has a value that is not allowed.
    #[error("{0}")]
    Invalid(String),
    /// The answer would be too large.
    #[error("{0}")]
    TooLarge(String),
}

impl RequestError {
    /// Creates the error for a missing or invalid field.
    pub fn invalid(message: impl Into<String>) -> RequestError {
        RequestError::Invalid(message.into())
    }
}

/// Returns the crawlers with these product tokens (`agents`) and `User-Agent` headers (`user_agents`). Each falls back to
/// `fallbacks`.
///
/// # Errors
///
/// Returns [`RequestError::Invalid`] if a token is invalid, if a header is empty, or if there are more than
/// [`MAX_AGENTS`] crawlers or fallbacks.
pub fn agents(
    agents: &[String],
    user_agents: &[String],
    fallbacks: &[String],
) -> Result<Vec<Agent>, RequestError> {
    if agents.len() + user_agents.len() > MAX_AGENTS || fallbacks.len() > MAX_AGENTS {
        return Err(RequestError::invalid(format!(
            "a request names at most {MAX_AGENTS} crawlers, and as many fallbacks"
        )));
    }
    if user_agents.iter().any(|header| header.trim().is_empty()) {
        return Err(RequestError::invalid("`user_agents` has an empty header"));
    }
    let token = |name: &String| {
        Agent::token(name).map_err(|error| {
            let problem = error.problem();
            RequestError::invalid(format!("{problem}; use `user_agents` for a whole User-Agent header"))
        })
    };
    for fallback in fallbacks {
        token(fallback)?;
    }
    let tokens: Vec<Agent> = agents.iter().map(token).collect::<Result<_, _>>()?;
    let headers = user_agents.iter().map(Agent::header);
    let with_fallbacks =
        |agent: Agent| fallbacks.iter().fold(agent, |agent, token| agent.or_token(token.as_str()));
    Ok(tokens.into_iter().chain(headers).map(with_fallbacks).collect())
}

/// Returns the crawlers of a request that has to name at least one; see [`agents`].
///
/// # Errors
///
/// Returns the errors of [`agents`], and [`RequestError::Invalid`] if no crawler is named.
pub fn required_agents(
    tokens: &[String],
    user_agents: &[String],
    fallbacks: &[String],
) -> Result<Vec<Agent>, RequestError> {
    let agents = agents(tokens, user_agents, fallbacks)?;
    if agents.is_empty() {
        return Err(RequestError::invalid("name a crawler, in `agents` or `user_agents`"));
    }
    Ok(agents)
}

/// Returns an error if a dialect or a charset is set without a robots.txt: the preset sets the dialect for the robots.txt of a
/// site.
///
/// # Errors
///
/// Returns [`RequestError::Invalid`].
pub(crate) fn require_unset(reading: &Reading) -> Result<(), RequestError> {
    let field = match (reading.dialect, &reading.charset) {
        (None, None) => return Ok(()),
        (Some(_), _) => "dialect",
        (None, Some(_)) => "charset",
    };
    Err(RequestError::invalid(format!(
        "`{field}` applies to `robots`; the preset sets the dialect for the robots.txt of a site"
    )))
}

/// A robots.txt, as text or by its site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FileRequest {
    /// The text of a robots.txt.
    pub robots: Option<String>,
    /// A URL of the site whose robots.txt is used.
    pub site: Option<String>,
}

/// Parses the word or URL in a field.
///
/// # Errors
///
/// Returns [`RequestError::Invalid`] if it is invalid.
pub(crate) fn parse_word<T>(field: &str, word: &str) -> Result<T, RequestError>
where
    T: FromStr,
    T::Err: Display,
{
    word.parse().map_err(|error| RequestError::Invalid(format!("`{field}`: {error}")))
}

/// Returns the title of each purpose, by its name, for schemas.
#[cfg(feature = "schema")]
pub(crate) fn purpose_titles() -> BTreeMap<&'static str, &'static str> {
    Purpose::ALL.iter().map(|purpose| (purpose.as_str(), purpose.title())).collect()
}

/// URLs and crawlers, and the robots.txt that decides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct UrlsRequest {
    /// The URLs. With `robots`, paths are accepted, too. In a batch, more URLs follow, one per line, as JSON strings.
    pub urls: Vec<String>,
    /// Product tokens of the crawlers, such as GPTBot.
    pub agents: Vec<String>,
    /// Crawlers by their full User-Agent headers.
    pub user_agents: Vec<String>,
    /// Tokens to try, before `*`, if no group names the crawler.
    pub fallbacks: Vec<String>,
    /// The text of a robots.txt that decides all URLs. If given, no site is contacted.
    pub robots: Option<String>,
    /// The dialect of `robots`; default `rfc9309`. The preset sets the dialect for the robots.txt of a site.
    pub dialect: Option<Dialect>,
    /// The charset in the Content-Type of `robots`. It is accepted but has no effect, because `robots` is decoded text.
    pub charset: Option<String>,
}

/// The validated parts of a [`UrlsRequest`].
pub(crate) struct UrlsParts {
    pub(crate) urls: Vec<String>,
    pub(crate) agents: Vec<Agent>,
    pub(crate) file: Option<RobotsFile>,
    pub(crate) reading: Reading,
}

impl UrlsRequest {
    pub(crate) fn into_parts(self) -> Result<UrlsParts, RequestError> {
        let UrlsRequest { urls, agents, user_agents, fallbacks, robots, dialect, charset } = self;
        let agents = required_agents(&agents, &user_agents, &fallbacks)?;
        let reading = Reading { dialect, charset };
        if robots.is_none() {
            require_unset(&reading)?;
        }
        let file = robots.map(|text| RobotsFile::of_text("robots.txt", text));
        Ok(UrlsParts { urls, agents, file, reading })
    }
}
