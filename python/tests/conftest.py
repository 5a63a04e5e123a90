"""What the tests share: where the conformance cases are."""

import os
from pathlib import Path

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
