//! Every setting by name: its flag, its variable, how a variable is read, and a line about it.

use toml::Value;

use super::values::duration;

/// One setting.
#[derive(Debug)]
pub(crate) struct Setting {
    /// Section and key in a file: `pace.min_interval_seconds`.
    pub(crate) key: &'static str,
    /// The flag without its dashes, if there is one.
    pub(crate) flag: Option<&'static str>,
    kind: Kind,
    /// The description in one line.
    pub(crate) about: &'static str,
}

/// The type of a value, which says how the text of a variable is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Seconds,
    Number,
    Switch,
    /// Separated by commas.
    List,
    /// Numbers separated by commas.
    Numbers,
    /// One per line, since commas occur in them.
    Lines,
}

impl Setting {
    /// The setting of a key.
    pub(crate) fn of(key: &str) -> Option<&'static Setting> {
        TABLE.iter().find(|setting| setting.key == key)
    }

    /// `COMITY_` and the name of the flag, or of section and key, in upper case.
    pub(crate) fn variable(&self) -> String {
        let name = self.flag.unwrap_or(self.key);
        format!("COMITY_{}", name.replace(['-', '.'], "_").to_ascii_uppercase())
    }

    /// Section and key.
    pub(crate) fn path(&self) -> (&'static str, &'static str) {
        self.key.split_once('.').unwrap_or(("", self.key))
    }

    /// Reads the text of a variable.
    pub(super) fn read(&self, text: &str) -> Result<Value, String> {
        let items = |separator| text.split(separator).map(str::trim).filter(|item| !item.is_empty());
        let number = |text: &str| {
            text.parse::<i64>().map(Value::Integer).map_err(|_| format!("`{text}` is not a whole number"))
        };
        match self.kind {
            Kind::Text => Ok(Value::String(text.to_owned())),
            Kind::Seconds => Ok(Value::Float(duration(text)?.as_secs_f64())),
            Kind::Number => number(text.trim()),
            Kind::Switch => match text.trim().to_ascii_lowercase().as_str() {
                "1" | "true" | "yes" | "on" => Ok(Value::Boolean(true)),
                "0" | "false" | "no" | "off" => Ok(Value::Boolean(false)),
                _ => Err(format!("`{text}` is neither true nor false")),
            },
            Kind::List => Ok(Value::Array(items(',').map(|item| Value::String(item.to_owned())).collect())),
            Kind::Lines => Ok(Value::Array(items('\n').map(|item| Value::String(item.to_owned())).collect())),
            Kind::Numbers => Ok(Value::Array(items(',').map(number).collect::<Result<_, _>>()?)),
        }
    }
}

const fn flag(key: &'static str, flag: &'static str, kind: Kind, about: &'static str) -> Setting {
    Setting { key, flag: Some(flag), kind, about }
}

const fn plain(key: &'static str, kind: Kind, about: &'static str) -> Setting {
    Setting { key, flag: None, kind, about }
}

/// Every setting, section by section.
#[rustfmt::skip]
pub(crate) static TABLE: &[Setting] = &[
    flag("agent.token", "agent", Kind::Text, "product token: whom a robots.txt is read for"),
    flag("agent.user_agent", "user-agent", Kind::Text, "whole User-Agent header; names the token"),
    flag("agent.contact", "contact", Kind::Text, "URL or mail address where sites reach you, sent in the User-Agent"),

    flag("guard.allow_address", "allow-address", Kind::List, "networks that may be dialled though they are not public"),
    flag("guard.allow_host", "allow-host", Kind::List, "hosts that may have whatever addresses they have"),
    plain("guard.allow_port", Kind::Numbers, "ports that may be dialled though browsers block them"),
    plain("guard.allow_credentials", Kind::Switch, "whether URLs may hold a user name or password"),

    flag("robots.preset", "preset", Kind::Text, "what each answer to the request for robots.txt leads to"),
    flag("robots.mode", "mode", Kind::Text, "what a decision does: respect, report_only, ignore; unset: the preset's"),
    flag("robots.on_unreachable", "on-unreachable", Kind::Text, "while robots.txt is unreachable: deny, warn (allow with a warning), allow; unset: as the preset says"),
    flag("robots.max_age_seconds", "robots-max-age", Kind::Seconds, "how long an answer counts at most without asking again; unset: as the preset says"),
    plain("robots.timeout_seconds", Kind::Seconds, "how long asking for robots.txt may take, redirects included"),
    plain("robots.max_redirects", Kind::Number, "redirects followed for robots.txt"),
    plain("robots.max_bytes", Kind::Number, "bytes of a robots.txt that are read"),
    plain("robots.memory_bytes", Kind::Number, "bytes of rules kept in memory"),
    plain("robots.redirected_per_minute", Kind::Number, "requests a minute, at most, to one origin because robots.txt of others redirects there"),

    flag("fetch.timeout_seconds", "timeout", Kind::Seconds, "how long the header of an answer may take"),
    plain("fetch.body_timeout_seconds", Kind::Seconds, "how long a body may take, however it drips"),
    flag("fetch.max_wait_seconds", "max-wait", Kind::Seconds, "how long a fetch may wait out of politeness; unset: as long as it takes"),
    plain("fetch.max_redirects", Kind::Number, "redirects followed for a page"),
    flag("fetch.max_bytes", "max-bytes", Kind::Number, "bytes of a body that are read; the rest is cut off"),
    flag("fetch.content_type", "content-type", Kind::List, "media types that are wanted, `text/*` for a family; empty: all"),
    flag("fetch.header", "header", Kind::Lines, "fields sent with every page request, not with those for robots.txt"),
    plain("fetch.cookies", Kind::Switch, "whether cookies are kept while the command runs"),
    plain("fetch.reads_use", Kind::Switch, "whether page directives and usage preferences are looked at"),
    plain("fetch.profile", Kind::Text, "by whose rules page directives add up: google, bing, yandex, draft"),
    flag("fetch.llms", "llms", Kind::Text, "how far llms.txt is followed: disabled, prefer, force"),
    flag("fetch.jobs", "jobs", Kind::Number, "how many fetches are at work at once; one that waits for its turn is not"),

    flag("network.proxy", "proxy", Kind::Text, "proxy for everything; the usual proxy variables are not read"),
    flag("network.ca", "ca", Kind::List, "PEM files with certificates to trust beside the system's"),
    flag("network.insecure", "insecure", Kind::Switch, "whether certificates go unchecked"),
    flag("network.nameserver", "nameserver", Kind::List, "DNS servers to ask instead of the system's resolver"),
    plain("network.connect_timeout_seconds", Kind::Seconds, "how long connecting may take, TLS included"),
    plain("network.read_timeout_seconds", Kind::Seconds, "longest silence in the middle of an answer"),
    plain("network.idle_per_host", Kind::Number, "idle connections kept per host"),
    plain("network.idle_connections", Kind::Number, "idle connections kept in all"),
    plain("network.idle_timeout_seconds", Kind::Seconds, "how long an idle connection is kept"),

    plain("pace.per", Kind::Text, "whose requests keep one distance: those of an origin, or of a host; unset: the preset's (ladon: host)"),
    flag("pace.min_interval_seconds", "min-interval", Kind::Seconds, "least time between two requests to an origin"),
    plain("pace.max_interval_seconds", Kind::Seconds, "most that Crawl-delay and Request-rate can ask for"),
    plain("pace.max_retry_after_seconds", Kind::Seconds, "most that Retry-After can ask for"),
    plain("pace.concurrency", Kind::Number, "requests under way at once to an origin"),
    plain("pace.slack_seconds", Kind::Seconds, "how much later than its slot a request may begin, at most"),

    flag("retry.retries", "retries", Kind::Number, "how often a failed request is sent again"),
    plain("retry.on_status", Kind::Numbers, "status codes after which it is"),
    plain("retry.on_failure", Kind::List, "failures after which it is: timeout, connection, dns, local"),
    plain("retry.backoff_base_seconds", Kind::Seconds, "longest time before the first retry; doubles with every other"),
    plain("retry.backoff_max_seconds", Kind::Seconds, "longest time before any retry, save for Retry-After"),

    plain("breaker.failure_threshold", Kind::Number, "failed fetches in a row after which an origin is left alone; unset: never"),
    plain("breaker.recovery_seconds", Kind::Seconds, "for how long it is"),

    flag("store.location", "store", Kind::Text, "where robots.txt answers and the pace are kept: a file, `memory`, `redis://…`"),
    plain("store.max_bytes", Kind::Number, "bytes of a file (unset: 512 MiB) or of memory (unset: 64 MiB)"),
    plain("store.when_down", Kind::Text, "while a server does not answer: stop, or local_only"),
    plain("store.prefix", Kind::Text, "what keys on a server begin with; unset: `comity:`"),
    plain("store.processes", Kind::Number, "how many processes share a server; with local_only, each comes that many times less often while it is away"),
    plain("store.shared", Kind::Switch, "whether a file may belong to another user"),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use comity_client::settings::Settings;

    use super::*;

    /// Returns the keys that serde accepts in a section.
    fn keys_of(section: &str) -> BTreeSet<String> {
        let error = toml::from_str::<Settings>(&format!("[{section}]\nno_such_setting = 1\n")).unwrap_err();
        let message = error.message().to_owned();
        let (_, known) = message.split_once("expected").unwrap();
        known.split('`').skip(1).step_by(2).map(|key| format!("{section}.{key}")).collect()
    }

    #[test]
    fn the_table_is_what_a_file_may_hold() {
        let sections: BTreeSet<&str> = TABLE.iter().map(|setting| setting.path().0).collect();
        let known: BTreeSet<String> = sections.iter().flat_map(|section| keys_of(section)).collect();
        let table: BTreeSet<String> = TABLE.iter().map(|setting| setting.key.to_owned()).collect();
        assert_eq!(table, known);
        let error = toml::from_str::<Settings>("[no_such_section]\n").unwrap_err().to_string();
        assert!(sections.iter().all(|section| error.contains(&format!("`{section}`"))), "{error}");
        assert_eq!(error.matches('`').count() / 2 - 1, sections.len(), "{error}");
    }

    #[test]
    fn variables_are_unique_and_follow_the_rule() {
        let variables: BTreeSet<String> = TABLE.iter().map(Setting::variable).collect();
        assert_eq!(variables.len(), TABLE.len());
        for (key, variable) in [
            ("agent.token", "COMITY_AGENT"),
            ("agent.user_agent", "COMITY_USER_AGENT"),
            ("store.location", "COMITY_STORE"),
            ("robots.timeout_seconds", "COMITY_ROBOTS_TIMEOUT_SECONDS"),
        ] {
            assert_eq!(Setting::of(key).unwrap().variable(), variable);
        }
    }

    #[test]
    fn variables_are_read_by_kind() {
        let read = |key: &str, text: &str| Setting::of(key).unwrap().read(text);
        assert_eq!(read("fetch.timeout_seconds", "2m"), Ok(Value::Float(120.0)));
        assert_eq!(read("network.insecure", "Yes"), Ok(Value::Boolean(true)));
        assert_eq!(read("guard.allow_port", "25, 22"), Ok(Value::Array(vec![25.into(), 22.into()])));
        let lines = Value::Array(vec!["A: 1, 2".into(), "B: 3".into()]);
        assert_eq!(read("fetch.header", "A: 1, 2\nB: 3\n"), Ok(lines));
        assert!(read("fetch.jobs", "many").is_err() && read("network.insecure", "maybe").is_err());
    }
}
