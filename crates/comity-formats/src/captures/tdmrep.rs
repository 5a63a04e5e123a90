//! Copies of `/.well-known/tdmrep.json` (TDMRep §6.1), which an archive may have in addition to robots.txt.

/// A copy of a site's `/.well-known/tdmrep.json`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TdmrepCapture {
    /// The origin of the site.
    pub origin: String,
    /// The time of the capture, in microseconds since 1970.
    pub fetched_at: Option<i64>,
    /// Content of the file.
    pub body: Vec<u8>,
}

impl TdmrepCapture {
    /// Creates a copy with its origin, its time in microseconds since 1970, and its content.
    pub fn new(origin: impl Into<String>, fetched_at: Option<i64>, body: Vec<u8>) -> TdmrepCapture {
        TdmrepCapture { origin: origin.into(), fetched_at, body }
    }
}

/// Maximum total size of the copies from one archive, in bytes.
const HELD: usize = 64 << 20;

/// The copies of an archive.
#[derive(Debug, Default)]
pub(super) struct TdmrepCaptures {
    captures: Vec<TdmrepCapture>,
    held: usize,
}

impl TdmrepCaptures {
    pub(super) fn add(&mut self, capture: TdmrepCapture) {
        if self.held < HELD {
            self.held += capture.body.len();
            self.captures.push(capture);
        }
    }

    pub(super) fn take(&mut self) -> Vec<TdmrepCapture> {
        std::mem::take(&mut self.captures)
    }
}
