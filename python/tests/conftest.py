"""What the tests share: where cases and examples are."""

import os
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def conformance() -> Path:
    return REPOSITORY / "conformance"


@pytest.fixture(scope="session")
def data() -> Path:
    """Data from outside the repository."""
    place = os.environ.get("COMITY_DATA")
    if not place:
        pytest.skip("SKIPPED: COMITY_DATA is not set, so real files are not looked at")
    return Path(place)


@pytest.fixture(scope="session")
def as_of() -> SimpleNamespace:
    """The functions of the example about times."""
    path = REPOSITORY / "python" / "examples" / "as_of.py"
    return SimpleNamespace(**runpy.run_path(str(path), run_name="as_of"))
