//! Copies of `tdmrep.json` by site and time.

use comity::usage::Tdmrep;
use comity_formats::TdmrepCapture;

use crate::map::Map;

/// Maximum time, in microseconds, by which the first copy of a site may be later than a page to which it applies. A crawl
/// fetches pages and copies in any order.
const EARLIER: i64 = 24 * 3600 * 1_000_000;

/// The copies of `/.well-known/tdmrep.json` (TDMRep §6.1) in archives, by site.
///
/// ```
/// use comity_audit::TdmrepAnswers;
///
/// let answers = TdmrepAnswers::new();
/// assert!(answers.is_empty());
/// ```
#[derive(Debug, Default)]
pub struct TdmrepAnswers {
    /// Copies by origin, in the order of their times.
    by_origin: Map<Box<str>, Vec<(Option<i64>, Tdmrep)>>,
}

impl TdmrepAnswers {
    /// Creates a collection without copies.
    pub fn new() -> Self {
        TdmrepAnswers::default()
    }

    /// Adds copies. An unreadable copy has no effect.
    pub fn add(&mut self, captures: Vec<TdmrepCapture>) {
        for capture in captures {
            let Ok(file) = Tdmrep::parse(&capture.body) else { continue };
            let of_origin = self.by_origin.entry(capture.origin.into()).or_default();
            let place = of_origin.partition_point(|(at, _)| *at <= capture.fetched_at);
            of_origin.insert(place, (capture.fetched_at, file));
        }
    }

    /// Returns the last copy of a site.
    pub(crate) fn last(&self, origin: &str) -> Option<&Tdmrep> {
        self.by_origin.get(origin)?.last().map(|(_, file)| file)
    }

    fn dated(&self, origin: &str) -> Option<&[(Option<i64>, Tdmrep)]> {
        let copies = self.by_origin.get(origin)?;
        copies.get(copies.partition_point(|(came, _)| came.is_none())..)
    }

    /// Returns true if there is no copy.
    pub fn is_empty(&self) -> bool {
        self.by_origin.is_empty()
    }

    /// Returns the copy that applied to a site at a time. Copies without a time are never used.
    pub(crate) fn copy_at(&self, origin: &str, at: i64) -> Option<&Tdmrep> {
        let copies = self.dated(origin)?;
        let up_to_then = copies.partition_point(|(came, _)| came.is_some_and(|came| came <= at));
        let next = copies.get(up_to_then).filter(|(came, _)| came.is_some_and(|came| came - at <= EARLIER));
        up_to_then.checked_sub(1).and_then(|last| copies.get(last)).or(next).map(|(_, file)| file)
    }
}
