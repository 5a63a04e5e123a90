#!/usr/bin/env bash
# Builds the npm package in js/dist: the WebAssembly modules and the JavaScript files.
#
#   tools/js.sh            all
#   tools/js.sh engine     without the module of operations
#
# COMITY_JS_PROFILE selects the Cargo profile (default: wasm). With any other profile, one module serves as both, and sizes are
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
build=(build --quiet --locked --profile "$profile" --target wasm32-unknown-unknown -p comity-js --lib ${CARGO_JOBS:+-j "$CARGO_JOBS"})
cargo=cargo
sources="$(rustc --print sysroot)/lib/rustlib/src/rust/library"
linker="$(command -v wasm-ld || find /usr/bin -name 'wasm-ld-*' | sort | tail -1)"
builds_std=true
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
    RUSTFLAGS+=" -Z unstable-options -C panic=immediate-abort"
    build+=(-Z "build-std=std,panic_abort")
fi
export RUSTFLAGS CARGO_TARGET_DIR="$target"

# module NAME OPTION... builds a module
module() {
    local name="$1"
    shift
    "$cargo" "${build[@]}" "$@"
    cp "$target/wasm32-unknown-unknown/$profile/comity_js.wasm" "js/dist/$name.wasm"
}

# size NAME KILOBYTES limits the size of a module after gzip, together with the JavaScript that loads it
size() {
    local name="$1" limit="$2" size
    size="$(cat "js/dist/$name.wasm" js/dist/{engine,errors,objects,robots,robots-parser}.mjs | gzip -9 | wc -c)"
    echo "$name.wasm with JavaScript: $((size / 1000)) kB after gzip" >&2
    if $builds_std && [ "$size" -gt "${limit}000" ]; then
        echo "error: $name.wasm with its JavaScript is larger than $limit kB" >&2
        exit 1
    fi
}

# A wrapper of the other builds may belong to another compiler.
unset RUSTC_WORKSPACE_WRAPPER

mkdir -p js/dist
node js/build.mjs
if [ "$profile" = wasm ]; then
    module engine --no-default-features
    size engine 150
    if [ "${1:-}" != engine ]; then
        module operations
        size operations 780
    fi
else
    module operations
    cp js/dist/operations.wasm js/dist/engine.wasm
fi
node js/build.mjs
