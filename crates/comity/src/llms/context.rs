//! Expansion of an llms.txt into one text for a language model, as the first version of the proposal describes it
//! (`llms-ctx.txt`, and `llms-ctx-full.txt` with the optional sections).
//!
//! The form is that of the reference program: `<project>`, an element per section, a `<doc>` per link. The reference
//! program writes everything as it is. Here text is escaped, so that no document can close its element and pass for
//! another part. The text itself is still untrusted.

use std::fmt::Write as _;

use super::file::{Link, LinkPlace, LlmsTxt, Passage, Section};
use super::inline::LinkForm;

/// The largest number of bytes of an expansion, unless set otherwise: 8 MiB.
pub const DEFAULT_MAX_CONTEXT_BYTES: usize = 8 * 1024 * 1024;

/// The largest number of documents that are fetched for one expansion unless set otherwise.
pub const DEFAULT_MAX_DOCUMENTS: usize = 1_000;

/// Expands an llms.txt.
///
/// ```
/// use comity::llms::{Expansion, LlmsTxt};
///
/// let llms = LlmsTxt::parse("# Reed\n\n> Tools.\n\n## Docs\n\n- [Start](https://example.com/start.md): first steps\n");
/// let context = Expansion::new().expand(&llms, |link| Ok::<_, ()>(format!("About {} <b>", link.name())));
/// assert_eq!(context.text(), "<project title=\"Reed\" summary=\"Tools.\">\
///     <docs><doc title=\"Start\" desc=\"first steps\">About Start &lt;b></doc></docs></project>");
/// ```
#[derive(Clone, Debug)]
pub struct Expansion {
    with_optional: bool,
    max_bytes: usize,
    max_documents: usize,
}

impl Default for Expansion {
    fn default() -> Self {
        Expansion::new()
    }
}

impl Expansion {
    /// Makes an expansion without the optional sections and with the default limits.
    pub const fn new() -> Self {
        Expansion {
            with_optional: false,
            max_bytes: DEFAULT_MAX_CONTEXT_BYTES,
            max_documents: DEFAULT_MAX_DOCUMENTS,
        }
    }

    /// Sets whether the optional sections are included.
    pub const fn with_optional(mut self, with_optional: bool) -> Self {
        self.with_optional = with_optional;
        self
    }

    /// Sets the largest number of bytes; the default is [`DEFAULT_MAX_CONTEXT_BYTES`].
    pub const fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Sets the largest number of documents that are fetched; the default is [`DEFAULT_MAX_DOCUMENTS`].
    pub const fn max_documents(mut self, documents: usize) -> Self {
        self.max_documents = documents;
        self
    }

    /// Expands an llms.txt: fetches the links in items of its sections (`[name](url)`), in order, and puts the documents
    /// together.
    ///
    /// `fetch` is asked for each document and decides itself whether it may be fetched: the link is a hint, nothing more.
    /// A document that it refuses is left out and reported. A document that would exceed the limit is left out, and
    /// nothing after it is fetched.
    pub fn expand<E>(&self, llms: &LlmsTxt, fetch: impl FnMut(&Link) -> Result<String, E>) -> Context<E> {
        let mut writer = Writer {
            limits: self,
            text: String::new(),
            documents: 0,
            failures: Vec::new(),
            is_truncated: false,
            fetch,
        };
        writer.project(llms);
        let Writer { text, documents, failures, is_truncated, .. } = writer;
        Context { text, documents, failures, is_truncated }
    }
}

/// An expanded llms.txt.
#[derive(Clone, Debug)]
pub struct Context<E> {
    text: String,
    documents: usize,
    failures: Vec<MissingDocument<E>>,
    is_truncated: bool,
}

impl<E> Context<E> {
    /// Returns the text, well-formed as XML. Untrusted throughout.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns how many documents are in it.
    pub fn documents(&self) -> usize {
        self.documents
    }

    /// Returns the documents that could not be fetched.
    pub fn failures(&self) -> &[MissingDocument<E>] {
        &self.failures
    }

    /// Returns whether a limit left something out.
    pub fn is_truncated(&self) -> bool {
        self.is_truncated
    }
}

/// A link whose document is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingDocument<E> {
    link: Link,
    error: E,
}

impl<E> MissingDocument<E> {
    /// Returns the link.
    pub fn link(&self) -> &Link {
        &self.link
    }

    /// Returns the error of the caller's function.
    pub fn error(&self) -> &E {
        &self.error
    }
}

struct Writer<'e, F, E> {
    limits: &'e Expansion,
    text: String,
    documents: usize,
    failures: Vec<MissingDocument<E>>,
    is_truncated: bool,
    fetch: F,
}

impl<E, F: FnMut(&Link) -> Result<String, E>> Writer<'_, F, E> {
    fn project(&mut self, llms: &LlmsTxt) {
        let mut open = String::from("<project");
        attribute(&mut open, "title", llms.title().map(Passage::text));
        attribute(&mut open, "summary", llms.summary().map(Passage::text));
        open.push('>');
        if let Some(details) = llms.details() {
            escape(&mut open, details.text());
        }
        const CLOSE: &str = "</project>";
        if open.len() + CLOSE.len() > self.limits.max_bytes {
            self.is_truncated = true;
            return;
        }
        self.text = open;
        for section in llms.sections() {
            if self.is_truncated {
                break;
            }
            if self.limits.with_optional || !section.is_optional() {
                self.section(section, CLOSE.len());
            }
        }
        self.text.push_str(CLOSE);
    }

    fn section(&mut self, section: &Section, reserve: usize) {
        let is_listed = |link: &&Link| link.place() == LinkPlace::Item && link.form() == LinkForm::Inline;
        let mut links = section.links().iter().filter(is_listed).peekable();
        if links.peek().is_none() {
            return;
        }
        let (open, close) = section_tags(section.name());
        let reserve = reserve + close.len();
        if self.text.len() + open.len() + reserve > self.limits.max_bytes {
            self.is_truncated = true;
            return;
        }
        self.text.push_str(&open);
        for link in links {
            if self.documents == self.limits.max_documents {
                self.is_truncated = true;
            }
            if self.is_truncated {
                break;
            }
            self.document(link, reserve);
        }
        self.text.push_str(&close);
    }

    fn document(&mut self, link: &Link, reserve: usize) {
        let document = match (self.fetch)(link) {
            Ok(document) => document,
            Err(error) => {
                self.failures.push(MissingDocument { link: link.clone(), error });
                return;
            }
        };
        let room = self.limits.max_bytes.saturating_sub(self.text.len() + reserve);
        // Escaping only adds.
        if document.len() > room.saturating_mul(2) {
            self.is_truncated = true;
            return;
        }
        let mut element = String::from("<doc");
        attribute(&mut element, "title", Some(link.name()));
        attribute(&mut element, "desc", link.note());
        element.push('>');
        escape(&mut element, &without_noise(&document));
        element.push_str("</doc>");
        if element.len() > room {
            self.is_truncated = true;
            return;
        }
        self.text.push_str(&element);
        self.documents += 1;
    }
}

/// Returns the tags of a section: its name in lower case, as in the reference program. A name that no element may have is
/// replaced, and the name then stands in an attribute.
fn section_tags(name: &str) -> (String, String) {
    let lower = name.to_lowercase();
    let mut tag = String::with_capacity(lower.len());
    for c in lower.chars() {
        let is_kept = c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        match c {
            c if is_kept => tag.push(c),
            _ if tag.ends_with('-') => {}
            _ => tag.push('-'),
        }
    }
    let tag = tag.trim_matches('-');
    let is_name = tag.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let tag = match tag {
        "" | "project" | "doc" => format!("section{}{tag}", if tag.is_empty() { "" } else { "-" }),
        _ if !is_name || tag.starts_with("xml") => format!("section-{tag}"),
        _ => tag.to_owned(),
    };
    let mut open = format!("<{tag}");
    if tag != lower {
        attribute(&mut open, "name", Some(name));
    }
    open.push('>');
    (open, format!("</{tag}>"))
}

fn attribute(out: &mut String, name: &str, value: Option<&str>) {
    let Some(value) = value else { return };
    let _ = write!(out, " {name}=\"");
    for c in value.chars() {
        match c {
            '"' => out.push_str("&quot;"),
            '\n' | '\r' | '\t' => out.push(' '),
            c => escape_char(out, c, false),
        }
    }
    out.push('"');
}

fn escape(out: &mut String, text: &str) {
    let mut brackets = 0;
    for c in text.chars() {
        escape_char(out, c, brackets >= 2);
        brackets = if c == ']' { brackets + 1 } else { 0 };
    }
}

/// Writes a character, escaped if need be. A `>` stays as it is for the sake of Markdown, unless it ends `]]>`.
fn escape_char(out: &mut String, c: char, after_brackets: bool) {
    match c {
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' if after_brackets => out.push_str("&gt;"),
        '\n' | '\r' | '\t' => out.push(c),
        // XML 1.0 does not allow these characters.
        '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
        c if c < ' ' => out.push(char::REPLACEMENT_CHARACTER),
        c => out.push(c),
    }
}

/// Returns a document without lines that are an HTML comment or hold an image in base64. The reference program drops them
/// too.
fn without_noise(document: &str) -> String {
    let kept: Vec<&str> = document
        .lines()
        .filter(|line| !(line.starts_with("<!--") && line.ends_with("-->") && line.len() >= 7))
        .filter(|line| !has_data_image(line))
        .collect();
    kept.join("\n")
}

/// Returns whether a line holds `<img ... src="data:image/..." ...>`.
fn has_data_image(line: &str) -> bool {
    let mut rest = line;
    while let Some((_, image)) = rest.split_once("<img") {
        let (tag, after) = image.split_once('>').unwrap_or((image, ""));
        if tag.contains("src=\"data:image/") {
            return true;
        }
        rest = after;
    }
    false
}
