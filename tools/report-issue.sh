#!/usr/bin/env bash
# Opens an issue, or updates the open issue with the same title: `tools/report-issue.sh TITLE FILE`. FILE is the text. Runs in
# workflows: needs `gh` with a token.
set -euo pipefail

title="$1"
# The most that an issue may contain is 65,536 characters.
head -c 60000 "$2" >"$2.cut"
number="$(gh issue list --state open --limit 1000 --json number,title --jq "map(select(.title == \"$title\"))[0].number // empty")"
if [ -n "$number" ]; then
    gh issue edit "$number" --body-file "$2.cut"
else
    gh issue create --title "$title" --body-file "$2.cut"
fi
