//! Support for tests, never published: conformance files, cases of other projects, generated cases, documentation
//! tables that are printed from code, and servers on loopback that misbehave on purpose (feature `servers`).
//!
//! | module | holds |
//! |---|---|
//! | `conformance` | the loader of `conformance/` |
//! | `data` | cases of other projects, from outside the repository (`COMITY_DATA`) |
//! | `generate` | generated robots.txt files and questions |
//! | `bodies` | generated bodies of other formats; their samples are in `crates/testkit/bodies/` |
//! | `printed` | documentation that is printed from code |
//! | `servers`, `redis` | servers for tests (feature `servers`) |

#![forbid(unsafe_code)]

pub mod bodies;
pub mod conformance;
pub mod data;
pub mod generate;
pub mod printed;
#[cfg(feature = "servers")]
pub mod redis;
#[cfg(feature = "servers")]
pub mod servers;

/// Maximum time for which a test waits for a condition. It is long, because a busy machine may need minutes.
pub const PATIENCE: std::time::Duration = std::time::Duration::from_secs(600);

/// The environment variable that forbids calls of [`skip`]; `.ci/run` sets it to `forbidden`.
const SKIPS: &str = "COMITY_SKIPS";

/// Reports on standard error that a test is skipped, for example because a program is missing.
///
/// # Panics
///
/// Panics if tests may not be skipped (`COMITY_SKIPS=forbidden`).
#[expect(clippy::panic, reason = "a test that cannot run fails")]
pub fn skip(reason: &str) {
    data::report_skipped(reason);
    if std::env::var_os(SKIPS).is_some_and(|value| value == "forbidden") {
        panic!("this test would be skipped, which {SKIPS} forbids: {reason}");
    }
}
