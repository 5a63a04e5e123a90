#!/usr/bin/env bash
# Builds the Python wheel, installs it in a clean virtual environment and runs all its tests.
# Arguments go to `pytest`. PYTHON names the interpreter (3.10 or later), COMITY_WHEEL_PROFILE the Cargo profile (dev).
set -euo pipefail
cd "$(dirname "$0")/.."

python="${PYTHON:-python3}"
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    echo "error: the wheel's tests need Python 3.10 or later: set PYTHON=/path/to/python" >&2
    exit 1
fi

target="${CARGO_TARGET_DIR:-$PWD/target}"
environment="$target/python-tests"
# On Debian, part of `venv` is in a separate package.
if ! "$python" -m venv --clear "$environment" >/dev/null 2>&1; then
    root=""
    [ "$(id -u)" = 0 ] || root="sudo"
    command -v apt-get >/dev/null && $root apt-get update -qq && $root apt-get install -y -qq python3-venv >/dev/null
    "$python" -m venv --clear "$environment"
fi
# Spark runs on Java.
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

# Some of these packages are large. uv unpacks them in a fifth of pip's time.
pip=("$environment/bin/python" -m pip --disable-pip-version-check --quiet)
"${pip[@]}" install uv
UV_NATIVE_TLS=1 "$environment/bin/uv" pip install --quiet --python "$environment/bin/python" -r python/tests/requirements.txt

wheels="$target/wheels-tested"
rm -rf "$wheels"
profile=(--profile "${COMITY_WHEEL_PROFILE:-dev}")
# The release workflow uses the same compression.
cargo="${CARGO:-cargo}"
if [ "${COMITY_WHEEL_PROFILE:-dev}" = wheel ]; then
    profile+=(--compression-level 9)
else
    cargo="$PWD/tools/cargo-workspace.sh"
fi
CARGO="$cargo" CARGO_TARGET_DIR="$target" "$environment/bin/maturin" build --locked --manifest-path python/Cargo.toml \
    "${profile[@]}" --out "$wheels" --interpreter "$environment/bin/python"
# Other profiles keep debug information.
[ "${COMITY_WHEEL_PROFILE:-dev}" != wheel ] || tools/wheel-size.sh "$wheels"/*.whl
"${pip[@]}" install --no-deps --force-reinstall "$wheels"/*.whl

# The source archive for a package index. Building it would take as long as the wheel, so only its fragile parts are
# checked: the lock file, and the settings of Cargo.
"$environment/bin/python" tools/sdist.py --out "$wheels" >/dev/null
tar -xzf "$wheels"/*.tar.gz -C "$wheels"
rm -rf "$target/sdist-tested"
mv "$wheels"/comity-*/ "$target/sdist-tested"
cmp .cargo/config.toml "$target/sdist-tested/.cargo/config.toml"
cargo tree --locked --offline --manifest-path "$target/sdist-tested/python/Cargo.toml" --edges normal,build >/dev/null
"$environment/bin/twine" --no-color check --strict "$wheels"/*
"$environment/bin/check-wheel-contents" "$wheels"/*.whl

"$environment/bin/ruff" format --check --quiet python
"$environment/bin/ruff" check --quiet python
"$environment/bin/mypy" --config-file python/pyproject.toml python/package/comity
# A program that uses the public names, with two type checkers. Pyright also checks that every public name has a type; it
# finds the installed package through PATH.
"$environment/bin/mypy" --strict python/tests/typed_program.py
PATH="$environment/bin:$PATH" "$environment/bin/pyright" --pythonpath "$environment/bin/python" python/tests/typed_program.py
(cd "$target" && PATH="$environment/bin:$PATH" "$environment/bin/pyright" --verifytypes comity --ignoreexternal)
# Two test processes, because tests often wait for servers and clusters.
"$environment/bin/python" -m pytest -q -rs -n 2 --dist loadfile --doctest-modules --pyargs comity python/tests "$@"
