//! The elements of every format and the places where they belong: one table of grammar.

use super::namespace::Namespace;

/// An open element, by what it means.
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
    /// `<xhtml:link>` or Atom's `<link>`: attributes say it all.
    Link,
    /// An element whose text is a value.
    Field(Field),
    /// A part of an extension that no crawler reads.
    Obsolete,
    /// Any other element, with its content.
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
    Image(ImageField),
    Video(VideoField),
    News(NewsField),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ImageField {
    Loc,
    Caption,
    GeoLocation,
    Title,
    License,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VideoField {
    ThumbnailLoc,
    Title,
    Description,
    ContentLoc,
    PlayerLoc,
    Duration,
    ExpirationDate,
    Rating,
    ViewCount,
    PublicationDate,
    FamilyFriendly,
    VideoRestriction,
    Platform,
    RequiresSubscription,
    Uploader,
    Live,
    Tag,
    Category,
    GalleryLoc,
    Price,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NewsField {
    Name,
    Language,
    PublicationDate,
    Title,
    Access,
    Genres,
    Keywords,
    StockTickers,
}

impl Node {
    /// Returns whether it stands for an entry.
    pub(super) fn is_entry(self) -> bool {
        matches!(self, Node::Page | Node::Sitemap | Node::Item | Node::Entry)
    }

    /// Returns whether an unknown element of the protocol's own namespace is reported here.
    pub(super) fn is_of_protocol(self) -> bool {
        matches!(self, Node::Urlset | Node::Sitemapindex | Node::Page | Node::Sitemap)
    }
}

/// Returns the root element with a local name.
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

/// Returns the node for an element inside another; `None` if it does not belong there.
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
        (Node::Image, Namespace::Image | Core | Bare) => image_field(local),
        (Node::Video, Namespace::Video | Core | Bare) => video_field(local),
        (Node::News | Node::Publication, Namespace::News | Core | Bare) => news_field(parent, local),
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

fn image_field(local: &str) -> Option<Node> {
    Some(Node::Field(Field::Image(match local {
        "loc" => ImageField::Loc,
        "caption" => ImageField::Caption,
        "geo_location" => ImageField::GeoLocation,
        "title" => ImageField::Title,
        "license" => ImageField::License,
        _ => return None,
    })))
}

fn video_field(local: &str) -> Option<Node> {
    Some(Node::Field(Field::Video(match local {
        "thumbnail_loc" => VideoField::ThumbnailLoc,
        "title" => VideoField::Title,
        "description" => VideoField::Description,
        "content_loc" => VideoField::ContentLoc,
        "player_loc" => VideoField::PlayerLoc,
        "duration" => VideoField::Duration,
        "expiration_date" => VideoField::ExpirationDate,
        "rating" => VideoField::Rating,
        "view_count" => VideoField::ViewCount,
        "publication_date" => VideoField::PublicationDate,
        "family_friendly" => VideoField::FamilyFriendly,
        "restriction" => VideoField::VideoRestriction,
        "platform" => VideoField::Platform,
        "requires_subscription" => VideoField::RequiresSubscription,
        "uploader" => VideoField::Uploader,
        "live" => VideoField::Live,
        "tag" => VideoField::Tag,
        "category" => VideoField::Category,
        "gallery_loc" => VideoField::GalleryLoc,
        "price" => VideoField::Price,
        _ => return None,
    })))
}

fn news_field(parent: Node, local: &str) -> Option<Node> {
    Some(Node::Field(Field::News(match (parent, local) {
        (Node::News, "publication") => return Some(Node::Publication),
        (Node::Publication, "name") => NewsField::Name,
        (Node::Publication, "language") => NewsField::Language,
        (Node::News, "publication_date") => NewsField::PublicationDate,
        (Node::News, "title") => NewsField::Title,
        (Node::News, "access") => NewsField::Access,
        (Node::News, "genres") => NewsField::Genres,
        (Node::News, "keywords") => NewsField::Keywords,
        (Node::News, "stock_tickers") => NewsField::StockTickers,
        _ => return None,
    })))
}

/// Returns the node of an element of RSS. RSS puts items into the channel and RDF beside it; old files do either.
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
