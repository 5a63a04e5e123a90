//! One file, one question: the answer without keeping anything.
//!
//! The file is walked once. Rules of groups that name the crawler, and until one does those of `*`, are compared with
//! the URL on the spot; of those that match, the best so far is remembered. Nothing is stored or sorted, and a rule
//! whose first octets differ from the URL's is dropped after looking at them alone.

use std::cmp::Reverse;
use std::marker::PhantomData;

use super::agent::Agent;
use super::dialect::Dialect;
use super::encode;
use super::file::RobotsTxt;
use super::octets;
use super::pattern::{self, Effect, mask_of};
use super::quirks::{Matching, Selection};
use super::record::DirectiveKind;
use super::scan::{Deciding, Scanner};
use super::select;
use super::target::{Target, UrlError};
use super::text;

/// Whether `agent` may fetch `url` under the robots.txt `body`, in the default dialect.
///
/// The same answer as `RobotsTxt::parse(body).rules_for(agent).is_allowed(url)`, faster if it is the only question.
///
/// ```
/// use comity::robots::{self, Agent};
///
/// let body = "User-agent: *\nDisallow: /private\n";
/// assert!(!robots::is_allowed(body, &Agent::token("examplebot"), "https://example.com/private/x")?);
/// # Ok::<(), comity::robots::UrlError>(())
/// ```
///
/// # Errors
///
/// [`UrlError`] if `url` is neither an absolute URL nor a path.
pub fn is_allowed<B, U>(body: &B, agent: &Agent, url: &U) -> Result<bool, UrlError>
where
    B: AsRef<[u8]> + ?Sized,
    U: AsRef<[u8]> + ?Sized,
{
    is_allowed_as(body, Dialect::Rfc9309, agent, url)
}

/// As [`is_allowed`], in any dialect. `rfc9309` and `google` are answered while the file is read, for an agent that is a
/// product token without fallbacks; everything else by [`RobotsTxt::parse_as`].
///
/// ```
/// use comity::robots::{self, Agent, Dialect};
///
/// let body = "User-agent: *\nDisallow: /\n";
/// let agent = Agent::token("examplebot");
/// assert!(robots::is_allowed_as(body, Dialect::Rfc9309, &agent, "/robots.txt")?);
/// assert!(!robots::is_allowed_as(body, Dialect::Google, &agent, "/robots.txt")?);
/// # Ok::<(), comity::robots::UrlError>(())
/// ```
///
/// # Errors
///
/// [`UrlError`] if the dialect finds no path in `url`.
pub fn is_allowed_as<B, U>(body: &B, dialect: Dialect, agent: &Agent, url: &U) -> Result<bool, UrlError>
where
    B: AsRef<[u8]> + ?Sized,
    U: AsRef<[u8]> + ?Sized,
{
    let (body, url) = (body.as_ref(), url.as_ref());
    match (dialect, agent.only_token()) {
        (Dialect::Rfc9309, Some(token)) => Walk::<Rfc9309>::answer(body, token, url),
        (Dialect::Google, Some(token)) => Walk::<Google>::answer(body, token, url),
        _ => RobotsTxt::parse_as(body, dialect).rules_for(agent).is_allowed(url),
    }
}

/// The dialects that are answered in one walk: those that read lines as [`Scanner`] does, name agents as wholes and
/// take the longest rule.
trait Walked {
    const DIALECT: Dialect;
    const MATCHING: Matching;
    const SELECTION: Selection;
}

enum Rfc9309 {}

impl Walked for Rfc9309 {
    const DIALECT: Dialect = Dialect::Rfc9309;
    const MATCHING: Matching = Matching::Rfc9309;
    const SELECTION: Selection = Selection::Name;
}

enum Google {}

impl Walked for Google {
    const DIALECT: Dialect = Dialect::Google;
    const MATCHING: Matching = Matching::Google;
    const SELECTION: Selection = Selection::GoogleToken;
}

/// Whom the rules at hand speak to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hearers {
    Others,
    Everyone,
    Us,
}

/// What has been found so far.
struct Walk<'w, D> {
    target: &'w Target<'w>,
    /// The URL holds a `*`, which a rule's `*` would seem to equal.
    has_star: bool,
    /// The URL holds a `%`; the same octets in a rule may stand for others.
    has_percent: bool,
    /// Length and effect of the best rule.
    best: Option<(u32, Effect)>,
    /// The mask of the URL's octets, once it is needed.
    has: Option<u64>,
    dialect: PhantomData<D>,
}

impl<'w, D: Walked> Walk<'w, D> {
    fn new(target: &'w Target<'w>) -> Self {
        let has = |octet| octets::contains(&target.text, octet);
        Walk {
            target,
            has_star: has(b'*'),
            has_percent: has(b'%'),
            best: None,
            has: None,
            dialect: PhantomData,
        }
    }

    fn answer(body: &[u8], token: &str, url: &[u8]) -> Result<bool, UrlError> {
        let quirks = D::DIALECT.row();
        let target = Target::from_url(url, D::MATCHING)?;
        if quirks.robots_txt_always_allowed && target.is_robots_txt() {
            return Ok(true);
        }
        let text = text::read(body, quirks, None);
        Ok(Walk::<D>::new(&target).run(&text, token.as_bytes()))
    }

    fn run(mut self, text: &[u8], token: &[u8]) -> bool {
        let mut hearers = Hearers::Others;
        let (mut agents_open, mut is_named) = (false, false);
        for found in Scanner::<Deciding>::new(text) {
            match found.kind {
                DirectiveKind::UserAgent => {
                    if !agents_open {
                        hearers = Hearers::Others;
                        agents_open = true;
                    }
                    let value = &text[found.value(text)];
                    if select::is_named_by(D::SELECTION, value, token) {
                        hearers = Hearers::Us;
                        if !is_named {
                            // What `*` says no longer counts.
                            is_named = true;
                            self.best = None;
                        }
                    } else if hearers == Hearers::Others && !is_named && select::is_google_star(value) {
                        hearers = Hearers::Everyone;
                    }
                }
                DirectiveKind::Allow | DirectiveKind::Disallow => {
                    agents_open = false;
                    if hearers != Hearers::Others {
                        self.rule(found.kind, &text[found.value(text)]);
                    }
                }
                _ => {}
            }
        }
        self.best.is_none_or(|(_, effect)| effect == Effect::Allow)
    }

    #[inline]
    fn rule(&mut self, kind: DirectiveKind, value: &[u8]) {
        // Google folds `/index.htm…` of an `Allow`, so it may match less than it says.
        let is_folded = D::MATCHING == Matching::Google
            && kind == DirectiveKind::Allow
            && memchr::memmem::find(value, b"/index.htm").is_some();
        match self.look(value) {
            Look::Differs if !is_folded => return,
            Look::Matches => {
                let effect = if kind == DirectiveKind::Allow { Effect::Allow } else { Effect::Disallow };
                let length = value.len() as u32;
                if self.is_better(length, effect) {
                    self.best = Some((length, effect));
                }
                return;
            }
            _ => {}
        }
        for compiled in pattern::compile(kind, value, D::MATCHING).into_iter().flatten() {
            let is_better = self.is_better(compiled.length, compiled.effect);
            let pattern = compiled.pattern();
            let lacks_octets = pattern.star.is_some() && pattern.needs() & !self.has() != 0;
            if is_better && !lacks_octets && pattern.matches(self.target, D::MATCHING) {
                self.best = Some((compiled.length, compiled.effect));
            }
        }
    }

    /// The mask of the URL's octets.
    #[inline]
    fn has(&mut self) -> u64 {
        *self.has.get_or_insert_with(|| mask_of(&self.target.text))
    }

    /// Whether a rule of this length and effect outranks the best so far.
    #[inline]
    fn is_better(&self, length: u32, effect: Effect) -> bool {
        self.best.is_none_or(|best| (Reverse(length), effect) < (Reverse(best.0), best.1))
    }

    /// What comparing a rule's octets with the URL's, as far as they are equal, tells. Octets that the default dialect
    /// compares as written, `google` does too.
    #[inline]
    fn look(&self, value: &[u8]) -> Look {
        let text = &self.target.text[..];
        let equal = value.iter().zip(text).take_while(|(a, b)| a == b).count();
        let Some(&octet) = value.get(equal) else {
            // The URL is in its compared form in the default dialect, and so is the rule, then.
            let is_plain = D::MATCHING == Matching::Rfc9309 && !self.has_star && !self.has_percent;
            return match value.last() {
                None => Look::Differs,
                Some(b'$') => Look::Unsure,
                Some(_) if is_plain => Look::Matches,
                Some(_) => Look::Unsure,
            };
        };
        if self.has_star || octet == b'*' || octet == b'$' || !encode::is_normal_octet(octet) {
            return Look::Unsure;
        }
        // Hex digits of an encoded octet are compared without case.
        if matches!(&value[..equal], [.., b'%'] | [.., b'%', _]) { Look::Unsure } else { Look::Differs }
    }
}

/// See [`Walk::look`].
enum Look {
    Matches,
    Differs,
    Unsure,
}
