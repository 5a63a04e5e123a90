#!/usr/bin/env python3
"""Compares drop-ins with the packages that they replace (the originals), on real robots.txt files.

    python tools/compatibility/differences.py FOLDER [--drop-in NAME ...] [--checks N] [--show N]

For every file in FOLDER, it compares decisions, delays, rates, sitemaps, and the text form of the parser. Agents and URLs are made
from the names and rules in the file. Each drop-in uses its default dialect, except for `urllib-2026`. The exit code is 1 if
an answer differs. `python/tests/test_dropins_differences.py` compares a few hundred files in this way.

The original of `urllib-2026` is `urllib.robotparser` since its rewrite of 2026. If the environment variable COMITY_URLLIB_2026
names a folder, the module is loaded from `parse.py` and `robotparser.py` in that folder. Otherwise, the module is that of the
running interpreter.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import random
import re
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

#: Agents for every file, in addition to the agents that the file names.
AGENTS = (
    "examplebot",
    "Googlebot",
    "googlebot-news",
    "GPTBot/1.2",
    "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0 Safari/537.36",
    "*",
)
#: Paths for every file, in addition to the paths of its rules.
PATHS = (
    "/",
    "/robots.txt",
    "/index.html",
    "/a?b=c&d=%2F",
    "/caf%C3%A9/%7euser;x=1#part",
    "/search?q=a+b",
)
#: Maximum time for one answer of an original, in seconds. Some originals use backtracking regular expressions.
TIMEOUT = 2


@dataclass
class Tally:
    """The counts and differences of a comparison."""

    files: int = 0
    compared: Counter[str] = field(default_factory=Counter)
    unanswered: int = 0
    """Number of questions and files for which the original raised an exception or exceeded the time limit."""
    differences: list[str] = field(default_factory=list)

    @property
    def checks(self) -> int:
        """The number of compared answers."""
        return sum(self.compared.values())

    def ask(self, kind: str, where: str, original: Callable[[], Any], own: Callable[[], Any]) -> None:
        """Compares the answers of the original and of the drop-in to one question."""
        try:
            expected = timed(original)
        except Exception:
            # Not a difference: a drop-in also answers if the original raises an error.
            self.unanswered += 1
            return
        self.compared[kind] += 1
        given = own()
        if given != expected:
            self.differences.append(f"{kind}: {where}: {expected!r}, but the drop-in returns {given!r}")


def timed(question: Callable[[], Any]) -> Any:
    """Returns the answer to a question. Raises TimeoutError after `TIMEOUT` seconds, but not on Windows."""
    if not hasattr(signal, "SIGALRM"):
        return question()

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, TIMEOUT)
    try:
        return question()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def agents_of(text: str, chance: random.Random) -> list[str]:
    """Returns agents: some names in the file, a header and a longer name made from them, and some of `AGENTS`."""
    names = list(dict.fromkeys(re.findall(r"(?im)^\s*user-?agent\s*:[ \t]*([^\s#][^\r\n#]*)", text)))
    named = chance.sample(names, min(3, len(names)))
    headers = [f"Mozilla/5.0 (compatible; {name.strip()}/2.1)" for name in named[:1]]
    return [*named, *headers, *(f"{name.strip()}2" for name in named[1:2]), *chance.sample(AGENTS, 3)]


def urls_of(text: str, chance: random.Random) -> list[str]:
    """Returns URLs: paths that equal a rule of the file or are slightly longer or shorter, and some of `PATHS`."""
    patterns = list(dict.fromkeys(re.findall(r"(?im)^\s*(?:dis)?allow\s*:[ \t]*([^\s#][^\r\n#]*)", text)))
    found: list[str] = []
    for pattern in chance.sample(patterns, min(4, len(patterns))):
        path = pattern.strip().replace("*", chance.choice(("", "x", "a/b"))).rstrip("$")
        path = path if path.startswith("/") else f"/{path}"
        found.append(chance.choice((path, f"{path}x", path[:-1] or "/", f"{path}?x=1", path.swapcase())))
    found += chance.sample(PATHS, 2)
    return [url if chance.random() < 0.5 else f"https://www.example.com{url}" for url in found]


class Exclusion:
    """A file parsed by robotexclusionrulesparser and by its drop-in."""

    def __init__(self, body: bytes) -> None:
        import robotexclusionrulesparser

        import comity.exclusion

        self.text = body.decode("iso-8859-1")
        self.original = robotexclusionrulesparser.RobotExclusionRulesParser()
        self.own = comity.exclusion.RobotExclusionRulesParser()
        self.original.parse(body)
        self.own.parse(body)

    def questions(self, agents: list[str], urls: list[str]) -> Iterator[Question]:
        original, own = self.original, self.own
        for agent in agents:
            for url in urls:
                yield "allowed", f"{agent!r} {url!r}", *both(original.is_allowed, own.is_allowed, agent, url)
            yield "delay", repr(agent), *both(original.get_crawl_delay, own.get_crawl_delay, agent)
        yield "sitemaps", "", lambda: original.sitemaps, lambda: own.sitemaps
        yield "str", "", lambda: str(original), lambda: str(own)


class Urllib:
    """A file parsed by the running interpreter's `urllib.robotparser` and by its drop-in."""

    def __init__(self, body: bytes) -> None:
        import urllib.robotparser

        import comity.urllib

        self.text = body.decode("utf-8", "replace")
        self.original = urllib.robotparser.RobotFileParser()
        self.own = comity.urllib.RobotFileParser()
        self.original.parse(self.text.splitlines())
        self.own.parse(self.text.splitlines())

    def questions(self, agents: list[str], urls: list[str]) -> Iterator[Question]:
        original, own = self.original, self.own
        for agent in agents:
            for url in urls:
                yield "allowed", f"{agent!r} {url!r}", *both(original.can_fetch, own.can_fetch, agent, url)
            yield "delay", repr(agent), *both(original.crawl_delay, own.crawl_delay, agent)
            yield "rate", repr(agent), *both(original.request_rate, own.request_rate, agent)
        yield "sitemaps", "", original.site_maps, own.site_maps
        yield "str", "", lambda: str(original), lambda: str(own)


class Rewrite(Urllib):
    """A file parsed by `urllib.robotparser` since its rewrite of 2026, and by its drop-in."""

    def __init__(self, body: bytes) -> None:
        import comity.urllib

        self.text = body.decode("utf-8", "replace")
        self.original = rewritten().RobotFileParser()
        self.own = comity.urllib.RobotFileParser(dialect="urllib-2026")
        self.original.parse(self.text.splitlines())
        self.own.parse(self.text.splitlines())


@cache
def rewritten() -> Any:
    """Returns the rewritten module `urllib.robotparser`."""
    folder = os.environ.get("COMITY_URLLIB_2026")
    if folder is None:
        import urllib.robotparser

        return urllib.robotparser
    import urllib.parse

    before, modules = sys.modules["urllib.parse"], {}
    try:
        for name in ("parse", "robotparser"):
            spec = importlib.util.spec_from_file_location(f"urllib.{name}", f"{folder}/{name}.py")
            assert spec is not None and spec.loader is not None
            modules[name] = importlib.util.module_from_spec(spec)
            if name == "parse":
                sys.modules["urllib.parse"] = urllib.parse = modules[name]  # type: ignore[assignment]
            spec.loader.exec_module(modules[name])
        # The module refers to `urllib.parse` when its functions are called.
        modules["robotparser"].urllib = SimpleNamespace(parse=modules["parse"])
    finally:
        sys.modules["urllib.parse"] = urllib.parse = before  # type: ignore[assignment]
    return modules["robotparser"]


class ProtegoPair:
    """A file parsed by Protego and by its drop-in."""

    def __init__(self, body: bytes) -> None:
        import protego

        import comity.protego

        self.text = body.decode("utf-8", "replace")
        self.original = protego.Protego.parse(self.text)
        self.own = comity.protego.Protego.parse(self.text)

    def questions(self, agents: list[str], urls: list[str]) -> Iterator[Question]:
        original, own = self.original, self.own
        for agent in agents:
            for url in urls:
                yield "allowed", f"{agent!r} {url!r}", *both(original.can_fetch, own.can_fetch, url, agent)
            yield "delay", repr(agent), *both(original.crawl_delay, own.crawl_delay, agent)
            yield "rate", repr(agent), *both(original.request_rate, own.request_rate, agent)
            yield "visit time", repr(agent), *both(original.visit_time, own.visit_time, agent)
        yield "sitemaps", "", lambda: list(original.sitemaps), lambda: list(own.sitemaps)
        yield "host", "", lambda: original.preferred_host, lambda: own.preferred_host


Question = tuple[str, str, Callable[[], Any], Callable[[], Any]]
PAIRS: dict[str, type[Exclusion] | type[Urllib] | type[ProtegoPair]] = {
    "exclusion": Exclusion,
    "protego": ProtegoPair,
    "urllib": Urllib,
    "urllib-2026": Rewrite,
}


def both(
    original: Callable[..., Any], own: Callable[..., Any], *arguments: Any
) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Returns a call of the original and a call of the drop-in, with these arguments."""
    return lambda: original(*arguments), lambda: own(*arguments)


def compare(name: str, files: Iterable[Path], most: int, seed: int = 1) -> Tally:
    """Compares a drop-in with its original on files, until `most` answers are compared or no file is left."""
    tally = Tally()
    for path in files:
        # The questions about a file depend only on its name and the seed.
        chance = random.Random(f"{seed} {path.name}")
        try:
            pair = timed(lambda path=path: PAIRS[name](path.read_bytes()))
        except Exception:
            tally.unanswered += 1
            continue
        tally.files += 1
        agents, urls = agents_of(pair.text, chance), urls_of(pair.text, chance)
        for kind, where, original, own in pair.questions(agents, urls):
            tally.ask(kind, f"{path.name} {where}".rstrip(), original, own)
        if tally.checks >= most:
            break
    return tally


def main() -> int:
    """Compares the drop-ins, and returns the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--drop-in", choices=PAIRS, action="append")
    parser.add_argument("--checks", type=int, default=400_000, help="number of answers to compare")
    parser.add_argument("--show", type=int, default=20, help="maximum number of printed differences")
    options = parser.parse_args()
    files = sorted(options.folder.glob("*.txt"))
    differ = False
    for name in options.drop_in or [name for name in PAIRS if name != "urllib-2026"]:
        tally = Tally()
        seed = 1
        while tally.checks < options.checks and files:
            more = compare(name, files, options.checks - tally.checks, seed)
            tally.files += more.files if seed == 1 else 0
            tally.compared += more.compared
            tally.unanswered += more.unanswered
            tally.differences += more.differences
            seed += 1
            if not more.checks:
                break  # The original answers none of the questions.
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(tally.compared.items()))
        print(
            f"{name}: {len(tally.differences):,} differences in {tally.checks:,} checks of {tally.files:,} files "
            f"({kinds}; {tally.unanswered:,} questions without an answer of the original)"
        )
        for difference in tally.differences[: options.show]:
            print(f"  {difference[:600]}")
        differ = differ or bool(tally.differences)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
