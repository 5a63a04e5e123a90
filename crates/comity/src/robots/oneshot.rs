//! One file, one question: the answer without keeping anything.
//!
//! The file is walked once. Rules of groups that name the crawler, and until one does those of `*`, are compared with
//! the URL on the spot; of those that match, the best so far is remembered. Nothing is stored or sorted, and a rule
//! whose first octets differ from the URL's is dropped after looking at them alone.

use super::agent::Agent;
use super::dialect::Dialect;
use super::encode;
use super::file::RobotsTxt;
use super::pattern::{self, Effect, mask_of};
use super::quirks::Matching;
use super::record::DirectiveKind;
use super::scan::Scanner;
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
    let Some(token) = agent.only_token() else {
        return RobotsTxt::parse(body).rules_for(agent).is_allowed(url);
    };
    let target = Target::from_url(url.as_ref(), Matching::Rfc9309)?;
    if target.is_robots_txt() {
        return Ok(true);
    }
    let text = text::read(body.as_ref(), Dialect::Rfc9309.row(), None);
    Ok(Walk::new(&target).run(&text, token.as_bytes()))
}

/// Whom the rules at hand speak to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hearers {
    Others,
    Everyone,
    Us,
}

/// What has been found so far.
struct Walk<'w> {
    target: &'w Target<'w>,
    /// The URL holds a `*`, which a rule's `*` would seem to equal.
    has_star: bool,
    /// Length and effect of the best rule.
    best: Option<(u32, Effect)>,
    /// The mask of the URL's octets, once it is needed.
    has: Option<u64>,
}

impl<'w> Walk<'w> {
    fn new(target: &'w Target<'w>) -> Self {
        Walk { target, has_star: target.text.contains(&b'*'), best: None, has: None }
    }

    fn run(mut self, text: &[u8], token: &[u8]) -> bool {
        let mut hearers = Hearers::Others;
        let (mut agents_open, mut is_named) = (false, false);
        for found in Scanner::new(text) {
            match found.kind {
                DirectiveKind::UserAgent => {
                    if !agents_open {
                        hearers = Hearers::Others;
                        agents_open = true;
                    }
                    let value = &text[found.value(text)];
                    if select::is_named(value, token) {
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
        if !self.may_match(value) {
            return;
        }
        let [Some(compiled), _] = pattern::compile(kind, value, Matching::Rfc9309) else { return };
        let is_better = self.best.is_none_or(|(length, effect)| {
            (std::cmp::Reverse(compiled.length), compiled.effect) < (std::cmp::Reverse(length), effect)
        });
        let pattern = compiled.pattern();
        let lacks_octets = pattern.star.is_some() && pattern.needs() & !self.has() != 0;
        if is_better && !lacks_octets && pattern.matches(self.target, Matching::Rfc9309) {
            self.best = Some((compiled.length, compiled.effect));
        }
    }

    /// The mask of the URL's octets.
    #[inline]
    fn has(&mut self) -> u64 {
        *self.has.get_or_insert_with(|| mask_of(&self.target.text))
    }

    /// Whether the rule still may match once its octets were compared with the URL's as far as they are equal.
    #[inline]
    fn may_match(&self, value: &[u8]) -> bool {
        let text = &self.target.text[..];
        let equal = value.iter().zip(text).take_while(|(a, b)| a == b).count();
        let Some(&octet) = value.get(equal) else { return true };
        if self.has_star || octet == b'*' || octet == b'$' || !encode::is_normal_octet(octet) {
            return true;
        }
        // Hex digits of an encoded octet are compared without case.
        let near = &value[equal.saturating_sub(2)..equal];
        near.contains(&b'%')
    }
}
