//! Grades of conformance with the proposal, as defined by Common Crawl's study of llms.txt files.

use std::fmt;

/// The conformance grade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Grade {
    /// 0: not Markdown.
    NotMarkdown,
    /// 1: Markdown without an H1.
    NoH1,
    /// 2: an H1, but no summary directly after it.
    H1Only,
    /// 3: an H1 and a summary, but no section that lists links.
    Summary,
    /// 4: an H1, a summary, and at least one section that lists links.
    LinkSections,
}

impl Grade {
    /// Every grade, lowest first.
    pub const ALL: [Grade; 5] =
        [Grade::NotMarkdown, Grade::NoH1, Grade::H1Only, Grade::Summary, Grade::LinkSections];

    /// Returns the grade as a number, 0 to 4.
    pub const fn level(self) -> u8 {
        self as u8
    }

    /// Returns a short description of the grade.
    ///
    /// ```
    /// assert_eq!(comity::llms::Grade::Summary.as_str(), "H1 and summary");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Grade::NotMarkdown => "not Markdown",
            Grade::NoH1 => "no H1",
            Grade::H1Only => "H1 only",
            Grade::Summary => "H1 and summary",
            Grade::LinkSections => "H1, summary and sections with links",
        }
    }
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.level(), self.as_str())
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Grade {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.level())
    }
}

#[cfg(feature = "schema")]
crate::schema::written_as!(Grade: u8;);
