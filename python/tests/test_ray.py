"""A local Ray: one worker that keeps its auditor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")
ray = pytest.importorskip("ray")
data = pytest.importorskip("ray.data")

from comity.ray import Decide  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[Any]:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def test_batches_are_decided_by_a_worker() -> None:
    given = pa.table(
        {"url": ["/private", "/"] * 50, "robots": ["User-agent: *\nDisallow: /private\n"] * 100}
    )
    decided = data.from_arrow(given).map_batches(
        Decide,
        fn_constructor_args=("examplebot",),
        batch_format="pyarrow",
        batch_size=30,
        concurrency=1,
    )
    allowed = [(row["url"], row["allowed"]) for row in decided.take_all()]
    assert sorted(set(allowed)) == [("/", True), ("/private", False)]
    assert len(allowed) == 100
