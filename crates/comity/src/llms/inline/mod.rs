//! Finds the links within one line.
//!
//! One pass with a stack matches the brackets, as in CommonMark: at each `]`, only the nearest open `[` can start a
//! link. Targets may contain at most `MAX_DEPTH` nested parentheses, so that a byte is read a bounded number of times.
//! In addition to CommonMark, bare URLs are links, and spaces are allowed in and before a target. `code` finds the
//! ranges that cannot contain links, `target` parses the text between the parentheses, `names` converts Markdown to
//! plain text.

mod code;
mod names;
mod target;

use memchr::memchr;

pub(super) use self::names::plain;
use self::names::{entities, name};
use self::target::{Destination, bare_url, destination, has_web_scheme, looks_like_target};
use super::steps;
use crate::words::words;

words! {
    /// The syntax of a link.
    LinkForm as "form of a link" {
        /// `[name](url)`.
        Inline = "inline",
        /// `<https://...>`.
        Autolink = "autolink",
        /// `https://...` without brackets.
        Bare = "bare",
        /// `[name]: url` on a line of its own.
        Reference = "reference",
    }
}

/// A link in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InlineLink {
    pub(super) form: LinkForm,
    /// Empty for autolinks and bare URLs.
    pub(super) name: String,
    pub(super) target: String,
    pub(super) title: Option<String>,
    /// The position of the first byte.
    pub(super) start: usize,
    /// The position after the last byte.
    pub(super) end: usize,
    pub(super) has_space_before: bool,
    pub(super) has_space_within: bool,
}

/// Returns every link of a line, in order.
pub(super) fn links(text: &str) -> Vec<InlineLink> {
    let bytes = text.as_bytes();
    if memchr(b'[', bytes).is_none() && memchr::memmem::find(bytes, b"://").is_none() {
        return Vec::new();
    }
    let (openers, found) = (Vec::new(), Vec::new());
    let mut scanner = Scanner { text, bytes, code: code::spans(bytes), openers, spent: 0, found, next_gt: 0 };
    scanner.run();
    scanner.found
}

struct Opener {
    at: usize,
    is_image: bool,
}

struct Scanner<'t> {
    text: &'t str,
    bytes: &'t [u8],
    /// For each code span, the first byte of the span and the first byte after it.
    code: Vec<(usize, usize)>,
    openers: Vec<Opener>,
    /// Number of openers at the bottom of the stack that precede a link. They cannot start a link, since a link cannot
    /// contain another link.
    spent: usize,
    found: Vec<InlineLink>,
    /// The position of the next `>`, searched again once the scanner has passed it.
    next_gt: usize,
}

impl Scanner<'_> {
    fn run(&mut self) {
        let mut at = 0;
        let mut spans = std::mem::take(&mut self.code).into_iter().peekable();
        while at < self.bytes.len() {
            steps::count(1);
            if let Some((_, end)) = spans.next_if(|(start, _)| *start <= at) {
                at = at.max(end);
                continue;
            }
            at = match self.bytes[at] {
                b'\\' => at + 2,
                b'!' if self.bytes.get(at + 1) == Some(&b'[') => {
                    self.openers.push(Opener { at, is_image: true });
                    at + 2
                }
                b'[' => {
                    self.openers.push(Opener { at, is_image: false });
                    at + 1
                }
                b']' => self.close(at),
                b'<' => self.angle(at),
                b'h' | b'H' => self.bare(at),
                _ => at + 1,
            };
        }
    }

    /// Handles a `]`, which may end a name. Returns the next position.
    fn close(&mut self, at: usize) -> usize {
        let Some(opener) = self.openers.pop() else { return at + 1 };
        let is_spent = self.openers.len() < self.spent;
        self.spent = self.spent.min(self.openers.len());
        let after = at + 1;
        let spaces = self.bytes[after..].iter().take(3).take_while(|byte| **byte == b' ').count();
        let paren = after + spaces;
        if self.bytes.get(paren) == Some(&b'(')
            && (spaces == 0 || looks_like_target(&self.bytes[paren + 1..]))
        {
            if let Some(target) = destination(self.text, paren) {
                if opener.is_image {
                    return target.end;
                }
                if !is_spent {
                    let end = target.end;
                    self.add(&opener, at, target, spaces > 0);
                    return end;
                }
            }
        } else if self.bytes.get(after) == Some(&b':') && !opener.is_image {
            return self.reference(&opener, at);
        }
        after
    }

    fn add(&mut self, opener: &Opener, close: usize, target: Destination<'_>, has_space_before: bool) {
        // Links inside the name, such as bare URLs, are part of the name.
        while self.found.last().is_some_and(|found| found.start >= opener.at) {
            self.found.pop();
        }
        self.spent = self.openers.len();
        self.found.push(InlineLink {
            form: LinkForm::Inline,
            name: name(&self.text[opener.at + 1..close]),
            target: plain(target.url),
            title: target.title.map(plain),
            start: opener.at,
            end: target.end,
            has_space_before,
            has_space_within: target.has_space,
        });
    }

    /// Handles `[name]: url`, alone on its line.
    fn reference(&mut self, opener: &Opener, close: usize) -> usize {
        let after = close + 2;
        let url = self.text[after..].trim();
        let is_alone = self.text[..opener.at].trim().is_empty();
        let name_text = &self.text[opener.at + 1..close];
        let url = url.split([' ', '\t']).next().unwrap_or_default();
        if !is_alone || !looks_like_target(url.as_bytes()) || name_text.starts_with('^') {
            return after;
        }
        self.found.clear();
        self.found.push(InlineLink {
            form: LinkForm::Reference,
            name: name(name_text),
            target: plain(url.trim_start_matches('<').trim_end_matches('>')),
            title: None,
            start: opener.at,
            end: self.bytes.len(),
            has_space_before: false,
            has_space_within: false,
        });
        self.bytes.len()
    }

    /// Handles a `<`: an autolink, an HTML tag to skip, or a plain character.
    fn angle(&mut self, at: usize) -> usize {
        let next = at + 1;
        if !self.bytes.get(next).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'/') {
            return next;
        }
        if self.next_gt <= at {
            self.next_gt = memchr(b'>', &self.bytes[next..]).map_or(usize::MAX, |length| next + length);
            steps::count(self.next_gt.min(self.bytes.len()) - next);
        }
        let Some(inner) = self.text.get(next..self.next_gt) else { return next };
        let other = memchr(b'<', inner.as_bytes());
        steps::count(other.unwrap_or(inner.len()));
        if other.is_some() {
            return next;
        }
        let end = self.next_gt + 1;
        if has_web_scheme(inner.as_bytes()) && !inner.contains(char::is_whitespace) {
            self.found.push(plain_url(LinkForm::Autolink, inner, at, end));
        } else if inner.contains("](") {
            return next;
        }
        end
    }

    /// Handles an `h`, which may start `https://...`.
    fn bare(&mut self, at: usize) -> usize {
        let is_within_word = at > 0
            && (self.bytes[at - 1].is_ascii_alphanumeric()
                || matches!(self.bytes[at - 1], b'"' | b'\'' | b'=' | b'/'));
        if is_within_word || !has_web_scheme(&self.bytes[at..]) {
            return at + 1;
        }
        let url = bare_url(&self.text[at..]);
        let end = at + url.len();
        // `https://example.com/{id}` is a pattern for URLs, not a URL.
        let is_template = self.bytes.get(end) == Some(&b'{');
        if !is_template && url.len() > url.find("://").unwrap_or(0) + 3 {
            self.found.push(plain_url(LinkForm::Bare, url, at, end));
        }
        end.max(at + 1)
    }
}

fn plain_url(form: LinkForm, url: &str, start: usize, end: usize) -> InlineLink {
    let (name, title) = (String::new(), None);
    let (has_space_before, has_space_within) = (false, false);
    InlineLink { form, name, target: entities(url), title, start, end, has_space_before, has_space_within }
}

#[cfg(test)]
mod tests {
    use super::target::MAX_DEPTH;
    use super::*;

    /// Returns `name>target` for each link.
    fn read(text: &str) -> Vec<String> {
        links(text).iter().map(|link| format!("{}>{}", link.name, link.target)).collect()
    }

    #[test]
    fn inline_link_is_read() {
        assert_eq!(read("[a](u) and [b](v)"), ["a>u", "b>v"]);
        assert_eq!(read("[](u) [a]()"), [">u", "a>"]);
        assert_eq!(read("[a] [b] (c)"), [""; 0]);
    }

    #[test]
    fn target_with_parentheses_angles_or_title_is_read() {
        assert_eq!(read("[a](u_(b)_(c(d)))"), ["a>u_(b)_(c(d))"]);
        assert_eq!(read("[a](<u v>)"), ["a>u v"]);
        assert_eq!(read("[a](u \"t\") [b](v 't)') [c](w\"x)"), ["a>u", "b>v", "c>w\"x"]);
        assert_eq!(links("[a](u \"t \\\" x\")")[0].title.as_deref(), Some("t \" x"));
        assert_eq!(read(r"[a](u\)v) [b](w"), ["a>u)v"]);
        assert_eq!(read("[a](u(v) [b](w)"), ["b>w"]);
    }

    #[test]
    fn link_with_misplaced_spaces_is_read_or_rejected() {
        let link = &links("[a](https://x.example/b c.html)")[0];
        assert!(link.has_space_within && link.target == "https://x.example/b c.html");
        let link = &links("[a] (https://x.example/) : note")[0];
        assert!(link.has_space_before && link.target == "https://x.example/");
        assert_eq!(read("[a] (not a link)"), [""; 0]);
        assert_eq!(read("[a](not a link)"), [""; 0]);
    }

    #[test]
    fn brackets_are_paired_as_in_commonmark() {
        assert_eq!(read("[a [2024] b](u)"), ["a [2024] b>u"]);
        assert_eq!(read("[a [b](u) c](v)"), ["b>u"]);
        assert_eq!(read("[x [b](u)"), ["b>u"]);
        assert_eq!(read(r"[a \] b](u) \[c](v)"), ["a ] b>u"]);
        assert_eq!(read("[| Name](/u)"), ["| Name>/u"]);
    }

    #[test]
    fn image_is_not_a_link_but_may_be_inside_one() {
        assert_eq!(read("![a](u)"), [""; 0]);
        assert_eq!(read("[![alt](i.png)](u)"), ["alt>u"]);
        assert_eq!(read("[![alt](i.png) text](u)"), ["alt text>u"]);
        assert_eq!(read("![a [b](u) c](i.png)"), ["b>u"]);
    }

    #[test]
    fn link_in_code_is_ignored() {
        assert_eq!(read("`[a](u)` [b](v)"), ["b>v"]);
        assert_eq!(read("`` `[a](u)` `` `https://x.example/`"), [""; 0]);
        assert_eq!(read("` [a](u)"), ["a>u"]);
        assert_eq!(read("[`a`](u)"), ["a>u"]);
    }

    #[test]
    fn bare_url_is_read() {
        assert_eq!(
            read("see https://x.example/a_(b), (https://y.example)."),
            [">https://x.example/a_(b)", ">https://y.example"]
        );
        assert_eq!(read("<https://x.example/> <mailto:a@b> <b>"), [">https://x.example/"]);
        assert_eq!(read("<a href=\"https://x.example/\">x</a> src='https://y.example'"), [""; 0]);
        assert_eq!(read("https://x.example/{id} https:// xhttps://y.example/"), [""; 0]);
        assert_eq!(
            read("[https://x.example/](https://x.example/)"),
            ["https://x.example/>https://x.example/"]
        );
        assert_eq!(read("網站https://x.example/，更多"), [">https://x.example/"]);
        assert_eq!(read("**https://x.example/**"), [">https://x.example/"]);
    }

    #[test]
    fn reference_definition_is_a_link() {
        assert_eq!(read("[docs]: https://x.example/ 'Docs'"), ["docs>https://x.example/"]);
        assert_eq!(read("[docs]: see below"), [""; 0]);
        assert_eq!(read("[^1]: https://x.example/"), [">https://x.example/"]);
    }

    #[test]
    fn markdown_is_removed_from_names() {
        assert_eq!(read(r"[OÜ: juurde\!](u)"), ["OÜ: juurde!>u"]);
        assert_eq!(
            read("[**a**](u) [A &amp; B&#8217;s &Uuml;](v?a=1&amp;b=2)"),
            ["a>u", "A & B\u{2019}s &Uuml;>v?a=1&b=2"]
        );
        assert_eq!(plain(r"a\b &#0; &#x1F600;"), "a\\b &#0; \u{1F600}");
    }

    #[test]
    fn work_is_linear_in_the_length() {
        let pieces = [
            "[",
            "]",
            "[]",
            "[](",
            "[](a ",
            "[](<",
            "[](u \"",
            "[](u '",
            "[](u (",
            "![",
            "`",
            "``` ` ",
            "<a",
            "<a>",
            "](",
            "[a](u)",
            "[![a](b)](c)",
            "https://x(",
            "h",
            "(",
            "\\",
            "[a] (/",
            "[a [b](c) ",
            "&",
            "[a](u \\\"",
            "<h",
            "![a](",
            "[](\\(",
        ];
        for piece in pieces {
            let of = |size: usize| steps::of(|| drop(links(&piece.repeat(size / piece.len()))));
            let (small, large) = (of(8_000), of(64_000));
            assert!(large <= 9 * small.max(8_000), "{piece}: {small}, then {large}");
            assert!(large <= 64_000 * 2 * (MAX_DEPTH + 1), "{piece}: {large}");
        }
    }
}
