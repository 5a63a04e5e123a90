#!/usr/bin/env bash
# Checks that programs with another user of SQLite can depend on Comity. Cargo allows one `libsqlite3-sys` per program, so
# the client's range of `rusqlite` has to include the version of the other user. The service and the operations need no
# SQLite at all.
set -euo pipefail
cd "$(dirname "$0")/../.."

root="$PWD"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# resolves NAME DEPENDENCY: resolves a program with the client's default features and another dependency.
resolves() {
    local name="$1" dependency="$2"
    mkdir -p "$folder/$name/src"
    echo 'fn main() {}' >"$folder/$name/src/main.rs"
    printf '[package]\nname = "%s"\nedition = "2024"\n[dependencies]\ncomity-client = { path = "%s/crates/comity-client" }\n%s\n' \
        "$name" "$root" "$dependency" >"$folder/$name/Cargo.toml"
    cargo generate-lockfile --quiet --manifest-path "$folder/$name/Cargo.toml"
    printf '%-8s libsqlite3-sys ' "$name"
    sed -n '/^name = "libsqlite3-sys"$/{n;s/version = //p}' "$folder/$name/Cargo.lock"
}
resolves rusqlite 'rusqlite = { version = "0.40", features = ["bundled"] }'
resolves sqlx 'sqlx = { version = "0.8", features = ["runtime-tokio", "sqlite"] }'

for part in comity-answers comity-serve; do
    # In the condition of `if`, a failure of cargo would be ignored.
    tree="$(cargo tree --quiet --locked --edges normal --prefix none -p "$part" --all-features)"
    if grep -q '^rusqlite ' <<<"$tree"; then
        echo "error: $part needs rusqlite" >&2
        exit 1
    fi
done
