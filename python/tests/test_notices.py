"""Warnings about names of crawlers, and errors of cells without a URL."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROBOTS = "User-agent: HeronCrawler\\nDisallow: /\\n"

#: Calls with the name of a crawler, as Python code.
QUESTIONS = {
    "rules_for": "comity.Robots.parse(ROBOTS).rules_for(NAME)",
    "is_allowed": "comity.Robots.parse(ROBOTS).is_allowed(NAME, '/x')",
    "are_allowed": "comity.Robots.parse(ROBOTS).are_allowed(NAME, ['/x'])",
    "explain": "comity.Robots.parse(ROBOTS).explain(NAME, '/x')",
    "agent": "comity.Robots.parse(ROBOTS).decide(comity.Agent(NAME), '/x')",
    "one_shot": "comity.is_allowed(ROBOTS, NAME, '/x')",
    "policy": "comity.Policy(NAME)",
    "usage": "comity.usage.report('https://a.example/', NAME, robots=comity.Robots.parse(ROBOTS))",
    "arrow": "comity.arrow.Auditor(agent=NAME)",
    "client": "comity.Client(NAME, store='memory').close()",
}

#: The calls that compare the name with the names in the robots.txt.
WITH_FILE = {"rules_for", "is_allowed", "are_allowed", "explain", "agent", "usage"}

#: Calls that do not warn: drop-ins, and `Agent.header`.
DROPINS = {
    "urllib": "p = comity.urllib.RobotFileParser(); p.parse(ROBOTS.split('\\n')); p.can_fetch(NAME, '/x')",
    "protego": "comity.protego.Protego.parse(ROBOTS).can_fetch('/x', NAME)",
    "header": "comity.Robots.parse(ROBOTS).is_allowed(comity.Agent.header(NAME), '/x')",
}

PROGRAM = """
import warnings
import comity, comity.arrow, comity.protego, comity.urllib
ROBOTS, NAME = "{robots}", "{name}"
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for _ in range(3):
        {question}
for warning in caught:
    print(warning.category.__name__, warning.message)
"""


def warned(question: str, name: str) -> list[str]:
    """Returns the warnings of three equal calls in a new process, because a process checks each name once."""
    program = PROGRAM.format(robots=ROBOTS, name=name, question=question)
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize("question", QUESTIONS)
def test_probable_misspelling_causes_one_warning(question: str) -> None:
    program = QUESTIONS[question]
    slip = "ComityWarning `googelbot` is not a known crawler; did you mean `Googlebot`?"
    assert warned(program, "googelbot") == [slip]
    [retired] = warned(program, "anthropic-ai")
    assert retired.startswith("ComityWarning `anthropic-ai` is retired")
    near = "ComityWarning no group names `HeronCralwer`, but a group names `HeronCrawler`"
    assert warned(program, "HeronCralwer") == ([near] if question in WITH_FILE else [])
    assert warned(program, "SomeOtherBot") == []


@pytest.mark.parametrize("dropin", DROPINS)
def test_drop_in_causes_no_warning(dropin: str) -> None:
    assert warned(DROPINS[dropin], "googelbot") == []


def test_audit_with_misspelt_agent_causes_a_warning(tmp_path: Path) -> None:
    import comity
    from comity import audit

    (tmp_path / "pages.csv").write_text("url\nhttps://a.example/x\nmailto:x\n")
    answers = tmp_path / "answers.csv"
    answers.write_text("url,status,body\nhttps://a.example/robots.txt,404,\n")
    with pytest.warns(comity.ComityWarning, match="did you mean `Googlebot`"):
        audit.audit(tmp_path / "pages.csv", answers, agents=["googelbot"], as_of="now")


def test_cell_that_is_not_a_url_has_an_error() -> None:
    import pyarrow as pa

    from comity import arrow

    texts = ["mailto:x", "www.h.example/x", "http://", "", "ftp://f.example/x", "/x"]
    table = pa.table({"url": texts, "robots": ["User-agent: *\nDisallow: /x\n"] * len(texts)})
    errors = arrow.decide(table, agent="examplebot")["error"].to_pylist()
    assert [error is not None for error in errors] == [True, True, True, True, False, False]
    assert "`https://www.h.example/x` was probably meant" in errors[1]
