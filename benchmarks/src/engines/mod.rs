//! The engines. An adapter for each engine implements the traits [`Engine`] and [`Parsed`].
//!
//! An adapter does not return results, but passes them to a closure. So the compiled form of an engine can borrow its
//! parsed form, and the measured time includes dropping both.

mod comity;
pub(crate) mod google;
#[cfg(feature = "peers")]
mod peers;

use std::hint::black_box;

use crate::case::Case;

/// A function that returns true if a URL may be fetched.
pub(crate) type Ask<'a> = dyn FnMut(&str) -> bool + 'a;

/// A robots.txt engine.
pub(crate) trait Engine {
    /// Returns the name of the engine in tables.
    fn name(&self) -> &'static str;

    /// Returns the version of the engine.
    fn version(&self) -> &'static str;

    /// Returns the properties of the engine that a fair comparison has to consider.
    fn note(&self) -> &'static str;

    /// Parses a file and passes the parsed form to `then`.
    fn parse(&self, case: &Case, then: &mut dyn FnMut(&dyn Parsed));

    /// Parses a file and drops the result. The workload `parse` measures this function.
    fn parse_alone(&self, case: &Case) {
        self.parse(case, &mut |parsed| {
            black_box(parsed);
        });
    }

    /// Decides one URL with an unparsed file. The workload `oneshot` measures this function.
    ///
    /// The default implementation parses the file and decides the URL, for engines without a function for both.
    fn answer_once(&self, case: &Case, url: &str) -> bool {
        let mut verdict = true;
        self.parse(case, &mut |parsed| parsed.prepare(&case.agent, &mut |ask| verdict = ask(url)));
        verdict
    }

    /// Returns true if the parsed form borrows the body. Then the memory of the body is included in the memory of the
    /// form.
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

/// Returns all linked engines. Ratios compare the other engines with the first one.
pub(crate) fn all() -> Vec<Box<dyn Engine>> {
    let mut engines: Vec<Box<dyn Engine>> = vec![Box::new(comity::DEFAULT), Box::new(comity::GOOGLE)];
    #[cfg(feature = "peers")]
    engines.extend(peers::all());
    engines
}

/// Returns the engine with the reference verdicts, which were equal to those of Google's program in all comparisons.
pub(crate) fn reference() -> impl Engine {
    comity::GOOGLE
}
