//! A build without the feature `live` has no store.

use arrow_array::RecordBatch;
use comity_audit::ManifestInput;

use super::inputs::JobFile;
use crate::exit::Failure;

/// Says that there are no stores.
pub(super) fn read(
    file: &JobFile,
    _: &mut impl FnMut(&RecordBatch) -> Result<(), Failure>,
) -> Result<ManifestInput, Failure> {
    Err(Failure::new(format!("`{}` is a store, and this build reads none", file.name))
        .hint("build with the network: cargo build -p comity-cli"))
}
