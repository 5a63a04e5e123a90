#!/usr/bin/env bash
# Builds and runs programs that use TLS in the client and elsewhere: with two providers of cryptography, with one, and
# with only the program's own.
set -euo pipefail
cd "$(dirname "$0")"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-../../target}/providers"
for feature in both one none; do
    printf '%s: ' "$feature"
    cargo run --quiet --features "$feature"
done
