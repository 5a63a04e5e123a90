//! Generator of difficult robots.txt cases, about which programs often disagree.
//!
//! The generator first makes valid groups of agents and rules. Then it adds defects of real and hostile files: unusual
//! line ends, byte order marks, misspellings, stray bytes. Many files have few defects, so that a rule still decides.
//! Paths use a small alphabet, and URLs are made from the patterns, because a URL that no rule can match tests little.
//!
//! A seed gives equal cases on every machine.

/// One question about one robots.txt.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a case is just these three")]
pub struct Case {
    /// The body, as served.
    pub robots: Vec<u8>,
    /// The crawler.
    pub agent: String,
    /// The URL.
    pub url: String,
}

/// A generator of cases.
#[derive(Clone, Debug)]
pub struct Generator {
    rng: Rng,
    /// The frequency of defects in the current file: 0 (none) to 3.
    mess: u64,
    /// The agents of the current file.
    agents: Vec<&'static str>,
    /// The patterns of the current file so far. Further patterns and the URL are made from them.
    patterns: Vec<Vec<u8>>,
}

impl Generator {
    /// Creates a generator at the start of the sequence for `seed`.
    pub fn new(seed: u64) -> Self {
        Generator { rng: Rng::new(seed), mess: 0, agents: Vec::new(), patterns: Vec::new() }
    }

    /// Returns the next file with a question, which a rule of the file often decides.
    pub fn next_case(&mut self) -> Case {
        let asker = self.asker();
        let robots = self.file_about(asker);
        let agent = if self.rng.one_in(12) { self.asker().to_owned() } else { asker.to_owned() };
        let patterns = std::mem::take(&mut self.patterns);
        let url = self.url_near(&patterns);
        Case { robots, agent, url }
    }

    /// Returns the next file, without a question.
    pub fn next_file(&mut self) -> Vec<u8> {
        let asker = self.asker();
        self.file_about(asker)
    }

    /// Returns a question about any given file: an agent and a URL, which are mostly made from lines of the file.
    pub fn question_for(&mut self, robots: &[u8]) -> (String, String) {
        let mut agents = Vec::new();
        let mut patterns = Vec::new();
        for line in robots.split(|byte| matches!(byte, b'\n' | b'\r')) {
            let Some(colon) = line.iter().position(|byte| *byte == b':') else { continue };
            let key = line[..colon].to_ascii_lowercase();
            let value = line[colon + 1..].trim_ascii();
            if key.ends_with(b"agent") {
                agents.push(String::from_utf8_lossy(value).into_owned());
            } else if key.ends_with(b"allow") {
                patterns.push(value.to_vec());
            }
        }
        (self.agent_among(&agents), self.url_near(&patterns))
    }

    /// Returns an agent. In half of the cases, it is the simple `foobot`, because often no group applies to an unusual
    /// agent.
    fn asker(&mut self) -> &'static str {
        if self.rng.one_in(2) { "foobot" } else { self.rng.pick(ASKERS) }
    }

    fn agent_among(&mut self, listed: &[String]) -> String {
        if listed.is_empty() || self.rng.one_in(4) {
            return self.asker().to_owned();
        }
        let name = self.rng.pick_ref(listed).clone();
        match self.rng.below(8) {
            0 => name.to_uppercase(),
            1 => format!("{name}/2.1"),
            2 => format!("Mozilla/5.0 (compatible; {name}/2.1; +http://example.com/bot)"),
            3 => name.split(['/', ' ']).next().unwrap_or_default().to_owned(),
            _ => name,
        }
    }
}

// Files.

impl Generator {
    fn file_about(&mut self, asker: &'static str) -> Vec<u8> {
        self.mess = self.rng.pick(&[0, 0, 0, 1, 1, 1, 2, 3]);
        self.agents = vec![asker, self.rng.pick(LISTED), self.rng.pick(LISTED)];
        self.patterns.clear();
        let mut lines = Vec::new();
        if self.rng.one_in(12) {
            self.push_rules(&mut lines, 2);
        }
        for _ in 0..self.rng.pick(&[1, 1, 1, 2, 2, 3, 4]) {
            self.push_group(&mut lines);
        }
        let mut file = self.joined(&lines);
        self.spoil(&mut file);
        file
    }

    fn push_group(&mut self, lines: &mut Vec<Vec<u8>>) {
        for _ in 0..self.rng.pick(&[1, 1, 1, 1, 2, 2, 3]) {
            let agent =
                if lines.is_empty() { self.rng.pick(&["*", self.agents[0]]) } else { self.listed_agent() };
            let line = self.line(AGENT_KEYS, agent.as_bytes());
            lines.push(line);
            self.push_filler(lines);
        }
        let count = self.rng.pick(&[0, 1, 1, 2, 2, 2, 3, 3, 4, 6]);
        self.push_rules(lines, count);
        if !self.rng.one_in(3) {
            lines.push(Vec::new());
        }
    }

    fn listed_agent(&mut self) -> &'static str {
        match self.rng.below(10) {
            0..4 => "*",
            4..7 => self.agents[0],
            7 | 8 => self.rng.pick(&self.agents),
            _ => self.rng.pick(LISTED),
        }
    }

    fn push_rules(&mut self, lines: &mut Vec<Vec<u8>>, count: u64) {
        for _ in 0..count {
            let pattern = self.pattern();
            let keys = if self.rng.one_in(3) { ALLOW_KEYS } else { DISALLOW_KEYS };
            let line = self.line(keys, &pattern);
            self.patterns.push(pattern);
            lines.push(line);
            self.push_filler(lines);
        }
    }

    /// Sometimes adds a line that is neither an agent nor a rule: blank, comment, delay, sitemap, or unknown.
    fn push_filler(&mut self, lines: &mut Vec<Vec<u8>>) {
        if self.rng.below(10) > self.mess {
            return;
        }
        let line = self.rng.pick(FILLERS).as_bytes().to_vec();
        lines.push(line);
    }

    /// Returns the line `key: value`, with defects as frequent as in the rest of the file.
    fn line(&mut self, keys: &Keys, value: &[u8]) -> Vec<u8> {
        let odd = self.rng.below(12) < self.mess;
        let mut line = if odd { self.rng.pick(BEFORE_KEY).to_vec() } else { Vec::new() };
        let key = if odd && self.rng.one_in(2) { self.rng.pick(keys.odd) } else { self.rng.pick(keys.usual) };
        line.extend_from_slice(key.as_bytes());
        let colons: &[&[u8]] = if odd { ODD_COLONS } else { &[b": ", b": ", b": ", b":", b":  "] };
        line.extend_from_slice(self.rng.pick(colons));
        line.extend_from_slice(value);
        if self.rng.below(16) < self.mess {
            line.extend_from_slice(self.rng.pick(AFTER_VALUE));
        }
        if self.mess > 0 && self.rng.one_in(1000) {
            self.stretch(&mut line);
        }
        line
    }

    /// Lengthens a line to about 16,663 bytes, the limit of Google's program: with spaces before it, or with spaces or
    /// letters after it.
    fn stretch(&mut self, line: &mut Vec<u8>) {
        let length = self.rng.between(16_658, 16_668) as usize;
        let missing = length.saturating_sub(line.len() + 1);
        let filler = self.rng.pick(b"a ~");
        match filler {
            b'~' => line.splice(0..0, std::iter::repeat_n(b' ', missing)).for_each(drop),
            _ => line.extend(std::iter::repeat_n(filler, missing)),
        }
        line.push(b'b');
    }

    fn joined(&mut self, lines: &[Vec<u8>]) -> Vec<u8> {
        let usual: &[u8] = if self.mess == 0 { b"\n" } else { self.rng.pick(LINE_ENDS) };
        let mut file = Vec::new();
        for line in lines {
            file.extend_from_slice(line);
            let odd = self.rng.below(24) < self.mess;
            file.extend_from_slice(if odd { self.rng.pick(ODD_LINE_ENDS) } else { usual });
        }
        if self.rng.one_in(3) {
            file.truncate(file.trim_ascii_end().len());
        }
        file
    }

    /// Sometimes inserts stray bytes into a file, and a valid or broken byte order mark at its start.
    fn spoil(&mut self, file: &mut Vec<u8>) {
        for _ in 0..self.rng.below(self.mess + 1) {
            let at = self.rng.below(file.len() as u64 + 1) as usize;
            let stray = self.rng.pick(STRAY);
            file.splice(at..at, stray.iter().copied());
        }
        if self.rng.below(20) < self.mess {
            let mark = self.rng.pick(MARKS);
            file.splice(0..0, mark.iter().copied());
        }
    }
}

// Patterns.

impl Generator {
    fn pattern(&mut self) -> Vec<u8> {
        if !self.patterns.is_empty() && self.rng.below(5) < 2 {
            return self.pattern_like_another();
        }
        let mut pattern = self.rng.pick(STARTS).as_bytes().to_vec();
        for _ in 0..self.rng.pick(&[0, 0, 1, 1, 1, 2, 2, 3, 5]) {
            let atom = self.atom();
            pattern.extend_from_slice(atom);
        }
        pattern.extend_from_slice(self.rng.pick(ENDS).as_bytes());
        pattern
    }

    /// Returns an earlier pattern, which may be lengthened, shortened or slightly changed, so that several rules match
    /// a URL.
    fn pattern_like_another(&mut self) -> Vec<u8> {
        let mut pattern = self.rng.pick_ref(&self.patterns).clone();
        match self.rng.below(6) {
            0 => {}
            1 => self.toggle_encoding(&mut pattern),
            2 => pattern.truncate(self.rng.below(pattern.len() as u64 + 1) as usize),
            3 => {
                let at = self.rng.below(pattern.len() as u64 + 1) as usize;
                let wild = self.rng.pick(&["*", "**", "*", "$"]).as_bytes();
                pattern.splice(at..at, wild.iter().copied());
            }
            _ => pattern.extend_from_slice(self.atom()),
        }
        pattern
    }

    fn atom(&mut self) -> &'static [u8] {
        match self.rng.below(18 + self.mess) {
            0..14 => self.rng.pick(PLAIN).as_bytes(),
            14 | 15 => self.rng.pick(ENCODED).as_bytes(),
            _ => self.rng.pick(SPECIAL),
        }
    }

    /// Percent-encodes a byte, decodes a percent-encoded byte, or changes the case of its hexadecimal digits.
    fn toggle_encoding(&mut self, text: &mut Vec<u8>) {
        if text.is_empty() {
            return;
        }
        let triplets: Vec<usize> = (0..text.len()).filter(|at| triplet_at(text, *at).is_some()).collect();
        if triplets.is_empty() || self.rng.one_in(3) {
            let at = self.rng.below(text.len() as u64) as usize;
            let triplet =
                if self.rng.one_in(2) { format!("%{:02X}", text[at]) } else { format!("%{:02x}", text[at]) };
            text.splice(at..at + 1, triplet.bytes());
            return;
        }
        let at = self.rng.pick(&triplets);
        match self.rng.below(3) {
            0 => text[at + 1..at + 3].make_ascii_uppercase(),
            1 => text[at + 1..at + 3].make_ascii_lowercase(),
            _ => drop(text.splice(at..at + 3, triplet_at(text, at))),
        }
    }
}

/// Returns the byte that is percent-encoded at `at`, if there is one.
fn triplet_at(text: &[u8], at: usize) -> Option<u8> {
    let digits = text[at..].strip_prefix(b"%")?.get(..2)?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

// URLs.

impl Generator {
    /// Returns a URL that a pattern matches or nearly matches, or sometimes a random URL.
    fn url_near(&mut self, patterns: &[Vec<u8>]) -> String {
        if self.rng.one_in(40) {
            return (self.rng.pick(ODD_URLS)).to_owned();
        }
        let mut path = if patterns.is_empty() || self.rng.one_in(10) {
            self.any_path()
        } else {
            let pattern = self.rng.pick_ref(patterns).clone();
            self.path_for(&pattern)
        };
        self.change(&mut path);
        if !path.starts_with(b"/") && !self.rng.one_in(20) {
            path.insert(0, b'/');
        }
        let raw = self.rng.one_in(4);
        let base = if self.rng.below(4) > 0 { "http://example.com" } else { self.rng.pick(BASES) };
        format!("{base}{}", self.as_text(&path, raw))
    }

    fn any_path(&mut self) -> Vec<u8> {
        let mut path = b"/".to_vec();
        for _ in 0..self.rng.below(6) {
            path.extend_from_slice(self.atom());
        }
        path
    }

    /// Returns a path that a pattern matches: most stars are replaced by text, and a final `$` is mostly removed.
    fn path_for(&mut self, pattern: &[u8]) -> Vec<u8> {
        let keep_dollar = self.rng.one_in(12);
        let kept = if keep_dollar { pattern } else { pattern.strip_suffix(b"$").unwrap_or(pattern) };
        let mut path = Vec::new();
        for byte in kept {
            match byte {
                b'*' if !self.rng.one_in(12) => path.extend_from_slice(self.rng.pick(FILLS).as_bytes()),
                _ => path.push(*byte),
            }
        }
        path
    }

    /// Changes a path at random: adds a suffix, removes or replaces a byte, or changes an encoding.
    fn change(&mut self, path: &mut Vec<u8>) {
        match self.rng.below(16) {
            0..3 => path.extend_from_slice(self.rng.pick(SUFFIXES).as_bytes()),
            3 => drop(path.pop()),
            4 if !path.is_empty() => {
                let at = self.rng.below(path.len() as u64) as usize;
                path[at] = self.rng.pick(b"ab/.A%*$?");
            }
            5 | 6 => self.toggle_encoding(path),
            7 => path.extend_from_slice(self.atom()),
            _ => {}
        }
    }

    /// Returns a path as text of a URL. Percent-encodes bytes that are not UTF-8. Percent-encodes non-ASCII characters
    /// only if `raw` is false.
    fn as_text(&mut self, path: &[u8], raw: bool) -> String {
        let mut text = String::new();
        for chunk in path.utf8_chunks() {
            for character in chunk.valid().chars() {
                if raw || character.is_ascii() {
                    text.push(character);
                } else {
                    character.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| push_triplet(&mut text, byte));
                }
            }
            chunk.invalid().iter().for_each(|byte| push_triplet(&mut text, *byte));
        }
        text
    }
}

fn push_triplet(text: &mut String, byte: u8) {
    text.push_str(&format!("%{byte:02X}"));
}

// Words.

/// The spellings of a key.
struct Keys {
    usual: &'static [&'static str],
    odd: &'static [&'static str],
}

#[rustfmt::skip]
const AGENT_KEYS: &Keys = &Keys {
    usual: &["User-agent", "User-agent", "User-Agent", "user-agent", "USER-AGENT"],
    odd: &[
        "Useragent", "User agent", "User-agents", "User-agent-x", "xUser-agent", "Uſer-agent", "User_agent",
        "User-\tagent",
    ],
};

#[rustfmt::skip]
const ALLOW_KEYS: &Keys = &Keys {
    usual: &["Allow", "Allow", "allow", "ALLOW"],
    odd: &["Allowed", "Allow-extra", "Alow", "xAllow", "Al low", "Allow:Disallow", "Allow\u{a0}"],
};

#[rustfmt::skip]
const DISALLOW_KEYS: &Keys = &Keys {
    usual: &["Disallow", "Disallow", "disallow", "DISALLOW"],
    odd: &[
        "Disallowed", "Disallow-extra", "Dissallow", "Dissalow", "Disalow", "Diasllow", "Disallaw",
        "Dis-allow", "Noindex", "Disallow=", "xDisallow",
    ],
};

#[rustfmt::skip]
const BEFORE_KEY: &[&[u8]] = &[
    b"", b"", b" ", b"\t", b"  ", b"- ", b"x ", b"x:", b":", b"#", b"\xc2\xa0", b"\x0b", b"\x00",
    b"\xef\xbb\xbf",
];

#[rustfmt::skip]
const ODD_COLONS: &[&[u8]] = &[
    b" : ", b"\t:\t", b" :", b" ", b"  ", b"\t", b"::", b": :", b"", b"=", b"\xef\xbc\x9a", b":\xc2\xa0",
    b":\x0b", b":\x00", b": #", b":\xe3\x80\x80", b"\x00:", b"\xc2\xa0:", b"\x1f: ",
];

#[rustfmt::skip]
const AFTER_VALUE: &[&[u8]] = &[
    b" ", b"\t", b"  ", b" # comment", b"#comment", b"# a: b", b" #", b" x", b"\xc2\xa0", b"\x0b", b"\x00",
    b"\x00/a", b"\xe2\x80\xa8/b", b"\x1c", b"\x85", b" Disallow: /a", b";x", b",", b"\x7f", b"\xe3\x80\x80",
    b"\xff",
];

#[rustfmt::skip]
const FILLERS: &[&str] = &[
    "", "", "", "", " ", "\t", "\u{a0}", "# comment", " # comment", "#", "# User-agent: *", "Crawl-delay: 1",
    "Crawl-delay: x", "crawl-delay:", "Request-rate: 1/10", "request-rate: x",
    "Sitemap: http://example.com/s.xml", "sitemap:", "Host: example.com", "Unknown: value", "Unknown:",
    "no colon here", "word", ":", ": /a", "User-agent:", "User-agent", "Disallow:", "Allow:", "Disallow",
    "Disallow: # all", "Noindex: /a", "Clean-param: a /b", "Content-Signal: ai-train=no", "User-agent: *",
    "User-agent: *  # x",
];

const LINE_ENDS: &[&[u8]] = &[b"\n", b"\n", b"\n", b"\r\n", b"\r\n", b"\r", b"\n\r", b"\n\n"];

#[rustfmt::skip]
const ODD_LINE_ENDS: &[&[u8]] = &[
    b"\n", b"\r\n", b"\r", b"\n\r", b"\r\r\n", b"\r\r", b"\x0b", b"\x0c", b"\x1c", b"\x1d", b"\x1e", b"\x85",
    b"\xc2\x85", b"\xe2\x80\xa8", b"\xe2\x80\xa9", b" \n", b"\t\r\n", b"\n \n", b"\n\t\n", b"\n\x0c\n",
];

#[rustfmt::skip]
const STRAY: &[&[u8]] = &[
    b"\x00", b"\t", b"\x01", b"\x08", b"\x0b", b"\x0c", b"\x1b", b"\x1c", b"\x1f", b"\x7f", b"\x80", b"\x85",
    b"\xa0", b"\xc2\xa0", b"\xc2\x85", b"\xe2\x80\xa8", b"\xff", b"\xc3", b"\xe3\x83", b"\xf0\x9f\x92",
    b"\xed\xa0\x80", b"\r", b"\n", b" ", b"#", b":", b"%", b"*", b"$", b"/", b"\xef\xbb\xbf",
    b"\xe2\x80\x8b", b"\xe3\x80\x80", b"\xc4\xb0", b"\xe2\x84\xaa",
];

#[rustfmt::skip]
const MARKS: &[&[u8]] = &[
    b"\xef\xbb\xbf", b"\xef\xbb\xbf", b"\xef\xbb\xbf", b"\xef\xbb", b"\xef", b"\xbb\xbf",
    b"\xef\xbb\xbf\xef\xbb\xbf", b"\xc3\xaf\xc2\xbb\xc2\xbf", b"\xef\xbf", b" \xef\xbb\xbf",
];

/// The agents of questions.
#[rustfmt::skip]
const ASKERS: &[&str] = &[
    "FOOBOT", "FooBot", "bot", "bot", "foo", "foobot-news", "foo_bot", "mj12bot", "a", "foobot/1.0", "foo bot",
    "Mozilla/5.0 (compatible; foobot/2.1; +http://example.com/bot)", "foo.bot", "fööbot", "ボット", "", "*",
    "unlisted", "foo*", "(bot", "Straße", "İbot", "Kbot", "foobot\u{a0}x",
];

/// Agents that a file names in addition to the agent of the question.
#[rustfmt::skip]
const LISTED: &[&str] = &[
    "foobot", "FOOBOT", "bot", "foo", "foobot-news", "foobot/1.0", "foobot 2", "foo bot", "mj12bot", "mj",
    "360spider", "foo.bot", "* foo", "*foo", "foo*", "*bot", "f*t", "**", "*/1.0", "* ", "*\t x", "fööbot",
    "ボット", "", "a", "b", "o", "foo_bot", "foobot:x", "foobot,bot", "foobot;", "-foobot", "foo%62ot", "[",
    "(bot", "foobot$", "STRASSE", "ibot", "kbot", "foobot?", "/", "foobot\u{1}",
];

#[rustfmt::skip]
const STARTS: &[&str] = &[
    "/", "/", "/", "/", "/", "/", "/", "/", "/", "/", "/", "/", "/", "/", "/", "/", "/", "/a", "/a", "/a", "/a",
    "/b", "/b", "/a/", "/a/", "/*", "/*", "/*", "*/", "*", "", "", "a", "$", "%2F", "//", "//host/",
    "http://example.com/", "?", "/?", ";", ".", "/:",
];

#[rustfmt::skip]
const ENDS: &[&str] = &[
    "", "", "", "", "", "", "", "", "", "", "", "", "$", "$", "*", "*$", "$$", "**", "/", "?", "index.html",
    "/index.htm", " ",
];

const PLAIN: &[&str] = &["a", "a", "b", "b", "/", "/", "/", ".", "*", "*", "ab", "A", "$", "%"];

#[rustfmt::skip]
const ENCODED: &[&str] = &[
    "%24", "%2A", "%2a", "%2F", "%2f", "%3F", "%3f", "%26", "%3D", "%3d", "%0A", "%0a", "%0D", "%00", "%zz",
    "%25", "%252F", "%2", "%", "%61", "%41", "%E3%83%84", "%e3%83%84", "%C3%A9", "%c3%a9", "%FF", "%E3%83",
    "%23", "%3B", "%20", "%7E", "%2E", "%5C", "%3A", "%0B", "%85", "%C2%85", "%E2%80%A8", "%EF%BF%BD",
];

#[rustfmt::skip]
const SPECIAL: &[&[u8]] = &[
    b"?", b"?", b"?a=b", b"&", b"=", b";", b";a", b";a=b", b"#", b"#a", b" ", b"  ", b"+", b":", b"(", b")",
    b"[", b"]", b"{", b"|", b"^", b"\\", b"\\d", b".+", b"~", b"\"", b"'", b"<", b"@", b"!", b",",
    b"index.html", b"index.htm", b"/index.html", b"robots.txt", b"/./", b"/../", b"//", b"\xc3\xa9",
    b"\xe3\x83\x84", b"\xc2\xa0", b"\xff", b"\xe3\x83", b"\xc3", b"\xf0\x9f\x98\x80", b"\xe2\x80\xa8",
    b"\x01", b"\x7f", b"\t", b"\x1f", b"\xef\xbf\xbd", b"`", b"\xed\xa0\x80",
];

const FILLS: &[&str] = &["", "", "a", "b", "ab", "/", "a/b", "?", "b?a", "%2F", ".", "\n", "é", ";", "aa"];

#[rustfmt::skip]
const SUFFIXES: &[&str] = &[
    "a", "b", "/", "/a", ".a", "?", "?a", "?a=b", "#", "#a", "#a?b", ";", ";a", ";a?b", "?#", "index.html",
    "%0A", "%0Aa", "\n", "\\", "*", "$", "%", "%2F", "?a=/b", "?http://b/", "é", "/.", "/..", "//", " ",
];

#[rustfmt::skip]
const BASES: &[&str] = &[
    "http://example.com", "https://example.com", "http://example.com:80", "HTTP://Example.COM",
    "http://user:pw@example.com", "", "", "//example.com", "example.com", "http:", "http://",
    "http://exa_mple.com/..", "http://[::1]", "ftp://example.com", "x:", " http://example.com",
];

#[rustfmt::skip]
const ODD_URLS: &[&str] = &[
    "http://example.com", "http://example.com/", "http://example.com?", "http://example.com?a",
    "http://example.com#a", "http://example.com;a", "http://example.com/?", "http://example.com/#",
    "http://example.com/;", "http://example.com/robots.txt", "/robots.txt", "/", "", "?", "#", ";", "a",
    "//", "///", "http:", "http://", "://", "http:///a", "http://example.com//a", "http://example.com\\a",
    "/a:b", "a:b/c", "http://example.com/robots%2Etxt", "http://example.com/robots.txt?a",
    "http://example.com/\0a", "mailto:a@b", "http://[", "http://[::1/a", "http://example.com/%",
    "http://example.com/a?b#c/d", "http://example.com/a/http://b/c", "/a//b", "//a/b?c",
    "http://example.com/ a",
];

// Random numbers.

/// The random number generator SplitMix64. Its numbers are equal on every machine.
#[derive(Clone, Debug)]
pub(crate) struct Rng(u64);

impl Rng {
    /// Creates a generator at the start of the sequence for `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        Rng(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `bound`, which must not be 0. The bias of the remainder does not matter here.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    pub(crate) fn one_in(&mut self, bound: u64) -> bool {
        self.below(bound) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        *self.pick_ref(from)
    }

    pub(crate) fn pick_ref<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len() as u64) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use comity::robots::{Agent, Dialect, RobotsTxt};

    fn cases(seed: u64, count: usize) -> Vec<Case> {
        let mut generator = Generator::new(seed);
        (0..count).map(|_| generator.next_case()).collect()
    }

    #[test]
    fn seed_determines_the_sequence() {
        assert_eq!(cases(7, 200), cases(7, 200));
        assert_ne!(cases(7, 20), cases(8, 20));
        let body = b"User-agent: a\nDisallow: /b*c\n";
        assert_eq!(Generator::new(3).question_for(body), Generator::new(3).question_for(body));
    }

    #[test]
    fn path_of_the_url_often_starts_like_a_pattern() {
        let total = 2_000;
        let near = cases(1, total).iter().filter(|case| begins_like_a_pattern(case)).count();
        assert!(near * 4 > total, "only {near} of {total}");
    }

    /// Returns true if the path of the URL starts with the text of a pattern before its first wildcard, and this text
    /// has at least two characters.
    fn begins_like_a_pattern(case: &Case) -> bool {
        let path = case.url.strip_prefix("http://example.com").unwrap_or(&case.url);
        String::from_utf8_lossy(&case.robots).split(['\n', '\r']).any(|line| {
            let Some((_, value)) = line.split_once(':') else { return false };
            let plain = value.trim().split(['*', '$', ' ', '#']).next().unwrap_or_default();
            plain.len() > 1 && path.starts_with(plain)
        })
    }

    #[test]
    fn rule_often_decides_and_often_disallows() {
        for (dialect, decided_in_100, denied_in_100) in [
            (Dialect::Rfc9309, 35, 20),
            (Dialect::Google, 35, 20),
            (Dialect::Webcanon, 35, 20),
            (Dialect::Gym2008, 30, 20),
            (Dialect::Urllib, 20, 12),
        ] {
            let (mut decided, mut denied, mut total) = (0, 0, 0);
            for case in cases(2, 2_000) {
                let robots = RobotsTxt::parse_as(&case.robots, dialect);
                let rules = robots.rules_for(&Agent::unchecked_token(&*case.agent));
                let Ok(decision) = rules.decide(&case.url) else { continue };
                total += 1;
                decided += usize::from(decision.rule().is_some());
                denied += usize::from(!decision.is_allowed());
            }
            assert!(
                decided * 100 > total * decided_in_100,
                "{dialect}: {decided} of {total} decided by a rule"
            );
            assert!(denied * 100 > total * denied_in_100, "{dialect}: {denied} of {total} denied");
        }
    }

    #[test]
    fn question_is_made_from_the_file() {
        let body = b"User-agent: nicebot\nDisallow: /private/\n";
        let mut generator = Generator::new(5);
        let questions: Vec<_> = (0..200).map(|_| generator.question_for(body)).collect();
        assert!(questions.iter().filter(|(agent, _)| agent.contains("nicebot")).count() > 100);
        assert!(questions.iter().filter(|(_, url)| url.contains("/private/")).count() > 100);
    }
}
