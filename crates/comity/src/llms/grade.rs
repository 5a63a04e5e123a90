//! Grades of conformance with the proposal, as defined by Common Crawl's study of llms.txt files.

crate::words::words! {
    /// The conformance grade. Its name is a short description.
    ///
    /// ```
    /// use comity::llms::Grade;
    ///
    /// assert_eq!((Grade::Summary.level(), Grade::Summary.as_str()), (3, "H1 and summary"));
    /// assert_eq!("no h1".parse(), Ok(Grade::NoH1));
    /// ```
    #[derive(PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Grade as "grade" {
        /// 0: not Markdown.
        NotMarkdown = "not Markdown",
        /// 1: Markdown without an H1.
        NoH1 = "no H1",
        /// 2: an H1, but no summary directly after it.
        H1Only = "H1 only",
        /// 3: an H1 and a summary, but no section that lists links.
        Summary = "H1 and summary",
        /// 4: an H1, a summary, and at least one section that lists links.
        LinkSections = "H1, summary and sections with links",
    }
}

impl Grade {
    /// Returns the grade as a number, 0 to 4.
    pub const fn level(self) -> u8 {
        self as u8
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
