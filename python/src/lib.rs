//! The classes and functions of `comity._comity`, the compiled half of the Python package `comity`.
//!
//! Two crates make a module of them: `base/` for the distribution `comity`, and `command/` for `comity-command`, with
//! audits and the command. Only one of the modules is loaded: that of `comity-command`, if it is installed.
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
//! | `notices.rs` | warnings about misspelt and retired crawlers |
//!
//! The other half of the package, `package/comity/`, is Python:
//!
//! | file | holds |
//! |---|---|
//! | `robots.py`, `policy.py`, `decisions.py`, `page.py`, `usage.py`, `sitemap.py`, `llms.py`, `agents.py`, `findings.py` | dataclasses; `_data.py` makes them |
//! | `client.py` | the HTTP client |
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
mod capsule;
pub mod client;
mod crawl;
pub mod data;
mod decision;
pub mod errors;
mod identity;
mod input;
mod llms;
pub mod notices;
mod page;
mod policy;
mod robots;
mod rules;
mod sitemap;
mod usage;
mod waiting;

use pyo3::prelude::*;

/// Adds the classes and functions of `comity._comity` to a module.
///
/// # Errors
///
/// If the interpreter cannot create them.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    decision::add_fields(module.py())?;
    module.add_class::<admission::NativeAdmission>()?;
    module.add_class::<agent::Agent>()?;
    module.add_class::<arrow::NativeAuditor>()?;
    module.add_class::<arrow::NativeBatch>()?;
    module.add_class::<arrow::NativeColumn>()?;
    module.add_class::<arrow::NativeRobotsTable>()?;
    module.add_class::<arrow::NativeStream>()?;
    module.add_class::<client::NativeClient>()?;
    module.add_class::<client::Page>()?;
    module.add_class::<client::Walk>()?;
    module.add_class::<crawl::NativeCrawl>()?;
    module.add_class::<decision::Decision>()?;
    module.add_class::<identity::Signer>()?;
    module.add_class::<identity::Verifier>()?;
    module.add_class::<llms::LlmsTxt>()?;
    module.add_class::<page::PageDirectives>()?;
    module.add_class::<policy::Policy>()?;
    module.add_class::<robots::Robots>()?;
    module.add_class::<rules::Rules>()?;
    module.add_class::<sitemap::SitemapReader>()?;
    module.add_function(wrap_pyfunction!(agents::all_agents, module)?)?;
    module.add_function(wrap_pyfunction!(agents::closest_agent, module)?)?;
    module.add_function(wrap_pyfunction!(agents::known_agent, module)?)?;
    module.add_function(wrap_pyfunction!(arrow::origin, module)?)?;
    module.add_function(wrap_pyfunction!(arrow::origins, module)?)?;
    module.add_function(wrap_pyfunction!(arrow::outputs, module)?)?;
    module.add_function(wrap_pyfunction!(client::keywords, module)?)?;
    module.add_function(wrap_pyfunction!(client::new_name, module)?)?;
    module.add_function(wrap_pyfunction!(llms::check_strict, module)?)?;
    module.add_function(wrap_pyfunction!(llms::markdown_variants, module)?)?;
    module.add_function(wrap_pyfunction!(notices::warn_of_name, module)?)?;
    module.add_function(wrap_pyfunction!(policy::presets, module)?)?;
    module.add_function(wrap_pyfunction!(robots::dialects, module)?)?;
    module.add_function(wrap_pyfunction!(robots::is_allowed, module)?)?;
    module.add_function(wrap_pyfunction!(usage::usage_report, module)?)
}
