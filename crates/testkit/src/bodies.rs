//! Bodies that are served as robots.txt but are something else: pages, JSON, XML, images, logs, and long comments.
//!
//! A tenth of the answers for robots.txt is of this kind, and so are most bytes of the largest answers. Each kind is
//! written from its own grammar, so that a reader's shortcuts meet what they meet on the web: styles whose lines look
//! like directives, one line of half a megabyte, line ends and NULs anywhere.
//!
//! The same seed gives the same body on every machine.

use crate::generate::{Generator, Rng};

/// The kind of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a list for tests and benchmarks")]
pub enum Kind {
    /// A page with indentation, scripts and styles.
    Html,
    /// The same kind of page, in one line.
    HtmlMinified,
    /// JSON, a member per line.
    Json,
    /// JSON in one line.
    JsonMinified,
    /// A feed, or the response of an API in XML.
    Xml,
    /// A script, a statement per line.
    Script,
    /// A style sheet, a declaration per line: `color: red;`.
    Style,
    /// Markdown.
    Markdown,
    /// Comma-separated values.
    Csv,
    /// Lines of an access log.
    Log,
    /// Errors and warnings of a PHP program, between tags.
    PhpErrors,
    /// Comments by the hundred.
    Comments,
    /// Lines that end in CR alone.
    CarriageReturns,
    /// Text in a script other than Latin, as UTF-8.
    NonAscii,
    /// A JPEG picture.
    Jpeg,
    /// A PNG picture.
    Png,
    /// Compressed data.
    Gzip,
    /// Bytes at random.
    Random,
    /// A robots.txt in UTF-16, with its mark.
    Utf16,
    /// Zeros.
    Zeros,
}

/// A group of kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a list for tests and benchmarks")]
pub enum Family {
    /// Pages.
    Html,
    /// JSON.
    Json,
    /// Data that is not text.
    Binary,
    /// Other text.
    Text,
}

impl Family {
    /// Every family.
    pub const ALL: [Family; 4] = [Family::Html, Family::Json, Family::Binary, Family::Text];

    /// Returns its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Family::Html => "pages",
            Family::Json => "all JSON",
            Family::Binary => "binaries",
            Family::Text => "other text",
        }
    }
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 20] = [
        Kind::Html,
        Kind::HtmlMinified,
        Kind::Json,
        Kind::JsonMinified,
        Kind::Xml,
        Kind::Script,
        Kind::Style,
        Kind::Markdown,
        Kind::Csv,
        Kind::Log,
        Kind::PhpErrors,
        Kind::Comments,
        Kind::CarriageReturns,
        Kind::NonAscii,
        Kind::Jpeg,
        Kind::Png,
        Kind::Gzip,
        Kind::Random,
        Kind::Utf16,
        Kind::Zeros,
    ];

    /// Returns its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Html => "html",
            Kind::HtmlMinified => "html-minified",
            Kind::Json => "json",
            Kind::JsonMinified => "json-minified",
            Kind::Xml => "xml",
            Kind::Script => "script",
            Kind::Style => "style",
            Kind::Markdown => "markdown",
            Kind::Csv => "csv",
            Kind::Log => "log",
            Kind::PhpErrors => "php-errors",
            Kind::Comments => "comments",
            Kind::CarriageReturns => "carriage-returns",
            Kind::NonAscii => "non-ascii",
            Kind::Jpeg => "jpeg",
            Kind::Png => "png",
            Kind::Gzip => "gzip",
            Kind::Random => "random",
            Kind::Utf16 => "utf-16",
            Kind::Zeros => "zeros",
        }
    }

    /// Returns its family.
    pub const fn family(self) -> Family {
        match self {
            Kind::Html | Kind::HtmlMinified => Family::Html,
            Kind::Json | Kind::JsonMinified => Family::Json,
            Kind::Jpeg | Kind::Png | Kind::Gzip | Kind::Random | Kind::Utf16 | Kind::Zeros => Family::Binary,
            _ => Family::Text,
        }
    }
}

/// Returns a body of `length` bytes, cut off wherever that is.
pub fn body(kind: Kind, length: usize, seed: u64) -> Vec<u8> {
    let mut writer = Writer { out: Vec::with_capacity(length + 1_000), rng: Rng::new(seed), limit: length };
    writer.write(kind);
    writer.out.truncate(length);
    writer.out
}

/// Returns a body with the lines of a generated robots.txt inserted; see [`strewn_with`].
pub fn strewn(kind: Kind, length: usize, seed: u64) -> Vec<u8> {
    strewn_with(kind, length, seed, &Generator::new(seed).next_file())
}

/// Returns a body of `length` bytes with the lines of `robots` inserted: mostly after line ends, else anywhere, some
/// after white space, a NUL or a letter outside ASCII.
pub fn strewn_with(kind: Kind, length: usize, seed: u64, robots: &[u8]) -> Vec<u8> {
    let before: &[&[u8]] = &[b"", b"", b"", b" ", b"    ", b"\t\t", b"\x0b", b"\0", b"\xc3\xa9"];
    let mut rng = Rng::new(seed ^ 0x5eed);
    let host = body(kind, length, seed);
    let (mut out, mut rest) = (Vec::with_capacity(host.len() + robots.len()), &host[..]);
    for line in robots.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
        let mut at = rng.below(rest.len() as u64 / 4 + 1) as usize;
        if !rng.one_in(4) {
            let end = rest[at..].iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            at += end.map_or(0, |place| place + 1);
        }
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(rng.pick(before));
        out.extend_from_slice(line);
        rest = &rest[at..];
    }
    out.extend_from_slice(rest);
    out
}

struct Writer {
    out: Vec<u8>,
    rng: Rng,
    limit: usize,
}

impl Writer {
    fn write(&mut self, kind: Kind) {
        match kind {
            Kind::Html => self.page(),
            Kind::HtmlMinified => {
                self.page();
                self.minify(b" ");
            }
            Kind::Json => self.json(),
            Kind::JsonMinified => {
                self.json();
                self.minify(b"");
            }
            Kind::Xml => self.xml(),
            Kind::Script => self.repeat(|w| w.statement(1)),
            Kind::Style => self.repeat(|w| w.style_rule(0)),
            Kind::Markdown => self.repeat(Writer::markdown_block),
            Kind::Csv => self.repeat(Writer::csv_row),
            Kind::Log => self.repeat(Writer::log_line),
            Kind::PhpErrors => self.repeat(Writer::php_error),
            Kind::Comments => self.repeat(Writer::comment),
            Kind::CarriageReturns => {
                self.page();
                self.out.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b'\r');
            }
            Kind::NonAscii => self.repeat(Writer::paragraph_in_greek),
            Kind::Jpeg => {
                self.binary(b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00")
            }
            Kind::Png => self.png(),
            Kind::Gzip => self.binary(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03"),
            Kind::Random => self.binary(b""),
            Kind::Utf16 => self.utf16(),
            Kind::Zeros => self.out.resize(self.limit, 0),
        }
    }

    fn is_full(&self) -> bool {
        self.out.len() >= self.limit
    }

    fn repeat(&mut self, mut piece: impl FnMut(&mut Writer)) {
        while !self.is_full() {
            piece(self);
        }
    }

    fn push(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn pick(&mut self, from: &[&'static str]) -> &'static str {
        self.rng.pick(from)
    }

    fn word(&mut self) -> &'static str {
        self.pick(WORDS)
    }

    fn words(&mut self, low: u64, high: u64) {
        for index in 0..self.rng.between(low, high) {
            if index > 0 {
                self.push(" ");
            }
            let word = self.word();
            self.push(word);
        }
    }

    fn number(&mut self, below: u64) {
        let number = self.rng.below(below);
        self.push(&number.to_string());
    }

    fn indent(&mut self, depth: usize) {
        self.push(&"  ".repeat(depth));
    }

    fn url(&mut self) {
        let host = self.word();
        self.push(&format!("https://www.{host}.example/"));
        self.words_joined("/", 1, 3);
    }

    fn words_joined(&mut self, between: &str, low: u64, high: u64) {
        for index in 0..self.rng.between(low, high) {
            if index > 0 {
                self.push(between);
            }
            let word = self.word();
            self.push(word);
        }
    }

    /// Joins several lines into one.
    fn minify(&mut self, between: &[u8]) {
        let mut out = Vec::with_capacity(self.out.len());
        for line in self.out.split(|byte| *byte == b'\n') {
            out.extend_from_slice(line.trim_ascii());
            out.extend_from_slice(between);
        }
        // The body lost its indentation, so it is repeated up to its length.
        while !out.is_empty() && out.len() < self.limit {
            out.extend_from_within(..out.len().min(self.limit - out.len()));
        }
        self.out = out;
    }
}

// Pages.

impl Writer {
    fn page(&mut self) {
        self.push("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n  <meta charset=\"utf-8\">\n  <title>");
        self.words(2, 6);
        self.push("</title>\n");
        for _ in 0..self.rng.between(1, 8) {
            self.push("  <link rel=\"stylesheet\" href=\"");
            self.url();
            self.push(".css\">\n");
        }
        self.push("  <style>\n");
        for _ in 0..self.rng.between(1, 20) {
            self.style_rule(2);
        }
        self.push("  </style>\n</head>\n<body>\n");
        self.repeat(|w| match w.rng.below(12) {
            0 => w.script(),
            1 => {
                w.push("    <style>\n");
                w.style_rule(3);
                w.push("    </style>\n");
            }
            2 => w.push("\n"),
            3 => w.list(),
            4 => w.paragraph_over_lines(),
            _ => w.element(),
        });
    }

    fn element(&mut self) {
        let depth = self.rng.between(1, 9) as usize;
        self.indent(depth);
        let tag =
            self.pick(&["div", "p", "span", "a", "section", "article", "td", "h2", "li", "button", "label"]);
        self.push("<");
        self.push(tag);
        for _ in 0..self.rng.below(4) {
            let name =
                self.pick(&["class", "id", "href", "data-id", "style", "title", "aria-label", "onclick"]);
            self.push(" ");
            self.push(name);
            self.push("=\"");
            match name {
                "href" => self.url(),
                "style" => self.declaration(),
                _ => self.words_joined("-", 1, 3),
            }
            self.push("\"");
        }
        self.push(">");
        if self.rng.one_in(2) {
            self.words(1, 12);
        }
        if self.rng.one_in(2) {
            self.push("</");
            self.push(tag);
            self.push(">");
        }
        self.push("\n");
    }

    fn list(&mut self) {
        self.push("      <ul>\n");
        for _ in 0..self.rng.between(2, 12) {
            self.push("        <li><a href=\"");
            self.url();
            self.push("\">");
            self.words(1, 3);
            self.push("</a></li>\n");
        }
        self.push("      </ul>\n");
    }

    /// Writes text whose lines start with words, some of which could be keys.
    fn paragraph_over_lines(&mut self) {
        self.push("    <p>\n");
        for _ in 0..self.rng.between(2, 8) {
            let depth = self.rng.below(4) as usize;
            self.indent(depth);
            self.words(1, 14);
            let end = self.pick(&["\n", "\n", "\n", "\n", ":\n"]);
            self.push(end);
        }
        self.push("    </p>\n");
    }

    fn script(&mut self) {
        self.push("    <script>\n");
        for _ in 0..self.rng.between(3, 25) {
            self.statement(3);
        }
        self.push("    </script>\n");
    }

    fn statement(&mut self, depth: usize) {
        let more = self.rng.below(3) as usize;
        self.indent(depth + more);
        let (name, other) = (self.word(), self.word());
        let line = match self.rng.below(12) {
            0 => format!("var {name} = document.getElementById(\"{other}\");"),
            1 => format!("if ({name} !== null && {name}.length > 0) {{"),
            2 => "}".to_owned(),
            3 => format!("return {name} ? {other}.{name}() : \"https://cdn.{other}.example/{name}.js\";"),
            4 => format!("{name}: function ({other}) {{"),
            5 => format!("// {name} {other}: see http://{name}.example/{other}"),
            6 => format!("'{name}': {{ {other}: true, url: '/{name}/{other}' }},"),
            7 => format!("allow{name} = user.{other} || disabled;"),
            8 => format!("case '{name}': {other}++; break;"),
            9 => String::new(),
            10 => format!("const {{ {name}, {other} }} = require('{name}-{other}');"),
            _ => format!("{name}.{other}({name}, \"#{other}\", 42);"),
        };
        self.push(&line);
        self.push("\n");
    }

    fn style_rule(&mut self, depth: usize) {
        self.indent(depth);
        let sign = self.pick(&[".", "#", "", "", "@media "]);
        self.push(sign);
        self.words_joined("-", 1, 2);
        self.push(" {\n");
        for _ in 0..self.rng.between(1, 9) {
            self.indent(depth + 1);
            self.declaration();
            self.push("\n");
        }
        self.indent(depth);
        self.push("}\n");
    }

    fn declaration(&mut self) {
        let line = self.pick(&[
            "color: #333;",
            "background: url(https://cdn.example/i.png) no-repeat;",
            "display: none;",
            "content: \"\\201C\";",
            "clear: both;",
            "visibility: hidden;",
            "align-items: center;",
            "animation: fade 2s;",
            "user-select: none;",
            "height: 100%;",
            "hosted-by: example;",
            "margin: 0 auto",
            "line-height: 1.5;",
            "resize: none;",
            "list-style: none;",
            "src: local('Example'), url(e.woff2) format('woff2');",
        ]);
        self.push(line);
    }
}

// Other text.

impl Writer {
    fn json(&mut self) {
        self.push("{\n  \"error\": true,\n  \"items\": [\n");
        self.repeat(|w| {
            w.push("    {\n");
            for _ in 0..w.rng.between(1, 9) {
                w.push("      \"");
                w.words_joined("_", 1, 2);
                w.push("\": ");
                match w.rng.below(6) {
                    0 => w.number(1_000_000),
                    1 => w.push("null"),
                    2 => {
                        w.push("\"");
                        w.url();
                        w.push("\"");
                    }
                    3 => w.push("[\n        1,\n        2\n      ]"),
                    _ => {
                        w.push("\"");
                        w.words(1, 15);
                        w.push("\"");
                    }
                }
                w.push(",\n");
            }
            w.push("      \"user\": \"a\"\n    },\n");
        });
    }

    fn xml(&mut self) {
        self.push("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\">\n  <channel>\n");
        self.repeat(|w| {
            w.push("    <item>\n      <title>");
            w.words(2, 9);
            w.push("</title>\n      <link>");
            w.url();
            w.push("</link>\n      <description><![CDATA[");
            w.words(10, 60);
            w.push(
                "]]></description>\n      <pubDate>Sat, 21 Nov 2026 10:00:00 GMT</pubDate>\n    </item>\n",
            );
        });
    }

    fn markdown_block(&mut self) {
        match self.rng.below(5) {
            0 => {
                self.push("\n## ");
                self.words(1, 5);
                self.push("\n\n");
            }
            1 => {
                for _ in 0..self.rng.between(2, 6) {
                    self.push("- [");
                    self.words(1, 3);
                    self.push("](");
                    self.url();
                    self.push(")\n");
                }
            }
            2 => {
                self.push("```\n");
                self.statement(0);
                self.push("```\n");
            }
            _ => {
                for _ in 0..self.rng.between(2, 9) {
                    self.words(8, 16);
                    self.push("\n");
                }
                self.push("\n");
            }
        }
    }

    fn csv_row(&mut self) {
        self.number(100_000);
        for _ in 0..self.rng.between(3, 9) {
            self.push(",");
            if self.rng.one_in(3) {
                self.number(1_000);
            } else {
                self.words(1, 2);
            }
        }
        self.push("\r\n");
    }

    fn log_line(&mut self) {
        self.push("192.0.2.");
        self.number(256);
        self.push(" - - [21/Nov/2026:10:00:");
        self.number(60);
        self.push(" +0000] \"GET /");
        self.words_joined("/", 1, 4);
        self.push(" HTTP/1.1\" 200 ");
        self.number(100_000);
        self.push(" \"-\" \"Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)\"\n");
    }

    fn php_error(&mut self) {
        let what = self.pick(&["Warning", "Notice", "Deprecated", "Fatal error"]);
        self.push(&format!("<br />\n<b>{what}</b>:  Undefined variable: "));
        self.words_joined("_", 1, 2);
        self.push(" in <b>/var/www/html/");
        self.words_joined("/", 1, 4);
        self.push(".php</b> on line <b>");
        self.number(2_000);
        self.push("</b><br />\n");
        if self.rng.one_in(3) {
            self.push("#0 /var/www/html/index.php(17): require()\n");
        }
    }

    fn comment(&mut self) {
        match self.rng.below(10) {
            0 => self.push("\n"),
            1 => self.push("#\n"),
            2 => self
                .push("################################################################################\n"),
            3 => self.push("# Disallow: /private/\n"),
            _ => {
                self.push("# ");
                self.words(2, 18);
                self.push("\n");
            }
        }
    }

    fn paragraph_in_greek(&mut self) {
        for _ in 0..self.rng.between(3, 20) {
            let word = self.pick(&[
                "και",
                "το",
                "αρχείο",
                "ρομπότ",
                "σελίδα",
                "δεν",
                "βρέθηκε",
                "όλα",
                "user",
                "日本語",
            ]);
            self.push(word);
            self.push(" ");
        }
        self.push("\n");
    }
}

// What is no text.

impl Writer {
    fn binary(&mut self, head: &[u8]) {
        self.out.extend_from_slice(head);
        self.repeat(|w| {
            let word = w.rng.below(u64::MAX);
            w.out.extend_from_slice(&word.to_le_bytes());
        });
    }

    fn png(&mut self) {
        self.out.extend_from_slice(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\x01\0\x08\x06\0\0\0");
        self.repeat(|w| {
            w.out.extend_from_slice(b"\0\0\x20\0IDAT");
            for _ in 0..w.rng.between(100, 1_024) {
                // Flat areas compress badly enough to leave runs of one byte.
                let word = if w.rng.one_in(20) { 0 } else { w.rng.below(u64::MAX) };
                w.out.extend_from_slice(&word.to_le_bytes());
            }
        });
    }

    fn utf16(&mut self) {
        self.out.extend_from_slice(b"\xff\xfe");
        self.repeat(|w| {
            let start = w.out.len();
            let key = w.pick(&["User-agent: *", "Disallow: /", "Allow: /", "# "]);
            w.push(key);
            w.words_joined("/", 1, 4);
            w.push("\r\n");
            let units: Vec<u8> = w.out[start..].iter().flat_map(|byte| [*byte, 0]).collect();
            w.out.truncate(start);
            w.out.extend_from_slice(&units);
        });
    }
}

/// Words of text, identifiers and hosts. Some start as keys do.
const WORDS: &[&str] = &[
    "a",
    "about",
    "access",
    "account",
    "action",
    "address",
    "all",
    "allowed",
    "and",
    "any",
    "archive",
    "are",
    "at",
    "be",
    "button",
    "by",
    "cart",
    "categories",
    "click",
    "color",
    "comments",
    "contact",
    "container",
    "content",
    "cookies",
    "copyright",
    "data",
    "date",
    "default",
    "details",
    "directory",
    "disabled",
    "discount",
    "display",
    "do",
    "document",
    "download",
    "error",
    "event",
    "for",
    "form",
    "found",
    "from",
    "header",
    "home",
    "host",
    "however",
    "image",
    "in",
    "index",
    "information",
    "is",
    "it",
    "item",
    "label",
    "language",
    "latest",
    "left",
    "library",
    "licence",
    "link",
    "list",
    "login",
    "main",
    "menu",
    "news",
    "no",
    "not",
    "number",
    "of",
    "on",
    "or",
    "page",
    "policy",
    "privacy",
    "products",
    "read",
    "request",
    "required",
    "results",
    "return",
    "right",
    "rights",
    "robots",
    "search",
    "section",
    "server",
    "service",
    "shop",
    "site",
    "sitemap",
    "state",
    "style",
    "support",
    "terms",
    "text",
    "that",
    "the",
    "this",
    "title",
    "to",
    "toggle",
    "top",
    "type",
    "under",
    "unknown",
    "update",
    "use",
    "user",
    "users",
    "value",
    "version",
    "view",
    "visit",
    "we",
    "website",
    "welcome",
    "with",
    "you",
    "your",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_as_long_as_asked_for_and_the_same_every_time() {
        for kind in Kind::ALL {
            for length in [0, 1, 100, 5_000, 70_000] {
                let made = body(kind, length, 7);
                assert_eq!(made.len(), length, "{kind:?}");
                assert_eq!(made, body(kind, length, 7), "{kind:?}");
            }
            assert!(strewn(kind, 2_000, 7).len() > 2_000, "{kind:?}");
        }
    }

    #[test]
    fn kinds_are_what_they_are_called() {
        let ends = |kind, end: u8| body(kind, 50_000, 3).iter().filter(|byte| **byte == end).count();
        assert_eq!(ends(Kind::HtmlMinified, b'\n') + ends(Kind::JsonMinified, b'\n'), 0);
        assert_eq!(ends(Kind::CarriageReturns, b'\n'), 0);
        assert!(ends(Kind::CarriageReturns, b'\r') > 500);
        assert!(ends(Kind::Html, b'\n') > 500 && ends(Kind::Style, b':') > 500);
        assert!(ends(Kind::Utf16, 0) > 20_000);
        assert!(std::str::from_utf8(&body(Kind::Random, 1_000, 1)).is_err());
    }
}
