//! Links within one line.
//!
//! The brackets are matched with a stack in one pass, as CommonMark describes: at each `]` the nearest open `[` is the
//! only one that can make a link. Targets are read ahead, but at most [`MAX_DEPTH`] parentheses deep, so that what is read
//! twice is bounded. Beyond CommonMark, spaces are tolerated in a target and before it, and bare URLs are links.

use memchr::memchr;

use super::steps;

/// Parentheses in a target may be nested this deep, as in CommonMark's own program.
const MAX_DEPTH: usize = 32;

/// How a link is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum LinkForm {
    /// `[name](url)`.
    Inline,
    /// `<https://...>`.
    Autolink,
    /// `https://...` with nothing around it.
    Bare,
    /// `[name]: url` on a line of its own.
    Reference,
}

impl LinkForm {
    /// Its name in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            LinkForm::Inline => "inline",
            LinkForm::Autolink => "autolink",
            LinkForm::Bare => "bare",
            LinkForm::Reference => "reference",
        }
    }
}

/// A link in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) form: LinkForm,
    /// Empty for autolinks and bare URLs.
    pub(super) name: String,
    pub(super) target: String,
    pub(super) title: Option<String>,
    /// The first byte of the link and the first behind it.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) has_space_before: bool,
    pub(super) has_space_within: bool,
}

/// Every link of a line, in order.
pub(super) fn links(text: &str) -> Vec<Found> {
    let bytes = text.as_bytes();
    if memchr(b'[', bytes).is_none() && memchr::memmem::find(bytes, b"://").is_none() {
        return Vec::new();
    }
    let (openers, found) = (Vec::new(), Vec::new());
    let mut scanner = Scanner { text, bytes, code: code_spans(bytes), openers, spent: 0, found, next_gt: 0 };
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
    /// Code spans: first byte and first byte behind.
    code: Vec<(usize, usize)>,
    openers: Vec<Opener>,
    /// So many openers, from the bottom, have a link behind them and can make none themselves: no links in links.
    spent: usize,
    found: Vec<Found>,
    /// No `>` stands before here, as far as was looked.
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

    /// A `]`: the end of a name, or of nothing. Returns where to go on.
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
        // What was found inside the name is part of the name.
        while self.found.last().is_some_and(|found| found.start >= opener.at) {
            self.found.pop();
        }
        self.spent = self.openers.len();
        self.found.push(Found {
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

    /// `[name]: url`, alone on its line.
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
        self.found.push(Found {
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

    /// A `<`: an autolink, an HTML tag to jump over, or a character.
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

    /// An `h`: perhaps `https://...`.
    fn bare(&mut self, at: usize) -> usize {
        let is_within_word = at > 0
            && (self.bytes[at - 1].is_ascii_alphanumeric()
                || matches!(self.bytes[at - 1], b'"' | b'\'' | b'=' | b'/'));
        if is_within_word || !has_web_scheme(&self.bytes[at..]) {
            return at + 1;
        }
        let url = bare_url(&self.text[at..]);
        let end = at + url.len();
        // `https://example.com/{id}` is a pattern for URLs, not one of them.
        let is_template = self.bytes.get(end) == Some(&b'{');
        if !is_template && url.len() > url.find("://").unwrap_or(0) + 3 {
            self.found.push(plain_url(LinkForm::Bare, url, at, end));
        }
        end.max(at + 1)
    }
}

fn plain_url(form: LinkForm, url: &str, start: usize, end: usize) -> Found {
    let (name, title) = (String::new(), None);
    let (has_space_before, has_space_within) = (false, false);
    Found { form, name, target: entities(url), title, start, end, has_space_before, has_space_within }
}

/// `http://` or `https://`, in any case.
pub(super) fn has_web_scheme(text: &[u8]) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()))
    })
}

fn looks_like_target(text: &[u8]) -> bool {
    has_web_scheme(text) || matches!(text, [b'/', ..] | [b'<', b'h' | b'/', ..])
}

/// The URL at the start of a text: up to white space or what encloses URLs, without closing punctuation.
fn bare_url(text: &str) -> &str {
    let ends = |c: char| {
        c.is_whitespace()
            || matches!(c, '<' | '>' | '"' | '`' | '[' | ']' | '|' | '{' | '}' | '\\' | '^')
            || is_cjk_punctuation(c)
    };
    let mut depth = 0_usize;
    let end = text
        .char_indices()
        .find(|&(_, c)| match c {
            '(' => {
                depth += 1;
                false
            }
            ')' if depth == 0 => true,
            ')' => {
                depth -= 1;
                false
            }
            c => ends(c),
        })
        .map_or(text.len(), |(at, _)| at);
    steps::count(end);
    text[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_', '~', '\u{2026}'])
}

fn is_cjk_punctuation(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{FF01}' | '\u{FF08}' | '\u{FF09}' | '\u{FF0C}' | '\u{FF1A}' | '\u{FF1B}' | '\u{FF1F}')
}

/// What stands between the parentheses of a link.
struct Destination<'t> {
    url: &'t str,
    title: Option<&'t str>,
    end: usize,
    has_space: bool,
}

/// Reads `(url)`, `(<url>)`, `(url "title")` and, beyond CommonMark, `(url with spaces)`.
fn destination(text: &str, paren: usize) -> Option<Destination<'_>> {
    let bytes = text.as_bytes();
    let start = skip_spaces(bytes, paren + 1);
    if bytes.get(start) == Some(&b'<') {
        let inner = &bytes[start + 1..];
        let length = inner.iter().position(|&byte| matches!(byte, b'<' | b'>'))?;
        steps::count(length);
        if inner[length] == b'>' {
            let (title, end) = rest(text, start + length + 2)?;
            let url = &text[start + 1..start + 1 + length];
            return Some(Destination { url: url.trim(), title, end, has_space: false });
        }
        return None;
    }
    let (stop, close) = balanced(bytes, start)?;
    // White space stops a target: a title follows, or it has spaces.
    let (url, with_rest) = (&text[start..stop], &text[start..close]);
    if stop < close
        && let Some((title, end)) = rest(text, stop)
    {
        return Some(Destination { url, title, end, has_space: false });
    }
    let url = with_rest.trim_end();
    let has_space = url.contains([' ', '\t']);
    if has_space && !looks_like_target(url.as_bytes()) {
        return None;
    }
    Some(Destination { url, title: None, end: close + 1, has_space })
}

/// Where a target that starts at `start` meets white space, and where its parentheses close.
fn balanced(bytes: &[u8], start: usize) -> Option<(usize, usize)> {
    let (mut depth, mut at, mut space) = (0_usize, start, None);
    loop {
        steps::count(1);
        match *bytes.get(at)? {
            b'\\' if bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation) => at += 1,
            b'(' if depth == MAX_DEPTH => return None,
            b'(' => depth += 1,
            b')' if depth == 0 => return Some((space.unwrap_or(at), at)),
            b')' => depth -= 1,
            b' ' | b'\t' if space.is_none() => space = Some(at),
            _ => {}
        }
        at += 1;
    }
}

/// What may follow a target: a title, and the closing parenthesis.
fn rest(text: &str, from: usize) -> Option<(Option<&str>, usize)> {
    let bytes = text.as_bytes();
    let at = skip_spaces(bytes, from);
    let (title, at) = match bytes.get(at)? {
        quote @ (b'"' | b'\'') if at > from => {
            let inner = &bytes[at + 1..];
            let length = unescaped(inner, *quote)?;
            (Some(&text[at + 1..at + 1 + length]), skip_spaces(bytes, at + length + 2))
        }
        _ => (None, at),
    };
    (bytes.get(at) == Some(&b')')).then_some((title, at + 1))
}

/// The first `wanted` without a backslash before it.
fn unescaped(bytes: &[u8], wanted: u8) -> Option<usize> {
    let mut at = 0;
    loop {
        steps::count(1);
        match *bytes.get(at)? {
            b'\\' => at += 2,
            byte if byte == wanted => return Some(at),
            _ => at += 1,
        }
    }
}

fn skip_spaces(bytes: &[u8], from: usize) -> usize {
    from + bytes
        .get(from..)
        .unwrap_or_default()
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count()
}

/// Runs of backticks that have a partner of the same length (CommonMark 6.1), in one pass from the right.
fn code_spans(bytes: &[u8]) -> Vec<(usize, usize)> {
    if memchr(b'`', bytes).is_none() {
        return Vec::new();
    }
    let runs = backtick_runs(bytes);
    // For each run, the next run of its length.
    let mut next = vec![None; runs.len()];
    let mut last_of_length = std::collections::HashMap::new();
    for (index, &(_, length)) in runs.iter().enumerate().rev() {
        next[index] = last_of_length.insert(length, index);
    }
    let (mut spans, mut index) = (Vec::new(), 0);
    while index < runs.len() {
        index = match next[index] {
            Some(partner) => {
                spans.push((runs[index].0, runs[partner].0 + runs[partner].1));
                partner + 1
            }
            None => index + 1,
        };
    }
    spans
}

/// Where runs of backticks start, and their lengths; an escaped backtick is none.
fn backtick_runs(bytes: &[u8]) -> Vec<(usize, usize)> {
    let (mut runs, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        steps::count(1);
        match bytes[at] {
            b'\\' if bytes.get(at + 1) == Some(&b'`') => at += 2,
            b'`' => {
                let length = bytes[at..].iter().take_while(|byte| **byte == b'`').count();
                runs.push((at, length));
                at += length;
            }
            _ => at += 1,
        }
    }
    runs
}

/// The name of a link: images give their description, emphasis around the whole goes.
fn name(text: &str) -> String {
    let without_images = if text.contains("![") { image_descriptions(text) } else { text.to_owned() };
    let mut bare = without_images.trim();
    for mark in ["**", "__", "*", "_", "`"] {
        if let Some(inner) = bare.strip_prefix(mark).and_then(|inner| inner.strip_suffix(mark)) {
            bare = inner;
        }
    }
    plain(bare)
}

/// `![description](source)` becomes `description`.
fn image_descriptions(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, image)) = rest.split_once("![") {
        out.push_str(before);
        let Some((description, after)) = image.split_once(']') else {
            rest = image;
            continue;
        };
        out.push_str(description);
        rest = match after.strip_prefix('(') {
            Some(source) => source.split_once(')').map_or("", |(_, after)| after),
            None => after,
        };
    }
    out.push_str(rest);
    out
}

/// Text without backslash escapes and with the commonest entities decoded (CommonMark 2.4 and 2.5), white space at its
/// ends gone.
pub(super) fn plain(text: &str) -> String {
    let text = text.trim();
    if !text.contains('\\') {
        return entities(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.push(chars.next_if(char::is_ascii_punctuation).unwrap_or('\\')),
            c => out.push(c),
        }
    }
    entities(&out)
}

/// The longest entity that is decoded: `&#1114111;`.
const MAX_ENTITY: usize = 10;

/// Numeric entities and the five of XML, `&nbsp;` as a space. Others stay as they are.
fn entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr(b'&', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let end = rest.bytes().take(MAX_ENTITY).position(|byte| byte == b';');
        match end.and_then(|end| Some((entity(&rest[..end])?, end))) {
            Some((c, end)) => {
                out.push(c);
                rest = &rest[end + 1..];
            }
            None => out.push('&'),
        }
    }
    out.push_str(rest);
    out
}

fn entity(name: &str) -> Option<char> {
    let number = match name.strip_prefix('#') {
        Some(digits) => match digits.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => digits.parse().ok()?,
        },
        None => {
            return match name {
                "amp" => Some('&'),
                "lt" => Some('<'),
                "gt" => Some('>'),
                "quot" => Some('"'),
                "apos" => Some('\''),
                "nbsp" => Some(' '),
                _ => None,
            };
        }
    };
    char::from_u32(number).filter(|c| !c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `name>target` of each link.
    fn read(text: &str) -> Vec<String> {
        links(text).iter().map(|link| format!("{}>{}", link.name, link.target)).collect()
    }

    #[test]
    fn plain_links() {
        assert_eq!(read("[a](u) and [b](v)"), ["a>u", "b>v"]);
        assert_eq!(read("[](u) [a]()"), [">u", "a>"]);
        assert_eq!(read("[a] [b] (c)"), [""; 0]);
    }

    #[test]
    fn targets_with_parentheses_angles_and_titles() {
        assert_eq!(read("[a](u_(b)_(c(d)))"), ["a>u_(b)_(c(d))"]);
        assert_eq!(read("[a](<u v>)"), ["a>u v"]);
        assert_eq!(read("[a](u \"t\") [b](v 't)') [c](w\"x)"), ["a>u", "b>v", "c>w\"x"]);
        assert_eq!(links("[a](u \"t \\\" x\")")[0].title.as_deref(), Some("t \" x"));
        assert_eq!(read(r"[a](u\)v) [b](w"), ["a>u)v"]);
        assert_eq!(read("[a](u(v) [b](w)"), ["b>w"]);
    }

    #[test]
    fn slips_that_markdown_does_not_forgive() {
        let link = &links("[a](https://x.example/b c.html)")[0];
        assert!(link.has_space_within && link.target == "https://x.example/b c.html");
        let link = &links("[a] (https://x.example/) : note")[0];
        assert!(link.has_space_before && link.target == "https://x.example/");
        assert_eq!(read("[a] (not a link)"), [""; 0]);
        assert_eq!(read("[a](not a link)"), [""; 0]);
    }

    #[test]
    fn brackets_pair_as_in_commonmark() {
        assert_eq!(read("[a [2024] b](u)"), ["a [2024] b>u"]);
        assert_eq!(read("[a [b](u) c](v)"), ["b>u"]);
        assert_eq!(read("[x [b](u)"), ["b>u"]);
        assert_eq!(read(r"[a \] b](u) \[c](v)"), ["a ] b>u"]);
        assert_eq!(read("[| Name](/u)"), ["| Name>/u"]);
    }

    #[test]
    fn images_are_no_links_but_may_stand_in_one() {
        assert_eq!(read("![a](u)"), [""; 0]);
        assert_eq!(read("[![alt](i.png)](u)"), ["alt>u"]);
        assert_eq!(read("[![alt](i.png) text](u)"), ["alt text>u"]);
        assert_eq!(read("![a [b](u) c](i.png)"), ["b>u"]);
    }

    #[test]
    fn code_yields_nothing() {
        assert_eq!(read("`[a](u)` [b](v)"), ["b>v"]);
        assert_eq!(read("`` `[a](u)` `` `https://x.example/`"), [""; 0]);
        assert_eq!(read("` [a](u)"), ["a>u"]);
        assert_eq!(read("[`a`](u)"), ["a>u"]);
    }

    #[test]
    fn urls_without_markdown_around_them() {
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
    fn reference_definitions_are_links() {
        assert_eq!(read("[docs]: https://x.example/ 'Docs'"), ["docs>https://x.example/"]);
        assert_eq!(read("[docs]: see below"), [""; 0]);
        assert_eq!(read("[^1]: https://x.example/"), [">https://x.example/"]);
    }

    #[test]
    fn names_are_text() {
        assert_eq!(read(r"[OÜ: juurde\!](u)"), ["OÜ: juurde!>u"]);
        assert_eq!(
            read("[**a**](u) [A &amp; B&#8217;s &Uuml;](v?a=1&amp;b=2)"),
            ["a>u", "A & B\u{2019}s &Uuml;>v?a=1&b=2"]
        );
        assert_eq!(plain(r"a\b &#0; &#x1F600;"), "a\\b &#0; \u{1F600}");
    }

    #[test]
    fn the_work_grows_with_the_length_and_no_faster() {
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
