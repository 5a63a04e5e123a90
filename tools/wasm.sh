#!/usr/bin/env bash
# Checks that the operations compile for WebAssembly, which has no files and no network. Uses the toolchain's target
# wasm32-unknown-unknown (`rustup target add`), or else Debian's compiler for the web.
set -euo pipefail
cd "$(dirname "$0")/.."

export RUSTFLAGS="-D warnings"
check=(check --quiet --locked --target wasm32-unknown-unknown -p comity-answers --no-default-features)
if [ -d "$(rustc --print target-libdir --target wasm32-unknown-unknown)" ]; then
    cargo "${check[@]}"
elif dpkg-query --show rust-web-src >/dev/null 2>&1; then
    # This compiler is stable; the variable lets it build the standard library from its source.
    RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}/wasm" \
        /usr/bin/cargo "${check[@]}" -Z build-std=std,panic_abort
else
    tools/skip.sh "there is no standard library for WebAssembly: rustup target add wasm32-unknown-unknown"
fi
