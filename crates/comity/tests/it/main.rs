//! Comity's own tests: conformance files, other projects' cases, and properties.

mod conformance;
mod docs;
mod properties;
mod shared;
