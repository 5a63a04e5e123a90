"""The JSON of the package conforms to the schemas of the command's JSON in docs/reference/schema/."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sites import Answer, site

from comity import Client, FetchError, Refused, Robots

jsonschema = pytest.importorskip("jsonschema")

FOLDER = Path(__file__).parents[2] / "docs" / "reference" / "schema"
QUICK: dict[str, dict[str, object]] = {"pace": {"min_interval_seconds": 0}, "retry": {"retries": 0}}


def schema(name: str) -> dict[str, Any]:
    path = FOLDER / f"{name}.json"
    if not path.exists():
        pytest.skip("the schemas are in the repository, not in the source archive")
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def check(value: Any, schema: dict[str, Any], *, without: tuple[str, ...] = ()) -> None:
    """Validates a value. ``without`` names the fields that only the command adds."""
    required = [name for name in schema["required"] if name not in without]
    jsonschema.Draft202012Validator({**schema, "required": required}).validate(value)


@pytest.mark.parametrize("url", ["/a", "/private", "/robots.txt"])
def test_decision_matches_the_schema(url: str) -> None:
    robots = Robots.parse(b"User-agent: *\nDisallow: /private\nAllow: /a\n")
    decision = robots.rules_for("heron").decide(url)
    of_row = ("url", "agent", "allowed", "robots_txt", "error")
    check(json.loads(decision.to_json()), schema("decision"), without=of_row)
    check(decision.to_dict(), schema("decision"), without=of_row)


def test_record_of_a_fetch_matches_the_schema() -> None:
    rows = schema("fetch")
    record = {**rows["$defs"]["fetch_report"], "$defs": rows["$defs"]}
    of_command = ("robots_refused", "saved")
    robots = Answer(body=b"User-agent: *\nDisallow: /private\nContent-Signal: ai-train=no\n")
    page = Answer(body=b"<title>T</title>", headers={"Content-Type": "text/html"})
    with (
        site(robots=robots, a=page) as here,
        Client("heron", allow_address=("127.0.0.0/8",), settings=QUICK) as client,
    ):
        check(client.fetch(here.at("/a")).record, record, without=of_command)
        check(client.fetch(here.at("/missing")).record, record, without=of_command)
        with pytest.raises(Refused) as refused:
            client.fetch(here.at("/private"))
        check(refused.value.record, record, without=of_command)
        with pytest.raises(FetchError) as guarded:
            client.fetch("http://169.254.169.254/")
        check(guarded.value.record, record, without=of_command)
