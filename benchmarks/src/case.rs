//! A file with the questions about it.

use std::borrow::Cow;

/// A file, a crawler, and the URLs to decide.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The file as served.
    pub(crate) body: Vec<u8>,
    /// The body as text, only if it is not UTF-8.
    lossy: Option<String>,
    /// The crawler's product token.
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

    /// Returns the file for engines that take only text.
    ///
    /// The time of these engines includes the check for UTF-8. It does not include converting other bytes to text.
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
