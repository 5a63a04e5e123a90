#!/usr/bin/env bash
# Fails if a release wheel is too large: `tools/wheel-size.sh WHEEL...`. The limits are 9 MB for `comity` and 14 MB for
# `comity-command`. docs/evidence/benchmarks.md lists the parts of a wheel and their sizes.
set -euo pipefail

for wheel in "$@"; do
    case "$(basename "$wheel")" in
        comity-*) most=9000000 ;;
        comity_command-*) most=14000000 ;;
        *)
            echo "error: $wheel is not a wheel of this project" >&2
            exit 1
            ;;
    esac
    size=$(wc -c <"$wheel")
    if [ "$size" -gt "$most" ]; then
        echo "error: $wheel has $size bytes, but at most $most are allowed" >&2
        exit 1
    fi
done
