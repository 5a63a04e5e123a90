//! Parses `Link` header fields (RFC 8288 §3), which contain the URLs of licenses.
//!
//! Servers often have handwritten fields, so the parser is tolerant. A part that is not a link is skipped up to the
//! next comma and reported, and parsing continues. Only the parts that RSL needs are stored: target, relation, type.

use std::borrow::Cow;

/// A link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Link<'v> {
    pub target: &'v str,
    pub rel: Option<Cow<'v, str>>,
    pub media_type: Option<Cow<'v, str>>,
    /// True if the link has an `anchor`: its context is a resource other than the page.
    pub has_anchor: bool,
}

impl Link<'_> {
    /// Returns true if the target is an RSL license of the page itself.
    pub(super) fn is_rsl_license(&self) -> bool {
        let has_rel =
            |rel: &str| rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("license"));
        !self.has_anchor
            && self.rel.as_deref().is_some_and(has_rel)
            && self.media_type.as_deref().is_some_and(is_rsl_type)
    }
}

/// Returns true if a media type, without its parameters, is that of RSL.
pub(super) fn is_rsl_type(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/rsl+xml")
}

/// Returns the links of one field, and true if a part of the field was not a link.
pub(super) fn links(value: &str) -> (Vec<Link<'_>>, bool) {
    let mut reader = Reader { rest: value, is_odd: false };
    let mut links = Vec::new();
    while reader.start() {
        links.extend(reader.link());
    }
    (links, reader.is_odd)
}

struct Reader<'v> {
    rest: &'v str,
    is_odd: bool,
}

impl<'v> Reader<'v> {
    fn skip(&mut self, characters: &[char]) {
        self.rest = self.rest.trim_start_matches(characters);
    }

    fn take(&mut self, character: char) -> bool {
        let rest = self.rest.strip_prefix(character);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Consumes and returns the text before the first of `characters`.
    fn until(&mut self, characters: &[char]) -> &'v str {
        let (taken, rest) = self.rest.split_at(self.rest.find(characters).unwrap_or(self.rest.len()));
        self.rest = rest;
        taken
    }

    /// Advances to the next link, or returns false at the end. Empty list elements are permitted (RFC 9110 §5.6.1).
    fn start(&mut self) -> bool {
        self.skip(&[' ', '\t', ',']);
        !self.rest.is_empty()
    }

    fn link(&mut self) -> Option<Link<'v>> {
        if !self.take('<') {
            return self.skip_part();
        }
        let target = self.until(&['>']);
        if !self.take('>') {
            return self.skip_part();
        }
        let mut link = Link { target: target.trim(), ..Link::default() };
        loop {
            self.skip(&[' ', '\t']);
            if !self.take(';') {
                break;
            }
            self.parameter(&mut link);
        }
        if !self.rest.is_empty() && !self.rest.starts_with(',') {
            self.skip_part();
        }
        Some(link)
    }

    /// Skips a part that is not a link.
    fn skip_part(&mut self) -> Option<Link<'v>> {
        self.is_odd = true;
        self.until(&[',']);
        None
    }

    /// Reads a parameter. If a name is repeated, the first parameter counts (RFC 8288 §3.3 and §3.4.1).
    fn parameter(&mut self, link: &mut Link<'v>) {
        self.skip(&[' ', '\t']);
        let name = self.until(&['=', ';', ',', ' ', '\t']);
        self.skip(&[' ', '\t']);
        let value = if self.take('=') { self.value() } else { Cow::Borrowed("") };
        match name.to_ascii_lowercase().as_str() {
            "rel" => link.rel = link.rel.take().or(Some(value)),
            "type" => link.media_type = link.media_type.take().or(Some(value)),
            "anchor" => link.has_anchor = true,
            _ => {}
        }
    }

    fn value(&mut self) -> Cow<'v, str> {
        self.skip(&[' ', '\t']);
        if !self.take('"') {
            return Cow::Borrowed(self.until(&[';', ',', ' ', '\t']));
        }
        let mut value = Cow::Borrowed(self.until(&['"', '\\']));
        while self.take('\\') {
            let mut characters = self.rest.chars();
            value.to_mut().extend(characters.next());
            self.rest = characters.as_str();
            value.to_mut().push_str(self.until(&['"', '\\']));
        }
        self.is_odd |= !self.take('"');
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn licenses(value: &str) -> Vec<&str> {
        links(value).0.into_iter().filter(Link::is_rsl_license).map(|link| link.target).collect()
    }

    #[test]
    fn link_in_any_notation_is_found() {
        for value in [
            "<https://e.com/l>; rel=\"license\"; type=\"application/rsl+xml\"",
            "<https://e.com/l>;type=application/rsl+xml;rel=license",
            ", <https://e.com/l> ; REL = 'x' , <https://e.com/l>; Rel=\"next License\" ; type=\"application/RSL+xml; a=b\",",
            "<https://e.com/l>; title=\"a, \\\"b\\\" <c>; d\"; rel=license; type=application/rsl+xml",
        ] {
            assert_eq!(licenses(value), ["https://e.com/l"], "{value}");
            assert!(!links(value).1, "{value}");
        }
    }

    #[test]
    fn link_with_another_relation_is_not_a_license() {
        for value in [
            "<https://e.com/l>; rel=license",
            "<https://e.com/l>; rel=license; type=text/html",
            "<https://e.com/l>; rel=next; rel=license; type=application/rsl+xml",
            "<https://e.com/l>; rel=license; type=application/rsl+xml; anchor=\"/other\"",
            "",
        ] {
            assert_eq!(licenses(value), [""; 0], "{value}");
        }
    }

    #[test]
    fn part_that_is_not_a_link_is_skipped_and_reported() {
        let good = "<https://e.com/l>; rel=license; type=application/rsl+xml";
        for odd in ["https://e.com/x; rel=next", "x", "<https://e.com/y> z"] {
            let value = format!("{odd}, {good}");
            assert_eq!(licenses(&value), ["https://e.com/l"], "{value}");
            assert!(links(&value).1, "{value}");
        }
        assert_eq!(links("<never ends"), (vec![], true));
        assert!(links("<a>; rel=\"never ends").1);
    }
}
