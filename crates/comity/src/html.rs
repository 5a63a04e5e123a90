//! What a page's HTML says about its own use: `meta`, `link`, licences in scripts, `data-nosnippet`.
//!
//! The one idea: a tokenizer, no tree. [`Facts::read`] walks the tags once, keeps the few elements that policies are
//! read from, and knows just enough of the HTML standard's tree construction to place them right: where the head ends,
//! which elements hold text instead of tags, and that nothing in a `template` is part of the page.
//! What the elements mean is for other modules to say.
//!
//! The page is read as a program that runs no scripts reads it: `noscript` counts, what a script would write does not.
//!
//! # Why this tokenizer
//!
//! `html5gum` follows the HTML standard's tokenizer to the letter, has no dependencies, forbids `unsafe` and is
//! licensed under MIT. `lol_html`, the other candidate, rewrites while it reads and selects by CSS, neither of which is
//! needed here; it brings some twenty crates, of which `cssparser` and `selectors` are under MPL-2.0, a licence this
//! project does not take in. The tokenizer leaves to us which elements hold text; that is `content_of`.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};
use html5gum::emitters::callback::{Callback, CallbackEmitter, CallbackEvent};
use html5gum::{Span, State, Tokenizer};

/// How much of a page is read unless [`Options`] say otherwise: 1 MiB.
pub const MAX_BYTES: usize = 1024 * 1024;

/// How many elements of one kind are kept unless [`Options`] say otherwise; the rest is counted.
pub const MAX_ELEMENTS: usize = 5_000;

/// How much text of one script is kept.
pub const MAX_SCRIPT_BYTES: usize = 256 * 1024;

/// How a page is read.
///
/// ```
/// use comity::html::Options;
///
/// let page = b"<meta name=robots content=noindex><p>And a long text";
/// let facts = Options::new().max_bytes(40).read(page);
/// assert_eq!(facts.metas()[0].content(), "noindex");
/// assert!(facts.is_cut());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    max_bytes: usize,
    max_elements: usize,
    charset: Option<&'a str>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options { max_bytes: MAX_BYTES, max_elements: MAX_ELEMENTS, charset: None }
    }
}

impl<'a> Options<'a> {
    /// [`MAX_BYTES`] and [`MAX_ELEMENTS`], UTF-8.
    pub fn new() -> Self {
        Options::default()
    }

    /// Reads at most this many bytes.
    pub fn max_bytes(self, max_bytes: usize) -> Self {
        Options { max_bytes, ..self }
    }

    /// Keeps at most this many elements of each kind.
    pub fn max_elements(self, max_elements: usize) -> Self {
        Options { max_elements, ..self }
    }

    /// The charset of the `Content-Type`, a label of the Encoding Standard; one that is not known is taken for UTF-8.
    ///
    /// A byte order mark wins over it. A charset declared inside the page is not looked at: whatever decides anything
    /// is ASCII, and nearly every charset has that in common.
    pub fn charset(self, label: &'a str) -> Self {
        Options { charset: Some(label), ..self }
    }

    /// Reads a page. Anything is a page; this cannot fail.
    pub fn read(self, page: &[u8]) -> Facts {
        let is_cut = page.len() > self.max_bytes;
        let page = &page[..page.len().min(self.max_bytes)];
        let (text, skipped) = decode(page, self.charset);
        let mut facts = Walk::new(&text, skipped, self.max_elements).run();
        facts.is_cut = is_cut;
        facts
    }
}

/// The page in an encoding whose ASCII is ASCII, without byte order mark, and the length of the mark if it was UTF-8's.
fn decode<'p>(page: &'p [u8], charset: Option<&str>) -> (Cow<'p, [u8]>, usize) {
    let marked = Encoding::for_bom(page);
    let labelled = charset.and_then(|label| Encoding::for_label(label.as_bytes()));
    let encoding = marked.map(|(encoding, _)| encoding).or(labelled).unwrap_or(UTF_8);
    let mark = marked.map_or(0, |(_, length)| length);
    if encoding == UTF_8 {
        return (Cow::Borrowed(&page[mark..]), mark);
    }
    let (text, _) = encoding.decode_without_bom_handling(&page[mark..]);
    (Cow::Owned(text.into_owned().into_bytes()), 0)
}

/// What a page says about its own use.
///
/// ```
/// use comity::html::{Facts, Place};
///
/// let facts = Facts::read(
///     b"<!doctype html><title>Herons</title>\n<meta name=Robots content='noindex, nofollow'>\n<p data-nosnippet>Text",
/// );
/// let meta = &facts.metas()[0];
/// assert_eq!((meta.name(), meta.content()), (Some("Robots"), "noindex, nofollow"));
/// assert_eq!((meta.at().place(), meta.at().line()), (Place::Head, 2));
/// // Only span, div and section may carry the attribute.
/// assert!(!facts.nosnippets()[0].is_valid());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Facts {
    metas: Vec<Meta>,
    links: Vec<Link>,
    rsl_scripts: Vec<Script>,
    nosnippets: Vec<NoSnippet>,
    base: Option<String>,
    left_out: usize,
    is_cut: bool,
}

impl Facts {
    /// Reads a page as UTF-8, with the default limits.
    pub fn read(page: &[u8]) -> Facts {
        Options::new().read(page)
    }

    /// The `meta` elements that have a `name` or a `property`, in order.
    pub fn metas(&self) -> &[Meta] {
        &self.metas
    }

    /// The `link` elements that have a `rel` and a `href`, in order.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The scripts of type `application/rsl+xml`, in order.
    pub fn rsl_scripts(&self) -> &[Script] {
        &self.rsl_scripts
    }

    /// The elements with the attribute `data-nosnippet`, in order.
    pub fn nosnippets(&self) -> &[NoSnippet] {
        &self.nosnippets
    }

    /// The `href` of the first `base` element that has one: what relative links are relative to.
    pub fn base(&self) -> Option<&str> {
        self.base.as_deref()
    }

    /// How many elements were left out because there were too many of their kind.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Whether the page is longer than what was read of it.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }
}

/// Where an element stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Location {
    place: Place,
    line: usize,
    offset: usize,
}

impl Location {
    /// In the head or in the body.
    pub fn place(self) -> Place {
        self.place
    }

    /// The line of its `<`, counted from 1.
    pub fn line(self) -> usize {
        self.line
    }

    /// The position of its `<`, in bytes: of the page if that is UTF-8, of its text in UTF-8 otherwise.
    pub fn offset(self) -> usize {
        self.offset
    }
}

/// The part of the page that an element ends up in, whatever the tags around it claim: the first element or text that
/// cannot stand in a head starts the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Place {
    /// The head, or before the body.
    Head,
    /// The body, or after it.
    Body,
}

impl Place {
    /// The place in lower case.
    pub const fn as_str(self) -> &'static str {
        match self {
            Place::Head => "head",
            Place::Body => "body",
        }
    }
}

/// `<meta name=... content=...>`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Meta {
    name: Option<String>,
    property: Option<String>,
    content: String,
    at: Location,
}

impl Meta {
    /// The attribute `name`, as written.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The attribute `property`, as written.
    pub fn property(&self) -> Option<&str> {
        self.property.as_deref()
    }

    /// The attribute `content`, as written; empty if there is none.
    pub fn content(&self) -> &str {
        &self.content
    }

    /// Where it stands.
    pub fn at(&self) -> Location {
        self.at
    }
}

/// `<link rel=... href=...>`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Link {
    rel: String,
    href: String,
    #[cfg_attr(feature = "serde", serde(rename = "type"))]
    media_type: Option<String>,
    at: Location,
}

impl Link {
    /// The attribute `rel`, as written: words separated by white space.
    pub fn rel(&self) -> &str {
        &self.rel
    }

    /// Whether `rel` has this word, in whatever case.
    pub fn is(&self, rel: &str) -> bool {
        self.rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case(rel))
    }

    /// The attribute `href`, as written.
    pub fn href(&self) -> &str {
        &self.href
    }

    /// The attribute `type`, as written.
    pub fn media_type(&self) -> Option<&str> {
        self.media_type.as_deref()
    }

    /// Where it stands.
    pub fn at(&self) -> Location {
        self.at
    }
}

/// `<script type="application/rsl+xml">`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Script {
    text: String,
    is_cut: bool,
    at: Location,
}

impl Script {
    /// What stands between its tags.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the text is longer than [`MAX_SCRIPT_BYTES`], or what was read of the page ends inside it.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Where it stands.
    pub fn at(&self) -> Location {
        self.at
    }
}

/// An element with the attribute `data-nosnippet`. Its value does not matter, not even `false`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct NoSnippet {
    element: String,
    at: Location,
}

impl NoSnippet {
    /// The name of the element, in lower case.
    pub fn element(&self) -> &str {
        &self.element
    }

    /// Whether the element may carry the attribute: only `span`, `div` and `section` may.
    pub fn is_valid(&self) -> bool {
        matches!(self.element.as_str(), "span" | "div" | "section")
    }

    /// Where it stands.
    pub fn at(&self) -> Location {
        self.at
    }
}

/// What an element's content is to the tokenizer, in a program that runs no scripts; `None`: tags.
fn content_of(element: &[u8]) -> Option<State> {
    match element {
        b"title" | b"textarea" => Some(State::RcData),
        b"style" | b"xmp" | b"iframe" | b"noembed" | b"noframes" => Some(State::RawText),
        b"script" => Some(State::ScriptData),
        b"plaintext" => Some(State::PlainText),
        _ => None,
    }
}

/// Elements that do not start the body (HTML standard, "in head" and "after head" insertion modes).
fn is_of_the_head(element: &[u8]) -> bool {
    matches!(
        element,
        b"html"
            | b"head"
            | b"base"
            | b"basefont"
            | b"bgsound"
            | b"link"
            | b"meta"
            | b"noframes"
            | b"noscript"
            | b"script"
            | b"style"
            | b"template"
            | b"title"
    )
}

/// The attributes that are read.
#[derive(Clone, Copy)]
enum Attribute {
    Name,
    Property,
    Content,
    Rel,
    Href,
    Type,
    NoSnippet,
}

impl Attribute {
    const COUNT: usize = Attribute::NoSnippet as usize + 1;

    /// The attribute of a name in lower case, which is how the tokenizer gives it.
    fn of(name: &[u8]) -> Option<Attribute> {
        match name {
            b"name" => Some(Attribute::Name),
            b"property" => Some(Attribute::Property),
            b"content" => Some(Attribute::Content),
            b"rel" => Some(Attribute::Rel),
            b"href" => Some(Attribute::Href),
            b"type" => Some(Attribute::Type),
            b"data-nosnippet" => Some(Attribute::NoSnippet),
            _ => None,
        }
    }
}

/// A start tag while it is read.
#[derive(Default)]
struct Tag {
    element: Vec<u8>,
    start: usize,
    attributes: [Option<Vec<u8>>; Attribute::COUNT],
    /// Where the next value goes; `None`: an attribute that is not read, or that was there before.
    current: Option<usize>,
}

impl Tag {
    fn take(&mut self, attribute: Attribute) -> Option<String> {
        self.attributes[attribute as usize].take().map(|value| String::from_utf8_lossy(&value).into_owned())
    }
}

/// One pass over a page.
struct Walk<'p> {
    text: &'p [u8],
    skipped: usize,
    max_elements: usize,
    facts: Facts,
    /// The start tag being read.
    tag: Option<Tag>,
    place: Place,
    /// How many `template` elements are open: nothing inside belongs to the page.
    templates: usize,
    /// How many `svg` and `math` elements are open: inside, `<style/>` ends at once.
    foreign: usize,
    /// The content of the open element is text.
    in_text: bool,
    /// That text is an RSL licence, and goes to the last of the scripts.
    in_licence: bool,
    /// Lines up to `counted`.
    line: usize,
    counted: usize,
}

impl<'p> Walk<'p> {
    fn new(text: &'p [u8], skipped: usize, max_elements: usize) -> Self {
        Walk {
            text,
            skipped,
            max_elements,
            facts: Facts::default(),
            tag: None,
            place: Place::Head,
            templates: 0,
            foreign: 0,
            in_text: false,
            in_licence: false,
            line: 1,
            counted: 0,
        }
    }

    fn run(mut self) -> Facts {
        let text = self.text;
        let emitter = CallbackEmitter::new(&mut self);
        let mut tokens = Tokenizer::new_with_emitter(text, emitter);
        // Reading from a slice cannot fail. What the walk hands out is the state to go on in.
        while let Some(Ok(state)) = tokens.next() {
            tokens.set_state(state);
        }
        drop(tokens);
        if self.in_licence
            && let Some(script) = self.facts.rsl_scripts.last_mut()
        {
            script.is_cut = true;
        }
        self.facts
    }

    fn attribute(&mut self, name: &[u8]) {
        let Some(tag) = &mut self.tag else { return };
        let known = Attribute::of(name).map(|known| known as usize);
        // Of several attributes of one name, the first counts.
        tag.current = known.filter(|&known| tag.attributes[known].is_none());
        if let Some(current) = tag.current {
            tag.attributes[current] = Some(Vec::new());
        }
    }

    fn value(&mut self, value: &[u8]) {
        let Some(tag) = &mut self.tag else { return };
        if let Some(current) = tag.current.take() {
            tag.attributes[current] = Some(value.to_vec());
        }
    }

    /// A start tag is complete. Answers the state to go on in, if its content is text.
    fn element(&mut self, is_self_closing: bool) -> Option<State> {
        let mut tag = self.tag.take()?;
        if self.templates == 0 {
            if !is_of_the_head(&tag.element) {
                self.place = Place::Body;
            }
            self.keep(&mut tag);
        }
        match &*tag.element {
            b"template" => self.templates += 1,
            b"svg" | b"math" if !is_self_closing => self.foreign += 1,
            _ => {}
        }
        let state = content_of(&tag.element).filter(|_| self.foreign == 0 || !is_self_closing);
        self.in_text = state.is_some();
        self.in_licence &= self.in_text;
        state
    }

    /// Keeps what the tag says, if anything.
    fn keep(&mut self, tag: &mut Tag) {
        if tag.attributes[Attribute::NoSnippet as usize].is_some()
            && self.has_room(self.facts.nosnippets.len())
        {
            let element = String::from_utf8_lossy(&tag.element).into_owned();
            let at = self.locate(tag.start);
            self.facts.nosnippets.push(NoSnippet { element, at });
        }
        match &*tag.element {
            b"meta" => self.keep_meta(tag),
            b"link" => self.keep_link(tag),
            b"script" => self.keep_licence(tag),
            b"base" if self.facts.base.is_none() => self.facts.base = tag.take(Attribute::Href),
            _ => {}
        }
    }

    fn keep_meta(&mut self, tag: &mut Tag) {
        let (name, property) = (tag.take(Attribute::Name), tag.take(Attribute::Property));
        if (name.is_some() || property.is_some()) && self.has_room(self.facts.metas.len()) {
            let (content, at) = (tag.take(Attribute::Content).unwrap_or_default(), self.locate(tag.start));
            self.facts.metas.push(Meta { name, property, content, at });
        }
    }

    fn keep_link(&mut self, tag: &mut Tag) {
        let (Some(rel), Some(href)) = (tag.take(Attribute::Rel), tag.take(Attribute::Href)) else { return };
        if self.has_room(self.facts.links.len()) {
            let (media_type, at) = (tag.take(Attribute::Type), self.locate(tag.start));
            self.facts.links.push(Link { rel, href, media_type, at });
        }
    }

    fn keep_licence(&mut self, tag: &mut Tag) {
        let media_type = tag.take(Attribute::Type).unwrap_or_default();
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        self.in_licence = essence.eq_ignore_ascii_case("application/rsl+xml")
            && self.has_room(self.facts.rsl_scripts.len());
        if self.in_licence {
            let at = self.locate(tag.start);
            self.facts.rsl_scripts.push(Script { text: String::new(), is_cut: false, at });
        }
    }

    fn has_room(&mut self, kept: usize) -> bool {
        let has_room = kept < self.max_elements;
        self.facts.left_out += usize::from(!has_room);
        has_room
    }

    fn end(&mut self, element: &[u8]) {
        // What looked like attributes so far belonged to this tag, where they mean nothing.
        self.tag = None;
        (self.in_text, self.in_licence) = (false, false);
        match element {
            b"template" => self.templates = self.templates.saturating_sub(1),
            b"svg" | b"math" => self.foreign = self.foreign.saturating_sub(1),
            b"body" | b"html" | b"br" if self.templates == 0 => self.place = Place::Body,
            _ => {}
        }
    }

    fn string(&mut self, value: &[u8]) {
        if self.in_licence {
            if let Some(script) = self.facts.rsl_scripts.last_mut() {
                let room = MAX_SCRIPT_BYTES.saturating_sub(script.text.len());
                script.is_cut |= value.len() > room;
                script.text.push_str(&String::from_utf8_lossy(&value[..value.len().min(room)]));
            }
        } else if !self.in_text && self.templates == 0 && !value.trim_ascii().is_empty() {
            self.place = Place::Body;
        }
    }

    /// Positions only ever grow, so that lines are counted once.
    fn locate(&mut self, start: usize) -> Location {
        let start = start.min(self.text.len());
        let passed = self.text.get(self.counted..start).unwrap_or_default();
        let is_after_cr = |at: usize| at > 0 && self.text.get(at - 1) == Some(&b'\r');
        let ends = passed.iter().enumerate().filter(|&(at, &byte)| match byte {
            b'\n' => !is_after_cr(self.counted + at),
            byte => byte == b'\r',
        });
        self.line += ends.count();
        self.counted = self.counted.max(start);
        Location { place: self.place, line: self.line, offset: start + self.skipped }
    }
}

impl Callback<State, usize> for &mut Walk<'_> {
    fn handle_event(&mut self, event: CallbackEvent<'_>, span: Span<usize>) -> Option<State> {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.tag = Some(Tag { element: name.to_vec(), start: span.start, ..Tag::default() });
            }
            CallbackEvent::AttributeName { name } => self.attribute(name),
            CallbackEvent::AttributeValue { value } => self.value(value),
            CallbackEvent::CloseStartTag { self_closing } => return self.element(self_closing),
            CallbackEvent::EndTag { name } => self.end(name),
            CallbackEvent::String { value } => self.string(value),
            CallbackEvent::Comment { .. } | CallbackEvent::Doctype { .. } | CallbackEvent::Error(_) => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Name, content and place of every meta.
    fn metas(page: &str) -> Vec<(String, String, Place)> {
        let facts = Facts::read(page.as_bytes());
        let owned = |meta: &Meta| {
            let name = meta.name().or(meta.property()).unwrap_or_default();
            (name.to_owned(), meta.content().to_owned(), meta.at().place())
        };
        facts.metas().iter().map(owned).collect()
    }

    fn names(page: &str) -> Vec<String> {
        metas(page).into_iter().map(|(name, ..)| name).collect()
    }

    fn place(page: &str) -> Place {
        let metas = metas(page);
        assert_eq!(metas.len(), 1, "{page}");
        metas[0].2
    }

    #[test]
    fn attributes_are_read_however_they_are_written() {
        let page = "<META Name='a' CONTENT=\"x &amp; y\"><meta content=z name=b/><meta property = c content>\
                    <meta charset=utf-8><meta name=d name=e content=first content=second>";
        let metas: Vec<_> = metas(page).into_iter().map(|(name, content, _)| (name, content)).collect();
        let expected = [("a", "x & y"), ("b/", "z"), ("c", ""), ("d", "first")];
        assert_eq!(metas, expected.map(|(name, content)| (name.to_owned(), content.to_owned())));
    }

    #[test]
    fn text_is_not_searched_for_tags() {
        let hidden = "<meta name=no content=x>";
        for element in ["title", "textarea", "style", "script", "xmp", "iframe", "noembed", "noframes"] {
            let page = format!("<{element}>{hidden}</{element}><meta name=yes>");
            assert_eq!(names(&page), ["yes"], "{element}");
        }
        assert_eq!(names(&format!("<!-- {hidden} --><meta name=yes>")), ["yes"]);
        assert_eq!(names(&format!("<meta name=yes><plaintext>{hidden}</plaintext>{hidden}")), ["yes"]);
        assert_eq!(
            names(&format!("<script><!-- <script>{hidden}</script> --></script><meta name=yes>")),
            ["yes"]
        );
    }

    #[test]
    fn what_needs_scripts_to_be_hidden_is_seen() {
        assert_eq!(names("<noscript><meta name=robots content=noindex></noscript>"), ["robots"]);
    }

    #[test]
    fn templates_are_no_part_of_the_page() {
        let page =
            "<template><meta name=no><template></template><p data-nosnippet>text</template><meta name=yes>";
        assert_eq!(metas(page), [("yes".to_owned(), String::new(), Place::Head)]);
        assert!(Facts::read(page.as_bytes()).nosnippets().is_empty());
    }

    #[test]
    fn foreign_elements_may_end_at_once() {
        assert_eq!(names("<svg><style/><title/></svg><meta name=yes>"), ["yes"]);
        assert_eq!(names("<svg><style><meta name=no></style></svg><meta name=yes>"), ["yes"]);
        // In HTML itself the slash says nothing.
        assert!(names("<style/><meta name=no>").is_empty());
    }

    #[test]
    fn the_body_starts_where_the_standard_says() {
        for page in [
            "<meta name=a>",
            " <!doctype html> <html><head> <!-- c --> <meta name=a>",
            "<title>Text</title><style>p {}</style><script>x</script><link rel=a href=b><base href=/><meta name=a>",
            "<head></head> <meta name=a><body>",
            "<noscript><link rel=a href=b></noscript><meta name=a>",
            "<head></p></head><meta name=a>",
            "<template>text<p></template><meta name=a>",
        ] {
            assert_eq!(place(page), Place::Head, "{page}");
        }
        for page in [
            "<body><meta name=a>",
            "text<meta name=a>",
            "<head><p><meta name=a></head>",
            "<head><img><meta name=a>",
            "</body><meta name=a>",
            "</br><meta name=a>",
            "<svg></svg><meta name=a>",
            "<noscript>text</noscript><meta name=a>",
            "<p>a</p></body></html><meta name=a>",
        ] {
            assert_eq!(place(page), Place::Body, "{page}");
        }
    }

    #[test]
    fn unfinished_tags_do_not_count() {
        for page in ["<meta name=a", "<meta name=a content='", "<", "<meta", "</meta name=a>"] {
            assert!(names(page).is_empty(), "{page}");
        }
    }

    #[test]
    fn places_are_lines_and_bytes() {
        let page = "<html>\r\n\r<p>caf\u{e9}</p>\n  <meta name=a>\r\n<meta\nname=b>";
        let facts = Facts::read(page.as_bytes());
        let places: Vec<_> =
            facts.metas().iter().map(|meta| (meta.at().line(), meta.at().offset())).collect();
        let at = |name| page.find(name).unwrap();
        assert_eq!(places, [(4, at("<meta name=a")), (5, at("<meta\nname=b"))]);
        let marked = [b"\xEF\xBB\xBF", page.as_bytes()].concat();
        assert_eq!(Facts::read(&marked).metas()[0].at().offset(), at("<meta name=a") + 3);
        assert_eq!(Facts::read(b"\xEF\xBB\xBF<meta name=a>").metas()[0].at().place(), Place::Head);
    }

    #[test]
    fn licences_are_kept_whole_or_said_to_be_cut() {
        let page = "<script type='Application/RSL+xml; charset=utf-8'><rsl>&amp;<a/></rsl></script>\
                    <script>other</script>text<script type=application/rsl+xml>open";
        let facts = Facts::read(page.as_bytes());
        let scripts: Vec<_> =
            facts.rsl_scripts().iter().map(|script| (script.text(), script.is_cut())).collect();
        assert_eq!(scripts, [("<rsl>&amp;<a/></rsl>", false), ("open", true)]);
        let long = format!("<script type=application/rsl+xml>{}</script>", "a".repeat(MAX_SCRIPT_BYTES + 1));
        let facts = Facts::read(long.as_bytes());
        assert_eq!(facts.rsl_scripts()[0].text().len(), MAX_SCRIPT_BYTES);
        assert!(facts.rsl_scripts()[0].is_cut());
    }

    #[test]
    fn links_need_a_relation_and_a_target() {
        let facts = Facts::read(
            b"<link rel='License nofollow' href=/l type=application/rsl+xml><link rel=a><link href=b>",
        );
        assert_eq!(facts.links().len(), 1);
        assert!(facts.links()[0].is("license") && !facts.links()[0].is("lic"));
        assert_eq!(
            (facts.links()[0].href(), facts.links()[0].media_type()),
            ("/l", Some("application/rsl+xml"))
        );
    }

    #[test]
    fn the_first_base_with_a_target_counts() {
        assert_eq!(Facts::read(b"<base target=x><base href=/a/><base href=/b/>").base(), Some("/a/"));
    }

    #[test]
    fn snippets_may_be_refused_in_three_elements() {
        let facts = Facts::read(
            b"<SPAN DATA-NOSNIPPET=false><p data-nosnippet><x-a data-nosnippet><div data-nosnippet=a>",
        );
        let found: Vec<_> =
            facts.nosnippets().iter().map(|found| (found.element(), found.is_valid())).collect();
        assert_eq!(found, [("span", true), ("p", false), ("x-a", false), ("div", true)]);
    }

    #[test]
    fn bytes_of_any_charset_are_read() {
        assert_eq!(Facts::read(b"<meta name=\xFF content=\xE9>").metas()[0].name(), Some("\u{fffd}"));
        let latin = Options::new().charset("iso-8859-1").read(b"<meta name=a content=\xE9>");
        assert_eq!(latin.metas()[0].content(), "\u{e9}");
        let utf16: Vec<u8> = "\u{feff}<meta name=a>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(Facts::read(&utf16).metas()[0].name(), Some("a"));
        assert_eq!(Options::new().charset("no-such").read(b"<meta name=a>").metas().len(), 1);
    }

    #[test]
    fn limits_are_kept_and_told() {
        let page = "<meta name=a><meta name=b><link rel=a href=b><meta name=c>";
        let facts = Options::new().max_elements(2).read(page.as_bytes());
        assert_eq!((facts.metas().len(), facts.links().len(), facts.left_out()), (2, 1, 1));
        assert!(!facts.is_cut());
        let cut = Options::new().max_bytes(page.len() - 1).read(page.as_bytes());
        assert_eq!(cut.metas().len(), 2);
        assert!(cut.is_cut());
    }
}
