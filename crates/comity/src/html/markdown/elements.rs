//! The role of each element in Markdown, and the elements that it closes.
//!
//! The rules implement the part of the HTML standard's tree construction that determines the parent of a text: implied
//! end tags, scopes that limit end tags, elements of the head.

/// The role of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Begins and ends a block.
    Block,
    /// Begins and ends a block (`address`, `div`). A new item inside the element may end the item around the element.
    Div,
    Paragraph,
    Heading(u8),
    Pre,
    Quote,
    List {
        is_ordered: bool,
    },
    Item,
    /// `dt` and `dd`.
    Term,
    Table,
    Caption,
    /// `thead`, `tbody`, `tfoot`.
    Section,
    Row,
    Cell {
        is_header: bool,
    },
    /// The content is not visible text.
    Skipped,
    /// The content is not visible text, and end tags inside the element do not close elements outside.
    Sealed,
    /// The content is not visible text, and the element ends where the body begins.
    Head,
    /// The content is not HTML: `svg`, which is skipped, and `math`.
    Foreign {
        is_skipped: bool,
    },
    Style(Style, Reach),
    /// Quotation marks.
    Quoted,
    /// `br`.
    Break,
    Rule,
    Image,
    Input,
    Base,
}

/// The style that an element gives to its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Link,
    Strong,
    Emphasis,
    Strike,
    Code,
}

/// The point at which a style ends if its end tag is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// The end of the table cell or of the page, as for the standard's formatting elements.
    On,
    /// The end of the enclosing element.
    Parent,
}

use Kind::{
    Base, Block, Break, Caption, Cell, Div, Foreign, Head, Heading, Image, Input, Item, List, Paragraph, Pre,
    Quote, Quoted, Row, Rule, Sealed, Section, Skipped, Table, Term,
};

const fn style(style: Style) -> Kind {
    Kind::Style(style, Reach::On)
}

const fn inner(style: Style) -> Kind {
    Kind::Style(style, Reach::Parent)
}

/// All elements with a role, sorted by name. The tags of other elements are ignored, and their content is read.
pub(super) const ELEMENTS: &[(&str, Kind)] = &[
    ("a", style(Style::Link)),
    ("address", Div),
    ("annotation", Skipped),
    ("annotation-xml", Skipped),
    ("article", Block),
    ("aside", Block),
    ("audio", Skipped),
    ("b", style(Style::Strong)),
    ("base", Base),
    ("blockquote", Quote),
    ("br", Break),
    ("canvas", Skipped),
    ("caption", Caption),
    ("center", Block),
    ("cite", inner(Style::Emphasis)),
    ("code", style(Style::Code)),
    ("datalist", Skipped),
    ("dd", Term),
    ("del", inner(Style::Strike)),
    ("details", Block),
    ("dfn", inner(Style::Emphasis)),
    ("dialog", Block),
    ("dir", List { is_ordered: false }),
    ("div", Div),
    ("dl", Block),
    ("dt", Term),
    ("em", style(Style::Emphasis)),
    ("fieldset", Block),
    ("figcaption", Block),
    ("figure", Block),
    ("footer", Block),
    ("form", Block),
    ("h1", Heading(1)),
    ("h2", Heading(2)),
    ("h3", Heading(3)),
    ("h4", Heading(4)),
    ("h5", Heading(5)),
    ("h6", Heading(6)),
    ("head", Head),
    ("header", Block),
    ("hgroup", Block),
    ("hr", Rule),
    ("i", style(Style::Emphasis)),
    ("iframe", Skipped),
    ("img", Image),
    ("input", Input),
    ("kbd", inner(Style::Code)),
    ("legend", Block),
    ("li", Item),
    ("listing", Pre),
    ("main", Block),
    ("math", Foreign { is_skipped: false }),
    ("menu", List { is_ordered: false }),
    ("nav", Skipped),
    ("noembed", Skipped),
    ("noframes", Skipped),
    ("noscript", Skipped),
    ("object", Sealed),
    ("ol", List { is_ordered: true }),
    ("p", Paragraph),
    ("plaintext", Pre),
    ("pre", Pre),
    ("q", Quoted),
    ("s", style(Style::Strike)),
    ("samp", inner(Style::Code)),
    ("script", Skipped),
    ("search", Block),
    ("section", Block),
    ("select", Skipped),
    ("strike", style(Style::Strike)),
    ("strong", style(Style::Strong)),
    ("style", Skipped),
    ("summary", Block),
    ("svg", Foreign { is_skipped: true }),
    ("table", Table),
    ("tbody", Section),
    ("td", Cell { is_header: false }),
    ("template", Sealed),
    ("textarea", Skipped),
    ("tfoot", Section),
    ("th", Cell { is_header: true }),
    ("thead", Section),
    ("title", Skipped),
    ("tr", Row),
    ("tt", style(Style::Code)),
    ("ul", List { is_ordered: false }),
    ("var", inner(Style::Emphasis)),
    ("video", Skipped),
    ("xmp", Pre),
];

/// Number of elements with a role.
pub(super) const COUNT: usize = ELEMENTS.len();

/// Returns the index in [`ELEMENTS`] of a name in lower case.
pub(super) fn find(name: &[u8]) -> Option<u8> {
    let place = ELEMENTS.binary_search_by(|(known, _)| known.as_bytes().cmp(name)).ok()?;
    u8::try_from(place).ok()
}

/// Returns the role of the element at an index.
pub(super) fn kind(place: u8) -> Kind {
    ELEMENTS[usize::from(place)].1
}

impl Kind {
    /// Returns true if the start of the element ends a paragraph.
    pub(super) fn ends_paragraph(self) -> bool {
        matches!(
            self,
            Block | Div | Paragraph | Heading(_) | Pre | Quote | List { .. } | Item | Term | Table | Rule
        )
    }

    /// Returns true if an end tag inside the element, or an implied end, cannot close elements outside.
    pub(super) fn is_scope(self) -> bool {
        matches!(self, Table | Caption | Cell { .. } | Sealed)
    }

    /// Returns true if a new item or term inside this element may end the previous item or term that contains this
    /// element.
    pub(super) fn allows_item_end(self) -> bool {
        matches!(self, Div | Paragraph)
    }

    /// Returns true if the element is valid only inside a table.
    pub(super) fn is_of_table(self) -> bool {
        matches!(self, Caption | Section | Row | Cell { .. })
    }

    /// Returns true if the content of the element is skipped.
    pub(super) fn is_skipped(self) -> bool {
        matches!(self, Skipped | Sealed | Head | Foreign { is_skipped: true })
    }

    /// Returns true if the attributes of the element are read.
    pub(super) fn has_attributes(self) -> bool {
        matches!(
            self,
            Kind::Style(Style::Link | Style::Code, _)
                | Image
                | Input
                | Base
                | Pre
                | Div
                | List { .. }
                | Item
                | Table
                | Cell { .. }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_found_in_the_sorted_table() {
        assert!(ELEMENTS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(COUNT <= usize::from(u8::MAX));
        assert_eq!(find(b"ul").map(kind), Some(List { is_ordered: false }));
        assert_eq!(find(b"span"), None);
    }
}
