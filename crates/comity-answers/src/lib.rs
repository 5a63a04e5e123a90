//! Operations: every question that a user can ask, each once, for the command, the service, assistants and Python.
//!
//! An operation has a request, a row and a function that makes rows. Robots.txt bodies come from [`sources`]; a front end parses its own syntax
//! into a request and renders rows, and decides nothing. `docs/reference/schema/` describes every row.
//!
//! | module | holds |
//! |---|---|
//! | [`operation`] | the traits of operations: for each URL and crawler, about files as a whole, and from the request alone |
//! | [`check`] | decisions |
//! | [`explain`] | what led to a decision, and what other groups would have said |
//! | [`lint`] | findings |
//! | [`matrix`] | which known crawlers a file lets in |
//! | [`diff`] | what a change of a file changes in meaning |
//! | [`usage`] | what content may be used for |
//! | [`new`](mod@new) | a file from wishes |
//! | [`robots`] | the robots.txt of a site |
//! | [`inspect`] | what a file holds |
//! | [`test`](mod@test) | the answers that a file has to give |
//! | [`status`] | what follows from an answer to the request for robots.txt |
//! | [`page`] | what a page and its header ask of a crawler |
//! | [`sitemap`] | what a sitemap lists, and what is wrong with it |
//! | [`llms`] | what an llms.txt holds and suggests |
//! | [`agents`], [`dialects`], [`presets`] | known crawlers, dialects and presets |
//! | [`signature`] | whose request it is, by its signature |
//! | [`request`] | parts that requests share: crawlers, dialect and charset |
//! | [`url`] | URLs of requests, and suggestions for text that is not one |
//! | [`sources`] | where robots.txt bodies come from; sites, with the feature `live` |
//! | [`site`](mod@site) | what a site serves, and what it means to the crawlers of a request |
//! | [`robots_file`] | a robots.txt that was read |
//! | [`provenance`] | where a robots.txt is from |
//! | [`notice`] | remarks about a request and its answer |
//! | [`near_miss`] | names that may be slips of others |
//! | [`row`] | a decision as JSON |
//! | `schema` | JSON Schemas of requests and rows, with the feature `schema` |
//! | `or_error` | the schema of rows that have an error in place of an answer |
//! | `files` | files found and written, with the feature `files` |
//! | [`shown`] | bytes, numbers and lists as text |

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![allow(
    clippy::exhaustive_structs,
    clippy::exhaustive_enums,
    reason = "rows are plain data, made by those who ask"
)]

pub mod agents;
pub mod check;
pub mod dialects;
pub mod diff;
pub mod explain;
#[cfg(feature = "files")]
pub mod files;
pub mod inspect;
pub mod lint;
pub mod llms;
pub mod matrix;
pub mod near_miss;
pub mod new;
pub mod notice;
pub mod operation;
#[cfg(feature = "schema")]
pub mod or_error;
pub mod page;
pub mod presets;
pub mod provenance;
pub mod request;
pub mod robots;
pub mod robots_file;
pub mod row;
#[cfg(feature = "schema")]
pub mod schema;
pub mod shown;
pub mod signature;
pub mod site;
pub mod sitemap;
pub mod sources;
pub mod status;
pub mod test;
pub mod url;
pub mod usage;
