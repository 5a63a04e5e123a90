//! The engines: one adapter each, behind two small traits.
//!
//! An adapter passes its results to a closure instead of returning them. So an engine whose compiled form borrows its
//! parsed form needs no workaround, and dropping is inside the clock.

mod comity;
pub(crate) mod google;
#[cfg(feature = "peers")]
mod peers;

use std::hint::black_box;

use crate::case::Case;

/// Answers whether a URL may be fetched.
pub(crate) type Ask<'a> = dyn FnMut(&str) -> bool + 'a;

/// A robots.txt engine.
pub(crate) trait Engine {
    /// Its name in tables.
    fn name(&self) -> &'static str;

    /// Its version.
    fn version(&self) -> &'static str;

    /// Remarks that are necessary for a fair comparison.
    fn note(&self) -> &'static str;

    /// Reads a file into the form the engine keeps.
    fn parse(&self, case: &Case, then: &mut dyn FnMut(&dyn Parsed));

    /// Reads a file and drops the result: the timed part of the workload `parse`.
    fn parse_alone(&self, case: &Case) {
        self.parse(case, &mut |parsed| {
            black_box(parsed);
        });
    }

    /// Answers one question about one file and keeps nothing: the timed part of the workload `oneshot`.
    ///
    /// An engine without a function for that parses and asks.
    fn answer_once(&self, case: &Case, url: &str) -> bool {
        let mut verdict = true;
        self.parse(case, &mut |parsed| parsed.prepare(&case.agent, &mut |ask| verdict = ask(url)));
        verdict
    }

    /// Returns whether the parsed form borrows the body, which must then be kept with it.
    fn borrows_body(&self) -> bool {
        true
    }

    /// Returns whether there is a separate step between parsing and asking.
    fn compiles(&self) -> bool {
        false
    }
}

/// A file as an engine keeps it.
pub(crate) trait Parsed {
    /// Prepares for one crawler, and passes on the object that answers its questions.
    fn prepare(&self, agent: &str, then: &mut dyn FnMut(&mut Ask<'_>));
}

/// Every linked engine; the others are compared with the first.
pub(crate) fn all() -> Vec<Box<dyn Engine>> {
    let mut engines: Vec<Box<dyn Engine>> = vec![Box::new(comity::DEFAULT), Box::new(comity::GOOGLE)];
    #[cfg(feature = "peers")]
    engines.extend(peers::all());
    engines
}

/// The engine whose verdicts are the reference: equal to Google's program in all comparisons.
pub(crate) fn reference() -> impl Engine {
    comity::GOOGLE
}
