#!/usr/bin/env bash
# Fails if a release wheel is larger than 12 MB: `tools/wheel-size.sh WHEEL...`. docs/evidence/benchmarks.md lists the
# parts of a wheel and their sizes.
set -euo pipefail

most=12000000
for wheel in "$@"; do
    size=$(wc -c <"$wheel")
    if [ "$size" -gt "$most" ]; then
        echo "error: $wheel has $size bytes, but at most $most are allowed" >&2
        exit 1
    fi
done
