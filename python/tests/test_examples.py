"""The programs in ``examples/python`` and ``examples/ci``. Some print the output that the documentation shows."""

from __future__ import annotations

import json
import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from comity.testing import FakeWeb, Response

pa = pytest.importorskip("pyarrow")
pytest.importorskip("matplotlib")

REPOSITORY = Path(__file__).parents[2]
DOCUMENT = (REPOSITORY / "docs" / "guide" / "as-of.md").read_text()


def test_as_of_example_prints_the_output_of_its_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("docs/images").mkdir(parents=True)
    shown = DOCUMENT.partition("$ python ")[2].partition("```")[0].splitlines()
    script, *arguments = shown[0].split()
    monkeypatch.setattr(sys, "argv", [script, *arguments])
    runpy.run_path(str(REPOSITORY / script), run_name="__main__")
    assert capsys.readouterr().out.splitlines() == shown[1:]
    picture = Path("docs/images/as-of.svg").read_text()
    assert picture.startswith("<?xml") and picture.rstrip().endswith("</svg>")


def test_audit_example_prints_the_output_of_its_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (REPOSITORY / "docs" / "guide" / "audit-common-crawl.md").read_text()
    shown = page.partition("$ python ")[2].partition("```")[0].splitlines()
    script, *arguments = shown[0].split()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [script, *arguments])
    runpy.run_path(str(REPOSITORY / script), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert lines == shown[1:]
    assert "Robots.txt audit of 600 pages" in (tmp_path / "crawl/audit.html").read_text()
    pytest.importorskip("pyspark")
    if not os.environ.get("JAVA_HOME") and not shutil.which("java"):
        pytest.skip("SKIPPED: there is no Java, so Spark is not run")
    for name in ("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON"):
        monkeypatch.setenv(name, sys.executable)
    monkeypatch.setattr(sys, "argv", [script, *arguments, "--spark"])
    runpy.run_path(str(REPOSITORY / script), run_name="__main__")
    by_spark = capsys.readouterr().out.splitlines()
    assert by_spark == [line for line in lines if "now:" not in line]


def example(name: str) -> dict[str, Any]:
    return runpy.run_path(str(REPOSITORY / "examples" / "python" / name))


def test_crawler_follows_links_of_one_site_to_depth_two() -> None:
    web = FakeWeb(
        {
            "https://a.example/robots.txt": "User-agent: *\nDisallow: /private\n",
            "https://a.example/": '<a href="/herons">Herons</a> <a href="https://b.example/">B</a> <a href=/private>P</a>',
            "https://a.example/herons": "<a href=/herons/grey>Grey heron</a> <a href=/#top>Top</a>",
            "https://a.example/herons/grey": "<a href=/herons/grey/young>Young</a>",
        }
    )
    lines: list[str] = []
    with web.client("ExampleBot") as client:
        results = example("crawler.py")["crawl"](client, "https://a.example/", lines.append)
    assert results == {"status 200": 3, "robots_refused": 1}
    urls = [json.loads(line)["requested_url"].removeprefix("https://a.example") for line in lines]
    assert sorted(urls) == ["/", "/herons", "/herons/grey", "/private"]
    requested = [request.url.removeprefix("https://a.example") for request in web.requests]
    assert requested == ["/robots.txt", "/", "/herons", "/herons/grey"]


def test_fetch_tool_returns_text_or_the_reason_of_a_refusal() -> None:
    web = FakeWeb(
        {
            "https://a.example/robots.txt": "User-agent: *\nDisallow: /private\n",
            "https://a.example/heron": Response(
                body="<h1>Heron</h1>", headers={"X-Robots-Tag": "noai"}
            ),
            "https://down.example/robots.txt": 503,
        }
    )
    run = example("fetch_tool.py")["run"]
    with web.client("ExampleBot") as client:
        answer = run(client, {"url": "https://a.example/heron"})
        assert (answer["text"].strip(), answer["is_truncated"]) == ("# Heron", False)
        assert answer["warnings"] != []
        assert "Disallow: /private" in run(client, {"url": "https://a.example/private"})["error"]
        assert "loopback" in run(client, {"url": "http://localhost/"})["error"]
        assert run(client, {"url": "https://down.example/"})["retry_after_seconds"] > 0
        assert run(client, {"url": "https://a.example/gone"}) == {
            "error": "https://a.example/gone: status 404"
        }


def test_audit_with_duckdb_counts_verdicts_by_host(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="SKIPPED: duckdb is not installed")
    (tmp_path / "robots").mkdir()
    (tmp_path / "robots" / "a.example.txt").write_text("User-agent: *\nDisallow: /x\n")
    pages, output = str(tmp_path / "pages.parquet"), str(tmp_path / "verdicts.parquet")
    urls = ["https://a.example/x", "https://a.example/y", "https://b.example/z", "nonsense"]
    table = pa.table({"url": urls, "row": range(4)})
    duckdb.from_arrow(table).write_parquet(pages)
    assert example("audit_duckdb.py")["audit"](
        pages, str(tmp_path / "robots"), "GPTBot", output
    ) == [
        ("", "error", 1),
        ("a.example", "allowed_implicit", 1),
        ("a.example", "disallowed_explicit", 1),
        ("b.example", "unknown_unreachable", 1),
    ]
    assert duckdb.read_parquet(output).order("row").project("line").fetchall()[0] == (2,)


@pytest.mark.parametrize(
    ("robots", "status"),
    [(None, 0), ("User-agent: *\nDisallow: /\n", 1), ("User-agent: *\nDisalow: /x\n", 1)],
)
def test_ci_job_accepts_the_file_of_the_site_and_rejects_others(
    tmp_path: Path, robots: str | None, status: int
) -> None:
    pytest.importorskip("comity_command", reason="SKIPPED: comity-command is not installed")
    job = shutil.copytree(REPOSITORY / "examples" / "ci", tmp_path / "ci")
    if robots is not None:
        (job / "robots.txt").write_text(robots)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run([job / "check.sh"], env=os.environ | {"PATH": path}, check=False)
    assert done.returncode == status
