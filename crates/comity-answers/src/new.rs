//! `new`: generates a robots.txt from lists of crawlers to allow and to block.
//!
//! The builder of the engine writes the file, so that parsing it gives the requested rules. The text is linted.

use std::collections::HashSet;

use comity::agents::{self, Compliance, KnownAgent, Purpose, Status};
use comity::finding::Finding;
use comity::robots::lint::lint;
use comity::robots::{Builder, InvalidRecord};
use serde::{Deserialize, Serialize};

use crate::notice::WithNotices;
use crate::operation::FileOperation;
use crate::request::{self, RequestError};
use crate::sources::{SourceError, Sources};

/// The crawlers to allow and to block. By default, all others are allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct NewRequest {
    /// Purposes whose active known crawlers are blocked, except those in `allow`.
    #[cfg_attr(feature = "schema", schemars(extend("x-titles" = request::purpose_titles())))]
    pub block_purposes: Vec<Purpose>,
    /// Purposes whose active known crawlers are allowed. All allowed crawlers share one group.
    #[cfg_attr(feature = "schema", schemars(extend("x-titles" = request::purpose_titles())))]
    pub allow_purposes: Vec<Purpose>,
    /// Crawlers to block, by their product tokens.
    pub block: Vec<String>,
    /// Crawlers to allow, by their product tokens.
    pub allow: Vec<String>,
    /// True if all crawlers are blocked, except the allowed ones.
    pub block_everyone: bool,
    /// Path patterns that are disallowed for all crawlers.
    pub disallow: Vec<String>,
    /// URLs of sitemaps.
    pub sitemaps: Vec<String>,
    /// The permitted uses, as a Content-Signal: `search=yes, ai-train=no`. Part of the group of allowed crawlers and of
    /// the group `*`.
    pub content_signal: Option<String>,
    /// The permitted uses, as a Content-Usage (AIPREF): `train-ai=n`. Part of the group of allowed crawlers and of the
    /// group `*`.
    pub content_usage: Option<String>,
}

/// A generated robots.txt.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NewRow {
    /// The text.
    pub robots: String,
    /// Remarks about the request.
    pub notes: Vec<String>,
    /// The lint findings in the text.
    pub findings: Vec<Finding>,
}

/// The operation `new`: generates a robots.txt.
#[derive(Clone, Debug)]
pub struct New(NewRequest);

impl FileOperation for New {
    type Request = NewRequest;
    type Row = NewRow;

    async fn prepare(request: NewRequest, _: &Sources) -> Result<New, SourceError> {
        for names in [&request.block, &request.allow] {
            request::agents(names, &[], &[])?;
        }
        Ok(New(request))
    }

    fn row(self, _: usize) -> Result<WithNotices<NewRow>, RequestError> {
        self.0.write().map(WithNotices::from).map_err(|error| RequestError::Invalid(error.to_string()))
    }
}

/// An error that prevents writing a robots.txt.
#[derive(Clone, Debug, thiserror::Error)]
pub enum GenerateError {
    /// A crawler or a purpose that is both allowed and blocked.
    #[error("`{0}` is both allowed and blocked")]
    Contradiction(String),
    /// A value that a line of robots.txt cannot contain.
    #[error(transparent)]
    Record(#[from] InvalidRecord),
}

impl NewRequest {
    /// Generates the file. A comment for each crawler states the reason for its entry. Retired crawlers are included
    /// only if the request names them.
    ///
    /// ```
    /// use comity::robots::{Agent, RobotsTxt};
    /// use comity_answers::new::NewRequest;
    ///
    /// let written = NewRequest { block: vec!["gptbot".to_owned()], ..NewRequest::default() }.write()?;
    /// let robots = RobotsTxt::parse(&written.robots);
    /// assert!(!robots.rules_for(&Agent::token("GPTBot")?).decide("/")?.is_allowed());
    /// assert!(robots.rules_for(&Agent::token("ExampleBot")?).decide("/")?.is_allowed());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`GenerateError`] if the request contradicts itself, or if a name, path or URL cannot be written to the file.
    pub fn write(&self) -> Result<NewRow, GenerateError> {
        let selected = SelectedCrawlers::new(self)?;
        let robots = selected.text(self)?;
        let mut notes = Vec::new();
        let blocks = |purpose| self.block_purposes.contains(&purpose);
        if blocks(Purpose::Training) && !blocks(Purpose::ControlOnly) {
            notes.push(
                "to forbid training with content that another crawler fetched, also block the purpose `control_only`: tokens \
                 such as Google-Extended"
                    .to_owned(),
            );
        }
        if blocks(Purpose::Training) && blocks(Purpose::AiSearch) && !self.block_everyone {
            let ignores = |name: &&NamedCrawler| {
                let compliance = name.known.map(KnownAgent::robots_txt);
                matches!(compliance, Some(Compliance::Ignores | Compliance::MayIgnore))
            };
            let ignoring = selected.blocked.iter().filter(ignores).count();
            notes.push(format!(
                "still allowed: search engines that are not blocked, whose index AI answers may use, and crawlers that are not \
                 in the catalogue; {ignoring} of the {} blocked crawlers ignore or may ignore robots.txt, according to their \
                 operators",
                selected.blocked.len()
            ));
        }
        let findings = lint(robots.as_bytes());
        Ok(NewRow { robots, notes, findings })
    }
}

/// A crawler, and its entry in the catalogue if it has one.
struct NamedCrawler {
    token: String,
    known: Option<&'static KnownAgent>,
}

impl NamedCrawler {
    /// Returns a reason such as `GPTBot: OpenAI, AI training; verified 2026-11-21`.
    fn reason(&self) -> String {
        let Some(known) = self.known else {
            return format!("{}: named in the request; not in the catalogue", self.token);
        };
        let purpose = known.purpose().title();
        let compliance = match known.robots_txt() {
            Compliance::Ignores => "; ignores robots.txt, according to its operator",
            Compliance::MayIgnore => "; may ignore robots.txt, according to its operator",
            _ => "",
        };
        format!(
            "{}: {}, {purpose}{compliance}; {} {}",
            known.token(),
            known.operator(),
            known.sourcing(),
            known.checked()
        )
    }
}

/// The crawlers to allow and to block.
struct SelectedCrawlers {
    blocked: Vec<NamedCrawler>,
    allowed: Vec<NamedCrawler>,
}

impl SelectedCrawlers {
    fn new(request: &NewRequest) -> Result<Self, GenerateError> {
        let allowed = names(&request.allow, &request.allow_purposes);
        let mut blocked = names(&request.block, &request.block_purposes);
        let is_named =
            |names: &[String], token: &str| names.iter().any(|name| name.eq_ignore_ascii_case(token));
        if let Some(both) = request.allow.iter().find(|token| is_named(&request.block, token)) {
            return Err(GenerateError::Contradiction(both.clone()));
        }
        if let Some(both) =
            request.allow_purposes.iter().find(|purpose| request.block_purposes.contains(purpose))
        {
            return Err(GenerateError::Contradiction(both.to_string()));
        }
        // A crawler that is named explicitly is an exception to its purpose.
        blocked.retain(|name| !is_named(&request.allow, &name.token));
        let out: HashSet<String> = blocked.iter().map(|name| name.token.to_ascii_lowercase()).collect();
        let allowed =
            allowed.into_iter().filter(|name| !out.contains(&name.token.to_ascii_lowercase())).collect();
        Ok(SelectedCrawlers { blocked, allowed })
    }

    fn text(&self, request: &NewRequest) -> Result<String, InvalidRecord> {
        let mut builder = Builder::new();
        if !self.blocked.is_empty() {
            builder = builder.comment("Blocked:");
            builder = self.blocked.iter().fold(builder, |builder, name| builder.comment(&name.reason()));
            builder = builder.group(self.blocked.iter().map(|name| &name.token))?.disallow("/")?;
        }
        if !self.allowed.is_empty() {
            builder = builder.comment("Allowed:");
            builder = self.allowed.iter().fold(builder, |builder, name| builder.comment(&name.reason()));
            builder = builder.group(self.allowed.iter().map(|name| &name.token))?;
            builder = paths(builder, request)?;
        }
        builder = builder.comment("All others:").group(["*"])?;
        builder = if request.block_everyone {
            usage(builder, request)?.disallow("/")?
        } else {
            paths(builder, request)?
        };
        request
            .sitemaps
            .iter()
            .try_fold(builder, |builder, url| builder.sitemap(url))
            .map(|builder| builder.to_string())
    }
}

/// Adds the permitted uses.
fn usage(mut builder: Builder, request: &NewRequest) -> Result<Builder, InvalidRecord> {
    if let Some(terms) = &request.content_signal {
        builder = builder.extension("Content-Signal", terms)?;
    }
    if let Some(terms) = &request.content_usage {
        builder = builder.extension("Content-Usage", terms)?;
    }
    Ok(builder)
}

/// Adds the rules for allowed crawlers. An empty `Disallow` allows everything.
fn paths(builder: Builder, request: &NewRequest) -> Result<Builder, InvalidRecord> {
    let builder = usage(builder, request)?;
    if request.disallow.is_empty() {
        return builder.disallow("");
    }
    request.disallow.iter().try_fold(builder, |builder, path| builder.disallow(path))
}

/// Returns the named crawlers, and those of the purposes, without duplicates. Retired ones are included only if they are named.
fn names(tokens: &[String], purposes: &[Purpose]) -> Vec<NamedCrawler> {
    let mut names: Vec<NamedCrawler> = tokens
        .iter()
        .map(|token| match agents::known(token) {
            Some(known) => NamedCrawler { token: known.token().to_owned(), known: Some(known) },
            None => NamedCrawler { token: token.clone(), known: None },
        })
        .collect();
    for purpose in purposes {
        let active = agents::with_purpose(*purpose).filter(|known| known.status() != Status::Retired);
        names
            .extend(active.map(|known| NamedCrawler { token: known.token().to_owned(), known: Some(known) }));
    }
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(name.token.to_ascii_lowercase()));
    names
}
