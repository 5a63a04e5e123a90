//! Findings about a sitemap, with their places.
//!
//! A kind is an entry of one table: code, severity, and a sentence for people. `docs/reference/sitemap.md` prints the table.

use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;

use super::reader::Item;
use crate::severity::Severity;

/// The largest number of places in a file that one kind of finding reports one by one; the rest is counted.
pub const MAX_PLACES: u64 = 100;

/// Declares the kinds, so that nothing about one can be forgotten.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $code:literal $severity:ident $summary:literal;)*) => {
        /// The kind of a finding.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum FindingKind {
            $(#[doc = $summary] $kind,)*
        }

        impl FindingKind {
            /// Every kind: the file, its bytes, its markup, its root, entries, URLs, extensions, limits, scope.
            pub const ALL: &[FindingKind] = &[$(FindingKind::$kind),*];

            /// The code: lower case, words joined by hyphens.
            pub const fn as_str(self) -> &'static str {
                match self { $(FindingKind::$kind => $code,)* }
            }

            /// Returns how much it matters.
            pub const fn severity(self) -> Severity {
                match self { $(FindingKind::$kind => Severity::$severity,)* }
            }

            /// One sentence.
            pub const fn summary(self) -> &'static str {
                match self { $(FindingKind::$kind => $summary,)* }
            }
        }
    };
}

kinds! {
    ReadError "read-error" Error "Reading stopped because the source reported an error.";
    Empty "empty" Error "There is nothing in the file.";
    Html "html" Error "The file is an HTML page, as servers send in place of a missing file.";
    Unrecognised "unrecognised" Error "The file is none of the formats that sitemaps come in.";
    NoEntries "no-entries" Warning "Not one entry was read.";
    Truncated "truncated" Error "The file ends before its root element does; what was complete is kept.";

    GzipUnsupported "gzip-unsupported" Error "The file is compressed with gzip, and the program was built without it.";
    GzipDamaged "gzip-damaged" Error "The compressed data is damaged or cut off; what came before is kept.";
    GzipTrailing "gzip-trailing" Warning "Something that is not gzip follows the compressed data.";
    GzipNested "gzip-nested" Error "What was compressed is itself compressed, which is refused.";
    GzipBomb "gzip-bomb" Error "The data expands more than any sitemap does; reading stopped.";
    ByteOrderMark "byte-order-mark" Note "The file starts with a byte order mark.";
    LeadingWhiteSpace "leading-white-space" Warning "White space stands before the XML declaration, which strict parsers refuse.";
    NotUtf8 "not-utf8" Warning "The file is not in UTF-8, as the protocol demands.";
    UnknownEncoding "unknown-encoding" Warning "The declared encoding is unknown, or not that of the file; read as UTF-8.";
    InvalidBytes "invalid-bytes" Warning "Some bytes mean nothing in the file's encoding; each is read as U+FFFD.";

    Doctype "doctype" Error "A document type declaration, which no sitemap needs and attacks do; reading stopped.";
    UnknownEntity "unknown-entity" Warning "An entity that XML does not define; kept as written.";
    BareAmpersand "bare-ampersand" Warning "An `&` that starts no entity; write `&amp;`.";
    DoubleEscaped "double-escaped" Warning "An entity was escaped twice; resolved once more.";
    BadMarkup "bad-markup" Error "Markup that is not XML; read as text.";
    TokenTooLong "token-too-long" Error "A tag, comment or CDATA section is longer than is read; reading stopped.";
    TooDeep "too-deep" Error "Elements are nested deeper than is read; reading stopped.";
    TooManyAttributes "too-many-attributes" Warning "An element has more attributes than are read.";
    UnclosedElement "unclosed-element" Warning "An element is not closed where it should be.";
    StrayEndTag "stray-end-tag" Warning "An end tag closes nothing that is open.";
    TrailingContent "trailing-content" Warning "Something follows the end of the root element.";

    MissingRoot "missing-root" Error "The root element is missing.";
    NoNamespace "no-namespace" Warning "The root element has no namespace.";
    LenientNamespace "lenient-namespace" Warning "A namespace is not spelt as its specification says.";
    UnknownNamespace "unknown-namespace" Warning "The root element has a namespace that is none of sitemaps; read all the same.";
    UndeclaredPrefix "undeclared-prefix" Warning "A namespace prefix is not declared; taken for what it is called.";
    WrongCase "wrong-case" Warning "An element is spelt in the wrong case.";
    MisplacedElement "misplaced-element" Warning "An entry stands in the other kind of sitemap.";
    UnknownElement "unknown-element" Note "An element that the protocol does not know.";

    MissingLoc "missing-loc" Error "An entry has no URL; dropped.";
    BareLoc "bare-loc" Warning "The URL stands in the entry itself, not in its `loc`.";
    DuplicateElement "duplicate-element" Warning "An element occurs more than once in an entry; the first counts.";
    ValueTooLong "value-too-long" Warning "A value is longer than is kept; cut.";
    EntryTooLarge "entry-too-large" Error "An entry holds more than is kept; the rest of it is dropped.";
    BadLastmod "bad-lastmod" Warning "A date is none of the W3C's forms; left out.";
    BadChangefreq "bad-changefreq" Warning "A change frequency is unknown, or spelt in the wrong case.";
    BadPriority "bad-priority" Warning "A priority is not a number from 0 to 1; left out.";

    RelativeLoc "relative-loc" Error "A URL is relative; resolved if the sitemap's own URL is known, dropped otherwise.";
    NotAUrl "not-a-url" Error "Text where a URL should be; dropped.";
    OtherScheme "other-scheme" Warning "A URL is neither http nor https.";
    LocAtLimit "loc-at-limit" Warning "A URL has 2,048 characters: the prose of the protocol forbids it, the schema does not.";
    LocTooLong "loc-too-long" Error "A URL is longer than the limit.";
    WhiteSpaceInLoc "white-space-in-loc" Warning "A URL has white space inside, or around it other than XML's; line ends and tabs are removed.";
    UnescapedLoc "unescaped-loc" Note "A URL has characters that should be percent-encoded.";
    DuplicateLoc "duplicate-loc" Warning "A URL is listed more than once.";

    ImageWithoutLoc "image-without-loc" Warning "An image has no URL; dropped.";
    IncompleteVideo "incomplete-video" Warning "A video lacks something that is required.";
    IncompleteNews "incomplete-news" Warning "A news article lacks something that is required.";
    BadExtensionValue "bad-extension-value" Warning "A value of an extension is not what it should be; left out.";
    BadHreflang "bad-hreflang" Warning "A language is neither `x-default` nor shaped like one, or has no URL.";
    HreflangWithoutSelf "hreflang-without-self" Note "The languages of a page do not list the page itself.";
    ObsoleteExtension "obsolete-extension" Note "An extension that no search engine reads any more.";

    TooManyEntries "too-many-entries" Error "There are more entries than the limit.";
    TooManyBytes "too-many-bytes" Error "The file, uncompressed, is larger than the limit.";
    TooManyImages "too-many-images" Error "A page has more images than the limit.";
    TooManyNews "too-many-news" Error "There are more news articles than the limit.";
    Stopped "stopped" Error "Reading stopped at a limit; the rest was not looked at.";

    OtherHost "other-host" Error "A URL is on another host, scheme or port than the sitemap.";
    OutsideFolder "outside-folder" Error "A URL is outside the folder of the sitemap.";
}

impl FindingKind {
    /// Its place in [`FindingKind::ALL`].
    const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for FindingKind {
    type Err = UnknownFindingKind;

    fn from_str(code: &str) -> Result<Self, Self::Err> {
        let known = FindingKind::ALL.iter().copied().find(|kind| kind.as_str() == code);
        known.ok_or_else(|| UnknownFindingKind { code: excerpt(code) })
    }
}

/// A code that no kind of finding has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFindingKind {
    code: String,
}

impl fmt::Display for UnknownFindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown finding `{}`", self.code)
    }
}

impl std::error::Error for UnknownFindingKind {}

#[cfg(feature = "serde")]
impl serde::Serialize for FindingKind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A finding at one place of a sitemap.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Finding {
    kind: FindingKind,
    place: Place,
    detail: String,
    repeats: u64,
}

impl Finding {
    /// Returns what it is about.
    pub fn kind(&self) -> FindingKind {
        self.kind
    }

    /// Returns how much it matters.
    pub fn severity(&self) -> Severity {
        self.kind.severity()
    }

    /// The line, from 1, in the uncompressed text; lines end at LF.
    pub fn line(&self) -> u64 {
        self.place.line
    }

    /// Returns how many bytes of uncompressed UTF-8 stand before the place, a byte order mark left out.
    pub fn offset(&self) -> u64 {
        self.place.offset
    }

    /// Returns what is wrong here: lower case, no full stop, what the file says in backticks. May be empty, when the
    /// kind says it all.
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// Returns how many findings of the kind it stands for instead of being one: 0, save for the last of a kind that
    /// was found at more than [`MAX_PLACES`] places.
    pub fn repeats(&self) -> u64 {
        self.repeats
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = self.severity();
        match (self.repeats, self.detail.as_str()) {
            (0, "") => write!(f, "{}: {severity}: {} [{}]", self.line(), self.kind.summary(), self.kind),
            (0, detail) => write!(f, "{}: {severity}: {detail} [{}]", self.line(), self.kind),
            (repeats, _) => write!(f, "{severity}: found {repeats} more times [{}]", self.kind),
        }
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Finding {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut fields = serializer.serialize_struct("Finding", 7)?;
        fields.serialize_field("code", &self.kind)?;
        fields.serialize_field("severity", &self.severity())?;
        fields.serialize_field("line", &self.line())?;
        fields.serialize_field("offset", &self.offset())?;
        fields.serialize_field("detail", &self.detail)?;
        fields.serialize_field("summary", self.kind.summary())?;
        fields.serialize_field("repeats", &self.repeats)?;
        fields.end()
    }
}

/// A place in the uncompressed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub line: u64,
    pub offset: u64,
}

impl Place {
    /// The start of the file.
    pub(super) const START: Place = Place { line: 1, offset: 0 };
}

/// The entries and findings of a file in order. They wait here until they are asked for.
#[derive(Debug)]
pub(super) struct Findings {
    pub items: VecDeque<Item>,
    counts: [u64; FindingKind::ALL.len()],
}

impl Findings {
    pub(super) fn new() -> Self {
        Findings { items: VecDeque::new(), counts: [0; FindingKind::ALL.len()] }
    }

    /// Reports one; its words are only made if the kind has not been reported too often.
    pub(super) fn report(&mut self, kind: FindingKind, place: Place, detail: impl FnOnce() -> String) {
        let count = &mut self.counts[kind.index()];
        *count += 1;
        if *count <= MAX_PLACES {
            let detail = detail();
            self.items.push_back(Item::Finding(Finding { kind, place, detail, repeats: 0 }));
        }
    }

    /// Reports one of a kind whose summary says it all.
    pub(super) fn note(&mut self, kind: FindingKind, place: Place) {
        self.report(kind, place, String::new);
    }

    /// Works like [`Findings::report`], once per file.
    pub(super) fn once(&mut self, kind: FindingKind, place: Place, detail: impl FnOnce() -> String) {
        if self.count(kind) == 0 {
            self.report(kind, place, detail);
        }
    }

    /// Returns how often a kind was found.
    pub(super) fn count(&self, kind: FindingKind) -> u64 {
        self.counts[kind.index()]
    }

    /// One more finding for each kind that was found too often to be reported each time.
    pub(super) fn finish(&mut self, place: Place) {
        for &kind in FindingKind::ALL {
            let repeats = self.count(kind).saturating_sub(MAX_PLACES);
            if repeats > 0 {
                let finding = Finding { kind, place, detail: String::new(), repeats };
                self.items.push_back(Item::Finding(finding));
            }
        }
    }
}

/// The start of a text, fit to be shown: short, on one line.
pub(super) fn excerpt(text: &str) -> String {
    const SHOWN: usize = 80;
    let cut = text.char_indices().nth(SHOWN).map_or(text, |(end, _)| &text[..end]);
    let mut out = crate::shown::text(cut).into_owned();
    if cut.len() < text.len() {
        out.push_str("...");
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn codes_are_unique_and_read_back() {
        let codes: HashSet<_> = FindingKind::ALL.iter().map(|kind| kind.as_str()).collect();
        assert_eq!(codes.len(), FindingKind::ALL.len());
        for (index, &kind) in FindingKind::ALL.iter().enumerate() {
            assert_eq!(kind.index(), index);
            assert_eq!(kind.as_str().parse(), Ok(kind));
            assert!(kind.summary().ends_with('.') && kind.summary().is_ascii(), "{kind}");
        }
        assert!("nothing".parse::<FindingKind>().is_err());
    }

    #[test]
    fn what_is_found_too_often_is_counted() {
        let mut findings = Findings::new();
        for _ in 0..150 {
            findings.note(FindingKind::BadPriority, Place::START);
        }
        findings.finish(Place::START);
        assert_eq!(findings.items.len(), 101);
        let Some(Item::Finding(last)) = findings.items.back() else { panic!("a finding") };
        assert_eq!(last.repeats(), 50);
        assert_eq!(last.to_string(), "warning: found 50 more times [bad-priority]");
    }

    #[test]
    fn excerpts_are_short_and_harmless() {
        assert_eq!(excerpt("a\nb"), "a\u{fffd}b");
        assert_eq!(excerpt(&"a".repeat(100)).len(), 83);
    }
}
