//! The engines: one adapter each, behind two small traits.
//!
//! An adapter hands its results to a closure instead of returning them, so that an engine whose compiled form borrows
//! its parsed form needs no tricks, and so that dropping falls inside the clock.

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

    /// What a reader must know to compare fairly.
    fn note(&self) -> &'static str;

    /// Reads a file into the form the engine keeps.
    fn parse(&self, case: &Case, then: &mut dyn FnMut(&dyn Parsed));

    /// Reads a file and drops what came of it: what the workload `parse` times.
    fn parse_alone(&self, case: &Case) {
        self.parse(case, &mut |parsed| {
            black_box(parsed);
        });
    }

    /// Answers one question about one file and keeps nothing: what the workload `oneshot` times.
    ///
    /// An engine without a way of its own for that goes the long way.
    fn answer_once(&self, case: &Case, url: &str) -> bool {
        let mut verdict = true;
        self.parse(case, &mut |parsed| parsed.prepare(&case.agent, &mut |ask| verdict = ask(url)));
        verdict
    }

    /// Whether the parsed form borrows the body, which must then be kept beside it.
    fn borrows_body(&self) -> bool {
        true
    }

    /// Whether there is a step of its own between parsing and asking.
    fn compiles(&self) -> bool {
        false
    }
}

/// A file as an engine keeps it.
pub(crate) trait Parsed {
    /// Does what has to be done once per crawler, and hands over what answers its questions.
    fn prepare(&self, agent: &str, then: &mut dyn FnMut(&mut Ask<'_>));
}

/// Every engine linked in; the first is what the others are compared with.
pub(crate) fn all() -> Vec<Box<dyn Engine>> {
    let mut engines: Vec<Box<dyn Engine>> = vec![Box::new(comity::DEFAULT), Box::new(comity::GOOGLE)];
    #[cfg(feature = "peers")]
    engines.extend(peers::all());
    engines
}

/// The engine whose verdicts the others are compared with: equal to Google's program wherever the two were compared.
pub(crate) fn reference() -> impl Engine {
    comity::GOOGLE
}
