#!/usr/bin/env bash
# Reports a check that cannot run on this machine. Fails if no check may be skipped: COMITY_SKIPS=forbidden, as in
# .ci/run.
#
#   tools/skip.sh WHAT AND WHY
set -euo pipefail
echo "SKIPPED: $*" >&2
[ "${COMITY_SKIPS:-}" != forbidden ]
