#!/usr/bin/env python3
"""Fetches the address ranges of crawlers from their operators, and writes `crates/comity/data/ranges.txt`.

    tools/refresh-data.py --comity PROGRAM [--days DAYS]

Prints, as Markdown, the lists and the entries of the catalogue that were read from their source more than DAYS days ago, and the
reason why a list could not be fetched. Prints nothing if everything is newer. Needs the network; `.github/workflows/scheduled.yml`
runs it every week.
"""

import argparse
import json
import os
import subprocess
import tempfile
import urllib.request
from datetime import UTC, date, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RANGES = ROOT / "crates/comity/data/ranges.txt"
# The largest list has less than 100 kB.
MOST_BYTES = 10_000_000
SECONDS = 60


class Catalogue:
    """The catalogue of a program, with newer ranges that the program keeps in a file."""

    def __init__(self, program: Path, kept: Path) -> None:
        self.program = program
        self.kept = kept

    def ask(self, *arguments: str) -> str:
        """Runs `comity agents` and returns its output."""
        command = [self.program, "agents", *arguments]
        environment = os.environ | {"COMITY_RANGES": str(self.kept)}
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=environment)
        if done.returncode:
            raise ValueError(done.stderr.strip())
        return done.stdout

    def rows(self) -> list[dict]:
        """Returns the crawlers, with the date of each of their lists."""
        return [json.loads(line) for line in self.ask("--json").splitlines()]

    def lists(self) -> dict[str, dict]:
        """Returns the lists of ranges by their names."""
        return {one["list"]: one for row in self.rows() for one in row["ranges"]}


def fetch(catalogue: Catalogue, name: str, url: str, folder: Path) -> str | None:
    """Updates a list from the URL of its operator. Returns the reason if that fails."""
    file = folder / "list"
    try:
        with urllib.request.urlopen(url, timeout=SECONDS) as response:
            file.write_bytes(response.read(MOST_BYTES))
        catalogue.ask("--update", f"{name}={file}")
    except (OSError, ValueError) as error:
        return " ".join(str(error).split())
    return None


def age(day: str) -> int:
    """Returns the number of days since a day."""
    return (datetime.now(UTC).date() - date.fromisoformat(day)).days


def main() -> None:
    """Fetches the lists, writes the file and prints what is old."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--comity", type=Path, required=True, help="the program `comity` of this commit")
    parser.add_argument("--days", type=int, default=180, help="age from which a list or an entry is printed (default: 180)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        catalogue = Catalogue(arguments.comity.resolve(), Path(work, "kept"))
        failures = {name: fetch(catalogue, name, one["from"], Path(work)) for name, one in catalogue.lists().items()}
        if not all(failures.values()):
            comments = RANGES.read_text(encoding="utf-8").split("\nlist ")[0]
            RANGES.write_text(f"{comments}\n{catalogue.ask('--ranges').rstrip()}\n", encoding="utf-8")
        for name, one in catalogue.lists().items():
            if age(one["date"]) > arguments.days:
                reason = f" (not fetched: {failures[name]})" if failures[name] else ""
                print(f"- list `{name}`: of {one['date']}, from {one['from']}{reason}")
        for row in catalogue.rows():
            if age(row["checked"]) > arguments.days:
                print(f"- crawler `{row['token']}`: checked on {row['checked']} ({row['source'] or 'without a source'})")


if __name__ == "__main__":
    main()
