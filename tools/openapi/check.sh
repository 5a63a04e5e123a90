#!/usr/bin/env bash
# Generates a client from the OpenAPI description of the service, with the generator of another project, and sends requests
# with this client. Installs the generator into the target folder. If it cannot be installed, the check is skipped with a
# message on standard error.
set -euo pipefail
cd "$(dirname "$0")/../.."

target="${CARGO_TARGET_DIR:-$PWD/target}"
# Builds the whole workspace with the features of the tests, so that no crate is compiled twice.
cargo build --workspace --all-features --locked --quiet --bins --tests
here="$target/openapi"
mkdir -p "$here"

if { [ -x "$here/python/bin/python" ] || python3 -m venv "$here/python"; } &&
    "$here/python/bin/python" -m pip install --quiet --disable-pip-version-check -r tools/openapi/requirements.txt; then
    "$here/python/bin/python" -B tools/openapi/check.py "$target/debug/comity" "$here/client"
else
    tools/skip.sh "generated client: the generator could not be installed"
fi
