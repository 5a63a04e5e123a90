#!/usr/bin/env bash
# Runs all tests. First installs the programs that the tests need, except Rust: a Redis or Valkey server for the shared store,
# and a browser with its driver for the web page (`tools/browser.sh`). Finally builds the npm package and the Python wheels and
# runs their tests (`tools/test-js.sh`, `tools/test-python.sh`). Arguments are passed to `cargo test`. Without arguments,
# `cargo nextest` runs the tests if it is installed.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v redis-server >/dev/null && ! command -v valkey-server >/dev/null; then
    echo "installing redis-server" >&2
    root=""
    [ "$(id -u)" = 0 ] || root="sudo"
    if command -v apt-get >/dev/null; then
        $root apt-get update -qq && $root apt-get install -y -qq redis-server >/dev/null
    elif command -v dnf >/dev/null; then
        $root dnf install -y -q redis || $root dnf install -y -q valkey
    elif command -v brew >/dev/null; then
        brew install --quiet redis
    else
        echo "error: no supported package manager (apt-get, dnf, brew): install redis-server" >&2
        exit 1
    fi
fi

tools/browser.sh

if [ $# = 0 ] && command -v cargo-nextest >/dev/null; then
    # nextest runs each test in a process with a time limit (.config/nextest.toml). It does not run examples in documentation.
    # Many tests wait for servers, so two tests per core run at once.
    cargo nextest run --workspace --all-features --locked --test-threads "$((2 * $(getconf _NPROCESSORS_ONLN)))"
    # The examples of the bindings are Python, which pytest runs.
    cargo test --workspace --exclude comity-python --all-features --locked --doc
else
    cargo test --workspace --exclude comity-python --all-features --locked "$@"
fi

tools/test-js.sh
tools/test-python.sh
