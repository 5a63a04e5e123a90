#!/usr/bin/env bash
# Entry point of the pre-commit hook `comity-lint`: builds the command `comity` and lints the files in the arguments. pre-commit
# runs this script from its clone of the repository, so only the first run compiles. The command is built without network
# features, because `lint` needs none.
set -euo pipefail
manifest="$(dirname "$0")/../Cargo.toml"
exec cargo run --quiet --locked --manifest-path "$manifest" --package comity-cli --no-default-features -- lint "$@"
