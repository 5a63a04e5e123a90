#!/usr/bin/env bash
# Checks that the cases of conformance/identity are up to date, and compares Comity's verifier with other programs.
#
#   tools/identity/check.sh           on the cases, with the Python package http-message-signatures
#   tools/identity/check.sh --crate   also on generated requests, with Cloudflare's crate web-bot-auth
#
# Installs the packages into the target folder. A package that cannot be installed is skipped with a message on standard
# error.
set -euo pipefail
cd "$(dirname "$0")/../.."

target="${CARGO_TARGET_DIR:-$PWD/target}"
here="$target/identity"
mkdir -p "$here"
generated=()
if [ "${1:-}" = --crate ]; then
    (cd tools/identity/web-bot-auth && CARGO_TARGET_DIR="$target" cargo run --quiet --locked -- 2000 "$here/generated.jsonl")
    generated=("$here/generated.jsonl")
fi

python="$here/python/bin/python"
if { [ -x "$python" ] || python3 -m venv "$here/python"; } &&
    "$python" -m pip install --quiet --disable-pip-version-check -r tools/identity/requirements.txt; then
    "$python" tools/identity/cases.py
    "$python" tools/identity/peer.py "${generated[@]}"
else
    tools/skip.sh "http-message-signatures: it could not be installed"
fi
