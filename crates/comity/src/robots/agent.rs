//! Who asks: a crawler, by product token or by its whole `User-Agent` header.

use std::fmt;

/// The crawler on whose behalf a question is asked.
///
/// A **product token** is the name that robots.txt knows a crawler by (`Googlebot`, `GPTBot`); RFC 9309 wants it to be
/// part of the **user agent**, the whole HTTP header value (`Mozilla/5.0 (compatible; GPTBot/1.2; ...)`). Say which of
/// the two you pass: a header given as a token would match nothing.
///
/// ```
/// use comity::robots::{Agent, RobotsTxt};
///
/// let robots = RobotsTxt::parse("User-agent: ExampleBot\nDisallow: /\n");
/// for agent in [
///     Agent::token("examplebot"),
///     Agent::header("Mozilla/5.0 (compatible; ExampleBot/2.1; +https://example.com/bot)"),
///     Agent::token("examplebot-news").or_token("examplebot"),
/// ] {
///     assert!(!robots.rules_for(&agent).is_allowed("https://example.com/")?);
/// }
/// # Ok::<(), comity::robots::UrlError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Agent {
    name: String,
    is_header: bool,
    fallbacks: Vec<String>,
    ignores_star: bool,
}

impl Agent {
    /// A crawler by its product token.
    ///
    /// Tokens outside RFC 9309's alphabet (`AI2Bot`, `bigsur.ai`, `Brightbot 1.0`) are taken as they are.
    pub fn token(token: impl Into<String>) -> Self {
        Agent { name: token.into(), is_header: false, fallbacks: Vec::new(), ignores_star: false }
    }

    /// A crawler by the whole value of its `User-Agent` header.
    ///
    /// The header's products and the items of its comments are candidates for the token; the longest one that names a
    /// group wins. Dialects whose programs compare the whole string themselves are given the whole string.
    pub fn header(user_agent: impl Into<String>) -> Self {
        Agent { name: user_agent.into(), is_header: true, fallbacks: Vec::new(), ignores_star: false }
    }

    /// Another token to try when no group names the crawler, before `*`: `googlebot` for `googlebot-image`.
    #[must_use]
    pub fn or_token(mut self, token: impl Into<String>) -> Self {
        self.fallbacks.push(token.into());
        self
    }

    /// Does not follow the group of `*`: where no group names the crawler, none speaks to it. Google's `AdsBot-Google`
    /// is such a crawler.
    ///
    /// ```
    /// use comity::robots::{Agent, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse("User-agent: *\nDisallow: /\n");
    /// assert!(robots.rules_for(&Agent::token("AdsBot-Google").ignoring_star()).is_allowed("/")?);
    /// # Ok::<(), comity::robots::UrlError>(())
    /// ```
    #[must_use]
    pub fn ignoring_star(mut self) -> Self {
        self.ignores_star = true;
        self
    }

    /// Whether it does not follow the group of `*`.
    pub fn ignores_star(&self) -> bool {
        self.ignores_star
    }

    /// The token or header as given.
    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// Whether it was given as a whole `User-Agent` header.
    pub fn is_header(&self) -> bool {
        self.is_header
    }

    /// Whether `token` is a product token by RFC 9309's grammar: one or more of `A-Z a-z _ -`.
    ///
    /// ```
    /// use comity::robots::Agent;
    /// assert!(Agent::is_rfc9309_token("Googlebot-Image"));
    /// assert!(!Agent::is_rfc9309_token("MJ12bot"));
    /// ```
    pub fn is_rfc9309_token(token: &str) -> bool {
        !token.is_empty() && token.bytes().all(is_token_byte)
    }

    /// The token, if it was given as one and is the only name to try before `*`.
    pub(super) fn only_token(&self) -> Option<&str> {
        (!self.is_header && self.fallbacks.is_empty() && !self.ignores_star).then_some(&self.name)
    }

    /// The names to try, in order: each step is one name, or the candidates of one header.
    pub(super) fn steps(&self) -> impl Iterator<Item = Step<'_>> {
        let first = if self.is_header { Step::Header(&self.name) } else { Step::Token(&self.name) };
        std::iter::once(first).chain(self.fallbacks.iter().map(|token| Step::Token(token)))
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name)
    }
}

/// One name to try.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step<'a> {
    Token(&'a str),
    Header(&'a str),
}

impl<'a> Step<'a> {
    /// The text as the caller gave it.
    pub(super) fn text(self) -> &'a str {
        match self {
            Step::Token(text) | Step::Header(text) => text,
        }
    }

    /// Possible product tokens, the longest first.
    pub(super) fn candidates(self) -> Vec<&'a str> {
        match self {
            Step::Token(token) => vec![token],
            Step::Header(header) => header_candidates(header),
        }
    }
}

/// The products of a `User-Agent` header (RFC 9110 §10.1.5) and the items of its comments, each whole and without its
/// version. URLs are not names.
fn header_candidates(header: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    let mut start = 0;
    for (at, byte) in header.bytes().enumerate() {
        let boundary = match byte {
            b'(' => {
                depth += 1;
                true
            }
            b')' => {
                depth = depth.saturating_sub(1);
                true
            }
            b';' | b',' => depth > 0,
            b' ' | b'\t' => depth == 0,
            _ => false,
        };
        if boundary {
            add_candidates(&header[start..at], &mut found);
            start = at + 1;
        }
    }
    add_candidates(&header[start..], &mut found);
    found.sort_by_key(|name| std::cmp::Reverse(name.len()));
    found.dedup();
    found
}

fn add_candidates<'a>(item: &'a str, found: &mut Vec<&'a str>) {
    let item = item.trim();
    if item.is_empty() || item.starts_with('+') || item.contains("://") {
        return;
    }
    found.push(item);
    let short = item.split(|c: char| c == '/' || c.is_whitespace()).next().unwrap_or_default();
    if !short.is_empty() && short.len() < item.len() {
        found.push(short);
    }
}

/// RFC 9309 §2.2.1: `identifier = 1*(%x2D / %x41-5A / %x5F / %x61-7A)`.
pub(super) const fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'-' || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_yields_its_products_and_comment_items() {
        let candidates = header_candidates(
            "Mozilla/5.0 (Linux; compatible; Googlebot-Image/1.0; +http://example.com/bot.html) Safari/537.36",
        );
        for name in ["Googlebot-Image", "Mozilla", "compatible", "Safari", "Googlebot-Image/1.0"] {
            assert!(candidates.contains(&name), "{name} in {candidates:?}");
        }
        assert!(!candidates.iter().any(|name| name.contains("bot.html")));
    }
}
