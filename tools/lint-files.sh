#!/usr/bin/env bash
# Checks the files that no compiler reads (Python, shell scripts, workflows, the action, issue forms, the pre-commit manifest,
# the Dockerfile, the justfile), and a few rules for code and prose. Linters are installed into a virtual environment under
# target/. The environment variable PYTHON selects the interpreter.
set -euo pipefail
cd "$(dirname "$0")/.."

environment="${CARGO_TARGET_DIR:-$PWD/target}/linters"
[ -x "$environment/bin/python" ] || "${PYTHON:-python3}" -m venv "$environment"
"$environment/bin/python" -m pip --disable-pip-version-check --quiet install --requirement tools/linters.txt
export PATH="$environment/bin:$PATH"

mapfile -t scripts < <(git ls-files -- '*.sh' .ci/run)
shellcheck "${scripts[@]}"

yamllint --strict .github .pre-commit-hooks.yaml .yamllint.yaml action.yml
check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
check-jsonschema --quiet --builtin-schema vendor.github-actions action.yml
check-jsonschema --quiet --builtin-schema vendor.dependabot .github/dependabot.yml
check-jsonschema --quiet --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
check-jsonschema --quiet --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/{bug,feature,verdict}.yml
zizmor --offline --quiet --no-progress --persona pedantic .github action.yml .pre-commit-hooks.yaml
# The units name a program that is not installed here.
if command -v systemd-analyze >/dev/null; then
    units="${CARGO_TARGET_DIR:-$PWD/target}/units"
    rm -rf "$units"
    mkdir -p "$units"
    for unit in deploy/systemd/*; do
        sed 's#/usr/local/bin/comity#/bin/true#' "$unit" >"$units/$(basename "$unit")"
    done
    systemd-analyze verify "$units"/*
    for unit in "$units"/*.service; do
        systemd-analyze security --offline=yes --threshold=20 "$unit" >/dev/null
    done
else
    tools/skip.sh "systemd-analyze is not installed, so the units are not checked"
fi

# A test must not fail on a busy machine. So a test without a virtual clock has no upper bound on a duration, and a test in a
# browser has no fixed wait.
mapfile -t tests < <(git ls-files -- 'crates/*/tests/*.rs' 'python/tests/*.py' '*.mjs' | xargs grep -L start_paused --)
if grep -nE 'elapsed\(\) *<|(monotonic|perf_counter)\(\) - [^<]*<|waitForTimeout' -- "${tests[@]}"; then
    echo "error: a test has an upper bound on time; wait for a condition, set a clock, or check a lower bound" >&2
    exit 1
fi

# Process ids are reused, and a container assigns equal ids in every run. So a temporary file with the id in its name can
# collide with the file of a killed process.
if git grep -nE 'process::id\(\)|os\.getpid\(\)' -- 'crates/*/src/*' 'python/package/*'; then
    echo "error: a file name contains the process id; use the crate tempfile (crates/comity-answers/src/files/write.rs)" >&2
    exit 1
fi

# A file may be removed only if a lock, an open handle or a unique name proves that this process owns it. `owners` lists the
# modules with such a proof.
owners='comity-answers/src/files/(lock|write)\.rs|comity-cli/src/commands/serve/socket\.rs|comity-client/src/store/embedded/open\.rs|comity-audit/src/(checkpoint|scratch)\.rs'
if git grep -nE 'remove_(file|dir|dir_all)\(|os\.(remove|unlink)\(|rmtree\(' -- 'crates/*/src/*' 'python/src/*' 'python/command/src/*' 'python/package/*' ':!crates/testkit' |
    grep -vE "^crates/($owners):"; then
    echo "error: a file is removed outside of the modules that prove ownership (see \`owners\` in tools/lint-files.sh)" >&2
    exit 1
fi

pre-commit validate-manifest .pre-commit-hooks.yaml
hadolint Dockerfile
just --unstable --fmt --check
ruff format --check --quiet python examples/python
ruff check --quiet python examples/python

# Rejects lines with wording that is hard to read, such as a clause as the subject.
#
# prose PATTERN [EXCEPT]    fails if a line matches PATTERN and not EXCEPT
prose() {
    local found
    found="$(git grep -nE "$1" -- 'crates/**/*.rs' 'python/**/*.py' 'python/**/*.rs' '*.sh' '*.md' ':!docs/reference' ':!tools/lint-files.sh' |
        grep -vE "${2:-^$}" || true)"
    if [ -n "$found" ]; then
        printf '%s\n' "$found" >&2
        echo "error: these lines match $1: rewrite them (CONTRIBUTING.md, How we write)" >&2
        exit 1
    fi
}
prose '^ *(//[/!]?|#|"""|- |\*)? *(What|Who|Whoever|Of what)\b' '\?'
prose '\b(is|are) (no|none)\b' '[Tt]here (is|are) (no|none)|no longer|no more'
prose 'so many|[Ww]hoever|\banew\b|lets go|let go of' 'so many.*that'
prose '^ *(//[/!]?|#|"""|- )? *(The same|Likewise)\b'

# Rejects sentences with more than 40 words in the documentation.
mapfile -t pages < <(git ls-files -- '*.md' ':!docs/reference' ':!docs/evidence')
long="$(tools/long-sentences.py 40 "${pages[@]}")"
if [ -n "$long" ]; then
    printf '%s\n' "$long" >&2
    echo "error: these sentences have more than 40 words: split them (tools/long-sentences.py)" >&2
    exit 1
fi
