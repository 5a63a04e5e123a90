//! Classifies each line of a Markdown file, for instance as a heading, a quote, a list item, code or text.
//!
//! The module reads the lines once and builds no tree, since an llms.txt is a flat list of headings, items and text. It
//! looks ahead one line for an underline, and further only for front matter. A tolerant reader must also recognize
//! forms that are not valid Markdown (`##Docs`, `&gt; summary`, `- [name] (url)`), with their line numbers. A
//! CommonMark parser does not return these forms. Most other lines are classified as in CommonMark.

use super::limits::MAX_LINE_BYTES;
use super::steps;
use super::text::Lines;

/// A classified line.
#[derive(Clone, Debug)]
pub(super) struct Line<'t> {
    /// The 1-based number of the line.
    pub(super) number: u32,
    /// The line as written, cut to [`MAX_LINE_BYTES`](super::MAX_LINE_BYTES).
    pub(super) text: &'t str,
    pub(super) kind: Kind<'t>,
    /// True if the line was longer than the limit.
    pub(super) is_cut: bool,
}

/// The kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind<'t> {
    Blank,
    Heading {
        level: u8,
        name: &'t str,
        style: HeadingStyle,
    },
    /// The `===` or `---` below a heading.
    Underline,
    Quote {
        text: &'t str,
        is_escaped: bool,
    },
    Item {
        indent: usize,
        marker: Marker,
        text: &'t str,
    },
    Table,
    /// A thematic break, such as `---`.
    Rule,
    /// A line in a code fence, the fence itself, or indented code.
    Code,
    /// A line in an HTML comment.
    Comment,
    FrontMatter,
    Text,
}

/// The syntax of a heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeadingStyle {
    /// `## Name`.
    Hashes,
    /// `##Name`.
    Unspaced,
    /// A line of `=` or `-` below the name.
    Underlined,
}

/// The marker of a list item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marker {
    Dash,
    /// `-[name](url)`.
    UnspacedDash,
    /// `*`, `+` or a bullet character.
    Other,
    /// `1.` or `1)`.
    Number,
}

/// The block that the next line continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Nothing,
    Fence {
        byte: u8,
        length: usize,
    },
    Comment,
    FrontMatter,
    /// A heading whose underline is the next line.
    Underline,
}

/// An iterator over the lines of a file, with the kind of each line.
pub(super) struct Blocks<'t> {
    lines: Lines<'t>,
    number: u32,
    open: Open,
    /// True at the start of the file, and after a blank line, a comment or front matter.
    after_blank: bool,
    /// True if the last line that was not blank was code.
    after_code: bool,
    /// True in a list, to which indented lines belong.
    in_list: bool,
    /// True if any previous line was not blank.
    has_content: bool,
}

impl<'t> Blocks<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Blocks {
            lines: Lines::new(text),
            number: 0,
            open: Open::Nothing,
            after_blank: true,
            after_code: false,
            in_list: false,
            has_content: false,
        }
    }

    /// Returns the kind of the block that is not closed at the end of the file: [`Kind::Code`] or [`Kind::Comment`].
    pub(super) fn unclosed_block(&self) -> Option<Kind<'static>> {
        match self.open {
            Open::Fence { .. } => Some(Kind::Code),
            Open::Comment => Some(Kind::Comment),
            _ => None,
        }
    }

    fn classify(&mut self, text: &'t str) -> Kind<'t> {
        let bare = text.trim();
        match self.open {
            Open::Fence { byte, length } => {
                if fence(bare).is_some_and(|(b, l, info)| b == byte && l >= length && info.is_empty()) {
                    self.open = Open::Nothing;
                }
                return Kind::Code;
            }
            Open::Comment => {
                if bare.contains("-->") {
                    self.open = Open::Nothing;
                }
                return Kind::Comment;
            }
            Open::FrontMatter => {
                if is_front_matter_end(bare) {
                    self.open = Open::Nothing;
                }
                return Kind::FrontMatter;
            }
            Open::Underline => {
                self.open = Open::Nothing;
                return Kind::Underline;
            }
            Open::Nothing => {}
        }
        if bare.is_empty() {
            return Kind::Blank;
        }
        if bare == "---" && self.is_at_start() && self.front_matter_follows() {
            self.open = Open::FrontMatter;
            return Kind::FrontMatter;
        }
        if let Some((byte, length, _)) = fence(bare) {
            self.open = Open::Fence { byte, length };
            return Kind::Code;
        }
        if let Some(comment) = bare.strip_prefix("<!--") {
            if !comment.contains("-->") {
                self.open = Open::Comment;
            }
            return Kind::Comment;
        }
        self.classify_content(text, bare)
    }

    fn classify_content(&mut self, text: &'t str, bare: &'t str) -> Kind<'t> {
        let indent = indent(text);
        if indent >= 4 && !self.in_list && (self.after_code || self.after_blank) && item(bare).is_none() {
            return Kind::Code;
        }
        if indent < 4
            && let Some((level, name, style)) = hashes(bare, self.has_content)
        {
            return Kind::Heading { level, name, style };
        }
        if let Some(quoted) = bare.strip_prefix('>') {
            return Kind::Quote { text: quoted.trim(), is_escaped: false };
        }
        if let Some(quoted) = bare.strip_prefix("&gt;") {
            return Kind::Quote { text: quoted.trim(), is_escaped: true };
        }
        if is_rule(bare) {
            return Kind::Rule;
        }
        if let Some((marker, text)) = item(bare) {
            return Kind::Item { indent, marker, text };
        }
        if bare.starts_with('|') {
            return Kind::Table;
        }
        if indent < 4
            && self.after_blank
            && let Some(level) = self.underline_follows()
        {
            self.open = Open::Underline;
            return Kind::Heading { level, name: bare, style: HeadingStyle::Underlined };
        }
        Kind::Text
    }

    /// Returns true for the first line, the only line at which front matter may start.
    fn is_at_start(&self) -> bool {
        self.number == 1
    }

    /// Returns true if the next lines start with a YAML key and contain the end of front matter.
    fn front_matter_follows(&self) -> bool {
        let mut lines = self.lines.clone().inspect(|line| steps::count(line.len() + 1));
        let first = lines.by_ref().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
        first.is_some_and(|line| yaml_key(line).is_some())
            && lines.any(|line| is_front_matter_end(line.trim()))
    }

    /// Returns the level of the heading if the next line is the underline of this line.
    fn underline_follows(&self) -> Option<u8> {
        let next = self.lines.clone().next()?.trim();
        steps::count(next.len() + 1);
        let is_line_of = |byte: u8| next.len() >= 3 && next.bytes().all(|b| b == byte);
        if is_line_of(b'=') {
            Some(1)
        } else if is_line_of(b'-') {
            Some(2)
        } else {
            None
        }
    }
}

impl<'t> Iterator for Blocks<'t> {
    type Item = Line<'t>;

    fn next(&mut self) -> Option<Line<'t>> {
        let whole = self.lines.next()?;
        self.number = self.number.saturating_add(1);
        let text = cut(whole);
        steps::count(whole.len() + 1);
        let kind = self.classify(text);
        self.has_content |= kind != Kind::Blank;
        self.after_blank = matches!(kind, Kind::Blank | Kind::Comment | Kind::FrontMatter);
        self.after_code = kind == Kind::Code || (self.after_code && kind == Kind::Blank);
        match kind {
            Kind::Item { .. } => self.in_list = true,
            Kind::Heading { .. } | Kind::Rule => self.in_list = false,
            Kind::Text if indent(text) == 0 => self.in_list = false,
            _ => {}
        }
        Some(Line { number: self.number, text, kind, is_cut: text.len() < whole.len() })
    }
}

/// Returns a line up to the maximum length.
fn cut(line: &str) -> &str {
    if line.len() <= MAX_LINE_BYTES {
        return line;
    }
    let mut end = MAX_LINE_BYTES;
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    &line[..end]
}

/// Returns the number of columns of leading white space. A tab advances to the next multiple of four.
pub(super) fn indent(line: &str) -> usize {
    let mut columns = 0;
    for byte in line.bytes() {
        match byte {
            b' ' => columns += 1,
            b'\t' => columns += 4 - columns % 4,
            _ => break,
        }
    }
    columns
}

/// Returns the parts of a code fence: its character, its length, the text after it.
fn fence(bare: &str) -> Option<(u8, usize, &str)> {
    let byte = *bare.as_bytes().first().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let length = bare.bytes().take_while(|&b| b == byte).count();
    let info = bare[length..].trim();
    // With a backtick in the info string, the text is a code span, not a fence (CommonMark 4.5).
    (length >= 3 && !(byte == b'`' && info.contains('`'))).then_some((byte, length, info))
}

fn hashes(bare: &str, has_content: bool) -> Option<(u8, &str, HeadingStyle)> {
    let level = bare.bytes().take_while(|&byte| byte == b'#').count();
    let after = &bare[level..];
    let level = u8::try_from(level).ok().filter(|level| (1..=6).contains(level))?;
    let style = match after.chars().next() {
        None | Some(' ' | '\t') => HeadingStyle::Hashes,
        // `#1` is usually prose, not a heading. So is `#tag`, except as the first content of a file.
        Some(c) if c.is_alphabetic() && (level > 1 || !has_content) => HeadingStyle::Unspaced,
        Some(_) => return None,
    };
    let name = after.trim();
    let open = name.trim_end_matches('#');
    let name = if open.is_empty() || open.ends_with([' ', '\t']) { open.trim_end() } else { name };
    Some((level, name, style))
}

/// Returns true if a line is three or more `-`, `*`, `_` or `=`, with or without spaces between them.
fn is_rule(bare: &str) -> bool {
    let Some(&first) = bare.as_bytes().first().filter(|byte| matches!(byte, b'-' | b'*' | b'_' | b'='))
    else {
        return false;
    };
    let is_mark_or_space = |byte: u8| byte == first || byte == b' ' || byte == b'\t';
    bare.bytes().all(is_mark_or_space) && bare.bytes().filter(|&byte| byte == first).count() >= 3
}

/// Returns the parts of a list item: its marker and the text after it.
fn item(bare: &str) -> Option<(Marker, &str)> {
    let spaced = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t']);
    for (mark, marker) in
        [("-", Marker::Dash), ("*", Marker::Other), ("+", Marker::Other), ("\u{2022}", Marker::Other)]
    {
        if let Some(rest) = bare.strip_prefix(mark) {
            return if spaced(rest) {
                Some((marker, rest.trim()))
            } else if marker == Marker::Dash && rest.starts_with('[') {
                Some((Marker::UnspacedDash, rest))
            } else {
                None
            };
        }
    }
    let digits = bare.bytes().take(10).take_while(u8::is_ascii_digit).count();
    let rest = bare[digits..].strip_prefix(['.', ')'])?;
    ((1..=9).contains(&digits) && spaced(rest)).then_some((Marker::Number, rest.trim()))
}

fn is_front_matter_end(bare: &str) -> bool {
    bare == "---" || bare == "..."
}

/// Returns the key of a line such as `key: value`, at the left margin.
pub(super) fn yaml_key(line: &str) -> Option<&str> {
    let (key, value) = line.split_once(':')?;
    let is_name = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    (is_name && (value.is_empty() || value.starts_with([' ', '\t']))).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a letter for the kind of each line.
    fn shape(text: &str) -> String {
        let letter = |line: Line<'_>| match line.kind {
            Kind::Blank => '.',
            Kind::Heading { level, .. } => char::from(b'0' + level),
            Kind::Underline => '_',
            Kind::Quote { .. } => 'q',
            Kind::Item { .. } => 'i',
            Kind::Table => '|',
            Kind::Rule => 'r',
            Kind::Code => 'c',
            Kind::Comment => '!',
            Kind::FrontMatter => 'f',
            Kind::Text => 't',
        };
        Blocks::new(text).map(letter).collect()
    }

    #[test]
    fn line_of_each_kind_is_classified() {
        assert_eq!(shape("# T\n\n> s\n\ntext\n- a\n* b\n1. c\n| x |\n---"), "1.q.tiii|r");
        assert_eq!(shape("##Docs\n#tag\n####### seven\n### three ###"), "2tt3");
        assert_eq!(shape("\n#Title\n#tag"), ".1t");
        assert_eq!(shape("&gt; s\n\u{2022} a\n-[a](b)\n-5 degrees"), "qiit");
    }

    #[test]
    fn fence_ends_with_a_fence_of_its_kind() {
        assert_eq!(shape("```md\n# no\n~~~\n``\n````\n# yes"), "ccccc1");
        assert_eq!(shape("~~~\n```\n~~~\nt"), "ccct");
        assert_eq!(shape("``` a `b`\nt"), "tt");
        let mut blocks = Blocks::new("```\nx");
        assert_eq!(blocks.by_ref().count(), 2);
        assert_eq!(blocks.unclosed_block(), Some(Kind::Code));
    }

    #[test]
    fn comment_spans_several_lines() {
        assert_eq!(shape("<!-- a\n# no\n-->\n# yes\n<!-- b -->\nt"), "!!!1!t");
    }

    #[test]
    fn front_matter_requires_yaml_and_an_end() {
        assert_eq!(shape("---\ntitle: x\n---\n# T"), "fff1");
        assert_eq!(shape("---\n# T\n\ntext\n---"), "r1.2_");
        assert_eq!(shape("---\ntitle: x\n"), "rt");
        assert_eq!(shape("# T\n\n---\nurl: x\n---\n"), "1.rtr");
    }

    #[test]
    fn underlined_heading_requires_a_blank_line_before_it() {
        assert_eq!(shape("Title\n=====\n\nPart\n---\n\na\nb\n---"), "1_.2_.ttr");
    }

    #[test]
    fn indented_line_is_code_only_outside_lists() {
        assert_eq!(shape("a\n\n    # code\n    more\n\nb"), "t.cc.t");
        assert_eq!(shape("- a\n\n    more\n    - b"), "i.ti");
        assert_eq!(shape("a\n\n    - [x](y)"), "t.i");
    }

    #[test]
    fn closing_hashes_are_removed_from_names() {
        let name = |text| hashes(text, true).map(|(_, name, _)| name);
        assert_eq!(name("## a ##"), Some("a"));
        assert_eq!(name("## C#"), Some("C#"));
        assert_eq!(name("##"), Some(""));
        assert_eq!(name("## #"), Some(""));
    }
}
