//! Identifies the sender of a request: finds the crawler by its product token, and verifies that the address belongs to the
//! operator of the crawler.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::BuildHasher;
use std::net::IpAddr;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use comity::agents::{self, KnownAgent, Prefix, Purpose, RangeList, Ranges};
use comity::robots::Agent;
use comity::shown;
use comity_formats::logs::{ForwardedField, LogForwarded, LogRequest};
use foldhash::quality::RandomState;
use serde::Serialize;

/// Maximum number of days between a request and a look-up of its address. An address outside of a published list refutes
/// the crawler's name only if the list was read within this number of days of the request.
pub(crate) const MAX_DAYS_APART: i64 = 30;

/// Number of slots in the cache of headers. A new header overwrites the header in its slot, so that the cache does not grow.
const CACHE_SLOTS: usize = 8_192;

/// Maximum length of a cached header, in bytes.
const MAX_CACHED_HEADER: usize = 512;

/// Maximum number of bytes of a header in which names are searched.
const MAX_HEADER: usize = 4_096;

/// Maximum number of counted crawlers that are not in the catalogue. A hostile log may have a different name on each line.
const MAX_UNKNOWN: usize = 1_000;

/// Maximum length of the name of such a crawler, in bytes.
const MAX_NAME: usize = 64;

/// Words with which a client declares itself a crawler. The last word is the start of a contact address.
const DECLARATIONS: [&str; 4] = ["bot", "crawler", "spider", "+http"];

comity::words! {
    /// The result of verifying that a request with the name of a crawler is from this crawler.
    #[derive(PartialOrd, Ord, Serialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum Identity as "identity" {
        /// The address is in the operator's published ranges, or has one of the operator's names.
        Verified = "verified",
        /// The address neither verifies nor refutes the name.
        Unknown = "unknown",
        /// The address is outside of the operator's published ranges, which were read within 30 days of the request.
        Outside = "outside",
    }
}

/// A crawler whose requests are counted.
#[derive(Debug)]
pub(crate) struct Crawler {
    pub(crate) token: Cow<'static, str>,
    /// The entry in the catalogue. `None` if the crawler is not in the catalogue.
    pub(crate) known: Option<&'static KnownAgent>,
    /// The agent for which robots.txt is evaluated.
    pub(crate) agent: Agent,
    /// The first `User-Agent` with the name, if the crawler is not in the catalogue.
    pub(crate) header: Option<String>,
}

/// Crawlers by index: the crawlers of the catalogue, followed by other crawlers in the order of their first requests.
#[derive(Debug)]
pub(crate) struct Crawlers {
    crawlers: Vec<Crawler>,
    /// Automaton for the tokens, sorted by length, longest first, and for the [`DECLARATIONS`]. The time of a search does not
    /// depend on the number of words.
    words: AhoCorasick,
    /// Indexes of the crawlers, in the order of the tokens in `words`.
    tokens: Vec<usize>,
    cache: Vec<CachedHeader>,
    hasher: RandomState,
    /// Crawlers that are not in the catalogue, by name in lower case.
    others: HashMap<String, usize, RandomState>,
    /// Number of searched headers of crawlers beyond [`MAX_UNKNOWN`]. A cached header is not searched again.
    pub(crate) uncounted: u64,
}

/// A header, and the crawler in it.
#[derive(Clone, Debug, Default)]
struct CachedHeader {
    header: Vec<u8>,
    found: Option<usize>,
}

impl Crawlers {
    pub(crate) fn new() -> Self {
        // Control tokens occur only in robots.txt, not in requests.
        let is_sent = |agent: &&KnownAgent| agent.purpose() != Purpose::ControlOnly;
        let crawler = |known: &'static KnownAgent| Crawler {
            token: Cow::Borrowed(known.token()),
            known: Some(known),
            agent: known.agent(),
            header: None,
        };
        let crawlers: Vec<Crawler> = agents::all().iter().filter(is_sent).map(crawler).collect();
        let mut tokens: Vec<usize> = (0..crawlers.len()).collect();
        tokens.sort_by_key(|at| (std::cmp::Reverse(crawlers[*at].token.len()), *at));
        let words = tokens.iter().map(|at| &*crawlers[*at].token).chain(DECLARATIONS);
        #[expect(clippy::expect_used, reason = "the catalogue is far below the limits of the automaton")]
        let words = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .kind(Some(AhoCorasickKind::DFA))
            .build(words)
            .expect("the automaton of the catalogue");
        Crawlers {
            crawlers,
            words,
            tokens,
            cache: vec![CachedHeader::default(); CACHE_SLOTS],
            hasher: RandomState::default(),
            others: HashMap::default(),
            uncounted: 0,
        }
    }

    pub(crate) fn get(&self, number: usize) -> &Crawler {
        &self.crawlers[number]
    }

    /// Returns all crawlers.
    pub(crate) fn all(&self) -> &[Crawler] {
        &self.crawlers
    }

    /// Returns the index of the crawler in a header.
    pub(crate) fn find(&mut self, header: &[u8]) -> Option<usize> {
        if header.len() > MAX_CACHED_HEADER {
            return self.search(header);
        }
        #[expect(clippy::cast_possible_truncation, reason = "any bits of the hash select a slot")]
        let slot = self.hasher.hash_one(header) as usize % CACHE_SLOTS;
        let cached = &self.cache[slot];
        if cached.header == header {
            return cached.found;
        }
        let found = self.search(header);
        let cached = &mut self.cache[slot];
        cached.header.clear();
        cached.header.extend_from_slice(header);
        cached.found = found;
        found
    }

    /// Searches a header for a crawler. A token must be a separate word outside of URLs. Of several tokens, prefers a token
    /// with a version, and then the longest token. Without a token, a client that declares itself a crawler is found by its
    /// own name.
    fn search(&mut self, header: &[u8]) -> Option<usize> {
        let header = &header[..header.len().min(MAX_HEADER)];
        // The copy without URLs is created only when the first word is found, since most headers contain no word.
        let mut plain = None;
        let mut best: Option<(bool, usize)> = None;
        let mut declared: Option<(usize, usize)> = None;
        for found in self.words.find_overlapping_iter(header) {
            let (start, end, word) = (found.start(), found.end(), found.pattern().as_usize());
            let plain = plain.get_or_insert_with(|| without_urls(header));
            let is_in_url = plain[start] == b' ' || plain[end - 1] == b' ';
            if word >= self.tokens.len() {
                let is_contact = word == self.tokens.len() + DECLARATIONS.len() - 1;
                if is_contact || !is_in_url {
                    declared = declared.filter(|_| is_contact).or(Some((start, end)));
                }
                continue;
            }
            let before = start.checked_sub(1).map(|at| plain[at]);
            let after = plain.get(end).copied();
            if is_in_url || before.is_some_and(is_token_byte) || after.is_some_and(is_token_byte) {
                continue;
            }
            let candidate = (after != Some(b'/'), word);
            best = Some(best.map_or(candidate, |best| best.min(candidate)));
        }
        match best {
            Some((_, word)) => Some(self.tokens[word]),
            None => self.find_declared(header, &plain?, declared?),
        }
    }

    /// Returns the crawler for a client that declares itself. `at` is the position of the declaration in the header.
    fn find_declared(&mut self, header: &[u8], plain: &[u8], at: (usize, usize)) -> Option<usize> {
        let name = declared_name(plain, at)?;
        let key = name.to_ascii_lowercase();
        if let Some(found) = self.others.get(&key) {
            return Some(*found);
        }
        if self.others.len() >= MAX_UNKNOWN {
            self.uncounted += 1;
            return None;
        }
        self.crawlers.push(Crawler {
            agent: Agent::unchecked_token(&*name),
            token: Cow::Owned(name),
            known: None,
            header: Some(shown::short(header, 200).into_owned()),
        });
        self.others.insert(key, self.crawlers.len() - 1);
        Some(self.crawlers.len() - 1)
    }
}

/// Returns the name of a client that declares itself a crawler. `plain` is the header with URLs replaced by blanks. The other
/// arguments are the bounds of the declaration.
fn declared_name(plain: &[u8], (start, end): (usize, usize)) -> Option<String> {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let word = if plain[start] == b' ' {
        // The declaration is a contact address. The name is the last product before the address.
        let mut parts = plain[..start].rsplit(|byte| matches!(byte, b';' | b'(' | b')' | b','));
        let part = parts.find(|part| !part.trim_ascii().is_empty())?.trim_ascii();
        let length = part.iter().take_while(|byte| is_name(byte)).count();
        &part[..length]
    } else {
        let before = plain[..start].iter().rev().take_while(|byte| is_name(byte)).count();
        let after = plain[end..].iter().take_while(|byte| is_name(byte)).count();
        &plain[start - before..end + after]
    };
    let name = std::str::from_utf8(word).ok()?.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    // `Cubot` is a brand of telephones, and the header of every browser begins with `Mozilla`.
    let is_other = ["cubot", "mozilla", "compatible"].iter().any(|other| name.eq_ignore_ascii_case(other));
    let is_usable =
        name.len() <= MAX_NAME && name.bytes().any(|byte| byte.is_ascii_alphabetic()) && !is_other;
    is_usable.then(|| name.to_owned())
}

/// Returns true for bytes that can be part of a token.
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.') || byte >= 0x80
}

/// Replaces URLs and mail addresses with blanks, since a URL such as `+https://example.com/gptbot` may contain the name of a
/// crawler.
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

/// The age of a list of published addresses at the time of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListAge {
    /// The list was read within 30 days of the request. Also without a list or an address.
    Near,
    /// The list was read more than 30 days before the request.
    Older,
    /// The list was read more than 30 days after the request.
    Newer,
}

/// A verifier of crawlers by their IP addresses.
#[derive(Debug)]
pub(crate) struct Verifier {
    ranges: Ranges,
    /// The published addresses of each crawler.
    published: Vec<PublishedAddresses>,
    proxies: Vec<Prefix>,
    client_field: Option<ForwardedField>,
}

/// The addresses that the operator of a crawler publishes.
#[derive(Debug, Default)]
struct PublishedAddresses {
    /// Ranges of IPv4 addresses, as first and last address, sorted and without overlaps.
    v4: Vec<(u32, u32)>,
    /// Ranges of IPv6 addresses.
    v6: Vec<(u128, u128)>,
    /// Days since 1970 on which the lists were read.
    days: Vec<i64>,
}

impl PublishedAddresses {
    fn new(ranges: &Ranges, token: &str) -> PublishedAddresses {
        let mut published = PublishedAddresses::default();
        for list in ranges.lists_of(token) {
            // A list without a valid date counts as too old for every request.
            published.days.push(day_of(list.date()).unwrap_or(i64::MIN / 2));
            for prefix in list.prefixes() {
                match prefix.bounds() {
                    (IpAddr::V4(first), IpAddr::V4(last)) => {
                        published.v4.push((first.to_bits(), last.to_bits()))
                    }
                    (IpAddr::V6(first), IpAddr::V6(last)) => {
                        published.v6.push((first.to_bits(), last.to_bits()))
                    }
                    _ => {}
                }
            }
        }
        merge(&mut published.v4);
        merge(&mut published.v6);
        published
    }

    fn contains(&self, address: IpAddr) -> bool {
        match address {
            IpAddr::V4(address) => contains(&self.v4, address.to_bits()),
            IpAddr::V6(address) => contains(&self.v6, address.to_bits()),
        }
    }
}

/// Sorts ranges, and merges overlapping ranges.
fn merge<N: Ord + Copy>(ranges: &mut Vec<(N, N)>) {
    ranges.sort_unstable();
    ranges.dedup_by(|next, kept| {
        let is_part = next.0 <= kept.1;
        if is_part {
            kept.1 = kept.1.max(next.1);
        }
        is_part
    });
}

/// Returns whether an address is in one of the sorted ranges.
fn contains<N: Ord + Copy>(ranges: &[(N, N)], address: N) -> bool {
    let at = ranges.partition_point(|(first, _)| *first <= address);
    at.checked_sub(1).is_some_and(|at| address <= ranges[at].1)
}

impl Verifier {
    /// Creates a verifier. If `proxies` is empty, all private addresses are trusted proxies.
    pub(crate) fn new(
        ranges: Ranges,
        crawlers: &[Crawler],
        proxies: Vec<Prefix>,
        client_field: Option<ForwardedField>,
    ) -> Self {
        let published =
            crawlers.iter().map(|crawler| PublishedAddresses::new(&ranges, &crawler.token)).collect();
        Verifier { ranges, published, proxies, client_field }
    }

    /// Returns the address of the client: the peer, or if the peer is a trusted proxy, the last forwarded address that is not a
    /// trusted proxy.
    ///
    /// A client can send forwarded addresses, too. So they are used only if the peer is a trusted proxy, and if all header
    /// fields give one client. If a client field is set, only this field is used, from any peer.
    pub(crate) fn client(&self, request: &LogRequest<'_>) -> Option<IpAddr> {
        // A private address belongs to a proxy of the site, not to a client.
        let is_client = |address: &IpAddr| !is_private(*address);
        if let Some(field) = self.client_field {
            let named = request.forwarded.iter().find(|forwarded| forwarded.field == field)?;
            return self.last_client(named).filter(is_client);
        }
        let peer = request.peer?;
        if !self.is_proxy(peer) {
            return Some(peer).filter(is_client);
        }
        let named = request.forwarded.iter().filter(|forwarded| forwarded.is_named);
        let mut clients = named.map(|forwarded| self.last_client(forwarded));
        let client = clients.next()??;
        clients.all(|other| other == Some(client)).then_some(client).filter(is_client)
    }

    fn last_client(&self, forwarded: &LogForwarded) -> Option<IpAddr> {
        let mut hops = forwarded.hops.iter().rev();
        *hops.find(|hop| hop.is_none_or(|hop| !self.is_proxy(hop)))?
    }

    fn is_proxy(&self, address: IpAddr) -> bool {
        match self.proxies.is_empty() {
            true => is_private(address),
            false => self.proxies.iter().any(|proxy| proxy.contains(address)),
        }
    }

    /// Verifies by the published addresses that a request is from a crawler. Also returns the age of the list of addresses.
    pub(crate) fn identify(
        &self,
        crawler: usize,
        client: Option<IpAddr>,
        time_micros: i64,
    ) -> (Identity, ListAge) {
        let published = self.published.get(crawler).filter(|published| !published.days.is_empty());
        let (Some(published), Some(client)) = (published, client) else {
            return (Identity::Unknown, ListAge::Near);
        };
        let day = time_micros.div_euclid(86_400_000_000);
        let age = if published.days.iter().any(|date| day - date > MAX_DAYS_APART) {
            ListAge::Older
        } else if published.days.iter().any(|date| date - day > MAX_DAYS_APART) {
            ListAge::Newer
        } else {
            ListAge::Near
        };
        match (published.contains(client), age) {
            (true, _) => (Identity::Verified, age),
            (false, ListAge::Near) => (Identity::Outside, age),
            (false, _) => (Identity::Unknown, age),
        }
    }

    /// Returns the oldest list of a crawler's addresses. Returns `None` if the operator publishes no list.
    pub(crate) fn oldest_list<'r>(&'r self, token: &'r str) -> Option<&'r RangeList> {
        self.ranges.lists_of(token).min_by_key(|list| list.date())
    }
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

/// Returns the network of an address (/24 or /48), or the address itself if `is_whole` is true.
pub(crate) fn network(address: IpAddr, is_whole: bool) -> Prefix {
    let length = match address {
        _ if is_whole => 128,
        IpAddr::V4(_) => 24,
        IpAddr::V6(_) => 48,
    };
    Prefix::around(address, length)
}

#[cfg(test)]
mod tests {
    use comity_formats::logs::{LogLine, LogReader};

    use super::*;

    /// Returns the token of the catalogue's crawler in a header.
    fn found(crawlers: &mut Crawlers, header: &str) -> Option<&'static str> {
        let number = crawlers.find(header.as_bytes())?;
        crawlers.get(number).known.map(KnownAgent::token)
    }

    #[test]
    fn token_is_found_only_as_a_separate_word() {
        let mut crawlers = Crawlers::new();
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
            let found = found(&mut crawlers, header);
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
    fn address_is_outside_only_if_the_list_was_read_within_30_days() {
        let day = |date: &str| day_of(date).unwrap() * 86_400_000_000;
        let identity = |of: &str, at: &str, address: &str| {
            let crawlers = Crawlers::new();
            let gptbot = crawlers.all().iter().position(|crawler| crawler.token == "GPTBot").unwrap();
            let verifier = Verifier::new(ranges(of), crawlers.all(), Vec::new(), None);
            verifier.identify(gptbot, address.parse().ok(), day(at))
        };
        let near = |identity| (identity, ListAge::Near);
        assert_eq!(identity("2026-11-01", "2026-11-21", "203.0.113.9"), near(Identity::Verified));
        assert_eq!(identity("2026-11-01", "2026-11-21", "203.0.112.255"), near(Identity::Outside));
        assert_eq!(identity("2026-11-01", "2026-11-21", "203.0.114.0"), near(Identity::Outside));
        assert_eq!(identity("2026-11-01", "2026-11-21", "2001:db8::9"), near(Identity::Verified));
        assert_eq!(identity("2026-09-01", "2026-11-21", "198.51.100.9"), (Identity::Unknown, ListAge::Older));
        assert_eq!(identity("2026-09-01", "2026-11-21", "203.0.113.9"), (Identity::Verified, ListAge::Older));
        assert_eq!(identity("2027-01-01", "2026-11-21", "198.51.100.9"), (Identity::Unknown, ListAge::Newer));
        assert_eq!(identity("2026-11-01", "2026-11-21", "crawl.example"), near(Identity::Unknown));
    }

    #[test]
    fn client_that_declares_itself_is_found_by_its_name() {
        let mut crawlers = Crawlers::new();
        for (header, name) in [
            ("Mozilla/5.0 (compatible; HeronFetchBot/1.0; +https://example.com/bot)", Some("HeronFetchBot")),
            ("heronfetchbot/2.0", Some("HeronFetchBot")),
            ("acme-crawler", Some("acme-crawler")),
            ("Mozilla/5.0 (compatible; Osprey Engine/2; +http://example.com/)", Some("Osprey")),
            ("Osprey/3.1 (+http://example.com/contact)", Some("Osprey")),
            ("Mozilla/5.0 (Linux; Android 9; CUBOT X19) AppleWebKit/537.36", None),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", None),
            ("Mozilla/5.0 https://example.com/robots", None),
            ("+http", None),
            ("", None),
        ] {
            let found = crawlers.find(header.as_bytes());
            assert_eq!(found.map(|found| &*crawlers.get(found).token), name, "{header}");
            assert!(found.is_none_or(|found| crawlers.get(found).known.is_none()), "{header}");
        }
        for number in 0..2 * MAX_UNKNOWN {
            crawlers.find(format!("bot{number}").as_bytes());
        }
        assert_eq!(crawlers.others.len(), MAX_UNKNOWN);
        assert!(crawlers.uncounted > 0);
    }

    #[test]
    fn forwarded_address_is_used_only_behind_a_trusted_proxy() {
        let proxies: [Prefix; 2] = ["192.0.2.0/24".parse().unwrap(), "10.0.0.0/8".parse().unwrap()];
        let request = |peer: &str, forwarded: &[(ForwardedField, &str)]| {
            let line =
                forwarded.iter().fold(format!("{{\"remote_addr\":\"{peer}\""), |line, (field, value)| {
                    let (name, _) =
                        ForwardedField::ALL.into_iter().find(|(_, other)| other == field).unwrap();
                    format!("{line},\"http_{}\":\"{value}\"", name.replace('-', "_"))
                });
            let line = line + ",\"request_uri\":\"/\",\"msec\":1795242000,\"http_user_agent\":\"a\"}";
            match LogReader::new().read(line.as_bytes()) {
                LogLine::Request(request) => request.into_owned(),
                other => unreachable!("{line}: {other:?}"),
            }
        };
        let client = |proxies: &[Prefix], field, peer: &str, forwarded: &[(ForwardedField, &str)]| {
            let verifier = Verifier::new(Ranges::default(), &[], proxies.to_vec(), field);
            verifier.client(&request(peer, forwarded)).map(|address| address.to_string()).unwrap_or_default()
        };
        let (list, cloudflare) = (ForwardedField::XForwardedFor, ForwardedField::CfConnectingIp);
        let named = |peer: &str, forwarded: &[_]| client(&proxies, None, peer, forwarded);
        assert_eq!(
            named("203.0.113.9", &[(list, "66.249.66.1")]),
            "203.0.113.9",
            "any client can send the field"
        );
        assert_eq!(named("203.0.113.9", &[(cloudflare, "66.249.66.1")]), "203.0.113.9");
        assert_eq!(named("192.0.2.1", &[(list, "1.1.1.1, 203.0.113.9, 10.0.0.7")]), "203.0.113.9");
        assert_eq!(named("192.0.2.1", &[(list, "1.1.1.1:80, [2001:db8::9]:443")]), "2001:db8::9");
        assert_eq!(named("192.0.2.1", &[]), "");
        assert_eq!(named("192.0.2.1", &[(list, "203.0.113.9, unknown")]), "");
        assert_eq!(named("192.0.2.1", &[(list, "203.0.113.9"), (cloudflare, "203.0.113.9")]), "203.0.113.9");
        assert_eq!(
            named("192.0.2.1", &[(list, "203.0.113.9"), (cloudflare, "66.249.66.1")]),
            "",
            "the fields disagree"
        );
        assert_eq!(named("172.16.0.1", &[(list, "203.0.113.9")]), "", "a proxy that is not trusted");
        let by_default = |peer: &str, forwarded: &[_]| client(&[], None, peer, forwarded);
        assert_eq!(
            by_default("172.16.0.1", &[(list, "66.249.66.1")]),
            "66.249.66.1",
            "private peers are trusted"
        );
        assert_eq!(by_default("172.16.0.1", &[(list, "66.249.66.1, 198.51.100.7")]), "198.51.100.7");
        assert_eq!(by_default("172.16.0.1", &[(list, "10.0.0.8")]), "");
        let by_field = |peer: &str, forwarded: &[_]| client(&[], Some(cloudflare), peer, forwarded);
        assert_eq!(
            by_field("198.51.100.7", &[(list, "1.1.1.1"), (cloudflare, "66.249.66.1")]),
            "66.249.66.1"
        );
        assert_eq!(by_field("198.51.100.7", &[(list, "1.1.1.1")]), "", "the peer may be the proxy");
    }

    #[test]
    fn address_is_shown_as_its_network() {
        let shown = |text: &str, is_whole| network(text.parse().unwrap(), is_whole).to_string();
        assert_eq!(shown("203.0.113.9", false), "203.0.113.0/24");
        assert_eq!(shown("2001:db8:1:2::9", false), "2001:db8:1::/48");
        assert_eq!(shown("203.0.113.9", true), "203.0.113.9");
    }
}
