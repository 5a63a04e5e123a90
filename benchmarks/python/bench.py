"""Compares Comity's Python package with other packages: parsing files, checking URLs, and both for one question.

    python bench.py [--rounds 5] [--quick]

Needs COMITY_DATA, and a Python with the packages of requirements.txt, reppy (optional) and a release wheel of Comity. In each
round, every package gets equal files and URLs. A figure is the CPU time of the best round. A package that accepts only paths gets
paths instead of URLs, so its time does not include extracting the path.
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


class Peer:
    """A package, with three functions: parse a file, check URLs with a parsed file, and check one URL with an unparsed file."""

    def __init__(self, package: str, title: str, load: Callable[[], Peer.Ways]):
        self.package, self.title = package, title
        self.parse, self.check, self.once, self.takes_text = load()
        self.takes_paths = title.startswith("fastrobots")

    # The functions have the arguments (body), (parsed, urls) and (body, url). The boolean is True if bodies are text, not bytes.
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


def comity_at_once():
    def check(rules, urls):
        rules.are_allowed(urls)

    parse, _, once, takes_text = comity_rules()
    return parse, check, once, takes_text


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

    # The package accepts only paths: no rule would match a URL.
    return Robots.parse, agent_last("allowed"), lambda text, path: Robots.parse(text).allowed(path, AGENT), True


def fast_robotstxt():
    from robotstxt import RobotsMatcher

    matcher = RobotsMatcher()

    # The package parses the file again for every question.
    def check(text, urls):
        ask = matcher.is_allowed
        for url in urls:
            ask(text, AGENT, url)

    return (lambda text: text), check, lambda text, url: matcher.is_allowed(text, AGENT, url), True


def peers() -> list[Peer]:
    known = [
        ("comity", "comity Robots", comity),
        ("comity", "comity Rules", comity_rules),
        ("comity", "comity Rules, all URLs at once", comity_at_once),
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
            print(f"skipped: {title}: {error}", file=sys.stderr)
    return found


#: A file as bytes and as text, URLs, and the paths of the URLs.
Case = tuple[bytes, str, list[str], list[str]]
HOST = "https://example.com"
#: Maximum number of bytes of a small file.
SMALL = 1024
#: The groups of files with many questions.
CHECKED = ("from small to large", "at random", "small")


def real_files() -> list[bytes]:
    place = os.environ.get("COMITY_DATA")
    if not place:
        sys.exit("error: COMITY_DATA is not set: set it to the folder with corpus/")
    paths = sorted(path for path in (Path(place) / "corpus" / "robots").rglob("*") if path.is_file())
    return sorted((path.read_bytes() for path in paths), key=len)


def cases(bodies: list[bytes], questions: int, rng: random.Random) -> list[Case]:
    """Returns files with URLs. Half of the URLs are made from the patterns of the file; the others have random paths."""
    from comity import Robots

    made = []
    for body in bodies:
        patterns = [r.value for r in Robots.parse(body).records if r.kind in ("allow", "disallow")]
        paths = [p.replace("*", "x").replace("$", "") for p in patterns if p.startswith("/")] or ["/"]
        questioned = [rng.choice(paths) if rng.random() < 0.5 else f"/a/{rng.random()}" for _ in range(questions)]
        made.append((body, body.decode("utf-8", "replace"), [HOST + path for path in questioned], questioned))
    return made


def inputs(quick: bool) -> dict[str, list[Case]]:
    """Returns the groups of files:

    - all files, with one question each
    - 200 files with at least three rules, from small to large, with 1,000 questions each
    - 200 small files, with 1,000 questions each
    - 1,000 random files, with 100 questions each
    """
    from comity import Robots

    rng = random.Random(1)
    bodies = real_files()[4::8] if quick else real_files()
    ruled = [
        body
        for body in bodies
        if sum(r.kind in ("allow", "disallow") for r in Robots.parse(body).records) >= 3
    ]
    count = 50 if quick else 200

    def spread(files: list[bytes]) -> list[bytes]:
        return [files[(2 * n + 1) * len(files) // (2 * count)] for n in range(count)]

    return {
        "all": cases(bodies, 1, rng),
        "from small to large": cases(spread(ruled), 1000, rng),
        "at random": cases(rng.sample(bodies, 5 * count), 100, rng),
        "small": cases(spread([body for body in ruled if len(body) <= SMALL]), 1000, rng),
    }


def timed(work: Callable[[], None]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def parsed_by(peer: Peer, files: list[Case]) -> list:
    return [peer.parse(text if peer.takes_text else body) for body, text, _, _ in files]


def measure(peer: Peer, files: dict[str, list[Case]]) -> dict[str, float]:
    """Measures a package. Returns the seconds per file or per URL, by workload."""
    bodies = [
        (text if peer.takes_text else body, (paths if peer.takes_paths else urls)[0])
        for body, text, urls, paths in files["all"]
    ]
    small = [text if peer.takes_text else body for body, text, _, _ in files["small"]]
    times = max(1, len(bodies) // len(small))

    def parse() -> None:
        for body, _ in bodies:
            peer.parse(body)

    def parse_small() -> None:
        for _ in range(times):
            for body in small:
                peer.parse(body)

    def once() -> None:
        for body, url in bodies:
            peer.once(body, url)

    def check(cases: list[Case], of_paths: bool = False) -> float:
        parsed = parsed_by(peer, cases)
        of_paths = of_paths or peer.takes_paths
        questions = [paths if of_paths else urls for _, _, urls, paths in cases]

        def ask() -> None:
            for robots, questioned in zip(parsed, questions, strict=True):
                peer.check(robots, questioned)

        return timed(ask) / sum(map(len, questions))

    found = {
        "parse": timed(parse) / len(bodies),
        "parse small": timed(parse_small) / (times * len(small)),
        "once": timed(once) / len(bodies),
    }
    for name in CHECKED:
        found[f"URLs {name}"] = check(files[name])
        found[f"paths {name}"] = check(files[name], of_paths=True)
    return found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--quick", action="store_true", help="every eighth file, a quarter of the questions")
    arguments.add_argument("--only", help="measure only Comity's packages and those with this text in their name")
    options = arguments.parse_args()
    files = inputs(options.quick)
    mean = sum(len(body) for body, *_ in files["all"]) / len(files["all"])
    measured = [p for p in peers() if options.only is None or options.only in p.name or "comity" in p.name]
    best: dict[str, dict[str, float]] = {}
    for _ in range(options.rounds):
        for peer in measured:
            for name, seconds in measure(peer, files).items():
                entry = best.setdefault(peer.name, {})
                entry[name] = min(entry.get(name, seconds), seconds)
    print(f"{len(files['all'])} files, {mean:,.0f} bytes each on average, best of {options.rounds} rounds, CPU time")
    for name in CHECKED:
        print(f"{name}: {len(files[name])} files with {len(files[name][0][2])} URLs each")
    print()
    checks = [f"{what} {name}" for what in ("URLs", "paths") for name in CHECKED]
    columns = ["package", "parse", "parse, small", "one file, one question", *(name.replace(" ", ", ", 1) for name in checks)]
    print(f"| {' | '.join(columns)} |")
    print(f"|---{'|---:' * (len(columns) - 1)}|")
    first = next(iter(best.values()))
    for name, entry in best.items():
        ratio = {key: f"({value / first[key]:.1f}x)" for key, value in entry.items()}
        cells = [
            f"{mean / entry['parse'] / 1e6:,.0f} MB/s {ratio['parse']}",
            f"{entry['parse small'] * 1e6:,.2f} µs {ratio['parse small']}",
            f"{entry['once'] * 1e6:,.1f} µs {ratio['once']}",
            *(f"{entry[check] * 1e9:,.0f} ns {ratio[check]}" for check in checks),
        ]
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
