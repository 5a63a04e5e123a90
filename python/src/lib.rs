//! `comity._comity`: the compiled half of the Python package `comity`.
//!
//! Data that is needed millions of times (robots.txt, rules, decisions, Arrow batches) has a class here. Data that is
//! needed once per page or site is parsed here, passed in its JSON form, and shown as a dataclass of the package. The types
//! of these dataclasses are defined in Python (`package/comity/*.py`), see `data.rs`.
//!
//! | file | holds |
//! |---|---|
//! | `input.rs` | arguments from Python: bytes, times, header fields |
//! | `data.rs` | return values: values of the engine as dataclasses |
//! | `errors.rs` | the engine's errors as the package's exceptions |
//! | `agent.rs`, `robots.rs`, `rules.rs`, `decision.rs` | robots.txt |
//! | `policy.rs` | decisions from HTTP answers |
//! | `arrow.rs`, `capsule.rs` | decisions for Arrow batches; Arrow's C data interface, the only module with `unsafe` |
//! | `page.rs`, `usage.rs`, `sitemap.rs`, `llms.rs`, `agents.rs` | the other manifests, and known crawlers |
//! | `client.rs`, `crawl.rs`, `waiting.rs` | the HTTP client, fetches of many URLs, and waiting with and without asyncio |
//! | `admission.rs` | the right to send one request, for programs that use another HTTP stack |
//! | `identity.rs` | signatures of requests |
//! | `log.rs`, `testing.rs` | the client's log; the web and the clock of `comity.testing` |
//! | `notices.rs` | warnings about misspelt and retired crawlers |
//! | `audit.rs` | audits |
//! | `cli.rs` | the command |
//!
//! The other half of the package, `package/comity/`, is Python:
//!
//! | file | holds |
//! |---|---|
//! | `robots.py`, `policy.py`, `decisions.py`, `page.py`, `usage.py`, `sitemap.py`, `llms.py`, `agents.py`, `findings.py` | dataclasses; `_data.py` makes them |
//! | `client.py`, `testing.py` | the HTTP client, and a web for tests |
//! | `requests.py`, `httpx.py`, `aiohttp.py`, `scrapy.py` | adapters for other HTTP stacks; `_adapters.py` has their common parts |
//! | `urllib.py`, `exclusion.py`, `protego.py`, `reppy/` | drop-ins; `dropins.py` selects their dialect, `_checks.py` has their common parts |
//! | `arrow.py`, `duckdb.py`, `polars.py`, `spark.py`, `ray.py` | tables |
//! | `identity.py`, `audit.py` | signatures and audits |
//! | `errors.py` | exceptions |
//! | `_keywords.py`, `_names.py`, `_comity.pyi` | keywords, names and stubs, printed by tests of the crates |
//!
//! `tools/test-python.sh` runs `tests/`, and `tools/compatibility/` runs the test suites of the original libraries.
//! `examples/as_of.py` is the example of `docs/guide/as-of.md`.
//!
//! No function holds the interpreter's lock for long. Operations that take longer than a few dictionary lookups release it,
//! so that other threads can run. Every class is immutable or protects its state with its own lock, so that free-threaded
//! interpreters can use it from any thread.

// PyO3 passes arguments by value.
#![allow(clippy::needless_pass_by_value, reason = "signatures are Python's")]

mod admission;
mod agent;
mod agents;
mod arrow;
mod audit;
mod capsule;
mod cli;
mod client;
mod crawl;
mod data;
mod decision;
mod errors;
mod identity;
mod input;
mod llms;
mod log;
mod notices;
mod page;
mod policy;
mod robots;
mod rules;
mod sitemap;
mod testing;
mod usage;
mod waiting;

use pyo3::prelude::*;

/// The compiled half of `comity`; import from `comity` instead.
#[pymodule(gil_used = false)]
mod _comity {
    #[pymodule_export]
    use crate::admission::NativeAdmission;
    #[pymodule_export]
    use crate::agent::Agent;
    #[pymodule_export]
    use crate::agents::{all_agents, closest_agent, known_agent};
    #[pymodule_export]
    use crate::arrow::{
        NativeAuditor, NativeBatch, NativeColumn, NativeRobotsTable, NativeStream, origin, origins, outputs,
    };
    #[pymodule_export]
    use crate::audit::{audit, audit_index, audit_report, audit_verify};
    #[pymodule_export]
    use crate::cli::run;
    #[pymodule_export]
    use crate::client::{NativeClient, Page, Walk, keywords, new_name};
    #[pymodule_export]
    use crate::crawl::NativeCrawl;
    #[pymodule_export]
    use crate::decision::Decision;
    #[pymodule_export]
    use crate::identity::{Signer, Verifier};
    #[pymodule_export]
    use crate::llms::{LlmsTxt, check_strict, markdown_variants};
    #[pymodule_export]
    use crate::notices::warn_of_name;
    #[pymodule_export]
    use crate::page::PageDirectives;
    #[pymodule_export]
    use crate::policy::{Policy, presets};
    #[pymodule_export]
    use crate::robots::{Robots, dialects, is_allowed};
    #[pymodule_export]
    use crate::rules::Rules;
    #[pymodule_export]
    use crate::sitemap::SitemapReader;
    #[pymodule_export]
    use crate::testing::NativeWeb;
    #[pymodule_export]
    use crate::usage::usage_report;

    #[pymodule_init]
    fn init(module: &super::Bound<'_, super::PyModule>) -> super::PyResult<()> {
        crate::decision::add_fields(module.py())?;
        super::PyModuleMethods::add(module, "__version__", env!("CARGO_PKG_VERSION"))
    }
}
