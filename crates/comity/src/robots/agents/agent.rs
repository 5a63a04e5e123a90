//! The crawler for which rules are evaluated, by its product token or its whole `User-Agent` header.
//!
//! The caller chooses between the two with [`Agent::token`] and [`Agent::header`]; the text is not used to guess.

use std::fmt;

use super::product_token::{ProductToken, TokenError};
use crate::agents::KnownAgent;

/// The crawler for which rules are evaluated.
///
/// A **product token** is the name of a crawler in robots.txt (`Googlebot`, `GPTBot`). RFC 9309 recommends that it is a
/// part of the **user agent**, the whole HTTP header value (`Mozilla/5.0 (compatible; GPTBot/1.2; ...)`). Choose the
/// constructor accordingly: [`Agent::token`] rejects a header, and other texts that cannot be a token.
///
/// ```
/// use comity::robots::{Agent, RobotsTxt};
///
/// let robots = RobotsTxt::parse("User-agent: ExampleBot\nDisallow: /\n");
/// for agent in [
///     Agent::token("examplebot")?,
///     Agent::header("Mozilla/5.0 (compatible; ExampleBot/2.1; +https://example.com/bot)"),
///     Agent::token("examplebot-news")?.or_token("examplebot"),
/// ] {
///     assert!(!robots.rules_for(&agent).is_allowed("https://example.com/")?);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Agent {
    name: String,
    is_header: bool,
    fallbacks: Vec<String>,
    ignores_star: bool,
}

impl Agent {
    /// Makes an agent from a product token, or from `*`, which means a crawler that no group names. Tokens outside RFC
    /// 9309's alphabet, such as `AI2Bot` and `bigsur.ai`, are accepted.
    ///
    /// ```
    /// use comity::robots::Agent;
    ///
    /// assert_eq!(Agent::token("ExampleBot")?.as_str(), "ExampleBot");
    /// let error = Agent::token("Mozilla/5.0 (compatible; ExampleBot/1.0)").unwrap_err();
    /// assert!(error.to_string().ends_with("or a whole User-Agent header by `Agent::header`"));
    /// # Ok::<(), comity::robots::TokenError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`TokenError`] if the text is neither `*` nor a [`ProductToken`].
    pub fn token(token: impl AsRef<str>) -> Result<Self, TokenError> {
        match token.as_ref() {
            "*" => Ok(Agent::unchecked_token("*")),
            token => token.parse::<ProductToken>().map(Agent::from),
        }
    }

    /// Makes an agent from a product token, without a check.
    ///
    /// Any text is accepted. In the default dialect, a text that cannot be a token, such as a whole header, usually
    /// matches no named group and follows `*`. Use this function for tokens of the program itself and for checked
    /// tokens, and [`Agent::token`] for any other text.
    pub fn unchecked_token(token: impl Into<String>) -> Self {
        Agent { name: token.into(), is_header: false, fallbacks: Vec::new(), ignores_star: false }
    }

    /// Makes an agent from the whole value of a `User-Agent` header.
    ///
    /// The candidates for the token are the whole header, its products and the items of its comments; the longest
    /// candidate that names a group wins. Words that browsers send, such as `Mozilla/5.0` and `compatible`, are not
    /// names: see [`Agent::BROWSER_WORDS`]. Dialects that search the whole header for names use the whole header
    /// instead.
    pub fn header(user_agent: impl Into<String>) -> Self {
        Agent { name: user_agent.into(), is_header: true, fallbacks: Vec::new(), ignores_star: false }
    }

    /// Adds a token to try before `*` if no group names the crawler: `googlebot` for `googlebot-image`.
    #[must_use]
    pub fn or_token(mut self, token: impl Into<String>) -> Self {
        self.fallbacks.push(token.into());
        self
    }

    /// Returns the tokens that are tried before `*` if no group names the crawler.
    pub fn fallbacks(&self) -> impl Iterator<Item = &str> {
        self.fallbacks.iter().map(String::as_str)
    }

    /// Makes the crawler ignore the group of `*`: if no group names the crawler, no group applies to it. Google's
    /// `AdsBot-Google` is such a crawler.
    ///
    /// ```
    /// use comity::robots::{Agent, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse("User-agent: *\nDisallow: /\n");
    /// assert!(robots.rules_for(&Agent::token("AdsBot-Google")?.ignoring_star()).is_allowed("/")?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn ignoring_star(mut self) -> Self {
        self.ignores_star = true;
        self
    }

    /// Returns true if the crawler does not follow the group of `*`.
    pub fn ignores_star(&self) -> bool {
        self.ignores_star
    }

    /// Returns the token or header as the caller passed it.
    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// Returns the crawler's product token. In a header, it is the longest name of a known crawler, otherwise the first
    /// name with a version, otherwise the first name. A header without a name, such as that of a browser, is returned
    /// as given.
    ///
    /// ```
    /// use comity::robots::Agent;
    ///
    /// let token = |header: &str| Agent::header(header).product_token().to_owned();
    /// assert_eq!(token("Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)"), "GPTBot");
    /// assert_eq!(token("ExampleBot/2.1 (Linux; mail@example.com)"), "ExampleBot");
    /// assert_eq!(Agent::unchecked_token("ExampleBot").product_token(), "ExampleBot");
    /// ```
    pub fn product_token(&self) -> &str {
        if !self.is_header {
            return &self.name;
        }
        let candidates = header_candidates(&self.name);
        let names = || candidates.iter().copied().filter(|name| name.parse::<ProductToken>().is_ok());
        let position = |name: &&str| self.name.find(*name);
        let has_version = |name: &&str| self.name.contains(&format!("{name}/"));
        names()
            .find(|name| crate::agents::known(name).is_some())
            .or_else(|| names().filter(has_version).min_by_key(position))
            .or_else(|| names().min_by_key(position))
            .unwrap_or(&self.name)
    }

    /// Returns true if the agent was made from a whole `User-Agent` header.
    pub fn is_header(&self) -> bool {
        self.is_header
    }

    /// Returns the number of bytes that the agent uses on the heap, for caches with a memory limit.
    pub fn heap_bytes(&self) -> usize {
        let fallbacks = self.fallbacks.iter().map(|token| size_of::<String>() + token.len());
        self.name.len() + fallbacks.sum::<usize>()
    }

    /// Returns true if `token` is a product token by RFC 9309's grammar: one or more of `A-Z a-z _ -`.
    ///
    /// ```
    /// use comity::robots::Agent;
    /// assert!(Agent::is_rfc9309_token("Googlebot-Image"));
    /// assert!(!Agent::is_rfc9309_token("MJ12bot"));
    /// ```
    pub fn is_rfc9309_token(token: &str) -> bool {
        !token.is_empty() && token.bytes().all(is_token_byte)
    }

    /// The words of a `User-Agent` header that are not the name of a crawler, each with the reason. Browsers send these
    /// words, and so do crawlers that want to receive the page for browsers. Case and a version after the word are
    /// ignored.
    ///
    /// In dialects that do not search the whole header for names, a group with such a name applies only to an agent
    /// that consists of the word: `Agent::unchecked_token("Chrome")`.
    pub const BROWSER_WORDS: &'static [(&'static str, &'static str)] = &[
        ("Mozilla", "the header of every browser begins with it"),
        ("compatible", "begins the comment of browsers other than Netscape"),
        ("AppleWebKit", "an engine"),
        ("WebKit", "an engine"),
        ("KHTML", "an engine; other browsers claim compatibility with it"),
        ("like", "of `like Gecko` and `like Mac OS X`"),
        ("Gecko", "an engine"),
        ("Trident", "an engine"),
        ("Presto", "an engine"),
        ("Version", "the version of Safari and of old Opera"),
        ("rv", "the version of Gecko"),
        ("Chrome", "a browser, and a part of the headers of browsers that are built on it"),
        ("HeadlessChrome", "a browser that programs run"),
        ("Chromium", "a browser"),
        ("CriOS", "Chrome on iOS"),
        ("Safari", "a browser, and a part of the headers of most others"),
        ("Firefox", "a browser"),
        ("FxiOS", "Firefox on iOS"),
        ("Edge", "a browser"),
        ("Edg", "a browser"),
        ("EdgA", "Edge on Android"),
        ("EdgiOS", "Edge on iOS"),
        ("Opera", "a browser"),
        ("OPR", "Opera"),
        ("SamsungBrowser", "a browser"),
        ("MSIE", "a browser; many others claimed to be it"),
        ("Mobile", "a kind of device"),
        ("Tablet", "a kind of device"),
        ("Touch", "a kind of device"),
        ("wv", "a view inside an application"),
        ("Windows", "an operating system"),
        ("Win32", "an operating system"),
        ("Win64", "an operating system"),
        ("WOW64", "an operating system"),
        ("X11", "a window system"),
        ("Linux", "an operating system"),
        ("Ubuntu", "an operating system"),
        ("Macintosh", "a kind of computer"),
        ("Intel", "of `Intel Mac OS X`"),
        ("PPC", "of `PPC Mac OS X`"),
        ("CPU", "of `CPU iPhone OS`"),
        ("iPhone", "a kind of device"),
        ("iPad", "a kind of device"),
        ("iPod", "a kind of device"),
        ("Android", "an operating system"),
        ("CrOS", "an operating system"),
        ("x64", "a processor"),
        ("x86_64", "a processor"),
        ("U", "the strength of a browser's encryption"),
        ("en-US", "a language"),
    ];

    /// Returns the token, if the agent was made from a token, has no fallbacks and does not ignore `*`.
    pub(crate) fn only_token(&self) -> Option<&str> {
        (!self.is_header && self.fallbacks.is_empty() && !self.ignores_star).then_some(&self.name)
    }

    /// Returns the names to try, in order. Each step is one name, or the candidates of one header.
    pub(crate) fn steps(&self) -> impl Iterator<Item = Step<'_>> {
        let first = if self.is_header { Step::Header(&self.name) } else { Step::Token(&self.name) };
        std::iter::once(first).chain(self.fallbacks.iter().map(|token| Step::Token(token)))
    }
}

impl From<ProductToken> for Agent {
    fn from(token: ProductToken) -> Agent {
        Agent::unchecked_token(token)
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name)
    }
}

/// A name to try: a token, or a header that contains candidates.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step<'a> {
    Token(&'a str),
    Header(&'a str),
}

impl<'a> Step<'a> {
    /// Returns the text as the caller passed it.
    pub(crate) fn text(self) -> &'a str {
        match self {
            Step::Token(text) | Step::Header(text) => text,
        }
    }

    /// Returns possible product tokens, longest first.
    pub(crate) fn candidates(self) -> Vec<&'a str> {
        match self {
            Step::Token(token) => vec![token],
            Step::Header(header) => header_candidates(header),
        }
    }
}

/// Returns a `User-Agent` header as a whole, its products (RFC 9110 §10.1.5) and the items of its comments, each with
/// and without its version. URLs and words that browsers send are not names.
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
    // No browser sends a single word, so a single word is a name, even if it is one of the browser words.
    let whole = header.trim();
    if !whole.is_empty() && (start > 0 || !whole.contains('/')) {
        found.push(whole);
    }
    found.sort_by_key(|name| std::cmp::Reverse(name.len()));
    found.dedup();
    found
}

fn add_candidates<'a>(item: &'a str, found: &mut Vec<&'a str>) {
    let item = item.trim();
    if item.is_empty() || item.starts_with('+') || item.contains("://") {
        return;
    }
    let short = item.split(|c: char| c == '/' || c.is_whitespace()).next().unwrap_or_default();
    let word = short.split(':').next().unwrap_or_default();
    if Agent::BROWSER_WORDS.iter().any(|(known, _)| known.eq_ignore_ascii_case(word)) {
        return;
    }
    found.push(item);
    if !short.is_empty() && short.len() < item.len() {
        found.push(short);
    }
}

/// Returns true for a byte of a product token. RFC 9309 §2.2.1: `identifier = 1*(%x2D / %x41-5A / %x5F / %x61-7A)`.
pub(crate) const fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'-' || byte == b'_'
}

impl KnownAgent {
    /// Returns the crawler as an agent, with the fallbacks that its operator documents.
    ///
    /// ```
    /// use comity::{agents, robots::RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse("User-agent: Googlebot\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n");
    /// let rules = |token| robots.rules_for(&agents::known(token).unwrap().agent());
    ///
    /// // Apple: if no group names Applebot, it follows the groups of Googlebot.
    /// assert_eq!(rules("Applebot").group(), Some("Googlebot"));
    /// // Google: AdsBot does not follow the group of `*`.
    /// assert_eq!(rules("AdsBot-Google").group(), None);
    /// ```
    pub fn agent(&self) -> Agent {
        let agent = self
            .fallbacks()
            .iter()
            .fold(Agent::unchecked_token(self.token()), |agent, token| agent.or_token(*token));
        if self.ignores_star() { agent.ignoring_star() } else { agent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str =
        "Mozilla/5.0 (Linux; compatible; Googlebot-Image/1.0; +http://example.com/bot.html) Safari/537.36";

    #[test]
    fn candidates_of_a_header_are_its_products_and_comment_items() {
        assert_eq!(header_candidates(HEADER), [HEADER, "Googlebot-Image/1.0", "Googlebot-Image"]);
        assert_eq!(header_candidates("ExampleBot/1.0"), ["ExampleBot/1.0", "ExampleBot"]);
        assert_eq!(header_candidates("ExampleBot"), ["ExampleBot"]);
        assert_eq!(header_candidates("Chrome"), ["Chrome"]);
    }

    #[test]
    fn browser_word_is_not_a_candidate() {
        for browser in [
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15",
            "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148",
            "Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1)",
        ] {
            assert_eq!(header_candidates(browser), [browser], "{browser}");
        }
        assert_eq!(header_candidates("Mozilla/5.0"), [""; 0]);
    }

    #[test]
    fn header_gives_the_token_of_its_crawler() {
        for (header, token) in [
            (HEADER, "Googlebot-Image"),
            (
                "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0) Chrome/142.0",
                "bingbot",
            ),
            ("OtherBot/1.0 (like GPTBot)", "OtherBot"),
            ("my crawler", "my"),
            ("ExampleBot (research)", "ExampleBot"),
            ("Mozilla/5.0", "Mozilla/5.0"),
            ("", ""),
        ] {
            assert_eq!(Agent::header(header).product_token(), token, "{header}");
        }
    }

    #[test]
    fn browser_word_is_not_a_known_token() {
        for (word, _) in Agent::BROWSER_WORDS {
            assert_eq!(crate::agents::known(word), None, "{word}");
        }
    }
}
