#!/usr/bin/env bash
# The job of a site owner's CI: checks robots.txt before it is published. Needs the command `comity`.
#
#   examples/site/check.sh            text; with FORMAT=github or FORMAT=sarif, findings for the forge
set -euo pipefail
cd "$(dirname "$0")"

comity lint --deny warnings --format "${FORMAT:-text}" robots.txt
comity test --format "${FORMAT:-text}" robots.test.toml
