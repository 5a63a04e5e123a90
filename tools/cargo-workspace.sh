#!/usr/bin/env bash
# Replaces Cargo when `tools/test-python.sh` builds the wheel. maturin compiles only the package of the wheel, with fewer
# features than the Rust tests, so most dependencies would be compiled twice. This script compiles the whole workspace
# instead: it replaces `cargo rustc OPTIONS -- FLAGS` by `cargo build --workspace --all-features --tests OPTIONS`.
set -euo pipefail

if [ "$1" != rustc ]; then
    exec cargo "$@"
fi
shift
options=()
for option in "$@"; do
    [ "$option" != -- ] || break
    options+=("$option")
done
exec cargo build --workspace --all-features --tests "${options[@]}"
