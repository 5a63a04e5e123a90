//! The rules of one crawler, in order of precedence.
//!
//! [`Rules`] is the data that a crawler stores per host: only the patterns that apply to its own token, packed and
//! sorted so that the first match decides. Dialects in which the longest rule wins sort rules by length, then `Allow`
//! first, then by position in the file. Dialects in which the first rule wins do not change the order of the file. A
//! decision examines the rules in order until one matches. Only dialects in which the longest match wins examine all
//! rules.
//!
//! Rules, delays and the crawler's name are stored in one allocation. Without any of them, the struct suffices.
//!
//! | file | content |
//! |---|---|
//! | `stored` | the allocation, with an example |
//! | `packer` | sorts rules and writes them |
//! | `entries` | reads rules, and searches them in order |
//! | `numbers` | encodes the lines of rules in half-bytes |
//! | `index`, `grams`, `keys` | finds the deciding rule among many without examining each rule |
//! | `rule`, `basis` | the type of a rule for other modules; the basis of a verdict |
//! | `oneshot` | decides one URL under one file without storing rules |

pub(crate) mod basis;
pub(crate) mod entries;
mod grams;
pub(crate) mod index;
mod keys;
mod numbers;
pub(crate) mod oneshot;
mod packer;
pub(crate) mod rule;
mod stored;

use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use self::entries::{PackedRule, RulePlace};
use self::index::Index;
use self::keys::Key;
use self::packer::{Packer, Rank};
use self::stored::StoredRules;
use super::agents::select::{Choice, Chooser};
use super::dialects::{Dialect, Precedence, Row, Unsplit};
use super::matching::pattern::{Effect, LineEnds};
use super::matching::target::{Target, UrlError};
use super::read::Document;
use super::read::directive::RecordKind;
use super::read::pacing::{DelaySource, Pacing, RequestRate, VisitTime};
use super::read::record::Record;

/// The rules of a [`RobotsTxt`](super::RobotsTxt) that apply to one [`Agent`](super::Agent).
///
/// ```
/// use comity::robots::{Agent, RobotsTxt};
///
/// let robots = RobotsTxt::parse("User-agent: *\nDisallow: /search\nAllow: /search/about\nCrawl-delay: 2\n");
/// let rules = robots.rules_for(&Agent::token("examplebot")?);
/// assert_eq!(rules.group(), Some("*"));
/// assert_eq!(rules.len(), 2);
/// assert!(rules.is_allowed("https://example.com/search/about")?);
/// assert!(!rules.is_allowed("/search?q=x")?);
/// assert_eq!(rules.crawl_delay(), Some(std::time::Duration::from_secs(2)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Rules {
    dialect: Dialect,
    addressees: Addressees,
    /// The number of decisions that remain before an index is built.
    questions_left: AtomicU8,
    /// The position of the first rule in the bytes of the rules and delays; see [`StoredRules`].
    first_entry: u32,
    stored: Box<[u8]>,
    /// The index, which is built after enough decisions; `None` for too few rules, and in dialects without an index.
    index: Option<Box<OnceLock<Box<Index>>>>,
}

/// The crawlers to which the chosen groups apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Addressees {
    /// No group was chosen.
    Nobody,
    Everyone,
    /// The crawler, by a name that is stored with the rules.
    Named,
}

/// A rule that was found: by its place, or by its key in the index, from which its place is computed on request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FoundRule {
    ByWalking(RulePlace),
    ByIndex(Key),
}

/// Minimum number of rules for an index. Fewer rules are examined in order.
const MANY_RULES: usize = 24;

/// Minimum size of rules in bytes for an index. The rules of a smaller set have few different lengths and thus form few
/// runs, so a search in order is fast. The pointer to an index would be a large part of the data of such a set.
const MANY_BYTES: usize = 384;

/// Number of decisions before an index is built. If a crawler makes more decisions than that, the index usually saves
/// more time than its construction takes.
const QUESTIONS_BEFORE_INDEX: u8 = 32;

/// Minimum number of rules for which a search in order may cost more than building the index, if their wildcards are
/// hostile.
const VERY_MANY_RULES: usize = 1_000;
/// Number of decisions before an index is built for at least [`VERY_MANY_RULES`] rules.
const QUESTIONS_OF_VERY_MANY: u8 = 3;

/// A collector of the rules and delays of the chosen groups.
struct Collector<'r> {
    row: &'static Row,
    packer: Packer<'r>,
    pacing: Pacing,
}

impl<'r> Collector<'r> {
    /// Adds the rules and delays of a group.
    ///
    /// A delay applies to the agents in the list directly above it. In the lines `User-agent: a`, `Crawl-delay: 10`,
    /// `User-agent: b`, the delay applies to `a` alone. The lines are nevertheless one group, because only rules end
    /// the agents of a group (RFC 9309 §2.2.4).
    fn add_group(&mut self, chooser: Chooser<'r>, group: usize, choice: &Choice) {
        let document = chooser.document();
        let (mut agents_end, mut is_named) = (false, document.groups()[group].implicit_star);
        for record in document.records_of(group) {
            match record.kind() {
                RecordKind::UserAgent => {
                    is_named &= !agents_end;
                    is_named |= chooser.names_choice(choice, &record);
                    agents_end = false;
                }
                kind if kind.is_rule() => self.add_rule(&record),
                kind if kind.is_pacing() => {
                    agents_end = true;
                    if is_named {
                        self.add_pacing(&record);
                    }
                }
                _ => {}
            }
        }
    }

    fn add_rule(&mut self, record: &Record<'r>) {
        for compiled in self.row.compile(record.kind(), record.value()).into_iter().flatten() {
            let rank = match self.row.precedence {
                Precedence::Longest | Precedence::LongestMatch => {
                    Rank::longest(compiled.length, compiled.effect)
                }
                Precedence::FileOrder => Rank::BY_PLACE,
            };
            self.packer.push(rank, record.kind(), record.line(), record.value(), compiled);
        }
    }

    fn add_pacing(&mut self, record: &Record<'_>) {
        let pacing = &mut self.pacing;
        match record.kind() {
            RecordKind::CrawlDelay => {
                pacing.crawl_delay = (self.row.crawl_delay)(pacing.crawl_delay, record.value());
            }
            RecordKind::RequestRate => {
                pacing.request_rate = (self.row.request_rate)(pacing.request_rate, record.value());
            }
            _ => pacing.visit_time = (self.row.visit_time)(record.value()).or(pacing.visit_time),
        }
    }
}

impl Rules {
    /// Returns the rules of an empty file.
    pub(crate) fn none(dialect: Dialect) -> Rules {
        Rules {
            dialect,
            addressees: Addressees::Nobody,
            questions_left: AtomicU8::new(QUESTIONS_BEFORE_INDEX),
            first_entry: 0,
            stored: Box::default(),
            index: None,
        }
    }

    /// Collects and sorts the rules of the chosen groups.
    pub(crate) fn collect(dialect: Dialect, document: &Document<'_>, choice: &Choice) -> Rules {
        let row = dialect.row();
        let chooser = Chooser::new(document, row.choosing);
        let packer = Packer::new(row.stored_bytes);
        let mut collector = Collector { row, packer, pacing: Pacing::default() };
        for &group in &choice.groups {
            collector.add_group(chooser, group, choice);
        }
        let (addressees, name) = match choice.name.as_deref() {
            None => (Addressees::Nobody, None),
            Some("*") => (Addressees::Everyone, None),
            name => (Addressees::Named, name),
        };
        let packed = collector.packer.pack();
        let count = packed.count;
        let (stored, first_entry) = StoredRules::write(name, &collector.pacing, &packed);
        let is_large = count >= MANY_RULES && packed.entries.len() >= MANY_BYTES;
        let is_indexed = is_large && row.is_indexed;
        let questions = if count < VERY_MANY_RULES { QUESTIONS_BEFORE_INDEX } else { QUESTIONS_OF_VERY_MANY };
        Rules {
            dialect,
            addressees,
            questions_left: AtomicU8::new(questions),
            first_entry,
            stored,
            index: is_indexed.then(Box::default),
        }
    }

    #[inline]
    pub(crate) fn stored(&self) -> StoredRules<'_> {
        StoredRules::new(&self.stored, self.first_entry)
    }

    /// Returns the index, if there have been enough decisions. Each call counts as a decision.
    #[inline]
    fn index(&self) -> Option<&Index> {
        let place = self.index.as_deref()?;
        if let Some(index) = place.get() {
            return Some(index);
        }
        let count_down = |left: u8| left.checked_sub(1);
        if self.questions_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, count_down).is_ok() {
            return None;
        }
        let stored = self.stored();
        Some(place.get_or_init(|| Box::new(Index::build(stored.entries(), stored.count(), self.row()))))
    }

    #[inline]
    pub(crate) fn row(&self) -> &'static Row {
        self.dialect.row()
    }

    /// Returns the dialect that the rules follow.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Returns the name by which the group was chosen: `*`, or the token of the crawler or of a fallback. In dialects
    /// that search the agent for names, it is the name in the file. Returns `None` if no group applies.
    pub fn group(&self) -> Option<&str> {
        match self.addressees {
            Addressees::Nobody => None,
            Addressees::Everyone => Some("*"),
            Addressees::Named => Some(self.stored().name()),
        }
    }

    /// Returns the number of rules.
    pub fn len(&self) -> usize {
        self.stored().count()
    }

    /// Returns true if there are no rules, so that every URL is allowed.
    pub fn is_empty(&self) -> bool {
        self.stored().entries().is_empty()
    }

    /// Returns true if one URL may be fetched. [`Rules::decide`] also returns the reason.
    ///
    /// # Errors
    ///
    /// Returns [`UrlError`] in the cases of [`Rules::decide`].
    pub fn is_allowed<U: AsRef<[u8]> + ?Sized>(&self, url: &U) -> Result<bool, UrlError> {
        match self.row().target(url.as_ref()) {
            Ok(target) => {
                let is_free = self.row().robots_txt_always_allowed && target.is_robots_txt();
                Ok(is_free || self.find(&target).is_none_or(|found| self.effect_of(found) == Effect::Allow))
            }
            Err(_) if self.allows_unsplit() => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Returns the effect of the rule that was found.
    #[inline]
    fn effect_of(&self, found: FoundRule) -> Effect {
        match found {
            FoundRule::ByWalking(place) => self.stored().entries().effect_of(place.run),
            FoundRule::ByIndex(key) => key.effect(),
        }
    }

    /// Returns true if a URL without a recognizable path is allowed, and false if it is an error.
    pub(crate) fn allows_unsplit(&self) -> bool {
        match self.row().unsplit {
            Unsplit::Refused => false,
            Unsplit::AllowedWithoutGroup => self.group().is_none(),
            Unsplit::Allowed => true,
        }
    }

    /// Returns the first matching rule in order of precedence.
    #[inline]
    pub(crate) fn find(&self, target: &Target<'_>) -> Option<FoundRule> {
        let entries = self.stored().entries();
        let row = self.row();
        if let Some(index) = self.index() {
            return index.find(entries, target, row).map(FoundRule::ByIndex);
        }
        let place = if row.line_ends == LineEnds::StartLines {
            // In such dialects a rule may also match after a line end.
            entries.find_any(|entry| self.matches(entry, target))
        } else if row.precedence == Precedence::LongestMatch {
            self.find_longest_match(target)
        } else {
            entries.find(&target.text, |entry| self.matches(entry, target))
        };
        place.map(FoundRule::ByWalking)
    }

    /// Returns the rule that matches the longest part of `target`; among equals, a rule that allows.
    fn find_longest_match(&self, target: &Target<'_>) -> Option<RulePlace> {
        let mut best: Option<((usize, bool), RulePlace)> = None;
        for (place, entry) in self.stored().entries().places() {
            let Some(length) = entry.pattern(self.row(), &mut None).match_length(target) else { continue };
            let strength = (length, entry.effect() == Effect::Allow);
            if best.is_none_or(|(strongest, _)| strength > strongest) {
                best = Some((strength, place));
            }
        }
        best.map(|(_, place)| place)
    }

    /// Returns the place of the rule that was found.
    pub(crate) fn place_of(&self, found: FoundRule) -> Option<RulePlace> {
        match found {
            FoundRule::ByWalking(place) => Some(place),
            FoundRule::ByIndex(key) => self.index.as_deref()?.get()?.place_of(key),
        }
    }

    /// Returns true if a rule matches.
    #[inline]
    pub(crate) fn matches(&self, entry: &PackedRule<'_>, target: &Target<'_>) -> bool {
        let row = self.row();
        entry.pattern(row, &mut None).matches(target, row.line_ends)
    }

    /// Returns the time between two requests that `Crawl-delay` sets.
    ///
    /// In `rfc9309`, `google` and `yandex`, the longest delay in the crawler's groups applies. The result is `None` if
    /// no value is a number of seconds, 0 or more. In the other dialects, the program's choice applies, and the result
    /// is `None` if the program does not read the directive.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.stored().pacing().crawl_delay
    }

    /// Returns the rate that `Request-rate` sets.
    ///
    /// If the crawler's groups contain several rates, the one with the longest interval applies in `rfc9309`, `google`
    /// and `yandex`, even if it has hours and others have none. In the other dialects, the last rate applies; the
    /// result is `None` if the program does not read the directive.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use comity::robots::{Agent, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse("User-agent: *\nRequest-rate: 1/60\nRequest-rate: 100/1\n");
    /// let rules = robots.rules_for(&Agent::unchecked_token("examplebot"));
    /// assert_eq!(rules.request_rate().map(|rate| rate.interval()), Some(Duration::from_secs(60)));
    /// ```
    pub fn request_rate(&self) -> Option<RequestRate> {
        self.stored().pacing().request_rate
    }

    /// Returns the minimum time between two requests, and the kind of record that sets it: the longer of `Crawl-delay`
    /// and `Request-rate`. Returns `None` if neither sets a time.
    ///
    /// A rate with hours applies only in these hours. `minute` is the time of day in minutes after midnight UTC. If
    /// `minute` is `None`, such a rate is ignored.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use comity::robots::{Agent, DelaySource, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse("User-agent: *\nCrawl-delay: 2\nRequest-rate: 1/10s 0800-1800\n");
    /// let rules = robots.rules_for(&Agent::unchecked_token("examplebot"));
    /// assert_eq!(rules.delay(None), Some((Duration::from_secs(2), DelaySource::CrawlDelay)));
    /// assert_eq!(rules.delay(Some(9 * 60)), Some((Duration::from_secs(10), DelaySource::RequestRate)));
    /// ```
    pub fn delay(&self, minute: Option<u16>) -> Option<(Duration, DelaySource)> {
        self.stored().pacing().delay(minute)
    }

    /// Returns the hours that `Visit-time` sets.
    pub fn visit_time(&self) -> Option<VisitTime> {
        self.stored().pacing().visit_time
    }

    /// Returns the number of bytes on the heap, for caches with a memory limit. The index of a large rule set is always
    /// included, even before it is built. It is estimated as one and a half times the size of the rules.
    pub fn heap_bytes(&self) -> usize {
        let index = if self.index.is_some() { self.stored.len() + self.stored.len() / 2 } else { 0 };
        self.stored.len() + index
    }
}

/// A clone does not copy the index. It builds its own index when it needs one.
impl Clone for Rules {
    fn clone(&self) -> Self {
        Rules {
            dialect: self.dialect,
            addressees: self.addressees,
            questions_left: AtomicU8::new(self.questions_left.load(Ordering::Relaxed)),
            first_entry: self.first_entry,
            stored: self.stored.clone(),
            index: self.index.as_ref().map(|_| Box::default()),
        }
    }
}

/// Two sets of rules are equal if they have equal dialects, group names, patterns, effects, lines and delays.
impl PartialEq for Rules {
    fn eq(&self, other: &Self) -> bool {
        // The number of decisions so far and the index do not affect decisions.
        let parts = |rules: &Rules| (rules.dialect, rules.addressees, rules.first_entry);
        parts(self) == parts(other) && self.stored == other.stored
    }
}

impl Eq for Rules {}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules")
            .field("dialect", &self.dialect.name())
            .field("group", &self.group())
            .field("rules", &self.iter().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots::{Agent, RobotsTxt};

    #[test]
    fn rules_are_shared_between_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Rules>();
    }

    #[test]
    fn host_without_rules_uses_32_bytes() {
        assert_eq!(size_of::<Rules>(), 32);
        let rules =
            RobotsTxt::parse("Sitemap: https://example.com/s.xml\n").rules_for(&Agent::unchecked_token("a"));
        assert!(rules.stored.is_empty());
    }

    #[test]
    fn rule_found_by_walk_or_index_has_its_line() {
        let mut robots = "User-agent: *\n".to_owned();
        let patterns: Vec<String> = (0..300)
            .map(|n| format!("/{}{n}{}", "x".repeat(n * 7 % 11), ["", "\u{e9}", "*z"][n % 3]))
            .collect();
        patterns.iter().for_each(|pattern| robots += &format!("# between\nDisallow: {pattern}\n"));
        let rules = RobotsTxt::parse(&robots).rules_for(&Agent::unchecked_token("a"));
        let line =
            |pattern: &[u8]| patterns.iter().position(|p| p.as_bytes() == pattern).map(|n| 3 + 2 * n as u32);
        assert!(rules.iter().all(|rule| Some(rule.line()) == line(rule.pattern())));
        // A walk makes the first decisions, the index the others.
        for pattern in patterns.iter().chain(&patterns) {
            let url = pattern.replace('*', "y");
            let rule = rules.decide(&url).expect("a path").rule().expect("a rule");
            assert_eq!(Some(rule.line()), line(rule.pattern()), "{pattern}");
        }
    }
}
