# Frequent commands of development; `just` lists them. Each is a script or command that also works without just.

# Lists the recipes.
default:
    @just --list --unsorted

# Checks that everything compiles: the fastest check.
check:
    cargo check --workspace --all-features --all-targets --locked

# Runs all tests. Arguments select Rust tests; they are passed to `cargo test`.
test *arguments:
    tools/test.sh {{ arguments }}

# Builds the Python wheels and runs their tests; arguments go to pytest.
test-python *arguments:
    tools/test-python.sh {{ arguments }}

# Builds the npm package and runs its tests; arguments go to `node --test`.
test-js *arguments:
    tools/test-js.sh {{ arguments }}

# Checks formatting, clippy, licenses, and the files that no compiler reads.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --all-features --locked -- -D warnings
    cargo deny check bans licenses sources
    tools/lint-files.sh

# Builds the documentation of the libraries; a warning fails.
docs $RUSTDOCFLAGS="-D warnings":
    cargo doc --workspace --all-features --no-deps --locked

# Updates all generated files: snapshots, tables and pages in docs/, the picture in the README.
update $UPDATE_DOCS="1" $INSTA_UPDATE="always":
    cargo test -p comity -p comity-answers -p comity-formats -p comity-arrow -p comity-identity -p comity-audit -p comity-logs -p comity-serve -p comity-cli --all-features --locked
    cargo test -p comity-client --all-features --locked --test it docs
    cargo build --locked -p comity-cli
    python3 tools/picture.py

# Compares a dialect with the program that defines it; `python` is an interpreter with these programs (tools/differential/README.md).
differential model="google" cases="20000" python="python3":
    cargo run --release --locked -p differential -- run --model {{ model }} --cases {{ cases }} --seed 1 --python {{ python }}

# Runs every fuzz target for some seconds.
fuzz seconds="20":
    tools/fuzz.sh {{ seconds }}

# Counts the instructions of fixed inputs, and compares them with benchmarks/instructions.txt. Needs valgrind.
bench:
    benchmarks/instructions.sh

# Crawls thousands of misbehaving origins under faults, and checks the requests at the server.
soak seconds="20":
    cargo run --locked -p soak -- --seconds {{ seconds }} --seed 1

# Runs all checks of a change.
ci:
    .ci/run

# Rehearses a release; without `--short`, this takes about an hour (see the beginning of tools/release.sh).
release *arguments:
    tools/release.sh {{ arguments }}

# Builds the documentation site into target/site/site.
site:
    tools/docs.sh
