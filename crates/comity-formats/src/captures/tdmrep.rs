//! Copies of `/.well-known/tdmrep.json` (TDMRep §6.1) in an archive.

/// A copy of a site's `/.well-known/tdmrep.json`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TdmrepCapture {
    /// The origin of the site.
    pub origin: String,
    /// The time of the capture, in microseconds since 1970.
    pub fetched_at: Option<i64>,
    /// The content of the file.
    pub body: Vec<u8>,
}

impl TdmrepCapture {
    /// Creates a copy with its origin, its time in microseconds since 1970, and its content.
    pub fn new(origin: impl Into<String>, fetched_at: Option<i64>, body: Vec<u8>) -> TdmrepCapture {
        TdmrepCapture { origin: origin.into(), fetched_at, body }
    }
}

/// Maximum total size of the copies from one archive, in bytes.
const MAX_TOTAL_BYTES: usize = 64 << 20;

/// The copies in an archive that were not returned yet. Copies beyond the maximum total size are ignored.
#[derive(Debug, Default)]
pub(super) struct TdmrepCaptures {
    captures: Vec<TdmrepCapture>,
    total: usize,
}

impl TdmrepCaptures {
    pub(super) fn add(&mut self, capture: TdmrepCapture) {
        if self.total < MAX_TOTAL_BYTES {
            self.total += size_of::<TdmrepCapture>() + capture.origin.len() + capture.body.len();
            self.captures.push(capture);
        }
    }

    pub(super) fn take(&mut self) -> Vec<TdmrepCapture> {
        std::mem::take(&mut self.captures)
    }
}
