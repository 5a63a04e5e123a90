//! The crawlers with a row: the selected ones, or by default `*`, the well-known ones, and those that the file names.

use std::collections::HashSet;

use comity::agents::{self, KnownAgent, Purpose};
use comity::robots::{Agent, Dialect, RecordKind, RobotsTxt};

/// Maximum number of rows for names that are not in the catalogue; further ones are only counted. Each row requires a
/// lookup in the file.
const NAMED_SHOWN: usize = 200;

/// The crawlers with a row.
#[derive(Debug, Default)]
pub struct Crawlers {
    pub(super) crawlers: Vec<Crawler>,
    /// The number of names in the file that have no row, because there are too many or they are not UTF-8.
    pub(super) left_out: usize,
}

/// A crawler with a row.
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
            .map_or_else(|| Crawler { agent: Agent::unchecked_token(token), known: None }, Crawler::known)
    }
}

/// A selection of crawlers.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Only these crawlers, by their product tokens. Combined with `user_agents`.
    pub agents: Vec<String>,
    /// Only these crawlers, by their full `User-Agent` headers.
    pub user_agents: Vec<String>,
    /// Only `*`, the crawlers in `also`, and known crawlers of these purposes; all purposes if empty.
    pub purposes: Vec<Purpose>,
    /// True if every known crawler has a row, including obscure and retired ones.
    pub all: bool,
    /// Crawlers that have a row in addition; only known ones unless crawlers are selected by name.
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
    /// Returns the crawlers that are selected by name, or else `*`, known crawlers, and those that the file names.
    pub fn crawlers(&self, robots: &RobotsTxt<'_>) -> Crawlers {
        let headers = self.user_agents.iter();
        let headers = headers.map(|header| Crawler { agent: Agent::header(header), known: None });
        let mut crawlers: Vec<_> =
            self.agents.iter().map(|token| Crawler::named(token)).chain(headers).collect();
        if !crawlers.is_empty() {
            for token in &self.also {
                let added = Crawler::named(token);
                if crawlers.iter().all(|crawler| crawler.agent != added.agent) {
                    crawlers.push(added);
                }
            }
            return Crawlers { crawlers, left_out: 0 };
        }
        let named = FileNames::of(robots);
        let is_shown = |known: &&KnownAgent| {
            let is_asked = self.purposes.is_empty() || self.purposes.contains(&known.purpose());
            let is_shown = is_asked && (self.all || known.is_well_known() || named.has(known.token()));
            is_shown || self.also.iter().any(|name| name.eq_ignore_ascii_case(known.token()))
        };
        let mut crawlers = vec![Crawler { agent: Agent::unchecked_token("*"), known: None }];
        crawlers.extend(agents::all().iter().filter(is_shown).map(Crawler::known));
        let mut left_out = 0;
        if self.purposes.is_empty() {
            let names_outside_catalogue = named.names_outside_catalogue();
            left_out = named.undecodable + names_outside_catalogue.len().saturating_sub(NAMED_SHOWN);
            crawlers.extend(names_outside_catalogue.into_iter().take(NAMED_SHOWN).map(Crawler::named));
        }
        Crawlers { crawlers, left_out }
    }
}

/// The names on the user-agent lines of a file.
#[derive(Default)]
struct FileNames {
    /// The names without versions and duplicates, in the order of the file.
    names: Vec<String>,
    /// Each name and its first word, in lower case.
    seen: HashSet<String>,
    undecodable: usize,
}

impl FileNames {
    fn of(robots: &RobotsTxt<'_>) -> Self {
        let mut named = FileNames::default();
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

    /// Returns names that are not in the catalogue, and whose first words are not, either.
    fn names_outside_catalogue(&self) -> Vec<&str> {
        let is_known = |name: &str| {
            agents::known(name).is_some()
                || first_word(name).is_some_and(|word| agents::known(word).is_some())
        };
        self.names.iter().map(String::as_str).filter(|name| !is_known(name)).collect()
    }
}

/// Returns the name in a user-agent value, without a version and trailing `*`s. For `google`, it ends at the first
/// character that is not a letter, a hyphen or an underscore.
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
