#!/usr/bin/env bash
# Builds the documentation site from docs/ into target/site/site, and fails on a broken link.
#
# COMITY_REPOSITORY is the URL of the repository, such as https://forge.example/comity/comity. If the variable is set, each
# page has an edit link, and links to files outside of docs/ lead to the repository. Otherwise such links become plain text.
set -euo pipefail
cd "$(dirname "$0")/.."

target="${CARGO_TARGET_DIR:-$PWD/target}"
tools="$target/docs-tools"
repository="${COMITY_REPOSITORY:-}"

[ -x "$tools/bin/python" ] || "${PYTHON:-python3}" -m venv "$tools"
"$tools/bin/python" -m pip --disable-pip-version-check --quiet install --requirement tools/docs.txt

build="$target/site"
rm -rf "$build"
mkdir -p "$build"
cp -R docs "$build/docs"
cp zensical.toml "$build"
if [ -n "$repository" ]; then
    sed -i.old "s|^\[project\]\$|&\\nrepo_url = \"$repository\"\\nedit_uri = \"edit/main/docs/\"|" "$build/zensical.toml"
fi
# Builds the playground, which runs in the browser alone. Only the site contains it, so only pages of the site link to it.
if [ -f js/play/operations.wasm ]; then
    node js/play/build.mjs "$build/docs/play"
    # shellcheck disable=SC2016 # backticks of Markdown
    sed -i.old 's|`/play/`|[`/play/`](../play/index.html)|' "$build/docs/guide/page.md" "$build/docs/guide/javascript.md"
    rm "$build"/docs/guide/*.old
else
    tools/skip.sh "documentation site: without the WebAssembly modules (tools/js.sh) it has no playground"
fi
# A link leads out of docs/ if its number of `../` equals the depth of its page.
for depth in 1 2 3; do
    # shellcheck disable=SC2016 # these are variables of Perl
    find "$build/docs" -mindepth "$depth" -maxdepth "$depth" -name '*.md' -print0 |
        REPOSITORY="$repository" DEPTH="$depth" xargs -0 -r perl -pi -e '
            my $up = "(?:\\.\\./){$ENV{DEPTH}}";
            s{\[([^\]]*)\]\($up([^)]*)\)}{$ENV{REPOSITORY} ? "[$1]($ENV{REPOSITORY}/blob/main/$2)" : $1}ge;
        '
done
"$tools/bin/zensical" build --strict --config-file "$build/zensical.toml"

# An external request would reveal the reader to another site.
if grep -rnoE '<(script|link|img|iframe)[^>]* (src|href)="https?://[^"]*"' "$build/site" --include='*.html' | grep -v 'rel="canonical"'; then
    echo "error: the pages above make external requests; use local files instead" >&2
    exit 1
fi
