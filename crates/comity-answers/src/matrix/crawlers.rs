//! The crawlers that get a row: those that are selected, or the well-known ones, those that the file names, and everyone else.

use std::collections::HashSet;

use comity::agents::{self, KnownAgent, Purpose};
use comity::robots::{Agent, Dialect, RecordKind, RobotsTxt};

/// Names that are in no catalogue get rows up to this many; further ones are counted. Each costs a look at the file.
const NAMED_SHOWN: usize = 200;

/// The crawlers that get a row.
#[derive(Debug, Default)]
pub struct Crawlers {
    pub(super) crawlers: Vec<Crawler>,
    /// The number of names in the file that got no row: there are too many, or they are not UTF-8.
    pub(super) left_out: usize,
}

/// A crawler that gets a row.
#[derive(Debug)]
pub(super) struct Crawler {
    pub(super) agent: Agent,
    pub(super) known: Option<&'static KnownAgent>,
}

impl Crawler {
    fn known(known: &'static KnownAgent) -> Self {
        Crawler { agent: known.agent(), known: Some(known) }
    }

    fn named(token: &str) -> Self {
        agents::known(token)
            .map_or_else(|| Crawler { agent: Agent::token(token), known: None }, Crawler::known)
    }
}

/// A selection of crawlers.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// These only, by their product tokens; with the next field, nobody else.
    pub agents: Vec<String>,
    /// These only, by their whole `User-Agent` headers.
    pub user_agents: Vec<String>,
    /// Known crawlers of these purposes only; all, if there are none.
    pub purposes: Vec<Purpose>,
    /// Every known crawler: obscure and retired ones, too.
    pub all: bool,
    /// Known crawlers that have a row in any case.
    pub also: Vec<String>,
}

impl Crawlers {
    /// Returns the number of crawlers.
    pub fn len(&self) -> usize {
        self.crawlers.len()
    }

    /// Returns true if the list is empty.
    pub fn is_empty(&self) -> bool {
        self.crawlers.is_empty()
    }
}

impl Selection {
    /// Returns the crawlers that are selected by name, or else the known ones and those that the file names.
    pub fn crawlers(&self, robots: &RobotsTxt<'_>) -> Crawlers {
        let headers = self.user_agents.iter();
        let headers = headers.map(|header| Crawler { agent: Agent::header(header), known: None });
        let crawlers: Vec<_> = self.agents.iter().map(|token| Crawler::named(token)).chain(headers).collect();
        if !crawlers.is_empty() {
            return Crawlers { crawlers, left_out: 0 };
        }
        let named = Named::of(robots);
        let is_shown = |known: &&KnownAgent| {
            let is_asked = self.purposes.is_empty() || self.purposes.contains(&known.purpose());
            let is_shown = is_asked && (self.all || known.is_well_known() || named.has(known.token()));
            is_shown || self.also.iter().any(|name| name.eq_ignore_ascii_case(known.token()))
        };
        let mut crawlers = vec![Crawler { agent: Agent::token("*"), known: None }];
        crawlers.extend(agents::all().iter().filter(is_shown).map(Crawler::known));
        let mut left_out = 0;
        if self.purposes.is_empty() {
            let strangers = named.strangers();
            left_out = named.undecodable + strangers.len().saturating_sub(NAMED_SHOWN);
            crawlers.extend(strangers.into_iter().take(NAMED_SHOWN).map(Crawler::named));
        }
        Crawlers { crawlers, left_out }
    }
}

/// The names in a file's user-agent lines.
#[derive(Default)]
struct Named {
    /// The names as written, each once, in the order of the file.
    names: Vec<String>,
    /// In lower case: each name, and its first word.
    seen: HashSet<String>,
    undecodable: usize,
}

impl Named {
    fn of(robots: &RobotsTxt<'_>) -> Self {
        let mut named = Named::default();
        let mut whole = HashSet::new();
        for record in robots.records().filter(|record| record.kind() == RecordKind::UserAgent) {
            let Ok(value) = std::str::from_utf8(record.value()) else {
                named.undecodable += 1;
                continue;
            };
            let name = name(value, robots.dialect());
            if name.is_empty() || !whole.insert(name.to_ascii_lowercase()) {
                continue;
            }
            named.seen.insert(name.to_ascii_lowercase());
            named.seen.extend(first_word(name).map(str::to_ascii_lowercase));
            named.names.push(name.to_owned());
        }
        named
    }

    fn has(&self, token: &str) -> bool {
        self.seen.contains(&token.to_ascii_lowercase())
    }

    /// Names that are in no catalogue, nor are their first words.
    fn strangers(&self) -> Vec<&str> {
        let is_known = |name: &str| {
            agents::known(name).is_some()
                || first_word(name).is_some_and(|word| agents::known(word).is_some())
        };
        self.names.iter().map(String::as_str).filter(|name| !is_known(name)).collect()
    }
}

/// The name in a user-agent value as the dialect compares it: without a version, and without `*`s at its end.
fn name(value: &str, dialect: Dialect) -> &str {
    let value = value.split('/').next().unwrap_or(value).trim().trim_end_matches('*');
    if dialect != Dialect::Google {
        return value;
    }
    let end = value.find(|c: char| !(c.is_ascii_alphabetic() || matches!(c, '-' | '_')));
    end.and_then(|end| value.get(..end)).unwrap_or(value)
}

fn first_word(name: &str) -> Option<&str> {
    name.split_ascii_whitespace().next()
}
