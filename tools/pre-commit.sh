#!/usr/bin/env bash
# The entry of the pre-commit hook `comity-lint`: builds the command in the hook's own clone and lints the files that are
# named, which are in the folder that it is called from. The second time there is nothing to build.
set -euo pipefail
exec cargo run --quiet --locked --manifest-path "$(dirname "$0")/../Cargo.toml" --package comity-cli -- lint "$@"
