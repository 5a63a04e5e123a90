#!/usr/bin/env bash
# Builds both Python wheels, installs them in a clean virtual environment and runs all their tests. Arguments are passed to
# `pytest`. The environment variable PYTHON selects the interpreter (3.10 or later), and COMITY_WHEEL_PROFILE the Cargo profile
# (default: dev).
set -euo pipefail
cd "$(dirname "$0")/.."

python="${PYTHON:-python3}"
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    echo "error: the wheel's tests need Python 3.10 or later: set PYTHON=/path/to/python" >&2
    exit 1
fi

target="${CARGO_TARGET_DIR:-$PWD/target}"
environment="$target/python-tests"
# On Debian, `venv` needs a separate package.
if ! "$python" -m venv --clear "$environment" >/dev/null 2>&1; then
    root=""
    [ "$(id -u)" = 0 ] || root="sudo"
    command -v apt-get >/dev/null && $root apt-get update -qq && $root apt-get install -y -qq python3-venv >/dev/null
    "$python" -m venv --clear "$environment"
fi
# Some tests use Spark, which needs Java.
if ! command -v java >/dev/null; then
    echo "installing a Java runtime, for the tests with Spark" >&2
    root=""
    [ "$(id -u)" = 0 ] || root="sudo"
    if command -v apt-get >/dev/null; then
        $root apt-get update -qq && $root apt-get install -y -qq default-jre-headless >/dev/null
    elif command -v dnf >/dev/null; then
        $root dnf install -y -q java-17-openjdk-headless
    else
        echo "error: no supported package manager (apt-get, dnf): install Java 17 or later" >&2
        exit 1
    fi
fi

# Some of these packages are large, and uv installs them five times faster than pip.
pip=("$environment/bin/python" -m pip --disable-pip-version-check --quiet)
"${pip[@]}" install uv
UV_NATIVE_TLS=1 "$environment/bin/uv" pip install --quiet --python "$environment/bin/python" -r python/tests/requirements.txt

wheels="$target/wheels-tested"
rm -rf "$wheels"
mkdir -p "$wheels"
profile=(--profile "${COMITY_WHEEL_PROFILE:-dev}")
cargo="${CARGO:-cargo}"
if [ "${COMITY_WHEEL_PROFILE:-dev}" = wheel ]; then
    # The release workflow uses the same compression.
    profile+=(--compression-level 9)
else
    cargo="$PWD/tools/cargo-workspace.sh"
fi
# build PROJECT PACKAGE
build() {
    "$environment/bin/python" tools/licenses.py "$2" "$1/LICENSE-THIRD-PARTY"
    (cd "$1" && CARGO="$cargo" CARGO_TARGET_DIR="$target" "$environment/bin/maturin" build --locked "${profile[@]}" \
        --out "$wheels" --interpreter "$environment/bin/python")
}
build python comity-python-base
build python/command comity-python-command
# Check sizes only with the profile `wheel`, because other profiles add debug information.
[ "${COMITY_WHEEL_PROFILE:-dev}" != wheel ] || tools/wheel-size.sh "$wheels"/*.whl
# Without the extra, the command fails with an error that shows how to install the extra.
"${pip[@]}" install --no-deps "$wheels"/comity-*.whl
status=0
refused="$("$environment/bin/comity" --version 2>&1)" || status=$?
[[ $status = 2 && "$refused" = *'pip install "comity[command]"'* ]] || {
    echo "error: \`comity --version\` without the extra must exit with 2 and show how to install the extra; the exit code was $status: $refused" >&2
    exit 1
}
"${pip[@]}" install --no-index --find-links "$wheels" "comity[command]"

# The source archives for a package index. Building them would take as long as the wheels, so only their fragile parts are
# checked: the lock files, and the settings of Cargo.
rm -rf "$target/sdist-tested"
mkdir "$target/sdist-tested"
"$environment/bin/python" tools/sdist.py --out "$wheels" >/dev/null
for archive in "$wheels"/*.tar.gz; do
    tar -xzf "$archive" -C "$target/sdist-tested"
done
for tree in "$target/sdist-tested"/comity*; do
    cmp .cargo/config.toml "$tree/.cargo/config.toml"
    cargo tree --locked --offline --manifest-path "$tree/Cargo.toml" --workspace --edges normal,build >/dev/null
done
"$environment/bin/twine" --no-color check --strict "$wheels"/*
"$environment/bin/check-wheel-contents" "$wheels"/*.whl

"$environment/bin/mypy" --config-file python/pyproject.toml python/package/comity
# Two type checkers check a program that uses the public names. Pyright also checks that every public name has a type. It
# finds the installed package through PATH.
"$environment/bin/mypy" --strict python/tests/typed_program.py
PATH="$environment/bin:$PATH" "$environment/bin/pyright" --pythonpath "$environment/bin/python" python/tests/typed_program.py
(cd "$target" && PATH="$environment/bin:$PATH" "$environment/bin/pyright" --verifytypes comity --ignoreexternal)
# Runs two test processes, because tests often wait for servers and clusters. Four are not faster on two cores.
"$environment/bin/python" -m pytest -q -rs -n 2 --durations 15 --dist loadfile --doctest-modules --pyargs comity python/tests "$@"
