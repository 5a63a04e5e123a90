"""The conformance cases of robots.txt rules, checked through the Python package."""

import sys
from pathlib import Path

import pytest

from comity import Agent, Robots, UrlError, dialects

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDERS = ["rfc9309", "google", "seeds", "disagreements", "yandex"]


def questions(folder: Path):
    """Yields the id, file, question, dialect and expected answer of every question."""
    for path in sorted(folder.glob("*.toml")):
        file = tomllib.loads(path.read_text(encoding="utf-8"))
        rows = [(case["id"], case, case) for case in file.get("case", [])]
        for entry in file.get("file", []):
            rows += [(f"{entry['id']}/{n}", entry, ask) for n, ask in enumerate(entry["ask"], 1)]
        for name, body, ask in rows:
            for names, expected in ask["expect"].items():
                for dialect in names.split():
                    yield name, body, ask, dialect, expected


def text_of(entry: dict, key: str) -> str | None:
    if f"{key}_pieces" in entry:
        return "".join(piece["text"] * piece.get("times", 1) for piece in entry[f"{key}_pieces"])
    return entry.get(key)


def body_of(entry: dict) -> bytes:
    if "robots_hex" in entry:
        return bytes.fromhex(entry["robots_hex"])
    return text_of(entry, "robots").encode()


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_case_is_answered_as_expected(conformance, folder):
    wrong, count = [], 0
    for name, entry, ask, dialect, expected in questions(conformance / folder):
        robots = Robots.parse(body_of(entry), dialect=dialect, charset=entry.get("charset"))
        # Some cases use invalid agent names. The engine accepts such names, but the package rejects them.
        agent = (
            Agent.header(ask["header"])
            if "header" in ask
            else Agent._restore(ask["agent"], False, [], False)
        )
        url = text_of(ask, "url")
        try:
            decision = robots.decide(agent, url)
            line = "" if decision.line is None else f" {decision.line}"
            got = decision.verdict + line
            assert robots.is_allowed(agent, url) == decision.is_allowed
        except UrlError:
            got = "url_error"
        count += 1
        if got != expected:
            wrong.append(f"{name} in {dialect}: {got}, not {expected}")
    assert not wrong, "\n".join(wrong[:20])
    assert count > 50
    assert set(dialects()) >= {"rfc9309", "google", "urllib"}
