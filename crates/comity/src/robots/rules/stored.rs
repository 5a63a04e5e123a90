//! The rules and delays that are stored for one crawler: at most one allocation.
//!
//! A crawler stores this data for millions of hosts. Most hosts have one or two rules, and one more pointer per host
//! would increase the memory by a tenth. All data is therefore in one byte string. Its first byte is a set of flags for
//! the optional parts (the crawler's name, delays). The next parts are the number of the first line with a rule, the
//! optional parts, the line numbers of the rules, and the rules.
//!
//! # Byte by byte
//!
//! This file, read for the crawler `heron`,
//!
//! ```text
//! User-agent: heron
//! Crawl-delay: 2
//! Disallow: /private/
//! Allow: /private/open
//! Disallow: /tmp
//! Disallow: /*.pdf$
//! Disallow: /bin
//! Disallow: /café
//! ```
//!
//! is stored in 67 bytes:
//!
//! ```text
//! 03                                            the parts that are present: a name (1), a delay (2)
//! 03                                            the first line with a rule, from which lines are counted
//! 05 68 65 72 6F 6E                             the name: its length, `heron`
//! 02 00                                         the delay: 2 seconds, 0 nanoseconds
//!                                               the lines, a half-byte each, the low half first (`numbers.rs`):
//! 51                                            4 = 3 + 1 and 8 = 3 + 5
//! 30                                            3 = 3 + 0 and 6 = 3 + 3
//! 22                                            5 = 3 + 2, and 7 = 5 + 2 in the same run
//!                                               the rules, the longest first (`packer.rs`, `entries.rs`):
//! 00 0D 2F 70 72 69 76 61 74 65 2F 6F 70 65 6E  allow; 13 bytes, `/private/open`
//! 43 06 2F 63 61 66 C3 A9                       disallow, the bytes to match are derived: `/caf%C3%A9`, 10 bytes
//! 03 09 2F 70 72 69 76 61 74 65 2F              disallow; 9 bytes, `/private/`
//! 17 07 2F 2A 2E 70 64 66 24                    disallow, with a wildcard and an anchor: `/*.pdf$`
//! 83 04 02 2F 74 6D 70 2F 62 69 6E              disallow, a run: 4 bytes, 2 times, `/tmp` and `/bin`
//! ```
//!
//! A number above 127 needs several bytes. Each contains seven bits, lowest bits first.

use std::time::Duration;

use super::entries::{self, PackedRules, RulePlace};
use super::numbers;
use super::packer::PackerOutput;
use crate::robots::read::pacing::{Pacing, RequestRate, VisitTime};

/// A view of the bytes that are stored for one host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredRules<'k> {
    /// Empty if there is nothing to store.
    bytes: &'k [u8],
    /// The position of the first entry.
    entries: u32,
}

const NAME: u8 = 1;
const CRAWL_DELAY: u8 = 1 << 1;
const REQUEST_RATE: u8 = 1 << 2;
const RATE_WINDOW: u8 = 1 << 3;
const VISIT_TIME: u8 = 1 << 4;

impl<'k> StoredRules<'k> {
    /// Makes a view of written bytes, given the position of the first entry.
    #[inline]
    pub(crate) fn new(bytes: &'k [u8], entries: u32) -> Self {
        StoredRules { bytes, entries }
    }

    /// Returns the bytes to store, and the position of the first entry.
    pub(crate) fn write(name: Option<&str>, pacing: &Pacing, rules: &PackerOutput) -> (Box<[u8]>, u32) {
        if name.is_none() && *pacing == Pacing::default() && rules.count == 0 {
            return (Box::default(), 0);
        }
        // Sufficient for nearly all files. The vector grows in the rare case of several delays.
        const MAX_BEFORE: usize = 32;
        let room = MAX_BEFORE + name.map_or(0, str::len) + rules.lines.len() + rules.entries.len();
        let mut bytes = Vec::with_capacity(room);
        bytes.push(0);
        entries::push_number(&mut bytes, rules.first_line.into());
        if let Some(name) = name {
            bytes[0] |= NAME;
            entries::push_slice(&mut bytes, name.as_bytes());
        }
        if let Some(delay) = pacing.crawl_delay {
            bytes[0] |= CRAWL_DELAY;
            entries::push_number(&mut bytes, delay.as_secs());
            entries::push_number(&mut bytes, delay.subsec_nanos().into());
        }
        if let Some(rate) = pacing.request_rate {
            bytes[0] |= REQUEST_RATE;
            entries::push_number(&mut bytes, rate.documents.into());
            entries::push_number(&mut bytes, rate.seconds.into());
            if let Some(window) = rate.window {
                bytes[0] |= RATE_WINDOW;
                push_window(&mut bytes, window);
            }
        }
        if let Some(window) = pacing.visit_time {
            bytes[0] |= VISIT_TIME;
            push_window(&mut bytes, window);
        }
        bytes.extend_from_slice(&rules.lines);
        let entries = bytes.len() as u32;
        bytes.extend_from_slice(&rules.entries);
        (bytes.into(), entries)
    }

    /// Returns the rules.
    #[inline]
    pub(crate) fn entries(self) -> PackedRules<'k> {
        PackedRules::new(self.bytes.get(self.entries as usize..).unwrap_or_default())
    }

    /// Returns the number of rules.
    pub(crate) fn count(self) -> usize {
        self.entries().runs().map(|(_, run)| run.count as usize).sum()
    }

    /// Returns the 1-based line of a rule. The cost grows with the number of preceding runs, and of preceding rules in
    /// the run.
    pub(crate) fn line_of(self, place: RulePlace) -> u32 {
        let Some(mut reader) = self.reader() else { return 0 };
        reader.read_pacing();
        let mut lines = numbers::Reader::new(reader.rest);
        let runs_before = self.entries().runs().take_while(|(run, _)| *run < place.run);
        lines.skip(runs_before.map(|(_, run)| run.count).sum());
        (0..=place.nth).fold(reader.first_line, |line, _| line.wrapping_add(lines.number()))
    }

    /// Returns the lines of all rules: for each run, its position and the lines of its rules, in order.
    pub(crate) fn lines(self) -> Vec<(u32, Vec<u32>)> {
        let Some(mut reader) = self.reader() else { return Vec::new() };
        reader.read_pacing();
        let mut lines = numbers::Reader::new(reader.rest);
        let runs = self.entries().runs().map(|(run, entries)| (run, entries.count));
        runs.map(|(run, count)| {
            let mut line = reader.first_line;
            let next = |_| {
                line = line.wrapping_add(lines.number());
                line
            };
            (run, (0..count).map(next).collect())
        })
        .collect()
    }

    /// Returns the name by which the group was chosen, or an empty text if it was not stored.
    pub(crate) fn name(self) -> &'k str {
        self.reader().map_or("", |reader| reader.name)
    }

    pub(crate) fn pacing(self) -> Pacing {
        self.reader().map(|mut reader| reader.read_pacing()).unwrap_or_default()
    }

    fn reader(self) -> Option<Reader<'k>> {
        let (&flags, rest) = self.bytes.split_first()?;
        let mut reader = Reader { flags, rest, first_line: 0, name: "" };
        reader.first_line = reader.number() as u32;
        if flags & NAME != 0 {
            let length = reader.number() as usize;
            let (name, rest) = reader.rest.split_at_checked(length)?;
            reader.name = std::str::from_utf8(name).unwrap_or_default();
            reader.rest = rest;
        }
        Some(reader)
    }
}

fn push_window(bytes: &mut Vec<u8>, window: VisitTime) {
    entries::push_number(bytes, window.from_minute.into());
    entries::push_number(bytes, window.to_minute.into());
}

/// A reader of the data before the entries.
struct Reader<'k> {
    flags: u8,
    rest: &'k [u8],
    first_line: u32,
    name: &'k str,
}

impl Reader<'_> {
    fn number(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        while let Some((&byte, rest)) = self.rest.split_first() {
            self.rest = rest;
            number |= u64::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                break;
            }
        }
        number
    }

    fn window(&mut self) -> VisitTime {
        VisitTime { from_minute: self.number() as u16, to_minute: self.number() as u16 }
    }

    fn read_pacing(&mut self) -> Pacing {
        let mut pacing = Pacing::default();
        let flags = self.flags;
        if flags & CRAWL_DELAY != 0 {
            pacing.crawl_delay = Some(Duration::new(self.number(), self.number() as u32));
        }
        if flags & REQUEST_RATE != 0 {
            let (documents, seconds) = (self.number() as u32, self.number() as u32);
            let window = (flags & RATE_WINDOW != 0).then(|| self.window());
            pacing.request_rate = Some(RequestRate { documents, seconds, window });
        }
        if flags & VISIT_TIME != 0 {
            pacing.visit_time = Some(self.window());
        }
        pacing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots::{Agent, RobotsTxt};

    /// Returns the code blocks of the module documentation: a robots.txt, and the bytes stored for it.
    fn picture() -> (String, Vec<u8>) {
        let head = include_str!("stored.rs").lines().take_while(|line| line.starts_with("//!"));
        let head: String =
            head.map(|line| format!("{}\n", line[3..].strip_prefix(' ').unwrap_or(""))).collect();
        let blocks: Vec<&str> = head.split("```text\n").skip(1).collect();
        let [file, bytes] = blocks[..] else { panic!("two blocks") };
        let block = |text: &str| text.split("```").next().unwrap_or_default().to_owned();
        let hex = |line: &str| line.split("  ").next().unwrap_or_default().to_owned();
        let bytes: String = block(bytes).lines().map(|line| hex(line) + " ").collect();
        let bytes = bytes.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).expect("a byte"));
        (block(file), bytes.collect())
    }

    #[test]
    fn bytes_in_the_documentation_are_those_that_are_stored() {
        let (file, bytes) = picture();
        let rules = RobotsTxt::parse(&file).rules_for(&Agent::unchecked_token("heron"));
        assert_eq!(rules.stored.escape_ascii().to_string(), bytes.escape_ascii().to_string());
        let size = format!("is stored in {} bytes", bytes.len());
        assert!(include_str!("stored.rs").contains(&size), "{size}");
    }

    #[test]
    fn stored_data_is_read_back_unchanged() {
        let window = VisitTime { from_minute: 60, to_minute: 1_439 };
        let rate = |window| RequestRate { documents: 1, seconds: 86_400, window };
        for name in [None, Some("heron"), Some("caf\u{e9}")] {
            for crawl_delay in [None, Some(Duration::MAX), Some(Duration::from_millis(1_500))] {
                for request_rate in [None, Some(rate(None)), Some(rate(Some(window)))] {
                    for visit_time in [None, Some(window)] {
                        let pacing = Pacing { crawl_delay, request_rate, visit_time };
                        let (bytes, entries) = StoredRules::write(name, &pacing, &PackerOutput::default());
                        let stored = StoredRules::new(&bytes, entries);
                        assert_eq!((stored.name(), stored.pacing()), (name.unwrap_or(""), pacing));
                        assert_eq!((stored.count(), stored.entries().is_empty()), (0, true));
                    }
                }
            }
        }
        assert!(StoredRules::write(None, &Pacing::default(), &PackerOutput::default()).0.is_empty());
    }
}
