"""Three drop-ins compared with their originals: a sample of the questions in `tools/compatibility/differences.py`."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[2]
MODULES = {
    "exclusion": "robotexclusionrulesparser",
    "protego": "protego",
    "urllib": "urllib.robotparser",
}


@pytest.fixture(scope="module")
def differences() -> Any:
    path = REPOSITORY / "tools" / "compatibility" / "differences.py"
    return SimpleNamespace(**runpy.run_path(str(path), run_name="differences"))


@pytest.mark.parametrize("name", MODULES)
def test_drop_in_equals_its_original(name: str, data: Path, differences: Any) -> None:
    pytest.importorskip(MODULES[name], reason=f"SKIPPED: {MODULES[name]} is not installed")
    # Compares every fortieth file, and the files in which a difference was found before.
    files = sorted((data / "corpus" / "robots").glob("*.txt"))
    odd = {
        "00000.txt",
        "00214.txt",
        "05137.txt",
        "05481.txt",
        "05513.txt",
        "07117.txt",
        "07437.txt",
    }
    chosen = [path for number, path in enumerate(files) if number % 40 == 0 or path.name in odd]
    tally = differences.compare(name, chosen, most=10_000_000)
    assert not tally.differences
    assert tally.checks > 5_000
