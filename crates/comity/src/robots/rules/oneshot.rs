//! One file, one question: the answer without keeping anything.
//!
//! The file is walked once. Rules of groups that name the crawler, and until one does those of `*`, are compared with
//! the URL on the spot; of those that match, the best so far is remembered. Nothing is stored or sorted, and a rule
//! whose first bytes differ from the URL's is dropped after looking at them alone.

use std::cmp::Reverse;
use std::marker::PhantomData;

use crate::robots::agents::select;
use crate::robots::bytes;
use crate::robots::dialects::{Dialect, WalkWork, Walked};
use crate::robots::matching::encode;
use crate::robots::matching::pattern::{Effect, mask_of};
use crate::robots::matching::target::{Target, UrlError};
use crate::robots::read::directive::RecordKind;
use crate::robots::read::scan::{Deciding, Scanner};
use crate::robots::read::text;

/// Returns true if a crawler with this token may fetch `url` under the robots.txt `body`. `None` in the dialects that are not
/// answered in one walk.
#[inline]
pub(crate) fn is_allowed(
    body: &[u8],
    dialect: Dialect,
    token: &str,
    url: &[u8],
) -> Option<Result<bool, UrlError>> {
    dialect.walk(Question { body, token, url })
}

/// One question about one file.
struct Question<'q> {
    body: &'q [u8],
    token: &'q str,
    url: &'q [u8],
}

impl WalkWork for Question<'_> {
    type Output = Result<bool, UrlError>;

    fn run<D: Walked>(self) -> Self::Output {
        let target = D::ROW.target(self.url)?;
        if D::ROW.robots_txt_always_allowed && target.is_robots_txt() {
            return Ok(true);
        }
        let text = text::read(self.body, &D::ROW.reading, None);
        Ok(Walk::<D>::new(&target).run(&text, self.token.as_bytes()))
    }
}

/// The crawlers that the rules at hand speak to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hearers {
    Others,
    Everyone,
    Us,
}

/// The state of the walk.
struct Walk<'w, D> {
    target: &'w Target<'w>,
    /// The URL holds a `*`, which must not be taken for equal to a rule's wildcard.
    has_star: bool,
    /// The URL holds a `%`; the same bytes in a rule may stand for others.
    has_percent: bool,
    /// Length and effect of the best rule.
    best: Option<(u32, Effect)>,
    /// The mask of the URL's bytes, once it is needed.
    has: Option<u64>,
    dialect: PhantomData<D>,
}

impl<'w, D: Walked> Walk<'w, D> {
    fn new(target: &'w Target<'w>) -> Self {
        let has = |byte| bytes::contains(&target.text, byte);
        Walk {
            target,
            has_star: has(b'*'),
            has_percent: has(b'%'),
            best: None,
            has: None,
            dialect: PhantomData,
        }
    }

    fn run(mut self, text: &[u8], token: &[u8]) -> bool {
        let mut hearers = Hearers::Others;
        let (mut agents_open, mut is_named) = (false, false);
        for found in Scanner::<Deciding>::new(text) {
            match found.kind {
                RecordKind::UserAgent => {
                    if !agents_open {
                        hearers = Hearers::Others;
                        agents_open = true;
                    }
                    let value = &text[found.value(text)];
                    if select::is_named_by(D::ROW.choosing.selection, value, token) {
                        hearers = Hearers::Us;
                        if !is_named {
                            // The rules for `*` no longer count.
                            is_named = true;
                            self.best = None;
                        }
                    } else if hearers == Hearers::Others && !is_named && select::is_google_star(value) {
                        hearers = Hearers::Everyone;
                    }
                }
                RecordKind::Allow | RecordKind::Disallow => {
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
    fn rule(&mut self, kind: RecordKind, value: &[u8]) {
        match self.look(value) {
            Look::Differs if !D::matches_otherwise(kind, value) => return,
            Look::Matches => {
                let effect = Effect::of(kind);
                let length = value.len() as u32;
                if self.is_better(length, effect) {
                    self.best = Some((length, effect));
                }
                return;
            }
            _ => {}
        }
        for compiled in D::ROW.compile(kind, value).into_iter().flatten() {
            let is_better = self.is_better(compiled.length, compiled.effect);
            let pattern = compiled.pattern();
            let lacks_bytes = pattern.star.is_some() && pattern.needs() & !self.has() != 0;
            if is_better && !lacks_bytes && pattern.matches(self.target, D::ROW.line_ends) {
                self.best = Some((compiled.length, compiled.effect));
            }
        }
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

    /// Returns what comparing a rule's bytes with the URL's, as far as they are equal, tells. Bytes that the default dialect
    /// compares as written, `google` does too.
    #[inline]
    fn look(&self, value: &[u8]) -> Look {
        let text = &self.target.text[..];
        let equal = value.iter().zip(text).take_while(|(a, b)| a == b).count();
        let Some(&byte) = value.get(equal) else {
            // The URL is in its compared form in the default dialect, and so is the rule, then.
            let is_plain = D::MATCHES_AS_WRITTEN && !self.has_star && !self.has_percent;
            return match value.last() {
                None => Look::Differs,
                Some(b'$') => Look::Unsure,
                Some(_) if is_plain => Look::Matches,
                Some(_) => Look::Unsure,
            };
        };
        if self.has_star || byte == b'*' || byte == b'$' || !encode::is_normal_byte(byte) {
            return Look::Unsure;
        }
        // Hex digits of an encoded byte are compared without case.
        if matches!(&value[..equal], [.., b'%'] | [.., b'%', _]) { Look::Unsure } else { Look::Differs }
    }
}

/// See [`Walk::look`].
enum Look {
    Matches,
    Differs,
    Unsure,
}
