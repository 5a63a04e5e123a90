#!/usr/bin/env bash
# Runs fuzz targets, two at a time, and fails if a target fails for some input.
#
#   tools/fuzz.sh [SECONDS [PART]]    SECONDS per target (20 by default); PART is engine, client, formats or all (default)
#
# The stable compiler can instrument the code so that the fuzzer detects new coverage. Nearly all code is safe Rust, so the
# targets run without a sanitizer. `cargo fuzz` with a nightly compiler can add a sanitizer.
set -euo pipefail
cd "$(dirname "$0")/../fuzz"

seconds="${1:-20}"
part="${2:-all}"
target="${CARGO_TARGET_DIR:-$PWD/../target}/fuzz"
export CARGO_TARGET_DIR="$target"
export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares -Cdebug-assertions=yes -Coverflow-checks=yes"
# With an explicit target, the flags do not apply to build scripts. In these short runs, low optimization saves more time
# in the build than it costs in the run.
host="$(rustc --version --verbose | sed -n 's/^host: //p')"
# The targets of the part. The feature that a target requires is its part.
mapfile -t names < <(cargo metadata --format-version 1 --no-deps | python3 -c '
import json, sys
for target in json.load(sys.stdin)["packages"][0]["targets"]:
    if sys.argv[1] in ("all", *target.get("required-features", ["engine"])):
        print(target["name"])
' "$part")
[ "${#names[@]}" -gt 0 ] || { echo "no fuzz target belongs to part $part: name engine, client, formats or all" >&2; exit 2; }
features=()
[ "$part" = engine ] || features=(--features "$([ "$part" = all ] && echo client,formats || echo "$part")")
CARGO_PROFILE_RELEASE_DEBUG=0 CARGO_PROFILE_RELEASE_OPT_LEVEL=1 cargo build --quiet --locked --release --target "$host" \
    "${features[@]}" "${names[@]/#/--bin=}"

# Prints the dictionary of a target, if it has one.
dictionary() {
    case "$1" in
        decide | lint | parse | policy | write_read) echo robots.dict ;;
        html | markdown | page_headers) echo page.dict ;;
        sitemap) echo sitemap.dict ;;
        logs) echo logs.dict ;;
    esac
}

run() {
    local name="$1" found="$target/found/$1" dictionary
    dictionary="$(dictionary "$name")"
    mkdir -p "$found"
    if ! "$target/$host/release/$name" ${dictionary:+-dict="$dictionary"} -max_total_time="$seconds" -max_len=4096 \
        -timeout=60 -rss_limit_mb=4096 -artifact_prefix="$found/" >"$found/log" 2>&1; then
        tail -n 40 "$found/log"
        echo "error: fuzz target $name failed; the input is in $found" >&2
        return 1
    fi
    printf '%-18s %s\n' "$name" "$(grep -o 'Done [0-9]* runs.*' "$found/log" || echo 'the log has no number of runs')"
}

failed=0
pids=()
for name in "${names[@]}"; do
    run "$name" &
    pids+=("$!")
    if [ "${#pids[@]}" = 2 ]; then
        for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
        pids=()
    fi
done
for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
exit "$failed"
