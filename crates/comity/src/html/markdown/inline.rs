//! Writes inline text: the text of one block with its styles and links.
//!
//! Delimiters are written only where the styles of the text change. Adjacent texts of one style are therefore joined,
//! empty elements produce no output, and white space is written outside the delimiters, as CommonMark requires.

use std::rc::Rc;

use super::MAX_LINK_PARTS;
use super::elements::Style;
use super::escape;

/// The target of a link.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) url: String,
    pub(super) title: String,
}

/// A style that an element requests.
#[derive(Clone, Debug)]
pub(super) struct StyleRequest {
    /// The index of the element.
    pub(super) element: u8,
    pub(super) style: Style,
    /// The link, if the style is [`Style::Link`].
    pub(super) link: Option<Rc<Link>>,
    /// Number of times that the link was begun; 0 for other styles.
    pub(super) parts: u8,
    /// The style ends when fewer elements than this are open.
    pub(super) depth: usize,
}

/// A style whose opening delimiter is written.
#[derive(Debug)]
struct Open {
    style: Style,
    link: Option<Rc<Link>>,
    /// The position in the text of the block at which the styled text begins.
    start: usize,
    delimiter: &'static str,
}

impl Open {
    fn satisfies(&self, request: &StyleRequest) -> bool {
        let is_same_link = match (&self.link, &request.link) {
            (Some(one), Some(other)) => Rc::ptr_eq(one, other),
            (None, None) => true,
            _ => false,
        };
        self.style == request.style && is_same_link
    }
}

/// The text of a block that is being written.
#[derive(Debug, Default)]
pub(super) struct Inline {
    text: String,
    open: Vec<Open>,
    /// The unescaped text of the open code.
    code: String,
    has_space: bool,
    breaks: usize,
}

impl Inline {
    /// Returns the length of the text in bytes.
    pub(super) fn len(&self) -> usize {
        self.text.len() + self.code.len()
    }

    /// Returns true if the block has no text.
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of line breaks since the last text.
    pub(super) fn breaks(&self) -> usize {
        self.breaks
    }

    /// Adds a line break, which is written only if more text follows.
    pub(super) fn line_break(&mut self) {
        self.breaks += usize::from(!self.is_empty());
    }

    /// Adds a space, which is written only if more text follows.
    pub(super) fn space(&mut self) {
        self.has_space |= !self.is_empty();
    }

    /// Writes the text of an HTML text node.
    pub(super) fn text(&mut self, text: &str, requests: &mut [StyleRequest]) {
        let mut is_shown = false;
        let mut words = text.split([' ', '\t', '\n', '\r', '\u{c}']).enumerate().peekable();
        while let Some((at, word)) = words.next() {
            if at > 0 {
                self.space();
            }
            if word.is_empty() {
                continue;
            }
            if is_shown {
                self.write_space();
            } else {
                self.show(requests);
                is_shown = true;
            }
            self.word(word, words.peek().is_some());
        }
    }

    fn word(&mut self, word: &str, before_space: bool) {
        if self.is_open(Style::Code) {
            self.code.extend(word.chars().filter(|char| !char.is_control()));
        } else {
            let in_link = self.is_open(Style::Link);
            escape::text(&mut self.text, word, in_link, before_space);
        }
    }

    /// Writes text that is already Markdown, such as the box of a task.
    pub(super) fn raw(&mut self, markdown: &str) {
        self.text.push_str(markdown);
    }

    /// Writes an image.
    pub(super) fn image(&mut self, alt: &str, link: &Link, requests: &mut [StyleRequest]) {
        self.show(requests);
        // An image cannot be inside code, and code is the innermost style.
        if self.is_open(Style::Code) {
            self.close_to(self.open.len() - 1);
        }
        self.text.push_str("![");
        for (at, word) in alt.split_whitespace().enumerate() {
            self.text.push_str(if at > 0 { " " } else { "" });
            escape::text(&mut self.text, word, true, false);
        }
        self.text.push_str("](");
        escape::address(&mut self.text, &link.url);
        escape::title(&mut self.text, &link.title);
        self.text.push(')');
    }

    fn is_open(&self, style: Style) -> bool {
        self.open.iter().any(|open| open.style == style)
    }

    /// Closes and opens styles until the open styles are the requested ones. Writes pending white space between the
    /// closing and the opening delimiters.
    fn show(&mut self, requests: &mut [StyleRequest]) {
        let (wanted, count) = self.wanted(requests);
        let wanted = &wanted[..count];
        let same =
            self.open.iter().zip(wanted).take_while(|(open, at)| open.satisfies(&requests[**at])).count();
        let closed = self.open.len() > same;
        self.close_to(same);
        self.write_space();
        for &at in &wanted[same..] {
            self.begin(&mut requests[at], closed);
        }
    }

    /// Returns the styles to write, in the order of their delimiters: at most one of each style, with code inside all
    /// others.
    fn wanted(&self, requests: &[StyleRequest]) -> ([usize; 5], usize) {
        let (mut chosen, mut count) = ([0; 5], 0);
        let mut code = None;
        for (at, request) in requests.iter().enumerate() {
            let is_new =
                !chosen[..count].iter().any(|&before: &usize| requests[before].style == request.style);
            match request.style {
                Style::Code => code = code.or(Some(at)),
                Style::Link if !self.may_link(request) => {}
                _ if is_new => {
                    chosen[count] = at;
                    count += 1;
                }
                _ => {}
            }
        }
        if let Some(at) = code {
            chosen[count] = at;
            count += 1;
        }
        (chosen, count)
    }

    /// Returns true if the link of a request is open, or may be opened once more.
    fn may_link(&self, request: &StyleRequest) -> bool {
        request.link.is_some()
            && (request.parts < MAX_LINK_PARTS || self.open.iter().any(|open| open.satisfies(request)))
    }

    fn write_space(&mut self) {
        let code = self.open.last().is_some_and(|open| open.style == Style::Code);
        let out = if code { &mut self.code } else { &mut self.text };
        if self.breaks > 0 && !code {
            out.push_str("  \n");
        } else if self.breaks > 0 || self.has_space {
            out.push(' ');
        }
        (self.breaks, self.has_space) = (0, false);
    }

    fn begin(&mut self, request: &mut StyleRequest, after_close: bool) {
        // Directly after a closing `*`, an opening `**` would be parsed as `***`, so underscores are used.
        let is_crowded = after_close && self.text.ends_with(['*', '_', '~']);
        let delimiter = match request.style {
            Style::Link if self.text.ends_with('!') => "\\",
            Style::Strong if is_crowded => "__",
            Style::Strong => "**",
            Style::Emphasis if is_crowded => "_",
            Style::Emphasis => "*",
            Style::Strike => "~~",
            Style::Link | Style::Code => "",
        };
        if delimiter == "\\" {
            self.text.insert(self.text.len() - 1, '\\');
        } else {
            self.text.push_str(delimiter);
        }
        if request.style == Style::Link {
            self.text.push('[');
            request.parts += 1;
        }
        self.open.push(Open {
            style: request.style,
            link: request.link.clone(),
            start: self.text.len(),
            delimiter,
        });
    }

    fn close_to(&mut self, count: usize) {
        while self.open.len() > count
            && let Some(open) = self.open.pop()
        {
            match (open.style, &open.link) {
                (Style::Code, _) => self.close_code(),
                (_, Some(link)) => self.close_link(open.start, link),
                _ => self.text.push_str(open.delimiter),
            }
        }
    }

    fn close_link(&mut self, start: usize, link: &Link) {
        let is_its_address = link.title.is_empty()
            && link.url == self.text[start..]
            && (link.url.starts_with("https://") || link.url.starts_with("http://"))
            && !link.url.contains(['<', '>', ' ']);
        if is_its_address {
            self.text.replace_range(start - 1..start, "<");
            self.text.push('>');
            return;
        }
        self.text.push_str("](");
        escape::address(&mut self.text, &link.url);
        escape::title(&mut self.text, &link.title);
        self.text.push(')');
    }

    fn close_code(&mut self) {
        if self.code.is_empty() {
            return;
        }
        let fence = "`".repeat(longest_run(&self.code) + 1);
        let pad = if self.code.starts_with('`') || self.code.ends_with('`') { " " } else { "" };
        for part in [&fence, pad, &self.code, pad, &fence] {
            self.text.push_str(part);
        }
        self.code.clear();
    }

    /// Returns the whole text with all styles closed.
    pub(super) fn finish(&mut self) -> String {
        self.close_to(0);
        (self.breaks, self.has_space) = (0, false);
        std::mem::take(&mut self.text)
    }
}

/// Returns the length of the longest run of backticks.
pub(super) fn longest_run(code: &str) -> usize {
    code.split(|char| char != '`').map(str::len).max().unwrap_or_default()
}
