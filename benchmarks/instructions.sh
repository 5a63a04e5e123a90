#!/usr/bin/env bash
# Counts the instructions that Comity executes for fixed inputs, and compares the counts with instructions.txt.
#
#   benchmarks/instructions.sh            compare; with the same compiler, fails if an input is new or its count rose by over 3 %
#   benchmarks/instructions.sh --update   write the new counts to instructions.txt
#
# callgrind counts one pass over each input, and two. The difference is the count of one pass, without the start of the program. The
# counts are valid for any x86-64 machine with AVX2, and for the compiler in the first line of instructions.txt.
set -euo pipefail
cd "$(dirname "$0")"

margin=3 # per cent
committed=instructions.txt
program=target/count/release/comity-benchmarks

# Builds the program without other engines, which the counts do not need.
cargo build --quiet --release --locked --no-default-features --target-dir target/count

# count INPUT PASSES
count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" --count "$1" "$2" 2>&1 |
        sed -n 's/.*Collected : //p'
}

measured=$(mktemp)
trap 'rm -f "$measured"' EXIT
echo "# Instructions per pass, by benchmarks/instructions.sh; $(rustc --version | cut -d' ' -f1,2)" >"$measured"
for input in $("$program" --count list 1); do
    echo "$input $(($(count "$input" 2) - $(count "$input" 1)))" >>"$measured"
done

if [ "${1:-}" = --update ]; then
    cp "$measured" "$committed"
    cat "$committed"
    exit
fi

same_compiler=1
if [ "$(head -n 1 "$committed")" != "$(head -n 1 "$measured")" ]; then
    same_compiler=0
    echo "note: the committed counts are from another compiler, so differences are reported without failing:"
    head -n 1 "$committed"
fi
awk -v margin="$margin" -v same_compiler="$same_compiler" '
    /^#/ { next }
    NR == FNR { committed[$1] = $2; next }
    !($1 in committed) { printf "NEW     %-18s %12d\n", $1, $2; failed = 1; next }
    {
        change = ($2 / committed[$1] - 1) * 100
        state = "same"
        if (change > margin) { state = "MORE"; failed = 1 }
        if (change < -margin) { state = "less"; improved = 1 }
        printf "%-7s %-18s %12d, committed %12d (%+.2f %%)\n", state, $1, $2, committed[$1], change
    }
    END {
        if (failed) printf "\nAn input takes over %d %% more instructions than committed, or is new.\n", margin
        if (improved) print "\nAn input became faster: commit the new counts, so that it stays faster."
        if (failed || improved) print "To accept the counts: benchmarks/instructions.sh --update"
        exit failed && same_compiler
    }
' "$committed" "$measured"
