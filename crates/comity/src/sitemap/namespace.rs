//! The XML namespaces of sitemaps and feeds, with their common misspellings.

use super::kinds;
use crate::finding::Kind;

/// The vocabulary that a namespace identifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Namespace {
    /// The absence of a namespace.
    None,
    /// The namespace of the sitemap protocol, in any spelling.
    Core,
    Image,
    Video,
    News,
    Mobile,
    PageMap,
    /// XHTML, for hreflang.
    Xhtml,
    Atom,
    /// RSS 1.0.
    Rss,
    Rdf,
    DublinCore,
    /// Any other namespace.
    Other,
}

/// The spelling of a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    Right,
    /// Misspelt, or of another vocabulary.
    Lenient,
}

/// Returns the vocabulary that a namespace URI identifies, and whether the URI is spelled correctly.
pub(super) fn of(uri: &str) -> (Namespace, Spelling) {
    use Namespace::*;
    let exact = match uri {
        "" => None,
        "http://www.sitemaps.org/schemas/sitemap/0.9" => Core,
        "http://www.google.com/schemas/sitemap-image/1.1" => Image,
        "http://www.google.com/schemas/sitemap-video/1.1" => Video,
        "http://www.google.com/schemas/sitemap-news/0.9" => News,
        "http://www.google.com/schemas/sitemap-mobile/1.0" => Mobile,
        "http://www.google.com/schemas/sitemap-pagemap/1.0" => PageMap,
        "http://www.w3.org/1999/xhtml" => Xhtml,
        "http://www.w3.org/2005/Atom" | "http://purl.org/atom/ns#" => Atom,
        "http://purl.org/rss/1.0/" | "http://my.netscape.com/rdf/simple/0.9/" => Rss,
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#" => Rdf,
        "http://purl.org/dc/elements/1.1/" => DublinCore,
        _ => return (lenient(uri), Spelling::Lenient),
    };
    (exact, Spelling::Right)
}

/// Returns the vocabulary of a URI with another scheme, host or version, an extra slash, or white space around it.
fn lenient(uri: &str) -> Namespace {
    const PARTS: [(&str, Namespace); 8] = [
        ("/sitemap-image/", Namespace::Image),
        ("/sitemap-video/", Namespace::Video),
        ("/sitemap-news/", Namespace::News),
        ("/sitemap-mobile/", Namespace::Mobile),
        ("/sitemap-pagemap/", Namespace::PageMap),
        ("/schemas/sitemap/", Namespace::Core),
        ("//www.w3.org/1999/xhtml", Namespace::Xhtml),
        ("//www.w3.org/2005/Atom", Namespace::Atom),
    ];
    let found = PARTS.iter().find(|(part, _)| uri.contains(part));
    found.map_or(Namespace::Other, |(_, namespace)| *namespace)
}

/// Returns the likely meaning of a prefix that is not declared.
fn of_prefix(prefix: &str) -> Namespace {
    match prefix {
        "image" => Namespace::Image,
        "video" => Namespace::Video,
        "news" => Namespace::News,
        "mobile" => Namespace::Mobile,
        "xhtml" => Namespace::Xhtml,
        "atom" => Namespace::Atom,
        "rdf" => Namespace::Rdf,
        "dc" => Namespace::DublinCore,
        _ => Namespace::Other,
    }
}

/// Returns true if a prefix with a usual meaning is declared with another namespace.
pub(super) fn is_misbound(prefix: &str, namespace: Namespace) -> bool {
    let usual = of_prefix(prefix);
    usual != Namespace::Other && usual != namespace
}

/// A namespace declaration and its scope.
#[derive(Debug)]
struct Binding {
    prefix: String,
    namespace: Namespace,
    /// The declaration ends with the element at this depth.
    depth: usize,
}

/// Maximum number of stored declarations. Further declarations are ignored.
const MAX_BINDINGS: usize = 256;

/// The declarations in scope.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    bindings: Vec<Binding>,
    /// The default namespace, stored separately so that most elements need no search.
    default: Option<Namespace>,
}

impl Scopes {
    /// Declares a prefix (or the default namespace) for the element at a depth and its content.
    pub(super) fn declare(&mut self, prefix: &str, namespace: Namespace, depth: usize) {
        if self.bindings.len() < MAX_BINDINGS {
            self.bindings.push(Binding { prefix: prefix.to_owned(), namespace, depth });
            self.update_default();
        }
    }

    /// Removes the declarations of elements below a depth.
    pub(super) fn leave(&mut self, depth: usize) {
        if self.bindings.last().is_some_and(|binding| binding.depth > depth) {
            self.bindings.retain(|binding| binding.depth <= depth);
            self.update_default();
        }
    }

    fn update_default(&mut self) {
        self.default = self.find("");
    }

    fn find(&self, prefix: &str) -> Option<Namespace> {
        let found = self.bindings.iter().rev().find(|binding| binding.prefix == prefix);
        found.map(|binding| binding.namespace)
    }

    /// Returns the namespace of a name's prefix, the local name, and the kind of finding if the prefix is not declared.
    pub(super) fn resolve<'n>(&self, name: &'n str) -> (Namespace, &'n str, Option<&'static Kind>) {
        match memchr::memchr(b':', name.as_bytes()) {
            None => (self.default.unwrap_or(Namespace::None), name, None),
            Some(colon) => {
                let (prefix, local) = (&name[..colon], &name[colon + 1..]);
                match self.find(prefix) {
                    Some(namespace) => (namespace, local, None),
                    None => (of_prefix(prefix), local, Some(&kinds::UNDECLARED_PREFIX)),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespace_in_each_known_spelling_is_recognized() {
        for uri in [
            "https://www.sitemaps.org/schemas/sitemap/0.9",
            "http://www.sitemaps.org/schemas/sitemap/0.9/",
            "//www.sitemaps.org/schemas/sitemap/0.9",
            "https://sitemaps.org/schemas/sitemap/0.9",
            "http://www.google.com/schemas/sitemap/0.84",
            "http://www.google.com/schemas/sitemap/0.90",
        ] {
            assert_eq!(of(uri), (Namespace::Core, Spelling::Lenient), "{uri}");
        }
        assert_eq!(of("https://www.google.com/schemas/sitemap-image/1.1").0, Namespace::Image);
        assert_eq!(of("http://www.w3.org/1999/xhtml/").0, Namespace::Xhtml);
        assert_eq!(of("http://www.google.com/schemas/sitemap-news/0.84").0, Namespace::News);
        assert_eq!(of("http://example.com/").0, Namespace::Other);
    }

    #[test]
    fn declaration_ends_with_its_element() {
        let mut scopes = Scopes::default();
        scopes.declare("", Namespace::Core, 1);
        scopes.declare("i", Namespace::Image, 1);
        scopes.declare("", Namespace::Other, 2);
        assert_eq!(scopes.resolve("loc").0, Namespace::Other);
        scopes.leave(1);
        assert_eq!(scopes.resolve("loc").0, Namespace::Core);
        assert_eq!(scopes.resolve("i:loc"), (Namespace::Image, "loc", None));
        scopes.leave(0);
        assert_eq!(scopes.resolve("loc").0, Namespace::None);
        assert_eq!(scopes.resolve("video:loc"), (Namespace::Video, "loc", Some(&kinds::UNDECLARED_PREFIX)));
    }
}
