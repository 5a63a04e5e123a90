//! The elements of every format, with their valid parents.

use super::namespace::Namespace;

/// The meaning of an open element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Urlset,
    Sitemapindex,
    Rss,
    Rdf,
    Feed,
    Channel,
    /// `<url>`
    Page,
    Sitemap,
    /// `<item>` of RSS
    Item,
    /// `<entry>` of Atom
    Entry,
    Image,
    Video,
    News,
    /// `<news:publication>`
    Publication,
    /// `<xhtml:link>` or Atom's `<link>`: its values are attributes only.
    Link,
    /// An element whose text is a value.
    Field(Field),
    /// An element of an extension that crawlers no longer read.
    Obsolete,
    /// Any other element, including its content.
    Ignored,
}

/// An element whose text is a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Loc,
    Lastmod,
    Changefreq,
    Priority,
    /// `<link>` of an RSS item
    ItemLink,
    Guid,
    PubDate,
    /// `<updated>`, or `<modified>` in Atom 0.3; `<dc:date>`
    Updated,
    /// `<published>`, or `<issued>` in Atom 0.3
    Published,
    ChannelLink,
    /// An element of `<image:image>`, by its name.
    Image(&'static str),
    /// An element of `<video:video>`, by its name.
    Video(&'static str),
    /// An element of `<news:news>`, by its name.
    News(&'static str),
}

/// The elements of `<image:image>`.
const IMAGE: &[&str] = &["loc", "caption", "geo_location", "title", "license"];

/// The elements of `<video:video>`.
const VIDEO: &[&str] = &[
    "thumbnail_loc",
    "title",
    "description",
    "content_loc",
    "player_loc",
    "duration",
    "expiration_date",
    "rating",
    "view_count",
    "publication_date",
    "family_friendly",
    "restriction",
    "platform",
    "requires_subscription",
    "uploader",
    "live",
    "tag",
    "category",
    "gallery_loc",
    "price",
];

/// The elements of `<news:news>`.
const NEWS: &[&str] = &["publication_date", "title", "access", "genres", "keywords", "stock_tickers"];

/// The elements of `<news:publication>`.
const PUBLICATION: &[&str] = &["name", "language"];

impl Node {
    /// Returns true if the element represents an entry.
    pub(super) fn is_entry(self) -> bool {
        matches!(self, Node::Page | Node::Sitemap | Node::Item | Node::Entry)
    }

    /// Returns true if the element belongs to the sitemap protocol. Unknown elements inside it are reported.
    pub(super) fn is_of_protocol(self) -> bool {
        matches!(self, Node::Urlset | Node::Sitemapindex | Node::Page | Node::Sitemap)
    }
}

/// Returns the node of a root element with this local name.
pub(super) fn root(local: &str) -> Option<Node> {
    Some(match local {
        "urlset" => Node::Urlset,
        "sitemapindex" => Node::Sitemapindex,
        "rss" => Node::Rss,
        "RDF" => Node::Rdf,
        "feed" => Node::Feed,
        _ => return None,
    })
}

/// Returns the node for an element inside `parent`, or `None` if the parent cannot contain it.
pub(super) fn child(parent: Node, namespace: Namespace, local: &str) -> Option<Node> {
    use Namespace::{Atom, Core, DublinCore, Mobile, None as Bare, PageMap, Rss, Xhtml};
    match (parent, namespace) {
        (Node::Page, Core | Bare) => page_field(local),
        (Node::Urlset | Node::Sitemapindex, Core | Bare) => match local {
            "url" => Some(Node::Page),
            "sitemap" => Some(Node::Sitemap),
            _ => None,
        },
        (Node::Sitemap, Core | Bare) => {
            page_field(local).filter(|node| matches!(node, Node::Field(Field::Loc | Field::Lastmod)))
        }
        (Node::Page, Namespace::Image) => (local == "image").then_some(Node::Image),
        (Node::Page, Namespace::Video) => (local == "video").then_some(Node::Video),
        (Node::Page, Namespace::News) => (local == "news").then_some(Node::News),
        (Node::Page, Xhtml) => (local == "link").then_some(Node::Link),
        (Node::Page, Mobile | PageMap) => Some(Node::Obsolete),
        (Node::Image, Namespace::Image | Core | Bare) => named(IMAGE, Field::Image, local),
        (Node::Video, Namespace::Video | Core | Bare) => named(VIDEO, Field::Video, local),
        (Node::News, Namespace::News | Core | Bare) if local == "publication" => Some(Node::Publication),
        (Node::News, Namespace::News | Core | Bare) => named(NEWS, Field::News, local),
        (Node::Publication, Namespace::News | Core | Bare) => named(PUBLICATION, Field::News, local),
        (Node::Rss | Node::Rdf | Node::Channel | Node::Item, Bare | Rss | Core) => rss_field(parent, local),
        (Node::Item, DublinCore) => (local == "date").then_some(Node::Field(Field::Updated)),
        (Node::Feed, Atom | Bare | Core) => (local == "entry").then_some(Node::Entry),
        (Node::Entry, Atom | Bare | Core) => atom_field(local),
        _ => None,
    }
}

fn page_field(local: &str) -> Option<Node> {
    Some(Node::Field(match local {
        "loc" => Field::Loc,
        "lastmod" => Field::Lastmod,
        "changefreq" => Field::Changefreq,
        "priority" => Field::Priority,
        _ => return None,
    }))
}

/// Returns the field with this name, if it is a known one.
fn named(known: &[&'static str], field: fn(&'static str) -> Field, local: &str) -> Option<Node> {
    known.iter().find(|name| **name == local).map(|name| Node::Field(field(name)))
}

/// Returns the node of an element of RSS. RSS has items inside the channel, and RDF has items after it. Old files may
/// have either form in either format, so both are read.
fn rss_field(parent: Node, local: &str) -> Option<Node> {
    Some(match (parent, local) {
        (Node::Rss | Node::Rdf, "channel") => Node::Channel,
        (Node::Rss | Node::Rdf | Node::Channel, "item") => Node::Item,
        (Node::Channel, "link") => Node::Field(Field::ChannelLink),
        (Node::Item, "link") => Node::Field(Field::ItemLink),
        (Node::Item, "guid") => Node::Field(Field::Guid),
        (Node::Item, "pubDate") => Node::Field(Field::PubDate),
        _ => return None,
    })
}

fn atom_field(local: &str) -> Option<Node> {
    Some(match local {
        "link" => Node::Link,
        "updated" | "modified" => Node::Field(Field::Updated),
        "published" | "issued" => Node::Field(Field::Published),
        _ => return None,
    })
}
