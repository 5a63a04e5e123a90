//! A build without the feature `live` asks no sites.

use std::path::Path;

use arrow_array::RecordBatch;
use comity_audit::{ManifestInput, ManifestLive};

use super::args::AuditRunArgs;
use crate::exit::Failure;
use crate::output::Output;

/// Says that there is no network.
pub(super) fn ask(
    _: &AuditRunArgs,
    _: Vec<String>,
    _: Option<&Path>,
    _: &mut Output,
    _: impl FnMut(&RecordBatch) -> Result<(), Failure>,
) -> Result<(ManifestInput, ManifestLive), Failure> {
    Err(Failure::new("this build asks no sites, and --live is given")
        .hint("build with the network: cargo build -p comity-cli"))
}
