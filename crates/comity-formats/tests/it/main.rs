//! Integration tests of all formats: valid, compressed, damaged and hostile files.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

mod captures;
mod cuts;
mod hostile;
mod join;
mod logs;
mod manifests;
mod pages;
mod parquet_files;
mod shared_columns;
mod tables;
mod warcs;
