//! Decides one URL under one file, without storing any rules.
//!
//! The file is read in a single pass. Rules in groups that name the crawler are compared with the URL immediately.
//! Until such a group appears, the rules of `*` are compared, too. Only the best matching rule so far is stored, so
//! rules are not sorted. The first bytes of a rule are usually sufficient to exclude it. A [`QuickDecision`] is the
//! result of such a pass with the reason.

use std::cmp::Reverse;
use std::marker::PhantomData;
use std::time::Duration;

use crate::robots::agents::select;
use crate::robots::bytes;
use crate::robots::dialects::{Dialect, WalkDialect, WalkTask};
use crate::robots::matching::encode;
use crate::robots::matching::pattern::{Effect, mask_of};
use crate::robots::matching::target::{Target, UrlError};
use crate::robots::read::directive::RecordKind;
use crate::robots::read::lines;
use crate::robots::read::scan::{
    DecidingDirectives, DirectiveSet, KnownDirectives, ScannedDirective, Scanner,
};
use crate::robots::read::text;
use crate::robots::rules::basis::Basis;

/// Returns true if a crawler with this token may fetch `url` under the robots.txt `body`. Returns `None` in dialects
/// that do not support a single pass.
#[inline]
pub(crate) fn is_allowed(
    body: &[u8],
    dialect: Dialect,
    token: &str,
    url: &[u8],
) -> Option<Result<bool, UrlError>> {
    dialect.walk(Question { body, token, url })
}

/// The arguments of a decision.
struct Question<'q> {
    body: &'q [u8],
    token: &'q str,
    url: &'q [u8],
}

impl WalkTask for Question<'_> {
    type Output = Result<bool, UrlError>;

    fn run<D: WalkDialect>(self) -> Self::Output {
        let target = D::ROW.target(self.url)?;
        if D::ROW.robots_txt_always_allowed && target.is_robots_txt() {
            return Ok(true);
        }
        let text = text::read(self.body, &D::ROW.reading, None);
        let mut walk = Walk::<D, Verdict>::new(&target);
        walk.run(&text, self.token.as_bytes());
        Ok(walk.best.is_none_or(|(_, effect)| effect == Effect::Allow))
    }
}

/// The decision about one URL in a single pass over a body, with its reason.
/// [`Preset::decide_quickly`](crate::policy::Preset::decide_quickly) returns it.
///
/// The result equals that of [`Rules::decide`](super::Rules::decide). The decision borrows from the body.
#[derive(Clone, Copy, Debug)]
pub struct QuickDecision<'b> {
    basis: Basis,
    addressees: Addressees,
    rule: Option<DecidingRule<'b>>,
    crawl_delay: Option<Duration>,
    is_recognized: bool,
}

/// The rule that decided.
#[derive(Clone, Copy, Debug)]
struct DecidingRule<'b> {
    kind: RecordKind,
    pattern: &'b [u8],
    line: u32,
    allows: bool,
}

impl<'b> QuickDecision<'b> {
    /// Decides a URL in a single pass over a body, for a crawler with this token. Returns `None` in dialects that do
    /// not support a single pass.
    pub(crate) fn take(
        body: &'b [u8],
        dialect: Dialect,
        token: &str,
        url: &[u8],
    ) -> Option<Result<Self, UrlError>> {
        dialect.walk(ReasonedQuestion { body, token, url })
    }

    /// Returns the basis of the verdict.
    pub fn basis(&self) -> Basis {
        self.basis
    }

    /// Returns true if the URL may be fetched.
    pub fn is_allowed(&self) -> bool {
        self.rule.is_none_or(|rule| rule.allows)
    }

    /// Returns true if a group names the crawler, so that the groups of `*` do not apply.
    pub fn is_named(&self) -> bool {
        self.addressees == Addressees::Us
    }

    /// Returns true if no group names the crawler and there is a group for `*`.
    pub fn is_for_everyone(&self) -> bool {
        self.addressees == Addressees::Everyone
    }

    /// Returns the kind of the deciding rule, as written.
    pub fn rule_kind(&self) -> Option<RecordKind> {
        self.rule.map(|rule| rule.kind)
    }

    /// Returns the pattern of the deciding rule in readable form.
    pub fn pattern_text(&self) -> Option<std::borrow::Cow<'b, str>> {
        self.rule.map(|rule| crate::shown::bytes(rule.pattern))
    }

    /// Returns the 1-based line of the deciding rule.
    pub fn line(&self) -> Option<u32> {
        self.rule.map(|rule| rule.line)
    }

    /// Returns the time between two requests that `Crawl-delay` sets for the crawler.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// Returns true if the body has a line that occurs only in a robots.txt.
    pub(crate) fn is_recognized(&self) -> bool {
        self.is_recognized
    }
}

/// The arguments of a decision with its reason.
struct ReasonedQuestion<'b, 'q> {
    body: &'b [u8],
    token: &'q str,
    url: &'q [u8],
}

impl<'b> WalkTask for ReasonedQuestion<'b, '_> {
    type Output = Result<QuickDecision<'b>, UrlError>;

    fn run<D: WalkDialect>(self) -> Self::Output {
        let target = D::ROW.target(self.url)?;
        let text = text::of_bytes(self.body, &D::ROW.reading);
        let mut walk = Walk::<D, Reason>::new(&target);
        walk.run(text, self.token.as_bytes());
        let Reason { rule, is_recognized, delays, addressees, .. } = walk.recorder;
        let is_robots_txt = D::ROW.robots_txt_always_allowed && target.is_robots_txt();
        let best = rule.zip(walk.best).filter(|_| !is_robots_txt);
        let rule = best.map(|(found, (_, effect))| DecidingRule {
            kind: found.kind,
            pattern: &text[found.value(text)],
            line: 1 + lines::count_ends(&text[..found.key_start], D::ROW.reading.lines),
            allows: effect == Effect::Allow,
        });
        let basis = match (rule, addressees) {
            _ if is_robots_txt => Basis::RobotsTxt,
            (Some(_), _) => Basis::Rule,
            (None, Addressees::Others) => Basis::NoGroup,
            (None, _) => Basis::NoRule,
        };
        let crawl_delay = match addressees {
            Addressees::Us => delays.ours,
            _ => delays.everyones,
        };
        Ok(QuickDecision { basis, addressees, rule, crawl_delay, is_recognized })
    }
}

/// A recorder of the facts that the reason for a verdict requires. The verdict itself requires only the length and the
/// effect of the best rule.
trait Recorder: Default {
    /// The set of directives to read.
    type Directives: DirectiveSet;

    /// Processes a record. `is_us` is true if the record names the crawler, and `begins` is true if the record begins a
    /// group.
    fn record<D: WalkDialect>(&mut self, text: &[u8], found: &ScannedDirective, is_us: bool, begins: bool);

    /// Records the best rule so far.
    fn best(&mut self, found: ScannedDirective);

    /// Removes the best rule, because a group names the crawler and the rules for `*` no longer apply.
    fn reset(&mut self);
}

/// A recorder that records nothing, for decisions without a reason.
#[derive(Default)]
struct Verdict;

impl Recorder for Verdict {
    type Directives = DecidingDirectives;

    #[inline(always)]
    fn record<D: WalkDialect>(
        &mut self,
        _text: &[u8],
        _found: &ScannedDirective,
        _is_us: bool,
        _begins: bool,
    ) {
    }

    #[inline(always)]
    fn best(&mut self, _found: ScannedDirective) {}

    #[inline(always)]
    fn reset(&mut self) {}
}

/// A recorder of the reason for the verdict.
#[derive(Default)]
struct Reason {
    rule: Option<ScannedDirective>,
    /// The crawlers that the groups of the decision name.
    addressees: Addressees,
    /// True if the body has a line that occurs only in a robots.txt.
    is_recognized: bool,
    /// True if the user-agent lines directly above name the crawler. A `Crawl-delay` applies to these agents alone, as
    /// in [`Rules::collect`](super::Rules::collect).
    names_us: bool,
    names_everyone: bool,
    agents_end: bool,
    delays: Delays,
}

#[derive(Clone, Copy, Default)]
struct Delays {
    ours: Option<Duration>,
    everyones: Option<Duration>,
}

impl Recorder for Reason {
    type Directives = KnownDirectives;

    #[inline(always)]
    fn record<D: WalkDialect>(&mut self, text: &[u8], found: &ScannedDirective, is_us: bool, begins: bool) {
        self.is_recognized |= found.kind.identifies_robots_txt() && !found.missing_colon;
        match found.kind {
            RecordKind::UserAgent => {
                if begins || self.agents_end {
                    (self.names_us, self.names_everyone, self.agents_end) = (false, false, false);
                }
                let is_star = select::is_google_star(&text[found.value(text)]);
                self.names_us |= is_us;
                self.names_everyone |= is_star;
                if is_us {
                    self.addressees = Addressees::Us;
                } else if is_star && self.addressees == Addressees::Others {
                    self.addressees = Addressees::Everyone;
                }
            }
            kind if kind.is_pacing() => {
                self.agents_end = true;
                if kind == RecordKind::CrawlDelay && (self.names_us || self.names_everyone) {
                    self.delay::<D>(&text[found.value(text)]);
                }
            }
            _ => {}
        }
    }

    #[inline(always)]
    fn best(&mut self, found: ScannedDirective) {
        self.rule = Some(found);
    }

    #[inline(always)]
    fn reset(&mut self) {
        self.rule = None;
    }
}

impl Reason {
    fn delay<D: WalkDialect>(&mut self, value: &[u8]) {
        let Delays { ours, everyones } = &mut self.delays;
        for (delay, is_named) in [(ours, self.names_us), (everyones, self.names_everyone)] {
            if is_named {
                *delay = (D::ROW.crawl_delay)(*delay, value);
            }
        }
    }
}

/// The crawlers to which the current rules apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Addressees {
    #[default]
    Others,
    Everyone,
    Us,
}

/// The state of a pass over a body.
struct Walk<'w, D, N> {
    target: &'w Target<'w>,
    /// True if the URL contains a `*`, which differs from the wildcard `*` of a rule.
    has_star: bool,
    /// True if the URL contains a `%`. A rule with the same bytes may not be in normal form.
    has_percent: bool,
    /// Length and effect of the best rule.
    best: Option<(u32, Effect)>,
    /// The mask of the URL's bytes; computed when it is first needed.
    has: Option<u64>,
    recorder: N,
    dialect: PhantomData<D>,
}

impl<'w, D: WalkDialect, N: Recorder> Walk<'w, D, N> {
    fn new(target: &'w Target<'w>) -> Self {
        let has = |byte| bytes::contains(&target.text, byte);
        Walk {
            target,
            has_star: has(b'*'),
            has_percent: has(b'%'),
            best: None,
            has: None,
            recorder: N::default(),
            dialect: PhantomData,
        }
    }

    fn run(&mut self, text: &[u8], token: &[u8]) {
        let mut addressees = Addressees::Others;
        let (mut agents_open, mut is_named) = (false, false);
        for found in Scanner::<N::Directives>::new(text) {
            match found.kind {
                RecordKind::UserAgent => {
                    let begins = !agents_open;
                    if begins {
                        addressees = Addressees::Others;
                        agents_open = true;
                    }
                    let value = &text[found.value(text)];
                    let is_us = select::is_named_by(D::ROW.choosing.selection, value, token);
                    if is_us {
                        addressees = Addressees::Us;
                        if !is_named {
                            // The rules for `*` no longer apply.
                            is_named = true;
                            self.best = None;
                            self.recorder.reset();
                        }
                    } else if addressees == Addressees::Others && !is_named && select::is_google_star(value) {
                        addressees = Addressees::Everyone;
                    }
                    self.recorder.record::<D>(text, &found, is_us, begins);
                }
                RecordKind::Allow | RecordKind::Disallow => {
                    agents_open = false;
                    self.recorder.record::<D>(text, &found, false, false);
                    if addressees != Addressees::Others && self.rule(found.kind, &text[found.value(text)]) {
                        self.recorder.best(found);
                    }
                }
                _ => self.recorder.record::<D>(text, &found, false, false),
            }
        }
    }

    /// Compares a rule with the URL. Returns true if the rule is the best so far.
    #[inline]
    fn rule(&mut self, kind: RecordKind, value: &[u8]) -> bool {
        match self.compare_start(value) {
            Comparison::Differs if !D::matches_otherwise(kind, value) => return false,
            Comparison::Matches => {
                let effect = Effect::of(kind);
                let length = value.len() as u32;
                let is_better = self.is_better(length, effect);
                if is_better {
                    self.best = Some((length, effect));
                }
                return is_better;
            }
            _ => {}
        }
        let mut is_best = false;
        for compiled in D::ROW.compile(kind, value).into_iter().flatten() {
            let is_better = self.is_better(compiled.length, compiled.effect);
            let pattern = compiled.pattern();
            let lacks_bytes = pattern.star.is_some() && pattern.needs() & !self.has() != 0;
            if is_better && !lacks_bytes && pattern.matches(self.target, D::ROW.line_ends) {
                self.best = Some((compiled.length, compiled.effect));
                is_best = true;
            }
        }
        is_best
    }

    /// Returns the mask of the URL's bytes.
    #[inline]
    fn has(&mut self) -> u64 {
        *self.has.get_or_insert_with(|| mask_of(&self.target.text))
    }

    /// Returns true if a rule of this length and effect outranks the best so far.
    #[inline]
    fn is_better(&self, length: u32, effect: Effect) -> bool {
        self.best.is_none_or(|best| (Reverse(length), effect) < (Reverse(best.0), best.1))
    }

    /// Compares the first bytes of a rule with the URL's, up to the first difference. Bytes that the default dialect
    /// compares as written are compared as written in `google`, too.
    #[inline]
    fn compare_start(&self, value: &[u8]) -> Comparison {
        let text = &self.target.text[..];
        let equal = value.iter().zip(text).take_while(|(a, b)| a == b).count();
        let Some(&byte) = value.get(equal) else {
            // In the default dialect, the URL is in normal form. A rule that equals the start of the URL is then in
            // normal form, too.
            let is_plain = D::MATCHES_AS_WRITTEN && !self.has_star && !self.has_percent;
            return match value.last() {
                None => Comparison::Differs,
                Some(b'$') => Comparison::Unsure,
                Some(_) if is_plain => Comparison::Matches,
                Some(_) => Comparison::Unsure,
            };
        };
        if self.has_star || byte == b'*' || byte == b'$' || !encode::is_normal_byte(byte) {
            return Comparison::Unsure;
        }
        // Hex digits of an encoded byte are compared without regard to case.
        if matches!(&value[..equal], [.., b'%'] | [.., b'%', _]) {
            Comparison::Unsure
        } else {
            Comparison::Differs
        }
    }
}

/// The result of [`Walk::compare_start`].
enum Comparison {
    Matches,
    Differs,
    Unsure,
}
