//! The address ranges that operators publish for their crawlers.
//!
//! Any client can use the name of a crawler. An address that the operator publishes is evidence that the request is
//! from the crawler. The lists here are dated copies. Operators change their lists from day to day, so every result
//! names the list and its date. An address outside all lists may still belong to the crawler, because the copy may be
//! outdated.
//!
//! The bundled lists (`data/ranges.txt`, 60 KB) are compiled into a program only with the feature `ranges`. Newer lists
//! are read from text in the format of that file ([`Ranges::parse`]) or from the documents that operators publish
//! ([`RangeList::parse_published`]).

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use super::Sourcing;

/// Maximum size in bytes of a text with lists.
pub const MAX_RANGES_BYTES: usize = 16 << 20;

/// A collection of lists of address ranges.
///
/// ```
/// use comity::agents::Ranges;
///
/// let ranges = Ranges::bundled();
/// let (list, prefix) = ranges.containing("66.249.64.1".parse()?).next().unwrap();
/// assert_eq!((list.name(), prefix.to_string().as_str()), ("google-googlebot", "66.249.64.0/27"));
/// assert_eq!(list.date(), "2026-09-02");
/// assert!(ranges.lists_of("GPTBot").all(|list| !list.contains("66.249.64.1".parse().unwrap())));
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges {
    lists: Vec<RangeList>,
}

/// The ranges that one operator publishes for some of its crawlers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeList {
    name: String,
    operator: String,
    tokens: Vec<String>,
    from: String,
    date: String,
    sourcing: Sourcing,
    via: Option<String>,
    prefixes: Vec<Prefix>,
}

/// A range of addresses with a common prefix of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Prefix {
    address: IpAddr,
    length: u8,
}

/// The error for a text that cannot be parsed as lists of ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangesError {
    line: usize,
    reason: String,
}

impl fmt::Display for RangesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.reason),
            line => write!(f, "line {line}: {}", self.reason),
        }
    }
}

impl std::error::Error for RangesError {}

impl Ranges {
    /// Returns the lists that are bundled with the library.
    pub fn bundled() -> Self {
        // A test parses the bundled file, so this cannot fail.
        Ranges::parse(include_str!("../../data/ranges.txt")).unwrap_or_default()
    }

    /// Reads lists in the format of `data/ranges.txt`. Comments at the top of that file describe the format.
    ///
    /// # Errors
    ///
    /// Returns [`RangesError`] for the first line that cannot be parsed, for a list without operator, crawlers, source,
    /// date or ranges, for two lists with an equal name, and for a text above [`MAX_RANGES_BYTES`].
    pub fn parse(text: &str) -> Result<Self, RangesError> {
        if text.len() > MAX_RANGES_BYTES {
            return Err(RangesError { line: 0, reason: format!("more than {MAX_RANGES_BYTES} bytes") });
        }
        let mut ranges = Ranges::default();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = |reason: String| RangesError { line: index + 1, reason };
            if let Some(name) = line.strip_prefix("list ") {
                if ranges.list(name).is_some() {
                    return Err(wrong(format!("there are two lists `{name}`")));
                }
                ranges.lists.push(RangeList::named(name));
                continue;
            }
            let Some(list) = ranges.lists.last_mut() else {
                return Err(wrong("a list starts with `list` and its name".to_owned()));
            };
            list.parse_line(line).map_err(wrong)?;
        }
        for list in &ranges.lists {
            list.check().map_err(|reason| RangesError { line: 0, reason })?;
        }
        Ok(ranges)
    }

    /// Returns every list.
    pub fn lists(&self) -> &[RangeList] {
        &self.lists
    }

    /// Returns the list with this name.
    pub fn list(&self, name: &str) -> Option<&RangeList> {
        self.lists.iter().find(|list| list.name == name)
    }

    /// Returns the lists for a crawler, by its product token, compared without regard to case.
    pub fn lists_of<'r>(&'r self, token: &'r str) -> impl Iterator<Item = &'r RangeList> {
        let is_meant = |list: &&RangeList| list.tokens.iter().any(|known| known.eq_ignore_ascii_case(token));
        self.lists.iter().filter(is_meant)
    }

    /// Returns the lists that contain an address, each with the narrowest range that contains the address.
    pub fn containing(&self, address: IpAddr) -> impl Iterator<Item = (&RangeList, Prefix)> {
        self.lists.iter().filter_map(move |list| Some((list, list.prefix_of(address)?)))
    }

    /// Merges newer lists. A list replaces one with an equal name, unless that one has a later date.
    pub fn update(&mut self, newer: Ranges) {
        for list in newer.lists {
            match self.lists.iter_mut().find(|known| known.name == list.name) {
                Some(known) if known.date <= list.date => *known = list,
                Some(_) => {}
                None => self.lists.push(list),
            }
        }
    }
}

impl From<RangeList> for Ranges {
    fn from(list: RangeList) -> Self {
        Ranges { lists: vec![list] }
    }
}

/// Writes the format that [`Ranges::parse`] reads.
impl fmt::Display for Ranges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for list in &self.lists {
            writeln!(f, "list {}\noperator {}", list.name, list.operator)?;
            writeln!(f, "tokens {}\nfrom {}\ndate {}", list.tokens.join(", "), list.from, list.date)?;
            writeln!(f, "sourcing {}", list.sourcing)?;
            if let Some(via) = &list.via {
                writeln!(f, "via {via}")?;
            }
            for line in list.prefixes.chunks(6) {
                writeln!(f, "{}", line.iter().map(Prefix::to_string).collect::<Vec<_>>().join(" "))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl RangeList {
    fn named(name: &str) -> Self {
        RangeList {
            name: name.to_owned(),
            operator: String::new(),
            tokens: Vec::new(),
            from: String::new(),
            date: String::new(),
            sourcing: Sourcing::Listed,
            via: None,
            prefixes: Vec::new(),
        }
    }

    fn parse_line(&mut self, line: &str) -> Result<(), String> {
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        let value = value.trim();
        match key {
            "operator" => self.operator = value.to_owned(),
            "tokens" => {
                let tokens = value.split(',').map(str::trim).filter(|token| !token.is_empty());
                self.tokens = tokens.map(str::to_owned).collect();
            }
            "from" => self.from = value.to_owned(),
            "date" if is_date(value) => self.date = value.to_owned(),
            "date" => return Err(format!("`{value}` is not a date, such as 2026-11-22")),
            "sourcing" => {
                self.sourcing =
                    value.parse().map_err(|error: crate::words::UnknownName| error.to_string())?;
            }
            "via" => self.via = Some(value.to_owned()),
            _ => {
                for word in line.split_ascii_whitespace() {
                    self.prefixes.push(word.parse()?);
                }
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        let missing = [
            ("operator", self.operator.is_empty()),
            ("tokens", self.tokens.is_empty()),
            ("from", self.from.is_empty()),
            ("date", self.date.is_empty()),
            ("prefixes", self.prefixes.is_empty()),
        ];
        match missing.into_iter().find(|(_, is_missing)| *is_missing) {
            Some((part, _)) => Err(format!("the list `{}` has no {part}", self.name)),
            None => Ok(()),
        }
    }

    /// Reads the document that the operator of this list publishes, as of `date` (`YYYY-MM-DD`): JSON whose `prefixes`
    /// each have an `ipv4Prefix` or `ipv6Prefix`. Google, OpenAI, Microsoft, Apple, Perplexity and others publish this
    /// form. If the document states its creation time (`creationTime`), the date of the list is that day.
    ///
    /// # Errors
    ///
    /// Returns [`RangesError`] for any other document, for a document without ranges, and for a document without a
    /// creation time if `date` is invalid.
    pub fn parse_published(&self, json: &[u8], date: &str) -> Result<RangeList, RangesError> {
        let wrong = |reason: String| RangesError { line: 0, reason };
        if json.len() > MAX_RANGES_BYTES {
            return Err(wrong(format!("more than {MAX_RANGES_BYTES} bytes")));
        }
        let document: serde_json::Value =
            serde_json::from_slice(json).map_err(|error| wrong(format!("not JSON: {error}")))?;
        let made =
            document["creationTime"].as_str().and_then(|time| time.get(..10)).filter(|day| is_date(day));
        let date = made.unwrap_or(date);
        if !is_date(date) {
            return Err(wrong(format!("`{date}` is not a date, such as 2026-11-22")));
        }
        let entries =
            document["prefixes"].as_array().ok_or_else(|| wrong("there is no `prefixes`".to_owned()))?;
        let words = entries
            .iter()
            .flat_map(|entry| ["ipv4Prefix", "ipv6Prefix"].into_iter().filter_map(|key| entry[key].as_str()));
        let prefixes = words.map(str::parse).collect::<Result<Vec<Prefix>, String>>().map_err(wrong)?;
        if prefixes.is_empty() {
            return Err(wrong("`prefixes` is empty".to_owned()));
        }
        let date = date.to_owned();
        Ok(RangeList { date, prefixes, sourcing: Sourcing::Verified, via: None, ..self.clone() })
    }

    /// Returns the list's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the operator that publishes the list.
    pub fn operator(&self) -> &str {
        &self.operator
    }

    /// Returns the product tokens of the crawlers that use the addresses.
    pub fn tokens(&self) -> &[String] {
        &self.tokens
    }

    /// Returns the URL at which the operator publishes the list.
    pub fn from(&self) -> &str {
        &self.from
    }

    /// Returns the date of the list, as `YYYY-MM-DD`: the day on which it was created or downloaded.
    pub fn date(&self) -> &str {
        &self.date
    }

    /// Returns the quality of the source.
    pub fn sourcing(&self) -> Sourcing {
        self.sourcing
    }

    /// Returns the source of the copy, if the list was not downloaded from the operator's own URL.
    pub fn via(&self) -> Option<&str> {
        self.via.as_deref()
    }

    /// Returns the ranges.
    pub fn prefixes(&self) -> &[Prefix] {
        &self.prefixes
    }

    /// Returns true if an address is in one of the ranges.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.prefix_of(address).is_some()
    }

    /// Returns the narrowest range that contains an address.
    pub fn prefix_of(&self, address: IpAddr) -> Option<Prefix> {
        let address = address.to_canonical();
        let having = self.prefixes.iter().filter(|prefix| prefix.contains(address));
        having.max_by_key(|prefix| prefix.length).copied()
    }
}

impl Prefix {
    /// Returns the range of `length` bits that contains an address. A length greater than the number of bits of an
    /// address counts as that number.
    ///
    /// ```
    /// use comity::agents::Prefix;
    ///
    /// assert_eq!(Prefix::around("192.0.2.7".parse()?, 24).to_string(), "192.0.2.0/24");
    /// assert_eq!(Prefix::around("2001:db8::1".parse()?, 128).to_string(), "2001:db8::1");
    /// # Ok::<(), std::net::AddrParseError>(())
    /// ```
    pub fn around(address: IpAddr, length: u8) -> Self {
        match address {
            IpAddr::V4(address) => {
                let length = length.min(32);
                let mask = u32::MAX.checked_shl(32 - u32::from(length)).unwrap_or(0);
                Prefix { address: Ipv4Addr::from_bits(address.to_bits() & mask).into(), length }
            }
            IpAddr::V6(address) => {
                let length = length.min(128);
                let mask = u128::MAX.checked_shl(128 - u32::from(length)).unwrap_or(0);
                Prefix { address: Ipv6Addr::from_bits(address.to_bits() & mask).into(), length }
            }
        }
    }

    /// Returns the first and the last address of the range.
    ///
    /// ```
    /// use comity::agents::Prefix;
    ///
    /// let range: Prefix = "192.0.2.0/28".parse()?;
    /// assert_eq!(range.bounds(), ("192.0.2.0".parse()?, "192.0.2.15".parse()?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bounds(&self) -> (IpAddr, IpAddr) {
        let last = match self.address {
            IpAddr::V4(address) => {
                let host = u32::MAX.checked_shr(self.length.into()).unwrap_or(0);
                IpAddr::V4((address.to_bits() | host).into())
            }
            IpAddr::V6(address) => {
                let host = u128::MAX.checked_shr(self.length.into()).unwrap_or(0);
                IpAddr::V6((address.to_bits() | host).into())
            }
        };
        (self.address, last)
    }

    /// Returns true if an address is in the range.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                let differing = network.to_bits() ^ address.to_bits();
                differing.leading_zeros() >= u32::from(self.length)
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                let differing = network.to_bits() ^ address.to_bits();
                differing.leading_zeros() >= u32::from(self.length)
            }
            _ => false,
        }
    }
}

/// Parses `192.0.2.0/24`, or a single address.
impl FromStr for Prefix {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let shown = || crate::shown::bytes(text.as_bytes());
        let wrong = || format!("`{}` is not a range of addresses, such as 192.0.2.0/24", shown());
        let (address, length) = match text.split_once('/') {
            Some((address, length)) => (address, Some(length)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let length = length.map_or(Ok(most), str::parse).map_err(|_| wrong())?;
        if length > most {
            return Err(wrong());
        }
        let prefix = Prefix::around(address, length);
        if prefix.address != address {
            return Err(format!("`{}` has bits set after its prefix length; write {prefix}", shown()));
        }
        Ok(prefix)
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = if self.address.is_ipv4() { 32 } else { 128 };
        if self.length == most {
            return self.address.fmt(f);
        }
        write!(f, "{}/{}", self.address, self.length)
    }
}

/// Returns true if a text is a day, as `YYYY-MM-DD`.
fn is_date(text: &str) -> bool {
    // `parse` accepts a plus sign.
    let number = |part: &str| part.parse::<u32>().ok().filter(|_| !part.starts_with('+'));
    let mut parts = text.split('-').map(|part| (part.len(), number(part)));
    let date = (parts.next(), parts.next(), parts.next(), parts.next());
    let (Some((4, Some(2000..=2999))), Some((2, Some(month))), Some((2, Some(day))), None) = date else {
        return false;
    };
    (1..=12).contains(&month) && (1..=31).contains(&day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn bundled_lists_are_valid_and_name_known_crawlers() {
        let ranges = Ranges::parse(include_str!("../../data/ranges.txt")).expect("lists");
        assert!(ranges.lists().len() >= 15);
        assert!(ranges.lists().iter().map(|list| list.prefixes().len()).sum::<usize>() > 3_000);
        for list in ranges.lists() {
            for token in list.tokens() {
                assert!(
                    super::super::known(token).is_some(),
                    "{}: `{token}` is not in the catalogue",
                    list.name()
                );
            }
            assert!(list.from().starts_with("https://"), "{}", list.from());
            assert!(list.sourcing() == Sourcing::Verified || list.via().is_some(), "{}", list.name());
        }
        assert_eq!(Ranges::parse(&ranges.to_string()).as_ref(), Ok(&ranges));
    }

    #[test]
    fn prefix_contains_addresses_with_its_bits() {
        for (prefix, inside, outside) in [
            ("192.0.2.0/24", "192.0.2.255", "192.0.3.0"),
            ("192.0.2.7", "192.0.2.7", "192.0.2.8"),
            ("0.0.0.0/0", "255.255.255.255", "::1"),
            ("2001:db8::/32", "2001:db8:ffff::1", "2001:db9::"),
            ("2001:db8::1", "2001:db8::1", "192.0.2.1"),
        ] {
            let parsed: Prefix = prefix.parse().expect("a prefix");
            assert!(parsed.contains(address(inside)) && !parsed.contains(address(outside)), "{prefix}");
            assert_eq!(parsed.to_string(), prefix);
        }
        for wrong in
            ["", "192.0.2.1/24", "192.0.2.0/33", "2001:db8::/129", "192.0.2.0/", "example.com", "1.2.3"]
        {
            assert!(wrong.parse::<Prefix>().is_err(), "{wrong}");
        }
        let error = "192.0.2.1/24".parse::<Prefix>().expect_err("bits of a host");
        assert_eq!(error, "`192.0.2.1/24` has bits set after its prefix length; write 192.0.2.0/24");
    }

    #[test]
    fn update_with_newer_list_replaces_the_older_list() {
        let list = |date: &str, prefix: &str| {
            let text = format!(
                "list a\noperator A\ntokens ABot\nfrom https://a.example\ndate {date}\nsourcing verified\n{prefix}\n"
            );
            Ranges::parse(&text).expect("a list")
        };
        let mut ranges = list("2026-09-02", "192.0.2.0/24");
        ranges.update(list("2026-08-01", "198.51.100.0/24"));
        assert!(ranges.list("a").expect("it").contains(address("192.0.2.1")));
        ranges.update(list("2026-11-01", "198.51.100.0/24"));
        let updated = ranges.list("a").expect("it");
        assert_eq!((updated.date(), updated.contains(address("192.0.2.1"))), ("2026-11-01", false));
        // An IPv4 address in IPv6 notation is the same address.
        assert!(updated.contains(address("::ffff:198.51.100.1")));
        assert_eq!(ranges.lists_of("abot").count(), 1);
    }

    #[test]
    fn published_list_is_read_with_its_date() {
        let ranges = Ranges::bundled();
        let list = ranges.list("openai-gptbot").expect("a list");
        let json = br#"{"creationTime": "2026-11-20T10:00:00.000000", "prefixes": [{"ipv4Prefix": "192.0.2.0/24"}, {"ipv6Prefix": "2001:db8::/32"}]}"#;
        let newer = list.parse_published(json, "2026-11-22").expect("a list");
        assert_eq!(
            (newer.date(), newer.sourcing(), newer.prefixes().len()),
            ("2026-11-20", Sourcing::Verified, 2)
        );
        assert_eq!((newer.name(), newer.tokens()), (list.name(), list.tokens()));
        let both = br#"{"prefixes": [{"ipv4Prefix": "192.0.2.0/24", "ipv6Prefix": "2001:db8::/32"}]}"#;
        assert_eq!(list.parse_published(both, "2026-11-22").expect("a list").prefixes().len(), 2);
        let undated = br#"{"prefixes": [{"ipv4Prefix": "192.0.2.0/24"}]}"#;
        assert_eq!(list.parse_published(undated, "2026-11-22").expect("a list").date(), "2026-11-22");
        for wrong in
            [&b"{}"[..], b"[]", b"<html>", br#"{"prefixes": []}"#, br#"{"prefixes": [{"ipv4Prefix": "x"}]}"#]
        {
            assert!(list.parse_published(wrong, "2026-11-22").is_err());
        }
        assert!(list.parse_published(undated, "yesterday").is_err());
    }

    #[test]
    fn invalid_list_is_rejected_with_its_line() {
        let error = |text: &str| Ranges::parse(text).expect_err("refused").to_string();
        assert_eq!(error("192.0.2.0/24"), "line 1: a list starts with `list` and its name");
        assert_eq!(
            error("list a\n# x\nprefix 1"),
            "line 3: `prefix` is not a range of addresses, such as 192.0.2.0/24"
        );
        assert_eq!(
            error("list a\ndate 2026-13-01"),
            "line 2: `2026-13-01` is not a date, such as 2026-11-22"
        );
        assert_eq!(error("list a\n192.0.2.0/24"), "the list `a` has no operator");
        assert_eq!(error("list a\nlist a"), "line 2: there are two lists `a`");
        assert!(error("list a\nsourcing hearsay").contains("must be one of: verified"));
    }
}
