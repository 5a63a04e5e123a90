#!/usr/bin/env bash
# Cargo for the wheel that `tools/test-python.sh` tests. maturin compiles the wheel's package alone, with fewer features
# than the Rust tests select, and thus compiles most dependencies a second time. This script builds the whole workspace
# instead: `cargo rustc OPTIONS -- FLAGS` becomes `cargo build --workspace --all-features --tests OPTIONS`.
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
