#!/usr/bin/env bash
# Entry point of the pre-commit hook `comity-lint`: builds the command in the hook's clone, and lints the named files,
# relative to the current folder. Only the first run builds. The command has no network features, because a hook does
# not need them.
set -euo pipefail
manifest="$(dirname "$0")/../Cargo.toml"
exec cargo run --quiet --locked --manifest-path "$manifest" --package comity-cli --no-default-features -- lint "$@"
