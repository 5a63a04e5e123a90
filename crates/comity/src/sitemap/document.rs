//! The state of a document that is being read: the open elements, and the current entry.
//!
//! The input is tokens; the output is entries and findings. Elements are identified by their parent and local name.
//! Namespaces are used only to distinguish extensions. An element without an end tag ends before the first element that
//! it cannot contain.

use std::borrow::Cow;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesRef, BytesStart};

use super::draft::Draft;
use super::elements::{self, Field, Node};
use super::entries::{Entries, push_capped, trim};
use super::format::Format;
use super::item_queue::Position;
use super::kinds;
use super::namespace::{self, Namespace, Scopes, Spelling};
use super::options::{MAX_ATTRIBUTES, MAX_DEPTH};
use super::source::{Lines, TokenPosition};
use crate::finding::{excerpt, quoted};

/// An open element.
#[derive(Debug)]
struct Open {
    node: Node,
    /// The start position of this element's name in `names`.
    name: usize,
}

/// A document that is being read.
#[derive(Debug, Default)]
pub(super) struct Document {
    stack: Vec<Open>,
    /// The concatenated names of the open elements.
    names: String,
    scopes: Scopes,
    format: Option<Format>,
    /// True if the file has an entry but no root element.
    is_root_implied: bool,
    is_root_closed: bool,
    draft: Option<Draft>,
    /// The field whose text is being read.
    field: Option<Field>,
    value: String,
    is_value_cut: bool,
    /// The attributes of the field, if the draft reads them.
    attributes: Vec<(String, String)>,
    /// The base URL of relative links in a feed: the link of its channel.
    channel: Option<url::Url>,
}

impl Document {
    /// Returns the format, once the root element has been read.
    pub(super) fn format(&self) -> Option<Format> {
        self.format
    }

    /// Handles a start tag.
    pub(super) fn start(&mut self, tag: &BytesStart<'_>, at: &mut TokenPosition<'_>, entries: &mut Entries) {
        if self.stack.len() >= MAX_DEPTH {
            entries.findings.report(&kinds::TOO_DEEP, at.place(), || format!("more than {MAX_DEPTH} levels"));
            entries.stop();
            return;
        }
        let has_attributes = !tag.attributes_raw().is_empty();
        if has_attributes {
            self.declare(tag, at, entries);
        }
        let name = tag.name();
        let name: &str = name.as_ref();
        let (namespace, local, problem) = self.scopes.resolve(name);
        if let Some(kind) = problem {
            entries.findings.once(kind, at.place(), || quoted(name));
        }
        let node = self.place_element(name, namespace, local, at, entries);
        self.stack.push(Open { node, name: self.names.len() });
        self.names.push_str(name);
        self.opened(node, tag, at, entries);
    }

    /// Handles the namespace declarations of a tag.
    fn declare(&mut self, tag: &BytesStart<'_>, at: &mut TokenPosition<'_>, entries: &mut Entries) {
        let depth = self.stack.len() + 1;
        let mut attributes = tag.attributes();
        for (index, attribute) in attributes.with_checks(false).enumerate() {
            if index >= MAX_ATTRIBUTES {
                entries.findings.report(&kinds::TOO_MANY_ATTRIBUTES, at.place(), || {
                    format!("more than {MAX_ATTRIBUTES} attributes")
                });
                break;
            }
            let Ok(attribute) = attribute else {
                entries.findings.report(&kinds::BAD_MARKUP, at.place(), || {
                    format!("attributes of {}", quoted(tag.name().as_ref()))
                });
                break;
            };
            let Some(prefix) = attribute.key.as_ref().strip_prefix("xmlns") else { continue };
            let Some(prefix) = prefix.strip_prefix(':').or_else(|| prefix.is_empty().then_some("")) else {
                continue;
            };
            let (namespace, spelling) = namespace::of(trim(&attribute.value));
            if spelling == Spelling::Lenient && namespace != Namespace::Other {
                entries.findings.report(&kinds::LENIENT_NAMESPACE, at.place(), || quoted(&*attribute.value));
            }
            if namespace::is_misbound(prefix, namespace) {
                entries.findings.report(&kinds::MISBOUND_PREFIX, at.place(), || {
                    format!("{} is declared as {}", quoted(prefix), quoted(&*attribute.value))
                });
            }
            self.scopes.declare(prefix, namespace, depth);
        }
    }

    fn top(&self) -> Option<Node> {
        self.stack.last().map(|open| open.node)
    }

    /// Determines the meaning of an element, and closes elements that cannot contain it.
    fn place_element(
        &mut self,
        name: &str,
        namespace: Namespace,
        local: &str,
        at: &mut TokenPosition<'_>,
        entries: &mut Entries,
    ) -> Node {
        let Some(parent) = self.top() else { return self.root(name, namespace, local, at, entries) };
        if let Some(node) = elements::child(parent, namespace, local) {
            return node;
        }
        if matches!(parent, Node::Ignored | Node::Obsolete | Node::Link) && self.field.is_none() {
            return Node::Ignored;
        }
        let lower = local.to_ascii_lowercase();
        if let Some(node) = elements::child(parent, namespace, &lower) {
            entries.findings.report(&kinds::WRONG_CASE, at.place(), || quoted(name));
            return node;
        }
        let owner =
            self.stack.iter().rposition(|open| elements::child(open.node, namespace, local).is_some());
        if let Some(owner) = owner {
            self.close_unclosed(owner + 1, at, entries);
            if let Some(node) = self.top().and_then(|top| elements::child(top, namespace, local)) {
                return node;
            }
        }
        if parent.is_of_protocol() && matches!(namespace, Namespace::Core | Namespace::None) {
            let detail = || quoted(name);
            entries.findings.report(&kinds::UNKNOWN_ELEMENT, at.place(), detail);
        }
        Node::Ignored
    }

    /// Determines the meaning of the root element.
    fn root(
        &mut self,
        name: &str,
        namespace: Namespace,
        local: &str,
        at: &mut TokenPosition<'_>,
        entries: &mut Entries,
    ) -> Node {
        if self.is_root_closed {
            entries.findings.once(&kinds::TRAILING_CONTENT, at.place(), || quoted(name));
        }
        let lower = local.to_ascii_lowercase();
        let node = match (elements::root(local), elements::root(&lower)) {
            (Some(node), _) => node,
            (None, Some(node)) => {
                let detail = || quoted(name);
                entries.findings.report(&kinds::WRONG_CASE, at.place(), detail);
                node
            }
            (None, None) => return self.other_root(name, &lower, at, entries),
        };
        self.format.get_or_insert(match node {
            Node::Sitemapindex => Format::Sitemapindex,
            Node::Rss => Format::Rss,
            Node::Rdf => Format::Rdf,
            Node::Feed => Format::Atom,
            _ => Format::Urlset,
        });
        if matches!(node, Node::Urlset | Node::Sitemapindex) {
            self.check_root_namespace(name, namespace, at, entries);
        }
        node
    }

    fn check_root_namespace(
        &mut self,
        name: &str,
        namespace: Namespace,
        at: &mut TokenPosition<'_>,
        entries: &mut Entries,
    ) {
        match namespace {
            Namespace::Core => {}
            Namespace::None => entries.findings.note(&kinds::NO_NAMESPACE, at.place()),
            _ => {
                entries.findings.note(&kinds::UNKNOWN_NAMESPACE, at.place());
                let prefix = name.split_once(':').map_or("", |(prefix, _)| prefix);
                self.scopes.declare(prefix, Namespace::Core, self.stack.len() + 1);
            }
        }
    }

    /// Handles a root element that is not the root of a sitemap: an entry without a root, an element of a web page, or
    /// any other element.
    fn other_root(
        &mut self,
        name: &str,
        lower: &str,
        at: &mut TokenPosition<'_>,
        entries: &mut Entries,
    ) -> Node {
        let detail = || format!("the file starts with `<{}>`", excerpt(name));
        match lower {
            "url" | "sitemap" => {
                let format = if lower == "url" { Format::Urlset } else { Format::Sitemapindex };
                self.format.get_or_insert(format);
                entries.findings.once(&kinds::MISSING_ROOT, at.place(), detail);
                self.stack.push(Open { node: Node::Urlset, name: self.names.len() });
                self.is_root_implied = true;
                if lower == "url" { Node::Page } else { Node::Sitemap }
            }
            "html" | "head" | "body" | "script" | "meta" | "title" => {
                entries.findings.report(&kinds::HTML, at.place(), detail);
                entries.stop();
                Node::Ignored
            }
            // After a complete sitemap, `root` has already reported this element.
            _ if self.is_root_closed => Node::Ignored,
            _ => {
                entries.findings.report(&kinds::UNRECOGNISED, at.place(), detail);
                entries.stop();
                Node::Ignored
            }
        }
    }

    /// Starts the entry, or the part of an entry, that the element represents.
    fn opened(
        &mut self,
        node: Node,
        tag: &BytesStart<'_>,
        at: &mut TokenPosition<'_>,
        entries: &mut Entries,
    ) {
        match node {
            Node::Page | Node::Sitemap | Node::Item | Node::Entry => {
                self.draft = Some(Draft::new(node, at.place()));
                self.check_entry_place(node, at, entries);
            }
            Node::Field(field) => {
                self.field = Some(field);
                self.value.clear();
                self.is_value_cut = false;
                self.attributes.clear();
                if Draft::wants_attributes(field) {
                    let owned =
                        |(name, value): (&str, Cow<'_, str>)| (name.to_owned(), trim(&value).to_owned());
                    self.attributes = attributes(tag).map(owned).collect();
                }
            }
            Node::Link => {
                let attributes: Vec<_> = attributes(tag).collect();
                if let Some(draft) = &mut self.draft {
                    draft.link(&attributes, at, entries);
                }
            }
            Node::Image | Node::Video | Node::News => {
                if let Some(draft) = &mut self.draft {
                    draft.open_extension(node);
                }
            }
            Node::Obsolete => {
                let detail = || quoted(tag.name().as_ref());
                entries.findings.once(&kinds::OBSOLETE_EXTENSION, at.place(), detail);
            }
            _ => {}
        }
    }

    /// Reports an entry in the wrong kind of sitemap: an index lists sitemaps, a urlset lists pages.
    fn check_entry_place(&self, node: Node, at: &mut TokenPosition<'_>, entries: &mut Entries) {
        let (entry, root) = match (self.stack.first().map(|open| open.node), node) {
            (Some(Node::Urlset), Node::Sitemap) if !self.is_root_implied => ("sitemap", "urlset"),
            (Some(Node::Sitemapindex), Node::Page) => ("url", "sitemapindex"),
            _ => return,
        };
        let detail = || format!("`<{entry}>` in a `<{root}>`");
        entries.findings.report(&kinds::MISPLACED_ELEMENT, at.place(), detail);
    }

    /// Handles an end tag.
    pub(super) fn end(&mut self, name: &str, at: &mut TokenPosition<'_>, entries: &mut Entries) {
        let is_top = self.stack.last().is_some_and(|open| &self.names[open.name..] == name);
        if is_top {
            self.close(at, entries);
            return;
        }
        match self.position_of(name) {
            Some(position) => {
                self.close_unclosed(position + 1, at, entries);
                self.close(at, entries);
            }
            None => {
                let detail = || format!("`</{}>`", excerpt(name));
                entries.findings.report(&kinds::STRAY_END_TAG, at.place(), detail);
            }
        }
    }

    /// Returns the index of the open element that an end tag closes. Case is ignored.
    fn position_of(&self, name: &str) -> Option<usize> {
        let mut end = self.names.len();
        for (position, open) in self.stack.iter().enumerate().rev() {
            if self.names[open.name..end].eq_ignore_ascii_case(name) {
                return Some(position);
            }
            end = open.name;
        }
        None
    }

    /// Closes the elements below a depth. Reports one finding if at least one was open.
    fn close_unclosed(&mut self, depth: usize, at: &mut TokenPosition<'_>, entries: &mut Entries) {
        if let Some(open) = self.stack.last().filter(|_| self.stack.len() > depth) {
            let name = excerpt(&self.names[open.name..]);
            entries.findings.report(&kinds::UNCLOSED_ELEMENT, at.place(), || format!("`<{name}>`"));
        }
        while self.stack.len() > depth {
            self.close(at, entries);
        }
    }

    /// Closes the most recently opened element.
    pub(super) fn close(&mut self, at: &mut TokenPosition<'_>, entries: &mut Entries) {
        let Some(open) = self.stack.pop() else { return };
        self.names.truncate(open.name);
        self.scopes.leave(self.stack.len());
        match open.node {
            Node::Field(field) => self.close_field(field, at, entries),
            Node::Image | Node::Video | Node::News => {
                if let Some(draft) = &mut self.draft {
                    draft.close_extension(open.node, at, entries);
                }
            }
            node if node.is_entry() => {
                if let Some(draft) = self.draft.take() {
                    draft.finish(self.channel.as_ref(), entries);
                }
            }
            _ => {}
        }
        self.is_root_closed |= self.stack.is_empty();
    }

    fn close_field(&mut self, field: Field, at: &mut TokenPosition<'_>, entries: &mut Entries) {
        self.field = None;
        if self.is_value_cut {
            let start = excerpt(&self.value);
            entries.findings.report(&kinds::VALUE_TOO_LONG, at.place(), || format!("`{start}`"));
        }
        if memchr::memchr(b'\r', self.value.as_bytes()).is_some() {
            self.value = self.value.replace("\r\n", "\n").replace('\r', "\n");
        }
        if field == Field::ChannelLink {
            if self.channel.is_none() {
                self.channel = url::Url::parse(trim(&self.value)).ok();
            }
        } else if let Some(draft) = &mut self.draft {
            draft.set(
                field,
                &self.value,
                self.is_value_cut,
                &self.attributes,
                self.channel.as_ref(),
                at,
                entries,
            );
        }
    }

    /// Handles text without entities.
    pub(super) fn text(&mut self, text: &str, at: &mut TokenPosition<'_>, entries: &mut Entries) {
        if self.field.is_some() {
            self.is_value_cut |= !push_capped(&mut self.value, text);
            return;
        }
        match self.top() {
            Some(Node::Page | Node::Sitemap) if !text.trim_ascii().is_empty() => {
                if let Some(draft) = &mut self.draft {
                    draft.bare_text(text);
                }
            }
            None if self.is_root_closed && !text.trim().is_empty() => {
                let detail = || quoted(text.trim());
                entries.findings.once(&kinds::TRAILING_CONTENT, at.place(), detail);
            }
            _ => {}
        }
    }

    /// Handles text that starts with an `&` outside an entity.
    pub(super) fn lone_ampersand(&mut self, text: &str, at: &mut TokenPosition<'_>, entries: &mut Entries) {
        if self.field.is_some() {
            entries.findings.report(&kinds::BARE_AMPERSAND, at.place(), || quoted(text));
        }
        self.text(text, at, entries);
    }

    /// Resolves references such as `&amp;` and `&#38;`. Unknown entities stay unchanged.
    pub(super) fn reference(
        &mut self,
        reference: &BytesRef<'_>,
        at: &mut TokenPosition<'_>,
        entries: &mut Entries,
    ) {
        let name: &str = reference;
        let character = match name {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => reference.resolve_char_ref().ok().flatten(),
        };
        match character {
            Some(c) => self.text(c.encode_utf8(&mut [0; 4]), at, entries),
            None => {
                let detail = || format!("`&{};`", excerpt(name));
                entries.findings.report(&kinds::UNKNOWN_ENTITY, at.place(), detail);
                for part in ["&", name, ";"] {
                    self.text(part, at, entries);
                }
            }
        }
    }

    /// Handles the end of the file. `rest` is the text after the last complete token.
    pub(super) fn finish(&mut self, rest: &str, place: Position, is_cut: bool, entries: &mut Entries) {
        let is_complete = self.stack.is_empty() || self.is_root_implied && self.stack.len() == 1;
        if self.format.is_none() && !is_cut {
            entries.findings.report(&kinds::MISSING_ROOT, place, || "the file has no element".to_owned());
            return;
        }
        if is_complete && rest.trim().is_empty() {
            return;
        }
        if !is_cut {
            // An implied root has no name.
            let open = self.stack.last().map(|open| &self.names[open.name..]).filter(|name| !name.is_empty());
            match open {
                Some(name) => {
                    let detail = || format!("`<{}>` is open", excerpt(name));
                    entries.findings.report(&kinds::TRUNCATED, place, detail);
                }
                None if self.is_root_closed => {
                    entries.findings.once(&kinds::TRAILING_CONTENT, place, || quoted(rest.trim()));
                }
                None => {
                    let detail = || format!("it ends with {}", quoted(rest.trim()));
                    entries.findings.report(&kinds::TRUNCATED, place, detail);
                }
            }
        }
        self.finish_entry(rest, place, entries);
    }

    /// Adds the entry that was cut off, if its URL is complete. A `<` after an open URL shows that it is complete.
    fn finish_entry(&mut self, rest: &str, place: Position, entries: &mut Entries) {
        let mut lines = Lines::starting_at(place);
        let mut at = TokenPosition {
            window: "",
            window_offset: place.offset,
            lines: &mut lines,
            offset: place.offset,
        };
        if let Some(field) = self.field.filter(|_| rest.starts_with('<')) {
            self.close_field(field, &mut at, entries);
        }
        if let Some(draft) = self.draft.take().filter(Draft::has_loc) {
            draft.finish(self.channel.as_ref(), entries);
        }
    }
}

/// Returns the attributes of a tag. Known entities in them are resolved.
fn attributes<'t>(tag: &'t BytesStart<'_>) -> impl Iterator<Item = (&'t str, Cow<'t, str>)> {
    let mut attributes = tag.attributes();
    attributes.with_checks(false);
    attributes.take(MAX_ATTRIBUTES).map_while(Result::ok).map(|attribute| {
        let value = attribute.normalized_value(XmlVersion::Explicit1_0).unwrap_or(attribute.value);
        (attribute.key.into_inner(), value)
    })
}
