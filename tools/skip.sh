#!/usr/bin/env bash
# Reports a check that cannot run on this machine. Fails if checks may not be skipped (COMITY_SKIPS=forbidden, as in .ci/run).
#
#   tools/skip.sh "CHECK: REASON"
set -euo pipefail
echo "SKIPPED: $*" >&2
[ "${COMITY_SKIPS:-}" != forbidden ]
