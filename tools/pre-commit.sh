#!/usr/bin/env bash
# The entry of the pre-commit hook `comity-lint`: builds the command in the hook's own clone and lints the named
# files, relative to the current folder. The second run has nothing to build. Without its default features the command
# cannot contact sites, which a hook does not need.
set -euo pipefail
manifest="$(dirname "$0")/../Cargo.toml"
exec cargo run --quiet --locked --manifest-path "$manifest" --package comity-cli --no-default-features -- lint "$@"
