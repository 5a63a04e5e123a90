"""Comity's Python package next to other Python packages: parsing, checking, and both for one question.

    python bench.py [--rounds 5] [--files 1000]

Needs COMITY_DATA, and a Python with the peers of requirements.txt (reppy if it can be built) and a release wheel of
Comity. Each peer gets the same files and URLs in turn, round by round; the figure is its best round in CPU time.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import random
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

AGENT = "examplebot"
QUESTIONS = 100


class Peer:
    """One package: how it parses, how it answers many questions about what it parsed, and how it answers one."""

    def __init__(self, package: str, title: str, load: Callable[[], Peer.Ways]):
        self.package, self.title = package, title
        self.parse, self.check, self.once, self.takes_text = load()

    # Functions of (body), (parsed, urls) and (body, url); and whether bodies are text rather than octets.
    Ways = tuple[Callable, Callable, Callable, bool]

    @property
    def name(self) -> str:
        return f"{self.title} {version(self.package)}" if self.package else self.title


def agent_first(parsed, urls):
    ask = parsed.is_allowed
    for url in urls:
        ask(AGENT, url)


def agent_last(method: str):
    def check(parsed, urls):
        ask = getattr(parsed, method)
        for url in urls:
            ask(url, AGENT)

    return check


def comity():
    from comity import Robots, is_allowed

    return Robots.parse, agent_first, lambda body, url: is_allowed(body, AGENT, url), False


def comity_rules():
    from comity import Robots

    def check(rules, urls):
        ask = rules.is_allowed
        for url in urls:
            ask(url)

    return (
        lambda body: Robots.parse(body).rules_for(AGENT),
        check,
        lambda body, url: Robots.parse(body).is_allowed(AGENT, url),
        False,
    )


def protego_like(module: str):
    def load():
        parse = importlib.import_module(module).Protego.parse
        return parse, agent_last("can_fetch"), lambda text, url: parse(text).can_fetch(url, AGENT), True

    return load


def urllib():
    from urllib.robotparser import RobotFileParser

    def parse(text):
        parser = RobotFileParser()
        parser.parse(text.splitlines())
        return parser

    def check(parser, urls):
        ask = parser.can_fetch
        for url in urls:
            ask(AGENT, url)

    return parse, check, lambda text, url: parse(text).can_fetch(AGENT, url), True


def reppy():
    from reppy.robots import Robots

    def parse(body):
        return Robots.parse("https://example.com/robots.txt", body)

    return parse, agent_last("allowed"), lambda body, url: parse(body).allowed(url, AGENT), False


def fastrobots():
    from fastrobots import Robots

    host = len("https://example.com")

    # It takes paths, and of a URL it says that nothing matches.
    def check(robots, urls):
        ask = robots.allowed
        for url in urls:
            ask(url[host:], AGENT)

    return Robots.parse, check, lambda text, url: Robots.parse(text).allowed(url[host:], AGENT), True


def fast_robotstxt():
    from robotstxt import RobotsMatcher

    matcher = RobotsMatcher()

    # It keeps nothing: every question reads the file.
    def check(text, urls):
        ask = matcher.is_allowed
        for url in urls:
            ask(text, AGENT, url)

    return (lambda text: text), check, lambda text, url: matcher.is_allowed(text, AGENT, url), True


def peers() -> list[Peer]:
    known = [
        ("comity", "comity Robots", comity),
        ("comity", "comity Rules", comity_rules),
        ("comity", "comity.protego", protego_like("comity.protego")),
        ("protego", "Protego", protego_like("protego")),
        ("", f"urllib.robotparser {platform.python_version()}", urllib),
        ("reppy", "reppy", reppy),
        ("fastrobots", "fastrobots", fastrobots),
        ("fast-robotstxt", "fast-robotstxt", fast_robotstxt),
    ]
    found = []
    for package, title, load in known:
        try:
            found.append(Peer(package, title, load))
        except ImportError as error:
            print(f"left out: {title}: {error}", file=sys.stderr)
    return found


def inputs(files: int) -> list[tuple[bytes, str, list[str]]]:
    """Real files, each with URLs made from its own patterns and some that fit nothing."""
    from comity import Robots

    place = os.environ.get("COMITY_DATA")
    if not place:
        sys.exit("COMITY_DATA is not set: it names the folder that holds corpus/")
    paths = sorted(path for path in (Path(place) / "corpus" / "robots").rglob("*") if path.is_file())
    rng = random.Random(1)
    rng.shuffle(paths)
    made = []
    for path in paths[:files]:
        body = path.read_bytes()
        patterns = [r.value for r in Robots.parse(body).records if r.kind in ("allow", "disallow")]
        paths_of = [p.replace("*", "x").replace("$", "") for p in patterns if p.startswith("/")] or ["/"]
        urls = [
            "https://example.com" + (rng.choice(paths_of) if rng.random() < 0.5 else f"/a/{rng.random()}")
            for _ in range(QUESTIONS)
        ]
        made.append((body, body.decode("utf-8", "replace"), urls))
    return made


def timed(work: Callable[[], None]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def measure(peer: Peer, cases: list[tuple[bytes, str, list[str]]]) -> dict[str, float]:
    bodies = [(text if peer.takes_text else body, urls) for body, text, urls in cases]
    parsed: list = []

    def parse() -> None:
        for body, _ in bodies:
            parsed.append(peer.parse(body))

    def check() -> None:
        for robots, (_, urls) in zip(parsed, bodies, strict=True):
            peer.check(robots, urls)

    def once() -> None:
        for body, urls in bodies:
            peer.once(body, urls[0])

    return {"parse": timed(parse), "check": timed(check), "one question": timed(once)}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--files", type=int, default=1000)
    options = arguments.parse_args()
    cases = inputs(options.files)
    octets = sum(len(body) for body, _, _ in cases)
    best: dict[str, dict[str, float]] = {}
    everyone = peers()
    for _ in range(options.rounds):
        for peer in everyone:
            for name, seconds in measure(peer, cases).items():
                entry = best.setdefault(peer.name, {})
                entry[name] = min(entry.get(name, seconds), seconds)
    print(f"{len(cases)} files, {octets:,} bytes, {QUESTIONS} questions each, best of {options.rounds} rounds, CPU time\n")
    print("| package | parse | check | one file, one question |\n|---|---:|---:|---:|")
    first = next(iter(best.values()))
    for name, entry in best.items():
        parse, check, once = (entry[key] for key in ("parse", "check", "one question"))
        ratios = [f"({entry[key] / first[key]:.1f}x)" for key in ("parse", "check", "one question")]
        print(
            f"| {name} | {octets / parse / 1e6:,.0f} MB/s {ratios[0]} | {check / len(cases) / QUESTIONS * 1e9:,.0f} ns "
            f"{ratios[1]} | {once / len(cases) * 1e6:,.1f} µs {ratios[2]} |"
        )


if __name__ == "__main__":
    main()
