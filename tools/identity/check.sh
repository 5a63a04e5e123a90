#!/usr/bin/env bash
# Checks that the cases of conformance/identity are up to date, and compares Comity's verifier with other verifiers.
#
#   tools/identity/check.sh           compare with the Python package http-message-signatures, on the cases
#   tools/identity/check.sh --crate   also compare with Cloudflare's crate web-bot-auth, and use generated requests
#
# Installs the Python packages into the target folder. If they cannot be installed, both checks with Python are skipped with a
# message on standard error.
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
    tools/skip.sh "identity: the Python packages could not be installed"
fi
