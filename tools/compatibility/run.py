"""Runs the test suites of other packages (the originals) with Comity's drop-ins for them.

    python tools/compatibility/run.py                        # runs every available suite
    python tools/compatibility/run.py protego scrapy         # runs these suites
    python tools/compatibility/run.py reppy --source DIR     # runs a suite from a source tree, if no package contains it
    python tools/compatibility/run.py cpython2025 --source DIR    # runs `test_robotparser.py` of a later version in DIR
    python tools/compatibility/run.py --table                # prints the table of docs/reference/compatibility.md

Run it with a Python that has `comity`, `pytest` and the test dependencies of the originals
(`tools/compatibility/requirements.txt`). pip downloads the source packages with the suites. The suite of CPython belongs to the
running interpreter. `expected.json` lists every expected failure with its reason. It is an error if an unlisted test fails, or if
a listed test passes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXPECTED = HERE / "expected.json"


@dataclass(frozen=True)
class Suite:
    """A test suite: its files, its source package, and the options of pytest."""

    files: tuple[str, ...]
    dialects: tuple[str, ...]
    package: str | None = None
    """The source package that contains the suite."""
    options: tuple[str, ...] = ("-c", os.devnull)


SUITES = {
    "protego": Suite(
        (
            "tests/test_protego.py",
            "tests/test_on_google_spec.py",
            "tests/test_on_fetched_robotstxt.py",
        ),
        ("protego", "rfc9309", "google"),
        "protego==0.7.0",
    ),
    "cpython": Suite(("test_robotparser.py",), ("urllib", "rfc9309")),
    # The suite of `urllib.robotparser` since its rewrite of 2026, from CPython's main branch.
    "cpython2026": Suite(("test_robotparser.py",), ("urllib-2026",)),
    # A suite with tests of percent-encoding, from a CPython that is newer than 3.11 and older than the rewrite of 2026.
    "cpython2025": Suite(("test_robotparser.py",), ("rfc9309",)),
    "robotexclusionrulesparser": Suite(
        ("tests/test_parser.py", "tests/test_misc.py", "tests/test_fetch.py"),
        ("gym2008", "rfc9309"),
        "robotexclusionrulesparser==1.7.1",
    ),
    "scrapy": Suite(
        ("tests/test_robotstxt_interface.py", "tests/test_downloadermiddleware_robotstxt.py"),
        ("rfc9309",),
        "scrapy==2.19.0",
        ("-k", "(Protego or Middleware) and not Rerp"),
    ),
    "reppy": Suite(
        (
            "tests/test_agent.py",
            "tests/test_robots.py",
            "tests/test_ttl.py",
            "tests/test_util.py",
            "tests/test_cache/test_cache.py",
            "tests/test_cache/test_policy.py",
        ),
        ("rfc9309",),
    ),
}


def source_of(name: str, suite: Suite, into: Path) -> Path | None:
    """Returns the folder with the files of a suite, or None if `--source` is required."""
    if name == "cpython":
        import test

        return Path(next(iter(test.__path__)))
    if suite.package is None:
        return None
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--no-binary",
        ":all:",
    ]
    subprocess.run([*command, "--no-build-isolation", "--dest", into, suite.package], check=True)
    archive = next(into.glob("*.tar.gz"))
    with tarfile.open(archive) as tar:
        tar.extractall(into, filter="data")
    return into / archive.name.removesuffix(".tar.gz")


def run(name: str, suite: Suite, dialect: str, source: Path, scratch: Path) -> dict[str, str]:
    """Runs a suite with a dialect. Returns the outcome of each test."""
    results = scratch / f"{dialect}.json"
    environment = os.environ | {
        "COMITY_COMPATIBILITY_SUITE": name,
        "COMITY_COMPATIBILITY_DIALECT": dialect,
        "COMITY_COMPATIBILITY_RESULTS": str(results),
        "PYTHONPATH": os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")])),
    }
    if name == "reppy":
        environment["PYTHONPATH"] = os.pathsep.join([str(HERE), str(source / "tests")])
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "swap",
        "-p",
        "no:cacheprovider",
        "-q",
        "--tb=short",
        "-rsf",
    ]
    command += ["--rootdir", str(source), *suite.options]
    log = scratch / f"{dialect}.log"
    with log.open("wb") as output:
        subprocess.run(
            [*command, *suite.files], cwd=source, env=environment, stdout=output, stderr=output
        )
    if not results.exists():
        raise SystemExit(f"error: the suite {name} wrote no results:\n{log.read_text()}")
    if os.environ.get("COMITY_COMPATIBILITY_LOG"):
        print(log.read_text())
    return json.loads(results.read_text())


def judge(name: str, dialect: str, outcomes: dict[str, str], expected: dict[str, str]) -> bool:
    """Prints unexpected outcomes and the counts. Returns True if all outcomes are expected."""
    failed = {test for test, outcome in outcomes.items() if outcome == "failed"}
    for test in sorted(failed - expected.keys()):
        print(f"  {name} ({dialect}): {test} fails, but is not in expected.json")
    for test in sorted(expected.keys() - failed):
        print(f"  {name} ({dialect}): {test} no longer fails: remove it from expected.json")
    passed = sum(outcome == "passed" for outcome in outcomes.values())
    skipped = sum(outcome == "skipped" for outcome in outcomes.values())
    print(f"{name} ({dialect}): {passed} passed, {len(failed)} failed, {skipped} skipped")
    if not passed:
        print(f"  {name} ({dialect}): no test passed")
    return bool(passed) and failed == expected.keys()


def table(expected: dict[str, dict[str, dict[str, str]]]) -> str:
    """Returns a Markdown table of the failing tests, with the reasons."""
    lines = ["| suite | dialect | test | why it fails |", "|---|---|---|---|"]
    for name, dialects in expected.items():
        for dialect, tests in dialects.items():
            lines += [
                f"| {name} | `{dialect}` | `{test}` | {why} |"
                for test, why in sorted(tests.items())
            ]
    return "\n".join(lines)


def main() -> int:
    """Runs the suites, and returns the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=", ".join(SUITES))
    parser.add_argument("--source", type=Path, help="the source tree with the suite's files")
    parser.add_argument(
        "--table", action="store_true", help="print the expected failures in Markdown"
    )
    arguments = parser.parse_args()
    expected = json.loads(EXPECTED.read_text())
    if arguments.table:
        print(table(expected))
        return 0
    unknown = set(arguments.suites) - SUITES.keys()
    if unknown:
        parser.error(
            f"unknown suite {', '.join(sorted(unknown))}; must be one of: {', '.join(SUITES)}"
        )
    if arguments.source and len(arguments.suites) != 1:
        parser.error("--source applies to one suite: name exactly one")
    good = True
    for name in arguments.suites or SUITES:
        suite = SUITES[name]
        with tempfile.TemporaryDirectory() as scratch:
            source = arguments.source or source_of(name, suite, Path(scratch))
            if source is None:
                print(
                    f"{name}: SKIPPED: no package has this suite; pass its source tree with --source"
                )
                good = good and not arguments.suites
                continue
            for dialect in suite.dialects:
                outcomes = run(name, suite, dialect, source.resolve(), Path(scratch))
                good = (
                    judge(name, dialect, outcomes, expected.get(name, {}).get(dialect, {})) and good
                )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
