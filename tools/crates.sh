#!/usr/bin/env bash
# Counts the crates in the dependency tree of each package of Comity, and compares the counts with tools/crates.txt.
#
#   tools/crates.sh            compare; fails if a count is larger than the committed count
#   tools/crates.sh --update   write the new counts to crates.txt
set -euo pipefail
cd "$(dirname "$0")/.."

committed=tools/crates.txt

# count NAME ARGUMENT...
count() {
    local name="$1" tree
    shift
    # In an argument of `printf`, a failure would count as no crates.
    tree="$(cargo tree --locked --edges normal --prefix none --target x86_64-unknown-linux-gnu "$@")"
    printf '%s %s\n' "$name" "$(cut -d' ' -f1,2 <<<"$tree" | sort -u | wc -l)"
}

measured=$(mktemp)
trap 'rm -f "$measured"' EXIT
{
    echo "# Number of crates in the dependency tree of each package on Linux, including the package, counted by tools/crates.sh"
    count comity -p comity
    count comity:full -p comity --features full,serde
    count comity-client:light -p comity-client --no-default-features
    count comity-client -p comity-client
    count comity-client:all -p comity-client --all-features
    count comity-answers -p comity-answers
    count comity-identity -p comity-identity
    count comity-formats -p comity-formats --all-features
    count comity-arrow -p comity-arrow --all-features
    count comity-audit -p comity-audit --all-features
    count comity-logs -p comity-logs --all-features
    count comity-serve -p comity-serve
    count comity-cli:files -p comity-cli --no-default-features
    count comity-cli -p comity-cli
    count comity-python-base -p comity-python-base
} >"$measured"

if [ "${1:-}" = --update ]; then
    cp "$measured" "$committed"
    cat "$committed"
    exit
fi

grown=0
while read -r name now; do
    before=$(awk -v name="$name" '$1 == name { print $2 }' "$committed")
    printf '%-20s %4s crates, %s committed\n' "$name" "$now" "${before:-none}"
    [ "${before:-0}" -ge "$now" ] || grown=1
done < <(grep -v '^#' "$measured")
if [ "$grown" = 1 ]; then
    echo "error: more crates than in $committed; to accept them, run tools/crates.sh --update" >&2
    exit 1
fi
