#!/usr/bin/env bash
# Fetches the browser driver for the tests of the page (crates/comity-serve/tests/browser) into target/browser.
# As root on Debian, it also installs Node.js and Chromium. Without these programs, the tests report that they are skipped.
set -euo pipefail
cd "$(dirname "$0")/.."

if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    missing=()
    command -v chromium >/dev/null || missing+=(chromium)
    command -v node >/dev/null || missing+=(nodejs)
    command -v npm >/dev/null || missing+=(npm)
    if [ "${#missing[@]}" -gt 0 ]; then
        { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >/dev/null ||
            echo "warning: could not install ${missing[*]}; the tests of the page will be skipped" >&2
    fi
fi
if ! command -v npm >/dev/null; then
    tools/skip.sh "browser driver: npm is not installed"
    exit
fi

wanted=crates/comity-serve/tests/browser
folder="${CARGO_TARGET_DIR:-target}/browser"
if ! cmp -s "$wanted/package-lock.json" "$folder/package-lock.json" || [ ! -d "$folder/node_modules" ]; then
    mkdir -p "$folder"
    cp "$wanted/package.json" "$wanted/package-lock.json" "$folder/"
    npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund --loglevel error ||
        { rm -rf "$folder"; tools/skip.sh "browser driver: npm could not fetch it"; }
fi
