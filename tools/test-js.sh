#!/usr/bin/env bash
# Builds the npm package (tools/js.sh) and runs its tests. Installs Node.js if it is missing. Where WebAssembly cannot be built,
# the tests are skipped. Arguments are passed to `node --test`. COMITY_JS_PROFILE selects the Cargo profile (default: wasm-test,
# which compiles faster than the profile of the package).
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v node >/dev/null; then
    echo "installing Node.js" >&2
    root=""
    [ "$(id -u)" = 0 ] || root="sudo"
    if command -v apt-get >/dev/null; then
        $root apt-get update -qq && $root apt-get install -y -qq --no-install-recommends nodejs >/dev/null
    elif command -v dnf >/dev/null; then
        $root dnf install -y -q nodejs
    elif command -v brew >/dev/null; then
        brew install --quiet node
    else
        echo "error: no supported package manager (apt-get, dnf, brew): install Node.js 18 or later" >&2
        exit 1
    fi
fi

status=0
COMITY_JS_PROFILE="${COMITY_JS_PROFILE:-wasm-test}" tools/js.sh || status=$?
if [ "$status" = 77 ]; then
    tools/skip.sh "JavaScript: WebAssembly cannot be built; see the message above"
    exit
fi
[ "$status" = 0 ] || exit "$status"

if [ $# = 0 ]; then
    set -- js/test/*.test.mjs
fi
# By default, Node runs one file less at once than there are processors.
node --test --test-concurrency="$(getconf _NPROCESSORS_ONLN)" "$@"
