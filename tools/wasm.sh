#!/usr/bin/env bash
# Checks that the operations compile for WebAssembly, which has no files and no network. Uses the target wasm32-unknown-unknown
# of the toolchain (`rustup target add`), or the packages of Debian for this target.
set -euo pipefail
cd "$(dirname "$0")/.."

export RUSTFLAGS="-D warnings"
check=(check --quiet --locked --target wasm32-unknown-unknown -p comity-answers --no-default-features)
if [ -d "$(rustc --print target-libdir --target wasm32-unknown-unknown)" ]; then
    cargo "${check[@]}"
elif dpkg-query --show rust-web-src >/dev/null 2>&1; then
    # With RUSTC_BOOTSTRAP, a stable compiler can build the standard library from source.
    RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}/wasm" \
        /usr/bin/cargo "${check[@]}" -Z build-std=std,panic_abort
else
    tools/skip.sh "WebAssembly: its standard library is not installed; run rustup target add wasm32-unknown-unknown"
fi
