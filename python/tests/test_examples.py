"""The examples print the output that the documentation shows."""

import os
import runpy
import shutil
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
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
