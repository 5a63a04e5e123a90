#!/usr/bin/env python3
"""Compares `comity logs` and GoAccess on a generated access log: lines per second of one core, and memory.

    cargo build --release -p comity-cli
    python3 benchmarks/logs.py --comity target/release/comity --lines 1000000,4000000

The log has random lines in the combined format, which are equal in every run. An eighth of the lines come from crawlers, the
others from browsers. The programs run alternately on one core. Prints a table in Markdown, with CPU time and maximum memory of
the best round. GoAccess is skipped if it is not installed.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time

ROBOTS = """User-agent: GPTBot
Disallow: /private/
Crawl-delay: 2

User-agent: CCBot
Disallow: /

User-agent: *
Disallow: /search
Disallow: /*?sort=
"""

CRAWLERS = [
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
    "CCBot/2.0 (https://commoncrawl.org/faq/)",
    "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
    "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
    "Mozilla/5.0 (compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)",
]


def browsers(rng):
    """Returns 3,000 User-Agent headers of browsers."""
    systems = [
        "Windows NT 10.0; Win64; x64",
        "Macintosh; Intel Mac OS X 10_15_7",
        "X11; Linux x86_64",
        "Linux; Android 14; Pixel 8",
        "iPhone; CPU iPhone OS 18_1 like Mac OS X",
    ]
    return [
        f"Mozilla/5.0 ({rng.choice(systems)}) AppleWebKit/537.36 (KHTML, like Gecko) "
        f"Chrome/{rng.randrange(90, 145)}.0.{rng.randrange(7000)}.{rng.randrange(200)} Safari/537.36"
        for _ in range(3000)
    ]


def paths(rng):
    """Returns paths that resemble those of a web shop."""
    words = "about news product item category private search blog image style script cart help".split()
    found = [f"/{rng.choice(words)}/{rng.choice(words)}-{n}.html" for n in range(5000)]
    found += [f"/search?q={rng.choice(words)}+{n}" for n in range(300)]
    found += [f"/category/{n}?sort=price&page={n % 9}" for n in range(700)]
    return found


def write_log(path, lines):
    """Writes a log with this number of lines. The content is equal in every run."""
    rng = random.Random(19)
    agents, targets = browsers(rng), paths(rng)
    visitors = [".".join(str(rng.randrange(1, 255)) for _ in range(4)) for _ in range(50_000)]
    begin = 1_795_242_000
    with open(path, "w", encoding="ascii") as log:
        for number in range(lines):
            when = time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime(begin + number // 20))
            is_crawler = rng.random() < 0.125
            agent = rng.choice(CRAWLERS if is_crawler else agents)
            target = "/robots.txt" if is_crawler and rng.random() < 0.01 else rng.choice(targets)
            referrer = "-" if is_crawler else "https://www.example.com" + rng.choice(targets)
            log.write(
                f'{rng.choice(visitors)} - - [{when}] "GET {target} HTTP/1.1" '
                f'{rng.choice((200, 200, 200, 304, 404))} {rng.randrange(200, 90_000)} "{referrer}" "{agent}"\n'
            )


def run(command, folder):
    """Runs a command on one core. Returns its CPU seconds, its wall seconds, and its maximum memory in MB."""

    def pin():
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[-1]})

    begin = time.monotonic()
    child = subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=pin
    )
    errors = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    # `comity logs` exits with 1 if robots.txt disallowed a request.
    if code not in (0, 1):
        sys.exit(f"{command[0]}: exit {code}\n{errors.decode(errors='replace')}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - begin, usage.ru_maxrss / 1024


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--comity", default="target/release/comity", help="the command")
    arguments.add_argument("--lines", default="1000000,4000000", help="numbers of lines of the logs")
    arguments.add_argument("--rounds", type=int, default=3)
    given = arguments.parse_args()
    comity = os.path.abspath(given.comity)
    programs = {
        "comity logs": [comity, "logs", "access.log", "--no-config", "--robots", "robots.txt", "--json"],
        "GoAccess": ["goaccess", "access.log", "--log-format=COMBINED", "--no-progress", "-o", "report.json"],
    }
    try:
        version = subprocess.run(["goaccess", "--version"], capture_output=True, text=True, check=False).stdout
        print("GoAccess:", version.splitlines()[0], file=sys.stderr)
    except FileNotFoundError:
        print("skipped: GoAccess is not installed", file=sys.stderr)
        del programs["GoAccess"]
    print("| lines | MB | program | CPU seconds | lines/s of a core | largest memory, MB |")
    print("|---:|---:|---|---:|---:|---:|")
    for lines in map(int, given.lines.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "access.log")
            write_log(log, lines)
            with open(os.path.join(folder, "robots.txt"), "w", encoding="ascii") as robots:
                robots.write(ROBOTS)
            size = os.path.getsize(log) / 1e6
            best = {}
            for _ in range(given.rounds):
                for name, command in programs.items():
                    found = run(command, folder)
                    best[name] = min(best.get(name, found), found)
            for name, (cpu, wall, memory) in best.items():
                print(f"| {lines:,} | {size:.0f} | {name} | {cpu:.2f} | {lines / cpu:,.0f} | {memory:.0f} |", flush=True)


if __name__ == "__main__":
    main()
