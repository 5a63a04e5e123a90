"""The examples do what the documentation says that they do."""

import runpy
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("matplotlib")

REPOSITORY = Path(__file__).parents[2]
DOCUMENT = (REPOSITORY / "docs" / "guide" / "as-of.md").read_text()


def test_the_audit_as_of_then_prints_what_its_page_says(
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
