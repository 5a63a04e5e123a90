"""Shared fixtures, and a failure if tests were skipped in spite of ``COMITY_SKIPS=forbidden``."""

import os
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

REPOSITORY = Path(__file__).parents[2]

#: Reasons for skips that `COMITY_SKIPS=forbidden` permits, because installing a program would not prevent the skip.
ALLOWED_SKIPS = (
    "COMITY_DATA is not set",
    "SIGINT to send",
    "does not fork",
    "file names are Unicode",
    "skipped by +SKIP option",
)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fails the run if tests were skipped although ``COMITY_SKIPS=forbidden`` is set, as in ``.ci/run``."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:
        # This process is a worker of pytest-xdist. The controller has the results of all workers.
        return
    reasons = [str(report.longrepr) for report in reporter.stats.get("skipped", [])]
    missed = [why for why in reasons if not any(allowed in why for allowed in ALLOWED_SKIPS)]
    if missed and os.environ.get("COMITY_SKIPS") == "forbidden":
        reporter.write_line(
            "error: COMITY_SKIPS=forbidden, but these tests were skipped:", red=True
        )
        for why in missed:
            reporter.write_line(f"  {why}")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def conformance() -> Path:
    return REPOSITORY / "conformance"


@pytest.fixture(scope="session")
def data() -> Path:
    """Returns the folder of test data outside the repository."""
    place = os.environ.get("COMITY_DATA")
    if not place:
        pytest.skip("SKIPPED: COMITY_DATA is not set, so real files are not tested")
    return Path(place)


@pytest.fixture(scope="session")
def as_of() -> SimpleNamespace:
    """Returns the functions of ``examples/python/as_of.py``."""
    path = REPOSITORY / "examples" / "python" / "as_of.py"
    return SimpleNamespace(**runpy.run_path(str(path), run_name="as_of"))
