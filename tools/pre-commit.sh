#!/usr/bin/env bash
# The entry of the pre-commit hook `comity-lint`: builds the command in the hook's own clone and lints the files that are
# named, which are in the folder that it is called from. The second time there is nothing to build.
# Without its default features the command cannot ask sites, which nobody asks of a hook.
set -euo pipefail
manifest="$(dirname "$0")/../Cargo.toml"
exec cargo run --quiet --locked --manifest-path "$manifest" --package comity-cli --no-default-features -- lint "$@"
