//! The single pass over the tags of a page.
//!
//! The tokenizer calls [`Walk`] for each tag and each piece of text, and the walk stores [`Facts`]. It implements the
//! part of the HTML standard's tree construction that distinguishes head from body, text from tags, and templates from
//! the page.
//!
//! Most of a page is text and tags that contain no facts. Once the body has begun, `skim.rs` skips such text and tags,
//! and the tokenizer reads only the constructs at which `skim.rs` stops.

use html5gum::emitters::callback::{Callback, CallbackEmitter, CallbackEvent};
use html5gum::{Span, State, Tokenizer};
use memchr::memchr2_iter;

use super::elements::{content_of, is_of_the_head};
use super::facts::{Anchor, Facts, LinkElement, Meta, NoSnippet, Position, Region, Script};
use super::skim::skim;
use super::{MAX_SCRIPT_BYTES, MAX_TITLE_BYTES};

/// The attributes that are read.
#[derive(Clone, Copy)]
enum Attribute {
    Name,
    Property,
    HttpEquiv,
    Content,
    Rel,
    Href,
    Type,
    NoSnippet,
}

impl Attribute {
    const COUNT: usize = Attribute::NoSnippet as usize + 1;

    /// Returns the attribute with a name. The tokenizer returns names in lower case.
    fn of(name: &[u8]) -> Option<Attribute> {
        match name {
            b"name" => Some(Attribute::Name),
            b"property" => Some(Attribute::Property),
            b"http-equiv" => Some(Attribute::HttpEquiv),
            b"content" => Some(Attribute::Content),
            b"rel" => Some(Attribute::Rel),
            b"href" => Some(Attribute::Href),
            b"type" => Some(Attribute::Type),
            b"data-nosnippet" => Some(Attribute::NoSnippet),
            _ => None,
        }
    }
}

/// A start tag that is being read.
#[derive(Default)]
struct Tag {
    element: Vec<u8>,
    start: usize,
    attributes: [Option<Vec<u8>>; Attribute::COUNT],
    /// The attribute that the next value belongs to; `None` for an attribute that is not read or is repeated.
    current: Option<usize>,
}

impl Tag {
    fn take(&mut self, attribute: Attribute) -> Option<String> {
        self.attributes[attribute as usize].take().map(|value| String::from_utf8_lossy(&value).into_owned())
    }
}

/// The state of a pass over a page.
pub(super) struct Walk<'p> {
    text: &'p [u8],
    skipped: usize,
    /// The position in `text` at which the tokenizer started.
    base: usize,
    max_elements: usize,
    with_anchors: bool,
    facts: Facts,
    /// The start tag being read.
    tag: Option<Tag>,
    region: Region,
    /// Number of open `template` elements. Their content does not belong to the page.
    templates: usize,
    /// Number of open `svg` and `math` elements. Inside these, a slash ends an element (`<style/>`).
    foreign: usize,
    /// True if the content of the open element is raw text, such as the content of `script` or `title`.
    in_text: bool,
    /// True if the text is an RSL license, the content of the last element of `rsl_scripts`.
    in_license: bool,
    /// True if the text is that of the first title of the page.
    in_title: bool,
    /// The line at the position `counted`.
    line: usize,
    counted: usize,
}

impl<'p> Walk<'p> {
    pub(super) fn new(text: &'p [u8], skipped: usize, max_elements: usize, with_anchors: bool) -> Self {
        Walk {
            text,
            skipped,
            base: 0,
            max_elements,
            with_anchors,
            facts: Facts::default(),
            tag: None,
            region: Region::Head,
            templates: 0,
            foreign: 0,
            in_text: false,
            in_license: false,
            in_title: false,
            line: 1,
            counted: 0,
        }
    }

    pub(super) fn run(mut self) -> Facts {
        let mut at = 0;
        while let Some(next) = self.tokenize(at) {
            at = match self.with_anchors {
                true => skim::<true>(self.text, next),
                false => skim::<false>(self.text, next),
            };
        }
        self.finish()
    }

    fn finish(mut self) -> Facts {
        if self.in_license
            && let Some(script) = self.facts.rsl_scripts.last_mut()
        {
            script.is_truncated = true;
        }
        if let Some(title) = &mut self.facts.title {
            *title = title.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        }
        self.facts.end = self.locate(self.text.len());
        self.facts
    }

    /// Runs the tokenizer from a position outside of tags. Returns the position for skimming, or `None` at the end.
    fn tokenize(&mut self, from: usize) -> Option<usize> {
        self.base = from;
        let text = self.text.get(from..)?;
        let mut tokens = Tokenizer::new_with_emitter(text, CallbackEmitter::new(&mut *self));
        // Reading from a slice cannot fail.
        while let Some(Ok(next)) = tokens.next() {
            match next {
                Next::Switch(state) => tokens.set_state(state),
                Next::Skim(end) => return Some(end),
            }
        }
        None
    }

    /// Returns the action after a construct that is not followed by raw text. In the body, the action is skimming.
    fn after(&self, end: usize) -> Option<Next> {
        (self.region == Region::Body).then_some(Next::Skim(end))
    }

    fn attribute(&mut self, name: &[u8]) {
        let Some(tag) = &mut self.tag else { return };
        let known = Attribute::of(name).map(|known| known as usize);
        // If a name is repeated, the first attribute counts.
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

    /// Handles a complete start tag. Returns the tokenizer's state for its content, if that is raw text.
    fn element(&mut self, is_self_closing: bool) -> Option<State> {
        let mut tag = self.tag.take()?;
        if self.templates == 0 {
            if !is_of_the_head(&tag.element) {
                self.region = Region::Body;
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
        self.in_license &= self.in_text;
        self.in_title &= self.in_text;
        state
    }

    /// Stores the facts that the tag contains.
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
            b"script" => self.keep_license(tag),
            b"a" | b"area" if self.with_anchors => self.keep_anchor(tag),
            // A `title` in an image describes the image.
            b"title" if self.foreign == 0 && self.facts.title.is_none() => {
                self.facts.title = Some(String::new());
                self.in_title = true;
            }
            b"base" if self.facts.base.is_none() => self.facts.base = tag.take(Attribute::Href),
            _ => {}
        }
    }

    fn keep_meta(&mut self, tag: &mut Tag) {
        let (name, property) = (tag.take(Attribute::Name), tag.take(Attribute::Property));
        let http_equiv = tag.take(Attribute::HttpEquiv);
        let has_meaning = name.is_some() || property.is_some() || http_equiv.is_some();
        if has_meaning && self.has_room(self.facts.metas.len()) {
            let (content, at) = (tag.take(Attribute::Content).unwrap_or_default(), self.locate(tag.start));
            self.facts.metas.push(Meta { name, property, http_equiv, content, at });
        }
    }

    fn keep_link(&mut self, tag: &mut Tag) {
        let (Some(rel), Some(href)) = (tag.take(Attribute::Rel), tag.take(Attribute::Href)) else { return };
        if self.has_room(self.facts.links.len()) {
            let (media_type, at) = (tag.take(Attribute::Type), self.locate(tag.start));
            self.facts.links.push(LinkElement { rel, href, media_type, at });
        }
    }

    fn keep_anchor(&mut self, tag: &mut Tag) {
        let Some(href) = tag.take(Attribute::Href) else { return };
        if self.has_room(self.facts.anchors.len()) {
            let (rel, at) = (tag.take(Attribute::Rel), self.locate(tag.start));
            self.facts.anchors.push(Anchor { href, rel, at });
        }
    }

    fn keep_license(&mut self, tag: &mut Tag) {
        let media_type = tag.take(Attribute::Type).unwrap_or_default();
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        self.in_license = essence.eq_ignore_ascii_case("application/rsl+xml")
            && self.has_room(self.facts.rsl_scripts.len());
        if self.in_license {
            let at = self.locate(tag.start);
            self.facts.rsl_scripts.push(Script { text: String::new(), is_truncated: false, at });
        }
    }

    fn has_room(&mut self, kept: usize) -> bool {
        let has_room = kept < self.max_elements;
        self.facts.left_out += usize::from(!has_room);
        has_room
    }

    fn end(&mut self, element: &[u8]) {
        // The attributes of an end tag have no meaning.
        self.tag = None;
        (self.in_text, self.in_license, self.in_title) = (false, false, false);
        match element {
            b"template" => self.templates = self.templates.saturating_sub(1),
            b"svg" | b"math" => self.foreign = self.foreign.saturating_sub(1),
            b"body" | b"html" | b"br" if self.templates == 0 => self.region = Region::Body,
            _ => {}
        }
    }

    fn string(&mut self, value: &[u8]) {
        if self.in_license {
            if let Some(script) = self.facts.rsl_scripts.last_mut() {
                let room = MAX_SCRIPT_BYTES.saturating_sub(script.text.len());
                script.is_truncated |= value.len() > room;
                script.text.push_str(&String::from_utf8_lossy(&value[..value.len().min(room)]));
            }
        } else if self.in_title {
            if let Some(title) = &mut self.facts.title {
                let room = MAX_TITLE_BYTES.saturating_sub(title.len());
                title.push_str(&String::from_utf8_lossy(&value[..value.len().min(room)]));
            }
        } else if !self.in_text && self.templates == 0 && !value.trim_ascii().is_empty() {
            self.region = Region::Body;
        }
    }

    /// Returns the position of the construct that starts at `start`. Calls must be in the order of the page, because
    /// only the lines since the previous call are counted.
    fn locate(&mut self, start: usize) -> Position {
        let start = start.min(self.text.len());
        let passed = self.text.get(self.counted..start).unwrap_or_default();
        let is_after_cr = |at: usize| at > 0 && self.text.get(at - 1) == Some(&b'\r');
        let ends = memchr2_iter(b'\n', b'\r', passed)
            .filter(|&at| passed.get(at) == Some(&b'\r') || !is_after_cr(self.counted + at));
        self.line += ends.count();
        self.counted = self.counted.max(start);
        Position { region: self.region, line: self.line, offset: start + self.skipped }
    }
}

/// The next action after a construct.
enum Next {
    /// Continue in another tokenizer state.
    Switch(State),
    /// Skim from this position.
    Skim(usize),
}

impl Callback<Next, usize> for &mut Walk<'_> {
    fn handle_event(&mut self, event: CallbackEvent<'_>, span: Span<usize>) -> Option<Next> {
        let (start, end) = (span.start + self.base, span.end + self.base);
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.tag = Some(Tag { element: name.to_vec(), start, ..Tag::default() });
            }
            CallbackEvent::AttributeName { name } => self.attribute(name),
            CallbackEvent::AttributeValue { value } => self.value(value),
            CallbackEvent::CloseStartTag { self_closing } => {
                return match self.element(self_closing) {
                    Some(state) => Some(Next::Switch(state)),
                    None => self.after(end),
                };
            }
            CallbackEvent::EndTag { name } => {
                self.end(name);
                return self.after(end);
            }
            CallbackEvent::Comment { .. } => return self.after(end),
            CallbackEvent::String { value } => self.string(value),
            CallbackEvent::Doctype { .. } | CallbackEvent::Error(_) => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the facts found by the tokenizer alone.
    fn read_whole(page: &[u8], with_anchors: bool) -> Facts {
        let mut walk = Walk::new(page, 0, 100, with_anchors);
        let mut tokens = Tokenizer::new_with_emitter(page, CallbackEmitter::new(&mut walk));
        while let Some(Ok(next)) = tokens.next() {
            if let Next::Switch(state) = next {
                tokens.set_state(state);
            }
        }
        drop(tokens);
        walk.finish()
    }

    /// Pieces of which random pages are composed, separated by `|`.
    const PIECES: &str = "<p>|<p|>|/|</p>|</p |<a href=x>|<a>|<A rel=b HREF=c|<area href=d>|<a href='x>y'>|<a href=\"x>y\">|<i =\"x>|<i a=b=\"c>|<i a/=\"x>|<i a =\"x>|\
        <i \"|<i '|\"|'|=|-| |\n|\r|\r\n|\t|text|&amp;|&#32;|&|\0|\u{e9}|<|</|<!|<?|<!--|-->|--!>|<!-->|<!--->|<!doctype html>|\
        <![CDATA[|]]>|<br/>|<br>|</br>|<body>|</body>|<html>|<head>|</head>|<div data-nosnippet>|<p DATA-NOSNIPPET=a|\
        <span class=\"a\" data-nosnippet='' id=b>|<i title=\"data-nosnippet\">|<x-y a>|<P CLASS=\"x\"ID='y'/>|\
        <meta name=a content='b &amp; c'>|<META property=x content>|<meta name=robots content=noindex|\
        <link rel=license href=/l>|<base href=/a>|<script>|</script>|</script x>|<script type=application/rsl+xml>|<script|\
        <style>|</style>|<title>|</title>|<textarea>|</textarea>|<iframe>|</iframe>|<xmp>|</xmp>|<noscript>|</noscript>|\
        <template>|</template>|</template a='>'>|<svg>|</svg>|<svg/>|<style/>|<title/>|<math>|</math>|<plaintext>|<img src=\"a\" alt='b'>";

    fn page() -> impl Strategy<Value = String> {
        let pieces: Vec<&'static str> = PIECES.split('|').collect();
        prop::collection::vec(prop::sample::select(pieces), 0..30).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn skimmed_page_has_the_facts_of_the_tokenizer_alone(page in page()) {
            for (page, with_anchors) in [(page.clone(), false), (format!("<body>{page}"), false), (format!("<body>{page}"), true)] {
                let skimmed = Walk::new(page.as_bytes(), 0, 100, with_anchors).run();
                prop_assert_eq!(skimmed, read_whole(page.as_bytes(), with_anchors), "{:?}", page);
            }
        }
    }
}
