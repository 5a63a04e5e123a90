#!/usr/bin/env bash
# Compares the npm package with robots-parser: runs the suite of robots-parser, and compares every method on generated cases and
# real files. Compares the answers of Lighthouse and Crawlee, which use robots-parser, with the drop-in and with the original.
# Runs Crawlee's crawler with the mixin. Then checks the package itself: Bun, Deno and Chromium load it, its types compile with
# each module resolution, and publint and arethetypeswrong accept it. Fetches the programs from npm into target/javascript.
# Needs js/dist (tools/js.sh) and the program differential (`cargo build -p differential`).
#
#   tools/compatibility/javascript/check.sh [CASES]     number of generated files (5,000)
set -euo pipefail
cd "$(dirname "$0")/../../.."

cases="${1:-5000}"
target="${CARGO_TARGET_DIR:-$PWD/target}"
folder="$target/javascript"
here=tools/compatibility/javascript
[ -f js/dist/engine.wasm ] || { echo "error: js/dist is missing: run tools/js.sh" >&2; exit 1; }

mkdir -p "$folder"
if ! cmp -s "$here/package.json" "$folder/package.json" || [ ! -d "$folder/node_modules" ]; then
    cp "$here/package.json" "$folder/"
    npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund --no-package-lock --loglevel error ||
        { rm -rf "$folder"; tools/skip.sh "JavaScript compatibility: npm could not fetch the programs"; exit; }
fi
export NODE_PATH="$folder/node_modules"

echo "the package as npm installs it" >&2
rm -rf "$folder/node_modules/comity" "$folder"/comity-*.tgz
(cd js && npm pack --silent --pack-destination "$folder" >/dev/null)
mkdir "$folder/node_modules/comity"
tar -xzf "$folder"/comity-*.tgz -C "$folder/node_modules/comity" --strip-components 1

echo "robots-parser's own suite" >&2
# The suite requires `../index`.
mkdir -p "$folder/suite/test"
cp "$folder/node_modules/robots-parser/test/Robots.js" "$folder/suite/test/"
echo 'module.exports = require("comity/robots-parser");' >"$folder/suite/index.js"
"$folder/node_modules/.bin/mocha" --reporter dot "$folder/suite/test/Robots.js"

echo "the drop-in compared with robots-parser" >&2
differential="$target/debug/differential"
[ -x "$differential" ] || differential="$target/release/differential"
"$differential" cases --cases "$cases" --seed 1 | node "$here/compare.cjs"
if [ -n "${COMITY_DATA:-}" ]; then
    "$differential" cases --cases "$cases" --seed 1 --real "$COMITY_DATA/corpus/robots" | node "$here/compare.cjs"
fi

echo "Lighthouse's audits and Crawlee's class with the drop-in by npm's overrides" >&2
overridden="$folder/overridden"
rm -rf "$overridden"
mkdir "$overridden"
cp "$here/overridden/package.json" "$here/dependents.mjs" "$overridden/"
cp "$folder"/comity-*.tgz "$overridden/comity.tgz"
mv "$(cd js/alias && npm pack --silent --pack-destination "$overridden" | sed "s|^|$overridden/|")" "$overridden/robots-parser.tgz"
npm install --prefix "$overridden" --ignore-scripts --no-audit --no-fund --no-package-lock --loglevel error
grep -q '"comity-robots-parser"' "$overridden/node_modules/robots-parser/package.json"
# answers NAME writes the answers of the dependents to NAME.txt
answers() {
    {
        "$differential" cases --cases "$((cases / 5))" --seed 2
        [ -z "${COMITY_DATA:-}" ] ||
            "$differential" cases --cases "$((cases / 5))" --seed 2 --real "$COMITY_DATA/corpus/robots"
    } | APIFY_LOG_LEVEL=ERROR node "$overridden/dependents.mjs" "$PWD/tools/differential/models/frames.cjs" >"$overridden/$1.txt"
}
answers drop-in
rm -r "$overridden/node_modules/robots-parser"
cp -R "$folder/node_modules/robots-parser" "$overridden/node_modules/"
answers original
if ! cmp "$overridden/original.txt" "$overridden/drop-in.txt"; then
    diff "$overridden/original.txt" "$overridden/drop-in.txt" | head -4 >&2
    exit 1
fi

echo "Crawlee with the mixin" >&2
cp "$here/crawlee.mjs" "$folder/"
node "$folder/crawlee.mjs"

echo "other runtimes" >&2
cp "$here/smoke.mjs" "$folder/"
ran=false
for runtime in @oven/bun-linux-x64/bin/bun @deno/linux-x64-glibc/deno; do
    [ -x "$folder/node_modules/$runtime" ] || continue
    ran=true
    case "$runtime" in
        *deno) (cd "$folder" && "node_modules/$runtime" run --allow-read --node-modules-dir=manual smoke.mjs) ;;
        *) (cd "$folder" && "node_modules/$runtime" smoke.mjs) ;;
    esac
done
$ran || tools/skip.sh "JavaScript compatibility: npm has no Bun and no Deno for this machine"
if command -v chromium >/dev/null; then
    node "$here/browser.mjs"
else
    tools/skip.sh "JavaScript compatibility: chromium is not installed"
fi

echo "types" >&2
cp "$here"/types/* "$folder/"
tsc=("$folder/node_modules/.bin/tsc" --noEmit --strict --skipLibCheck false --target es2022 --lib "es2022,dom,dom.iterable")
# Only a program with `using` needs this library.
using=(--lib "es2022,dom,dom.iterable,esnext.disposable")
(
    cd "$folder"
    "${tsc[@]}" --module commonjs --moduleResolution node10 --esModuleInterop bundler.ts required.cts
    "${tsc[@]}" --module node16 --moduleResolution node16 required.cts
    "${tsc[@]}" "${using[@]}" --module node16 --moduleResolution node16 module.mts
    "${tsc[@]}" --module nodenext --moduleResolution nodenext required.cts
    "${tsc[@]}" "${using[@]}" --module nodenext --moduleResolution nodenext module.mts
    "${tsc[@]}" --module esnext --moduleResolution bundler bundler.ts
    "${tsc[@]}" "${using[@]}" --module esnext --moduleResolution bundler module.mts
)
"$folder/node_modules/.bin/publint" --strict "$folder/node_modules/comity"
"$folder/node_modules/.bin/attw" --no-emoji "$folder"/comity-*.tgz
