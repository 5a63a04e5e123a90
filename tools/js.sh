#!/usr/bin/env bash
# Builds the npm package in js/dist: the WebAssembly modules and the JavaScript files. Builds the module of the playground, too.
#
#   tools/js.sh            all
#   tools/js.sh engine     only the module of the engine
#
# COMITY_JS_PROFILE selects the Cargo profile (default: wasm). With any other profile, one module serves as all, and sizes are
# not checked.
#
# The standard library is compiled, too, because without messages of panics the modules are a quarter smaller. Its sources are the
# component rust-src of rustup, or Debian's package rust-web-src. If neither is installed, the target wasm32-unknown-unknown of the
# toolchain suffices, and the sizes of the modules are not checked. Exits with 77 if all three are missing.
set -euo pipefail
cd "$(dirname "$0")/.."

target="${CARGO_TARGET_DIR:-$PWD/target}/wasm"
profile="${COMITY_JS_PROFILE:-wasm}"
# All platforms that run the package have SIMD (Node 16, Safari 16.4).
RUSTFLAGS="-D warnings -C target-feature=+simd128,+bulk-memory -C link-arg=-zstack-size=262144"
# Addresses in the code are not padded, which only modules without symbols support.
RUSTFLAGS+=" -C link-arg=--compress-relocations"
build=(build --quiet --locked --target wasm32-unknown-unknown -p comity-js --lib ${CARGO_JOBS:+-j "$CARGO_JOBS"})
cargo=cargo
sources="$(rustc --print sysroot)/lib/rustlib/src/rust/library"
linker="$(command -v wasm-ld || find /usr/bin -name 'wasm-ld-*' | sort | tail -1)"
builds_std=true
fast=() small=()
if [ ! -d "$sources" ] && dpkg-query --show rust-web-src >/dev/null 2>&1 && [ -n "$linker" ]; then
    export RUSTC=/usr/bin/rustc CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER="$linker"
    cargo=/usr/bin/cargo
elif [ ! -d "$sources" ]; then
    builds_std=false
    if [ ! -d "$(rustc --print target-libdir --target wasm32-unknown-unknown)" ]; then
        echo "error: WebAssembly cannot be built: run rustup component add rust-src," \
            "or install Debian's packages rustc-web, cargo-web, rust-web-src and lld" >&2
        exit 77
    fi
fi
if $builds_std; then
    # With RUSTC_BOOTSTRAP, a stable compiler can build the standard library from source.
    export RUSTC_BOOTSTRAP=1
    RUSTFLAGS+=" -Z unstable-options -C panic=immediate-abort -Z location-detail=none"
    build+=(-Z "build-std=std,panic_abort")
    # Without its default features, the standard library needs no crates for backtraces.
    fast=(-Z "build-std-features=")
    small=(-Z "build-std-features=optimize_for_size")
fi
export RUSTFLAGS CARGO_TARGET_DIR="$target"

# module PROFILE FILE OPTION... builds a module
module() {
    local profile="$1" file="$2"
    shift 2
    "$cargo" "${build[@]}" --profile "$profile" "$@"
    cp "$target/wasm32-unknown-unknown/$profile/comity_js.wasm" "$file"
}

# size KILOBYTES FILE... limits the size of files after gzip
size() {
    local limit="$1" size
    shift
    size="$(cat "$@" | gzip -9 | wc -c)"
    echo "$1: $((size / 1000)) kB after gzip, of at most $limit" >&2
    if $builds_std && [ "$size" -gt "${limit}000" ]; then
        echo "error: $* together have more than $limit kB after gzip" >&2
        exit 1
    fi
}

# A wrapper of the other builds may belong to another compiler.
unset RUSTC_WORKSPACE_WRAPPER

mkdir -p js/dist
node js/build.mjs
if [ "$profile" = wasm ]; then
    module wasm js/dist/engine.wasm "${fast[@]}" --no-default-features
    size 150 js/dist/engine.wasm js/dist/{engine,errors,objects,robots,robots-parser}.mjs
    if [ "${1:-}" != engine ]; then
        module wasm-operations js/dist/operations.wasm "${small[@]}" --no-default-features --features operations
        size 450 js/dist/operations.wasm
        module wasm-operations js/play/operations.wasm "${small[@]}"
    fi
else
    module "$profile" js/play/operations.wasm "${fast[@]}"
    cp js/play/operations.wasm js/dist/operations.wasm
    cp js/play/operations.wasm js/dist/engine.wasm
fi
node js/build.mjs
