#!/usr/bin/env bash
# Tests programs in which Comity's client and another library use TLS: with two cryptography providers, with one provider,
# and with a provider that only the program installs.
set -euo pipefail
cd "$(dirname "$0")"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-../../target}/providers"
for feature in both one none; do
    printf '%s: ' "$feature"
    cargo run --quiet --features "$feature"
done
