//! Integration tests with archives in every format: whole, compressed, damaged, hostile.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

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
