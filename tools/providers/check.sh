#!/usr/bin/env bash
# Builds and runs programs with other users of TLS beside the client: with both providers of cryptography, with one,
# and with only the program's own.
set -euo pipefail
cd "$(dirname "$0")"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-../../target}/providers"
for feature in both one none; do
    printf '%s: ' "$feature"
    cargo run --quiet --features "$feature"
done
