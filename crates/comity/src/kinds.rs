//! Every kind of finding of every reader.
//!
//! The readers use `finding`, and this module uses the readers, so it is a layer above both.

use crate::finding::{Kind, Reader, UnknownCode};

impl Reader {
    /// Returns every kind of finding of the reader, in the order of the documentation. Empty if its feature is
    /// disabled.
    ///
    /// ```
    /// use comity::finding::Reader;
    ///
    /// let codes: Vec<_> = Reader::RobotsTxt.kinds().iter().map(|kind| kind.code()).collect();
    /// assert!(codes.contains(&"missing-colon"));
    /// ```
    pub fn kinds(self) -> &'static [&'static Kind] {
        match self {
            Reader::RobotsTxt => crate::robots::lint::kinds(),
            #[cfg(feature = "page")]
            Reader::Page => crate::page::kinds::ALL,
            #[cfg(feature = "usage")]
            Reader::Usage => crate::usage::kinds::ALL,
            #[cfg(feature = "sitemap")]
            Reader::Sitemap => crate::sitemap::kinds::ALL,
            #[cfg(feature = "llms")]
            Reader::Llms => crate::llms::kinds::ALL,
            #[cfg(feature = "site")]
            Reader::Site => crate::site::kinds::ALL,
            #[allow(unreachable_patterns, reason = "with every feature, all readers match an arm above")]
            _ => &[],
        }
    }
}

impl Kind {
    /// Returns the kind with the given code, of any reader.
    ///
    /// # Errors
    ///
    /// Returns [`UnknownCode`], which names the most similar code if one is similar enough.
    pub fn of(code: &str) -> Result<&'static Kind, UnknownCode> {
        Kind::all().find(|kind| kind.code() == code).ok_or_else(|| UnknownCode::new(code, nearest(code)))
    }

    /// Returns the path of the kind's documentation, relative to the root of the repository, with the heading as the
    /// fragment.
    ///
    /// ```
    /// use comity::finding::Kind;
    ///
    /// let kind = Kind::of("missing-colon")?;
    /// assert_eq!(kind.page(), "docs/reference/lints/lines.md#missing-colon");
    /// # Ok::<(), comity::finding::UnknownCode>(())
    /// ```
    pub fn page(&self) -> String {
        let page = match crate::robots::lint::subject(self) {
            Some(subject) => format!("lints/{subject}"),
            None => format!("findings/{}", self.reader().as_str()),
        };
        format!("docs/reference/{page}.md#{}", self.code())
    }

    /// Returns every kind of every reader.
    pub fn all() -> impl Iterator<Item = &'static Kind> {
        Reader::ALL.into_iter().flat_map(Reader::kinds).copied()
    }
}

/// Returns the kind with the most similar code, at most three edits away. The prefix with the reader's name may be
/// omitted.
fn nearest(code: &str) -> Option<&'static Kind> {
    let code: String = code.chars().take(64).collect::<String>().to_ascii_lowercase().replace('_', "-");
    // Short words are too similar to each other.
    let limit = (code.len() / 3).min(3);
    let near = Kind::all().filter_map(|kind| {
        let bare = kind.code().strip_prefix(kind.reader().as_str()).map_or(kind.code(), |rest| &rest[1..]);
        let distance = |name: &str| crate::agents::edit_distance(code.as_bytes(), name.as_bytes(), limit);
        Some((distance(kind.code()).into_iter().chain(distance(bare)).min()?, kind))
    });
    near.min_by_key(|(distance, _)| *distance).map(|(_, kind)| kind)
}
