//! The engines, each with an adapter that implements two small traits.
//!
//! An adapter passes its results to a closure instead of returning them. So the compiled form of an engine can borrow its
//! parsed form, and the measured time includes dropping.

mod comity;
pub(crate) mod google;
#[cfg(feature = "peers")]
mod peers;

use std::hint::black_box;

use crate::case::Case;

/// Function that returns true if a URL may be fetched.
pub(crate) type Ask<'a> = dyn FnMut(&str) -> bool + 'a;

/// A robots.txt engine.
pub(crate) trait Engine {
    /// Its name in tables.
    fn name(&self) -> &'static str;

    /// Its version.
    fn version(&self) -> &'static str;

    /// Differences that matter for a fair comparison.
    fn note(&self) -> &'static str;

    /// Parses a file into the engine's own form.
    fn parse(&self, case: &Case, then: &mut dyn FnMut(&dyn Parsed));

    /// Parses a file and drops the result: the timed part of the workload `parse`.
    fn parse_alone(&self, case: &Case) {
        self.parse(case, &mut |parsed| {
            black_box(parsed);
        });
    }

    /// Decides one URL by an unparsed file: the timed part of the workload `oneshot`.
    ///
    /// The default is for engines without such a function: it parses the file and decides the URL.
    fn answer_once(&self, case: &Case, url: &str) -> bool {
        let mut verdict = true;
        self.parse(case, &mut |parsed| parsed.prepare(&case.agent, &mut |ask| verdict = ask(url)));
        verdict
    }

    /// Returns true if the parsed form borrows the body, whose memory then counts, too.
    fn borrows_body(&self) -> bool {
        true
    }

    /// Returns true if the engine compiles rules in a separate step.
    fn compiles(&self) -> bool {
        false
    }
}

/// The parsed form of a file.
pub(crate) trait Parsed {
    /// Compiles the rules for one crawler, and passes the function that decides URLs to `then`.
    fn prepare(&self, agent: &str, then: &mut dyn FnMut(&mut Ask<'_>));
}

/// Returns all linked engines. The others are compared with the first.
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
