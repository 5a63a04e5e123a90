//! The single pass over the tags and text of a page.
//!
//! Elements that end blocks or contain other elements are on a stack. Styles are in a separate list, like the
//! formatting elements of the HTML standard: they may end in any order, and many continue after the end of a block.

use std::rc::Rc;

use html5gum::emitters::callback::{Callback, CallbackEmitter, CallbackEvent};
use html5gum::{Span, State, Tokenizer};
use url::Url;

use super::elements::{self, COUNT, Kind, Reach, Style};
use super::escape::is_dropped;
use super::inline::{Link, StyleRequest};
use super::write::Writer;
use super::{Cut, GROWTH, MAX_ATTRIBUTE, MAX_DEPTH, MAX_STYLES, MAX_URL, Markdown, ROOM};
use crate::html::elements::{content_of, is_of_the_head};

/// A reason to leave the tokenizer's loop.
enum Step {
    /// The tokenizer must switch to this state for the content of the element.
    Content(State),
    /// Reading stops.
    Stop,
}

pub(super) fn convert(html: &str, base: Option<&Url>) -> Markdown {
    let limit = html.len().saturating_mul(GROWTH).saturating_add(ROOM);
    let mut pass = Pass::new(limit, base.cloned());
    let mut tokens = Tokenizer::new_with_emitter(html, CallbackEmitter::new(&mut pass));
    // Reading from a string cannot fail.
    while let Some(Ok(step)) = tokens.next() {
        match step {
            Step::Content(state) => tokens.set_state(state),
            Step::Stop => break,
        }
    }
    drop(tokens);
    pass.finish()
}

/// The attributes that are read.
#[derive(Clone, Copy)]
enum Attribute {
    Alt,
    Checked,
    Class,
    Colspan,
    DataSrc,
    Href,
    Role,
    Rowspan,
    Src,
    Start,
    Title,
    Type,
    Value,
}

impl Attribute {
    const COUNT: usize = Attribute::Value as usize + 1;

    fn of(name: &[u8]) -> Option<Attribute> {
        Some(match name {
            b"alt" => Attribute::Alt,
            b"checked" => Attribute::Checked,
            b"class" => Attribute::Class,
            b"colspan" => Attribute::Colspan,
            b"data-src" => Attribute::DataSrc,
            b"href" => Attribute::Href,
            b"role" => Attribute::Role,
            b"rowspan" => Attribute::Rowspan,
            b"src" => Attribute::Src,
            b"start" => Attribute::Start,
            b"title" => Attribute::Title,
            b"type" => Attribute::Type,
            b"value" => Attribute::Value,
            _ => return None,
        })
    }

    /// Returns the maximum number of stored bytes. For a URL, it is one byte above the limit, to detect longer URLs.
    fn room(self) -> usize {
        match self {
            Attribute::Href | Attribute::Src | Attribute::DataSrc => MAX_URL + 1,
            _ => MAX_ATTRIBUTE,
        }
    }
}

/// A start tag that is being read.
#[derive(Default)]
struct Tag {
    /// Its index in the table of known elements.
    element: Option<u8>,
    is_of_the_head: bool,
    /// The tokenizer's state for its content, if that is text.
    content: Option<State>,
    has_attributes: bool,
    attributes: [Option<String>; Attribute::COUNT],
    /// The attribute that the next value belongs to.
    current: Option<Attribute>,
}

impl Tag {
    fn new(name: &[u8]) -> Self {
        let element = elements::find(name);
        Tag {
            element,
            is_of_the_head: is_of_the_head(name),
            content: content_of(name),
            has_attributes: element.is_some_and(|element| elements::kind(element).has_attributes()),
            ..Tag::default()
        }
    }

    fn name_attribute(&mut self, name: &[u8]) {
        let known = Attribute::of(name).filter(|_| self.has_attributes);
        // If a name is repeated, the first attribute counts.
        self.current = known.filter(|&known| self.attributes[known as usize].is_none());
        if let Some(current) = self.current {
            self.attributes[current as usize] = Some(String::new());
        }
    }

    fn value(&mut self, value: &[u8]) {
        if let Some(current) = self.current.take() {
            let kept = &value[..value.len().min(current.room())];
            self.attributes[current as usize] = Some(String::from_utf8_lossy(kept).into_owned());
        }
    }

    fn has(&self, attribute: Attribute) -> bool {
        self.attributes[attribute as usize].is_some()
    }

    fn get(&self, attribute: Attribute) -> &str {
        self.attributes[attribute as usize].as_deref().unwrap_or_default().trim()
    }

    fn number<N: std::str::FromStr>(&self, attribute: Attribute) -> Option<N> {
        self.get(attribute).parse().ok()
    }

    /// Returns the programming language in a class such as `language-rust`, as syntax highlighters write it.
    fn language(&self) -> String {
        const PREFIXES: [&str; 4] = ["language-", "lang-", "highlight-source-", "highlight-"];
        let named = self
            .get(Attribute::Class)
            .split_ascii_whitespace()
            .find_map(|class| PREFIXES.iter().find_map(|prefix| class.strip_prefix(prefix)));
        let is_name = |name: &&str| {
            let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"+#-_.".contains(&byte);
            !matches!(*name, "" | "default" | "none" | "wrapper")
                && name.len() <= 32
                && name.bytes().all(is_part)
        };
        named.filter(is_name).unwrap_or_default().to_owned()
    }
}

/// An element on the stack.
struct Open {
    element: u8,
    kind: Kind,
    effect: Effect,
}

/// The effect of an element on the output, which must be ended with the element.
#[derive(Clone, Copy)]
enum Effect {
    None,
    Block,
    Heading,
    Code,
    /// The number of quotes, lists and items that the element opened.
    Containers(u8),
    Table,
    Row,
    Cell,
}

/// The state of a pass over a page.
struct Pass {
    base: Option<Url>,
    has_base_element: bool,
    /// The start tag being read.
    tag: Option<Tag>,
    stack: Vec<Open>,
    /// For each element, the number of times that it is on the stack.
    open: [u32; COUNT],
    /// For each element, the number of open start tags beyond the depth limit.
    beyond: [u32; COUNT],
    /// Number of elements on the stack whose content is skipped.
    skipping: usize,
    /// Number of elements on the stack whose content is not HTML (`svg`, `math`).
    foreign: usize,
    /// True if the text of the open element is neither markup nor visible text.
    in_hidden_text: bool,
    styles: Vec<StyleRequest>,
    /// The index of the first style of each open cell.
    cells: Vec<usize>,
    quotations: u32,
    /// The programming language that an element around code has in its class.
    language: String,
    writer: Writer,
    is_too_deep: bool,
    has_long_address: bool,
    is_stopped: bool,
}

impl Pass {
    fn new(limit: usize, base: Option<Url>) -> Self {
        Pass {
            base,
            has_base_element: false,
            tag: None,
            stack: Vec::new(),
            open: [0; COUNT],
            beyond: [0; COUNT],
            skipping: 0,
            foreign: 0,
            in_hidden_text: false,
            styles: Vec::new(),
            cells: Vec::new(),
            quotations: 0,
            language: String::new(),
            writer: Writer::new(limit),
            is_too_deep: false,
            has_long_address: false,
            is_stopped: false,
        }
    }

    fn finish(mut self) -> Markdown {
        self.close_to(0);
        let is_too_deep = self.is_too_deep || self.writer.is_too_deep;
        let (text, is_full) = self.writer.finish();
        let cuts = [
            (is_too_deep, Cut::Nesting),
            (self.has_long_address, Cut::Address),
            (self.is_stopped || is_full, Cut::Length),
        ];
        let cuts = cuts.into_iter().filter(|(happened, _)| *happened).map(|(_, cut)| cut).collect();
        Markdown { text, cuts }
    }

    /// Handles a complete start tag. Returns the tokenizer's state for its content, if that is text.
    fn start(&mut self, is_self_closing: bool) -> Option<State> {
        let mut tag = self.tag.take()?;
        if !tag.is_of_the_head {
            self.end_head();
        }
        let is_closed = self.foreign > 0 && is_self_closing;
        let content = tag.content.take().filter(|_| !is_closed);
        let kind = tag.element.map(elements::kind);
        if let (Some(element), Some(kind)) = (tag.element, kind) {
            let is_hidden = content.is_some() && kind.is_skipped();
            self.in_hidden_text = is_hidden;
            if !is_closed && !is_hidden {
                self.element(element, kind, &tag);
            }
        }
        content
    }

    /// Ends the head, if it is open. Called before every element and text of the body.
    fn end_head(&mut self) {
        if matches!(self.stack.last(), Some(Open { kind: Kind::Head, .. })) {
            self.close_to(self.stack.len() - 1);
        }
    }

    fn element(&mut self, element: u8, kind: Kind, tag: &Tag) {
        if kind == Kind::Base {
            self.read_base(tag);
        }
        let is_skipping = self.skipping > 0;
        match kind {
            Kind::Style(style, reach) if !is_skipping => self.begin_style(element, style, reach, tag),
            Kind::Quoted if !is_skipping => {
                self.quotations = self.quotations.saturating_add(1);
                self.writer.text("\"", &mut self.styles);
            }
            Kind::Break if !is_skipping => self.writer.line_break(),
            Kind::Image if !is_skipping => self.image(tag),
            Kind::Input if !is_skipping && tag.get(Attribute::Type).eq_ignore_ascii_case("checkbox") => {
                self.writer.task(tag.has(Attribute::Checked));
            }
            Kind::Style(..) | Kind::Quoted | Kind::Break | Kind::Image | Kind::Input | Kind::Base => {}
            Kind::Rule => {
                self.imply_ends(kind);
                if !is_skipping {
                    self.writer.rule();
                }
            }
            _ => self.begin(element, kind, tag),
        }
    }

    /// Begins an element that is pushed on the stack.
    fn begin(&mut self, element: u8, kind: Kind, tag: &Tag) {
        self.imply_ends(kind);
        // A skipped element is pushed even at the depth limit, so that its end tag is recognized.
        let room = MAX_DEPTH + usize::from(kind.is_skipped() && self.skipping == 0);
        if self.stack.len() >= room {
            let beyond = &mut self.beyond[usize::from(element)];
            *beyond = beyond.saturating_add(1);
            if self.skipping == 0 {
                self.is_too_deep = true;
                self.writer.block_edge();
            }
            return;
        }
        let effect = if self.skipping > 0 { Effect::None } else { self.effect(kind, tag) };
        self.stack.push(Open { element, kind, effect });
        self.open[usize::from(element)] += 1;
        self.skipping += usize::from(kind.is_skipped());
        self.foreign += usize::from(matches!(kind, Kind::Foreign { .. }));
    }

    /// Ends the elements whose end tags a start tag implies (HTML standard, "in body", "in table", "in row", "in
    /// cell").
    fn imply_ends(&mut self, kind: Kind) {
        if kind.ends_paragraph() && self.is_open(b"p") {
            self.close_found(|open| open.kind == Kind::Paragraph, Kind::is_scope);
        }
        match kind {
            Kind::Heading(_) if matches!(self.stack.last(), Some(Open { kind: Kind::Heading(_), .. })) => {
                self.close_to(self.stack.len() - 1);
            }
            Kind::Item if self.is_open(b"li") => {
                self.close_found(|open| open.kind == Kind::Item, |kind| !kind.allows_item_end());
            }
            Kind::Term if self.is_open(b"dt") || self.is_open(b"dd") => {
                self.close_found(|open| open.kind == Kind::Term, |kind| !kind.allows_item_end());
            }
            _ if kind.is_of_table() => self.clear_table(kind),
            // A table directly inside a table replaces it.
            Kind::Table => {
                let is_inside = |kind| matches!(kind, Kind::Table | Kind::Section | Kind::Row);
                if self.stack.last().is_some_and(|open| is_inside(open.kind)) {
                    self.close_found(|open| open.kind == Kind::Table, |_| false);
                }
            }
            _ => {}
        }
    }

    /// Ends the open cells, rows and sections that cannot contain a new cell, row or section of their table.
    fn clear_table(&mut self, kind: Kind) {
        let Some(table) = self.table() else { return };
        let keeps = |open: Kind| match kind {
            Kind::Cell { .. } => matches!(open, Kind::Section | Kind::Row),
            Kind::Row => open == Kind::Section,
            _ => false,
        };
        let inside = self.stack[table + 1..].iter().take_while(|open| keeps(open.kind)).count();
        self.close_to(table + 1 + inside);
    }

    /// Returns the index of the innermost table on the stack.
    fn table(&self) -> Option<usize> {
        if !self.is_open(b"table") {
            return None;
        }
        let is_end = |open: &Open| matches!(open.kind, Kind::Table | Kind::Sealed);
        self.stack.iter().rposition(is_end).filter(|&at| self.stack[at].kind == Kind::Table)
    }

    fn is_open(&self, name: &[u8]) -> bool {
        elements::find(name).is_some_and(|element| self.open[usize::from(element)] > 0)
    }

    /// Ends the innermost element that matches, with all its descendants. The search ends at the first element for
    /// which `stops` returns true.
    fn close_found(&mut self, matches: impl Fn(&Open) -> bool, stops: impl Fn(Kind) -> bool) {
        for at in (0..self.stack.len()).rev() {
            if matches(&self.stack[at]) {
                return self.close_to(at);
            }
            if stops(self.stack[at].kind) {
                return;
            }
        }
    }

    fn close_to(&mut self, count: usize) {
        while self.stack.len() > count
            && let Some(open) = self.stack.pop()
        {
            self.open[usize::from(open.element)] -= 1;
            self.skipping -= usize::from(open.kind.is_skipped());
            self.foreign -= usize::from(matches!(open.kind, Kind::Foreign { .. }));
            self.undo(open.effect);
        }
        let depth = self.stack.len();
        let first = self.cells.last().copied().unwrap_or_default();
        let mut at = 0;
        self.styles.retain(|request| {
            at += 1;
            at <= first || request.depth <= depth
        });
    }

    /// Starts an element and returns its effect on the blocks around it.
    fn effect(&mut self, kind: Kind, tag: &Tag) -> Effect {
        if self.writer.is_in_code() {
            if kind != Kind::Row && kind.is_of_table() {
                return Effect::None;
            }
            self.writer.block_edge();
            return Effect::Block;
        }
        match kind {
            Kind::Heading(level) => {
                // A language counts only for the code that directly follows.
                self.language.clear();
                self.writer.begin_heading(level);
                Effect::Heading
            }
            Kind::Pre => {
                let named = tag.language();
                let language = if named.is_empty() { std::mem::take(&mut self.language) } else { named };
                self.writer.begin_code(language);
                Effect::Code
            }
            Kind::Quote => Effect::Containers(u8::from(self.writer.begin_quote())),
            Kind::List { is_ordered } => self.begin_list(is_ordered, tag),
            Kind::Item => Effect::Containers(u8::from(self.writer.begin_item(tag.number(Attribute::Value)))),
            Kind::Table => {
                let role = tag.get(Attribute::Role);
                match self.writer.begin_table(matches!(role, "presentation" | "none")) {
                    true => Effect::Table,
                    false => Effect::Block,
                }
            }
            Kind::Row => self.begin_row(),
            Kind::Cell { .. } => self.begin_cell(tag),
            Kind::Section | Kind::Foreign { is_skipped: false } => Effect::None,
            Kind::Paragraph | Kind::Term | Kind::Caption => {
                self.language.clear();
                self.writer.end_block();
                Effect::Block
            }
            Kind::Div => {
                let named = tag.language();
                if !named.is_empty() {
                    self.language = named;
                }
                self.writer.block_edge();
                Effect::Block
            }
            _ => {
                self.writer.block_edge();
                Effect::Block
            }
        }
    }

    fn begin_list(&mut self, is_ordered: bool, tag: &Tag) -> Effect {
        let resumed = self.writer.is_between_items() && self.writer.resume_item();
        let start = tag.number(Attribute::Start).unwrap_or(1).min(999_999_999);
        let begun = self.writer.begin_list(is_ordered, start);
        Effect::Containers(u8::from(resumed) + u8::from(begun))
    }

    /// Returns true if the innermost table on the stack is written as a table.
    fn is_in_table(&self) -> bool {
        self.table().is_some_and(|at| matches!(self.stack[at].effect, Effect::Table))
    }

    fn begin_row(&mut self) -> Effect {
        if !self.is_in_table() {
            self.writer.block_edge();
            return Effect::Block;
        }
        self.writer.end_block();
        self.writer.begin_row();
        Effect::Row
    }

    fn begin_cell(&mut self, tag: &Tag) -> Effect {
        if !self.is_in_table() {
            self.writer.block_edge();
            return Effect::Block;
        }
        // A cell without a row begins one.
        if !matches!(self.stack.last(), Some(Open { kind: Kind::Row, .. })) {
            self.writer.begin_row();
        }
        let rows = tag.number(Attribute::Rowspan).unwrap_or(1);
        self.writer.begin_cell(tag.number(Attribute::Colspan).unwrap_or(1), rows);
        self.cells.push(self.styles.len());
        Effect::Cell
    }

    fn undo(&mut self, effect: Effect) {
        match effect {
            Effect::None => {}
            Effect::Block => self.writer.block_edge(),
            Effect::Heading => self.writer.end_heading(),
            Effect::Code => self.writer.end_code(),
            Effect::Containers(count) => (0..count).for_each(|_| self.writer.end_container()),
            Effect::Table => self.writer.end_table(),
            Effect::Row => self.writer.end_row(),
            Effect::Cell => {
                self.writer.end_cell();
                // A style ends with the cell in which it began.
                let first = self.cells.pop().unwrap_or_default();
                self.styles.truncate(first);
            }
        }
    }

    fn begin_style(&mut self, element: u8, style: Style, reach: Reach, tag: &Tag) {
        if self.writer.is_in_code() {
            self.writer.name_language(tag.language());
            return;
        }
        let mut link = None;
        if style == Style::Link {
            self.end_style(element);
            link = self.link(tag.get(Attribute::Href), tag).map(Rc::new);
            if link.is_none() {
                return;
            }
        }
        if self.styles.len() >= MAX_STYLES {
            self.is_too_deep = true;
            return;
        }
        let depth = if reach == Reach::Parent { self.stack.len() } else { 0 };
        self.styles.push(StyleRequest { element, style, link, parts: 0, depth });
    }

    /// Ends the innermost style of this element in the current cell.
    fn end_style(&mut self, element: u8) {
        let first = self.cells.last().copied().unwrap_or_default();
        let found = self.styles.iter().rposition(|request| request.element == element);
        if let Some(at) = found.filter(|&at| at >= first) {
            self.styles.remove(at);
        }
    }

    fn read_base(&mut self, tag: &Tag) {
        let href = tag.get(Attribute::Href);
        if self.has_base_element || href.is_empty() || href.len() > MAX_URL {
            return;
        }
        self.has_base_element = true;
        self.base = match &self.base {
            Some(base) => base.join(href).ok().or_else(|| Some(base.clone())),
            None => Url::parse(href).ok(),
        };
        self.base = self.base.take().filter(|base| base.as_str().len() <= MAX_URL);
    }

    fn image(&mut self, tag: &Tag) {
        let is_picture = |source: &&str| !source.is_empty() && !is_scheme(source, "data:");
        let sources = [tag.get(Attribute::Src), tag.get(Attribute::DataSrc)];
        let source = sources.into_iter().find(is_picture).unwrap_or_default();
        let alt = tag.get(Attribute::Alt);
        match self.link(source, tag) {
            Some(link) => self.writer.image(alt, &link, &mut self.styles),
            // An image without a usable URL is replaced by its description.
            None => self.writer.text(alt, &mut self.styles),
        }
    }

    /// Returns the target of a link, or `None` if the target is empty, too long, or contains code or data.
    fn link(&mut self, target: &str, tag: &Tag) -> Option<Link> {
        if target.len() > MAX_URL {
            self.has_long_address = true;
            return None;
        }
        let is_code = ["javascript:", "data:", "vbscript:"].iter().any(|scheme| is_scheme(target, scheme));
        if target.is_empty() || is_code {
            return None;
        }
        let absolute = match &self.base {
            Some(base) if !target.starts_with('#') => base.join(target).ok().map(String::from),
            _ => None,
        };
        let url = absolute.unwrap_or_else(|| target.to_owned());
        if url.len() > 2 * MAX_URL {
            self.has_long_address = true;
            return None;
        }
        Some(Link { url, title: tag.get(Attribute::Title).to_owned() })
    }

    /// Handles an end tag.
    fn end(&mut self, name: &[u8]) {
        // The attributes of an end tag have no meaning.
        self.tag = None;
        self.in_hidden_text = false;
        if matches!(name, b"body" | b"html" | b"br") {
            self.end_head();
        }
        let Some(element) = elements::find(name) else { return };
        let kind = elements::kind(element);
        match kind {
            Kind::Style(..) => self.end_style(element),
            Kind::Quoted if self.quotations > 0 && self.skipping == 0 => {
                self.quotations -= 1;
                self.writer.text("\"", &mut self.styles);
            }
            Kind::Break if self.skipping == 0 => self.writer.line_break(),
            Kind::Quoted | Kind::Break | Kind::Rule | Kind::Image | Kind::Input | Kind::Base => {}
            _ => self.end_element(element, kind),
        }
    }

    fn end_element(&mut self, element: u8, kind: Kind) {
        let beyond = &mut self.beyond[usize::from(element)];
        if *beyond > 0 {
            *beyond -= 1;
            if self.skipping == 0 {
                self.writer.block_edge();
            }
            return;
        }
        let is_heading = |kind| matches!(kind, Kind::Heading(_));
        let is_same = |open: &Open| open.element == element || is_heading(kind) && is_heading(open.kind);
        if !is_heading(kind) && self.open[usize::from(element)] == 0 {
            return;
        }
        if kind == Kind::Table || kind.is_of_table() {
            self.close_found(is_same, |kind| matches!(kind, Kind::Table | Kind::Sealed));
        } else if kind == Kind::Item {
            self.close_found(is_same, |kind| kind.is_scope() || matches!(kind, Kind::List { .. }));
        } else {
            self.close_found(is_same, Kind::is_scope);
        }
    }

    fn text(&mut self, value: &[u8]) {
        if self.in_hidden_text {
            return;
        }
        if !value.trim_ascii().is_empty() {
            self.end_head();
        }
        if self.skipping == 0 {
            self.writer.text(&String::from_utf8_lossy(value), &mut self.styles);
        }
    }

    /// Stops if the Markdown becomes too long.
    fn check(&mut self) -> Option<Step> {
        if !self.is_stopped && self.writer.is_full() {
            self.is_stopped = true;
        }
        self.is_stopped.then_some(Step::Stop)
    }
}

/// Returns true if a URL has the given scheme. Case and the characters that [`address`] drops are ignored.
///
/// [`address`]: super::escape::address
fn is_scheme(url: &str, scheme: &str) -> bool {
    let mut chars = url.chars().filter(|&char| !is_dropped(char));
    scheme.chars().all(|expected| chars.next().is_some_and(|char| char.eq_ignore_ascii_case(&expected)))
}

impl Callback<Step, ()> for &mut Pass {
    fn handle_event(&mut self, event: CallbackEvent<'_>, _: Span<()>) -> Option<Step> {
        if self.is_stopped {
            return Some(Step::Stop);
        }
        match event {
            CallbackEvent::OpenStartTag { name } => self.tag = Some(Tag::new(name)),
            CallbackEvent::AttributeName { name } => {
                if let Some(tag) = &mut self.tag {
                    tag.name_attribute(name);
                }
            }
            CallbackEvent::AttributeValue { value } => {
                if let Some(tag) = &mut self.tag {
                    tag.value(value);
                }
            }
            CallbackEvent::CloseStartTag { self_closing } => {
                let content = self.start(self_closing).map(Step::Content);
                return self.check().or(content);
            }
            CallbackEvent::EndTag { name } => {
                self.end(name);
                return self.check();
            }
            CallbackEvent::String { value } => {
                self.text(value);
                return self.check();
            }
            CallbackEvent::Comment { .. } | CallbackEvent::Doctype { .. } | CallbackEvent::Error(_) => {}
        }
        None
    }
}
