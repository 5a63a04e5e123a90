//! A file with the questions about it.

use std::borrow::Cow;

/// A file, a crawler, and the URLs to decide.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The bytes of the file.
    pub(crate) body: Vec<u8>,
    /// The body converted to text, if it is not UTF-8.
    lossy: Option<String>,
    /// The product token of the crawler.
    pub(crate) agent: String,
    /// Absolute URLs.
    pub(crate) urls: Vec<String>,
}

impl Case {
    pub(crate) fn new(body: Vec<u8>, agent: impl Into<String>, urls: Vec<String>) -> Self {
        let lossy = match String::from_utf8_lossy(&body) {
            Cow::Borrowed(_) => None,
            Cow::Owned(text) => Some(text),
        };
        Case { body, lossy, agent: agent.into(), urls }
    }

    /// Returns the file as text, for engines that accept only text.
    ///
    /// The measured time of these engines includes the check for UTF-8, but not the conversion of other bytes.
    pub(crate) fn text(&self) -> &str {
        match &self.lossy {
            Some(text) => text,
            None => std::str::from_utf8(&self.body).unwrap_or_default(),
        }
    }
}

/// Returns the total number of bytes of all files.
pub(crate) fn total_bytes(cases: &[Case]) -> usize {
    cases.iter().map(|case| case.body.len()).sum()
}
