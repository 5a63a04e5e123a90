//! Identity of the sender of a request: the crawler by its product token, and whether the address belongs to the crawler's
//! operator.

use std::collections::HashMap;
use std::net::IpAddr;

use comity::agents::{self, KnownAgent, Prefix, Purpose, Ranges};
use comity_formats::logs::LogRequest;
use foldhash::quality::RandomState;
use serde::Serialize;

/// Maximum number of days between a request and the data that identifies its sender. That data is a list of published
/// addresses that lacks the request's address, or a look-up of names.
pub(crate) const MAX_DAYS_APART: i64 = 30;

/// Maximum number of entries in the cache of headers and in the cache of addresses. Hostile logs have millions of each.
const MAX_CACHED: usize = 50_000;

/// Maximum length of a cached header, in bytes.
const MAX_CACHED_HEADER: usize = 512;

/// Whether a request with the name of a crawler is known to be from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Identity {
    /// The address is in the operator's published ranges, or has one of the operator's names.
    Verified,
    /// No published address or name shows it.
    Unknown,
    /// The operator's ranges were read within 30 days of the request, and the address is in none of them.
    Outside,
}

impl Identity {
    /// Returns the word in JSON and tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Identity::Verified => "verified",
            Identity::Unknown => "unknown",
            Identity::Outside => "outside",
        }
    }
}

/// Crawlers of the catalogue, by index.
#[derive(Debug)]
pub(crate) struct Crawlers {
    known: Vec<&'static KnownAgent>,
    /// Tokens in lower case, with the indices of their crawlers. Longer tokens come first.
    tokens: Vec<(Vec<u8>, usize)>,
    /// Results by header. A header is looked up for each line, so the hash must be fast.
    seen: HashMap<Box<[u8]>, Option<usize>, RandomState>,
}

impl Crawlers {
    pub(crate) fn new() -> Self {
        // Control tokens are for robots.txt only. Requests do not contain them.
        let is_sent = |agent: &&KnownAgent| agent.purpose() != Purpose::ControlOnly;
        let known: Vec<&KnownAgent> = agents::all().iter().filter(is_sent).collect();
        let mut tokens: Vec<(Vec<u8>, usize)> = known
            .iter()
            .enumerate()
            .map(|(at, agent)| (agent.token().to_ascii_lowercase().into(), at))
            .collect();
        tokens.sort_by_key(|(token, at)| (std::cmp::Reverse(token.len()), *at));
        Crawlers { known, tokens, seen: HashMap::default() }
    }

    pub(crate) fn get(&self, number: usize) -> &'static KnownAgent {
        self.known[number]
    }

    /// Returns the known crawler that a header names.
    pub(crate) fn find(&mut self, header: &[u8]) -> Option<usize> {
        if let Some(found) = self.seen.get(header) {
            return *found;
        }
        let found = self.look(header);
        if header.len() <= MAX_CACHED_HEADER {
            if self.seen.len() >= MAX_CACHED {
                self.seen.clear();
            }
            self.seen.insert(header.into(), found);
        }
        found
    }

    /// Returns the crawler whose token is followed by a version, or otherwise the crawler with the longest token. A token
    /// is a separate word outside URLs.
    fn look(&self, header: &[u8]) -> Option<usize> {
        let header = without_urls(&header.to_ascii_lowercase());
        let mut bare = None;
        for (token, number) in &self.tokens {
            for at in memchr::memmem::find_iter(&header, token) {
                let before = at.checked_sub(1).map(|at| header[at]);
                let after = header.get(at + token.len()).copied();
                if before.is_some_and(is_inside) || after.is_some_and(is_inside) {
                    continue;
                }
                if after == Some(b'/') {
                    return Some(*number);
                }
                bare = bare.or(Some(*number));
            }
        }
        bare
    }
}

/// Returns true for characters that can be part of a token.
fn is_inside(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.') || byte >= 0x80
}

/// Replaces URLs and mail addresses with blanks. `+https://example.com/gptbot` names a page, not a crawler.
fn without_urls(header: &[u8]) -> Vec<u8> {
    let mut plain = header.to_vec();
    let is_end = |byte: &u8| matches!(byte, b' ' | b';' | b',' | b')' | b'(' | b'"' | b'>' | b'<');
    for word in plain.split_mut(is_end) {
        let is_url = memchr::memmem::find(word, b"://").is_some()
            || word.contains(&b'@')
            || word.starts_with(b"+")
            || word.starts_with(b"www.");
        if is_url {
            word.fill(b' ');
        }
    }
    plain
}

/// Verifies crawlers by their IP addresses.
#[derive(Debug)]
pub(crate) struct Verifier {
    ranges: Ranges,
    proxies: Vec<Prefix>,
    seen: HashMap<(usize, IpAddr, i64), Identity>,
}

impl Verifier {
    pub(crate) fn new(ranges: Ranges, proxies: Vec<Prefix>) -> Self {
        Verifier { ranges, proxies, seen: HashMap::new() }
    }

    /// Returns the client's address. Behind a trusted proxy, this is the last address in `X-Forwarded-For` that is not a
    /// trusted proxy itself.
    pub(crate) fn client(&self, request: &LogRequest<'_>) -> Option<IpAddr> {
        let peer = address(&request.address)?;
        if !self.is_proxy(peer) {
            // A private address belongs to a proxy of the site, not to a client.
            return Some(peer).filter(|peer| !is_private(*peer));
        }
        let forwarded = request.forwarded.as_deref()?;
        let mut hops = forwarded.rsplit(|byte| *byte == b',').map(|hop| address(hop.trim_ascii()));
        hops.find(|hop| hop.is_none_or(|hop| !self.is_proxy(hop))).flatten()
    }

    fn is_proxy(&self, address: IpAddr) -> bool {
        self.proxies.iter().any(|proxy| proxy.contains(address))
    }

    /// Returns whether a request that names a crawler came from an address of the crawler's operator.
    pub(crate) fn identify(
        &mut self,
        crawler: usize,
        token: &str,
        client: Option<IpAddr>,
        time_micros: i64,
    ) -> Identity {
        let Some(client) = client else { return Identity::Unknown };
        let day = time_micros.div_euclid(86_400_000_000);
        let key = (crawler, client, day);
        if let Some(found) = self.seen.get(&key) {
            return *found;
        }
        let found = self.look(token, client, day);
        if self.seen.len() >= MAX_CACHED {
            self.seen.clear();
        }
        self.seen.insert(key, found);
        found
    }

    fn look(&self, token: &str, client: IpAddr, day: i64) -> Identity {
        let mut is_dated = None;
        for list in self.ranges.lists_of(token) {
            if list.contains(client) {
                return Identity::Verified;
            }
            let is_near = day_of(list.date()).is_some_and(|date| (date - day).abs() <= MAX_DAYS_APART);
            is_dated = Some(is_dated.unwrap_or(true) && is_near);
        }
        if is_dated == Some(true) { Identity::Outside } else { Identity::Unknown }
    }

    /// Returns the day on which the ranges of a crawler were read. Returns `None` if the crawler has no ranges.
    pub(crate) fn date(&self, token: &str) -> Option<String> {
        self.ranges.lists_of(token).map(|list| list.date().to_owned()).min()
    }
}

fn address(text: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(text).ok()?.trim_start_matches('[').trim_end_matches(']');
    text.parse::<IpAddr>().ok().map(|address| address.to_canonical())
}

fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_private() || address.is_loopback() || address.is_link_local(),
        IpAddr::V6(address) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
    }
}

/// Returns the number of days from 1970 to a date such as `2026-11-21`.
fn day_of(date: &str) -> Option<i64> {
    let date: jiff::civil::Date = date.parse().ok()?;
    let zero = jiff::civil::date(1970, 1, 1);
    Some(i64::from(date.since((jiff::Unit::Day, zero)).ok()?.get_days()))
}

/// Returns the network of an address. Returns the address itself if `is_whole`.
pub(crate) fn shown(address: IpAddr, is_whole: bool) -> Prefix {
    let length = match address {
        _ if is_whole => 128,
        IpAddr::V4(_) => 24,
        IpAddr::V6(_) => 48,
    };
    Prefix::around(address, length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(header: &str) -> Option<&'static str> {
        let mut crawlers = Crawlers::new();
        crawlers.find(header.as_bytes()).map(|number| crawlers.get(number).token())
    }

    #[test]
    fn a_crawler_is_a_whole_word_of_its_header() {
        for (header, token) in [
            (
                "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
                Some("GPTBot"),
            ),
            ("gptbot", Some("GPTBot")),
            ("Googlebot-Image/1.0", Some("Googlebot-Image")),
            ("Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)", Some("bingbot")),
            ("Mozilla/5.0 (compatible; SomethingElse/1.0; +https://example.com/GPTBot)", None),
            ("NotGPTBot/1.0", None),
            ("GPTBots", None),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", None),
            ("", None),
        ] {
            let found = found(header);
            assert!(
                found.map(str::to_ascii_lowercase) == token.map(str::to_ascii_lowercase),
                "{header}: {found:?}"
            );
        }
    }

    fn ranges(date: &str) -> Ranges {
        let text = format!(
            "list openai-gptbot\noperator OpenAI\ntokens GPTBot\nfrom https://openai.com/gptbot.json\ndate {date}\n\
             sourcing verified\n203.0.113.0/24 2001:db8::/32\n"
        );
        Ranges::parse(&text).unwrap()
    }

    #[test]
    fn address_is_outside_only_of_ranges_of_about_the_same_time() {
        let day = |date: &str| day_of(date).unwrap() * 86_400_000_000;
        let identity = |of: &str, at: &str, address: &str| {
            let mut verifier = Verifier::new(ranges(of), Vec::new());
            verifier.identify(0, "GPTBot", address.parse().ok(), day(at))
        };
        assert_eq!(identity("2026-11-01", "2026-11-21", "203.0.113.9"), Identity::Verified);
        assert_eq!(identity("2026-11-01", "2026-11-21", "2001:db8::9"), Identity::Verified);
        assert_eq!(identity("2026-11-01", "2026-11-21", "198.51.100.9"), Identity::Outside);
        assert_eq!(identity("2026-09-01", "2026-11-21", "198.51.100.9"), Identity::Unknown);
        assert_eq!(identity("2026-11-01", "2026-11-21", "crawl.example"), Identity::Unknown);
    }

    #[test]
    fn client_behind_a_proxy_is_the_one_that_a_trusted_proxy_names() {
        let proxies = vec!["192.0.2.0/24".parse().unwrap(), "10.0.0.0/8".parse().unwrap()];
        let verifier = Verifier::new(Ranges::default(), proxies);
        let client = |peer: &'static str, forwarded: Option<&'static str>| {
            let mut request = LogRequest::default();
            request.address = peer.as_bytes().into();
            request.forwarded = forwarded.map(|text| text.as_bytes().into());
            verifier.client(&request).map(|address| address.to_string())
        };
        assert_eq!(client("203.0.113.9", Some("198.51.100.1")).as_deref(), Some("203.0.113.9"));
        assert_eq!(
            client("192.0.2.1", Some("1.1.1.1, 203.0.113.9, 10.0.0.7")).as_deref(),
            Some("203.0.113.9")
        );
        assert_eq!(client("192.0.2.1", None), None);
        assert_eq!(client("192.0.2.1", Some("203.0.113.9, unknown")), None);
        assert_eq!(client("172.16.0.1", None), None, "an own proxy");
    }

    #[test]
    fn addresses_are_shown_as_networks() {
        let shown = |text: &str, is_whole| shown(text.parse().unwrap(), is_whole).to_string();
        assert_eq!(shown("203.0.113.9", false), "203.0.113.0/24");
        assert_eq!(shown("2001:db8:1:2::9", false), "2001:db8:1::/48");
        assert_eq!(shown("203.0.113.9", true), "203.0.113.9");
    }
}
