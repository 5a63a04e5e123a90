//! What may be asked, field by field.

use comity::robots::{Agent, Body, Dialect, RobotsTxt};
use serde::Deserialize;

use crate::problem::{Kind, Problem};
use crate::shape::{DialectName, HeaderFields, PurposeName, shape};

/// The largest number of crawlers in one question.
const AGENTS: usize = 100;

shape! {
    question
    /// Who asks about which URLs, by which robots.txt. Without `robots`, each URL's own site is asked.
    #[derive(Default, Deserialize)]
    #[serde(deny_unknown_fields)]
    UrlsQuestion {
        /// The URLs; with `robots`, paths will do. In a batch more follow, one in each line, as JSON strings.
        #[serde(default)]
        urls: Vec<String>,
        /// The crawlers' product tokens, such as GPTBot.
        #[serde(default)]
        agents: Vec<String>,
        /// Crawlers by their whole User-Agent headers.
        #[serde(default)]
        user_agents: Vec<String>,
        /// Tokens to try, before `*`, when no group names the crawler.
        #[serde(default)]
        fallbacks: Vec<String>,
        /// The text of a robots.txt, which decides. Nothing is asked for then.
        robots: Option<String>,
        /// How `robots` is read and matched; `rfc9309` if nothing is said. What a site serves is read as the preset of the service says.
        dialect: Option<DialectName>,
        /// The charset of the Content-Type that `robots` came with. It is accepted and changes nothing: `robots` is text.
        charset: Option<String>,
    }
}

shape! {
    question
    /// A robots.txt, as text or by its site.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    FileQuestion {
        /// The text of a robots.txt.
        robots: Option<String>,
        /// A URL of the site whose robots.txt is meant.
        site: Option<String>,
    }
}

shape! {
    question
    /// Which crawlers a robots.txt lets in.
    #[derive(Default, Deserialize)]
    #[serde(deny_unknown_fields)]
    MatrixQuestion {
        /// The text of a robots.txt.
        robots: Option<String>,
        /// A URL of the site whose robots.txt is meant.
        site: Option<String>,
        /// How it is read and matched; if nothing is said, `rfc9309`.
        dialect: Option<DialectName>,
        /// The charset of the Content-Type that `robots` came with.
        charset: Option<String>,
        /// The URLs to judge; without any, the rules are judged as a whole.
        #[serde(default)]
        urls: Vec<String>,
        /// These crawlers only, by their product tokens.
        #[serde(default)]
        agents: Vec<String>,
        /// These crawlers only, by their whole User-Agent headers.
        #[serde(default)]
        user_agents: Vec<String>,
        /// Known crawlers of these purposes only.
        #[serde(default)]
        purposes: Vec<PurposeName>,
        /// Every known crawler: obscure and retired ones, too.
        #[serde(default)]
        all: bool,
    }
}

shape! {
    question
    /// What content may be used for. What is given here is read; of a site, only the robots.txt is asked for.
    #[derive(Default, Deserialize)]
    #[serde(deny_unknown_fields)]
    UsageQuestion {
        /// The URLs; with `robots`, paths will do. In a batch more follow, one in each line, as JSON strings.
        #[serde(default)]
        urls: Vec<String>,
        /// The crawlers' product tokens.
        #[serde(default)]
        agents: Vec<String>,
        /// Crawlers by their whole User-Agent headers.
        #[serde(default)]
        user_agents: Vec<String>,
        /// Tokens to try, before `*`, when no group names the crawler.
        #[serde(default)]
        fallbacks: Vec<String>,
        /// The text of the site's robots.txt.
        robots: Option<String>,
        /// How robots.txt is read.
        dialect: Option<DialectName>,
        /// The charset of the Content-Type that `robots` came with.
        charset: Option<String>,
        /// The header of the page's answer, as lines `Name: value`.
        headers: Option<String>,
        /// The page.
        html: Option<String>,
        /// The site's `/.well-known/tdmrep.json`.
        tdmrep: Option<String>,
        /// RSL documents that the site names as its licence.
        #[serde(default)]
        rsl: Vec<String>,
    }
}

shape! {
    question
    /// Two robots.txt, each as text or by its site.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    DiffQuestion {
        /// The one before the change.
        old: FileQuestion,
        /// The one after it.
        new: FileQuestion,
        /// How both are read and matched; if nothing is said, `rfc9309`.
        dialect: Option<DialectName>,
        /// These crawlers only, by their product tokens; if none are named, `*` and all that either file names.
        #[serde(default)]
        agents: Vec<String>,
        /// These crawlers only, by their whole User-Agent headers.
        #[serde(default)]
        user_agents: Vec<String>,
        /// URLs that are decided by both.
        #[serde(default)]
        urls: Vec<String>,
    }
}

shape! {
    question
    /// Whom to let in and whom to keep out. Whoever is not named is let in.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    NewQuestion {
        /// Keep out every known crawler of these purposes.
        #[serde(default)]
        block_purposes: Vec<PurposeName>,
        /// Let in every known crawler of these purposes, by a group of its own.
        #[serde(default)]
        allow_purposes: Vec<PurposeName>,
        /// Keep out these crawlers, by their product tokens.
        #[serde(default)]
        block: Vec<String>,
        /// Let in these crawlers, by their product tokens and by a group of their own.
        #[serde(default)]
        allow: Vec<String>,
        /// Keep everyone out who is not let in by name.
        #[serde(default)]
        block_everyone: bool,
        /// Path patterns from which everyone is kept.
        #[serde(default)]
        disallow: Vec<String>,
        /// URLs of sitemaps.
        #[serde(default)]
        sitemaps: Vec<String>,
        /// What the content may be used for, as a Content-Signal: `search=yes, ai-train=no`.
        content_signal: Option<String>,
        /// What the content may be used for, as a Content-Usage (AIPREF): `train-ai=n`.
        content_usage: Option<String>,
    }
}

shape! {
    question
    /// May this be fetched, and when? The service's own crawler is meant.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    AdmitQuestion {
        /// The URL of the request.
        url: String,
        /// The longest wait for which a slot is taken, in seconds; the service has a bound of its own.
        max_wait_seconds: Option<f64>,
    }
}

shape! {
    question
    /// What a request was answered with.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    ReportQuestion {
        /// The URL of the request.
        url: String,
        /// The status code of the answer.
        status: u16,
        /// The value of its Retry-After field: seconds, or a date.
        retry_after: Option<String>,
    }
}

shape! {
    question
    /// A request as a server received it.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    VerifyQuestion {
        /// The method, as it was sent.
        method: String,
        /// The URL that was asked for, in the spelling of the request, with the scheme of the client's side. A `Host` among the fields has to name its host, or the signature is invalid.
        url: String,
        /// The header fields: a value or a list of values by each name.
        headers: HeaderFields,
    }
}

/// Returns the crawlers that a question names.
pub(crate) fn agents(
    tokens: &[String],
    headers: &[String],
    fallbacks: &[String],
) -> Result<Vec<Agent>, Problem> {
    let wrong = |text: String| Problem::new(Kind::BadQuestion, text);
    if tokens.len() + headers.len() > AGENTS || fallbacks.len() > AGENTS {
        return Err(wrong(format!("a question names {AGENTS} crawlers at most")));
    }
    if let Some(header) = headers.iter().find(|header| header.trim().is_empty()) {
        return Err(wrong(format!("`user_agents` holds an empty one, `{header}`")));
    }
    let token = |name: &String| {
        Agent::try_token(name).map_err(|error| {
            wrong(format!("{}; a whole User-Agent header goes into `user_agents`", error.problem()))
        })
    };
    for fallback in fallbacks {
        token(fallback)?;
    }
    let tokens: Vec<Agent> = tokens.iter().map(token).collect::<Result<_, _>>()?;
    let headers = headers.iter().map(Agent::header);
    let with_fallbacks =
        |agent: Agent| fallbacks.iter().fold(agent, |agent, token| agent.or_token(token.as_str()));
    Ok(tokens.into_iter().chain(headers).map(with_fallbacks).collect())
}

/// The same where somebody has to be named.
pub(crate) fn some_agents(
    tokens: &[String],
    headers: &[String],
    fallbacks: &[String],
) -> Result<Vec<Agent>, Problem> {
    let agents = agents(tokens, headers, fallbacks)?;
    if agents.is_empty() {
        return Err(Problem::new(Kind::BadQuestion, "name a crawler, in `agents` or `user_agents`"));
    }
    Ok(agents)
}

/// The largest number of records that are kept for all crawlers of a question together.
const READINGS: usize = 1_000_000;

/// Refuses more crawlers than a file of this length is read for.
pub(crate) fn check_readings(crawlers: usize, robots: &RobotsTxt<'_>) -> Result<(), Problem> {
    let records = robots.known_records().len();
    if crawlers.saturating_mul(records) <= READINGS {
        return Ok(());
    }
    let detail =
        format!("{crawlers} crawlers and a robots.txt of {records} lines are too much; name fewer crawlers");
    Err(Problem::new(Kind::TooLarge, detail))
}

/// Reads a body in the dialect of a question.
pub(crate) fn read<'b>(
    body: impl Into<Body<'b>>,
    dialect: Option<DialectName>,
    charset: Option<&str>,
) -> RobotsTxt<'b> {
    let dialect = dialect.map_or_else(Dialect::default, |name| name.0);
    RobotsTxt::parse_with_charset(body, dialect, charset)
}
