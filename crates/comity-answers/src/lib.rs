//! Operations: every question of users, implemented once for all front ends.
//!
//! An operation has a request, a row and a function that computes rows. Robots.txt bodies come from [`sources`]. A front end
//! parses its own syntax into a request and renders rows; it makes no decisions. `docs/reference/openapi.json` describes requests
//! and rows.
//!
//! | module | content |
//! |---|---|
//! | [`operation`] | the traits of the three kinds of operations |
//! | [`check`] | decisions |
//! | [`explain`] | the reasons for decisions, and the decisions of other groups |
//! | [`lint`] | findings |
//! | [`matrix`] | the access that a file gives to each crawler |
//! | [`diff`] | the effects of a change of a file |
//! | [`usage`] | permitted uses of content |
//! | [`new`](mod@new) | generates a file from lists of crawlers |
//! | [`robots`] | the robots.txt of a site |
//! | [`inspect`] | the content of a file |
//! | [`test`](mod@test) | compares the decisions of a file with expected ones |
//! | [`status`] | the effect of an answer to the request for robots.txt |
//! | [`page`] | the directives for a crawler in a page and its header |
//! | [`sitemap`] | the entries of a sitemap, and its problems |
//! | [`llms`] | the content of an llms.txt, and its suggestions |
//! | [`agents`], [`dialects`], [`presets`] | known crawlers, dialects and presets |
//! | [`signature`] | the outcome of verifying the signature of a request |
//! | [`request`] | shared parts of requests: crawlers, dialect and charset |
//! | [`url`] | URLs of requests, and suggestions for invalid URLs |
//! | [`sources`] | sources of robots.txt bodies; sites, with the feature `live` |
//! | [`site`](mod@site) | the robots.txt of a site, and its policies for the crawlers of a request |
//! | [`robots_file`] | a robots.txt with its source |
//! | [`provenance`] | the source of a robots.txt |
//! | [`notice`] | remarks about a request and its answer |
//! | [`near_miss`] | crawler names that may be misspellings of other names |
//! | [`row`] | a decision as JSON |
//! | `schema` | JSON Schemas of requests and rows, with the feature `schema` |
//! | `or_error` | the schema of rows with an error instead of an answer |
//! | `files` | search for files and writing of files, with the feature `files` |
//! | [`shown`] | formats bytes, numbers and lists as text |
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `charsets` (default) | the tables of charsets, for files that are not in UTF-8 |
//! | `files` | search for files and writing of files |
//! | `live` | answers of sites, through `comity-client` |
//! | `schema` | JSON Schemas of requests and rows |

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![allow(
    clippy::exhaustive_structs,
    clippy::exhaustive_enums,
    reason = "rows are plain data that front ends construct"
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

/// The program of the package's README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
