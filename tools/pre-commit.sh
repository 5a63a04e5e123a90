#!/usr/bin/env bash
# Entry point of the pre-commit hook `comity-lint`: builds the command `comity` and lints the files in the arguments. pre-commit
# runs this script from its clone of the repository, so only the first run compiles. The command is built without network
# features, because `lint` needs none.
set -euo pipefail
# The user's repository may select another toolchain or other settings of Cargo.
program="$(
    cd "$(dirname "$0")/.."
    cargo build --quiet --locked --package comity-cli --no-default-features --message-format json |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -n 1
)"
exec "$program" lint "$@"
