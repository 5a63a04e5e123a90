"""Decisions in Ray Data, with actors on one core."""

import os
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("ray")
pa = pytest.importorskip("pyarrow")

from comity.ray import Decide  # noqa: E402

ROBOTS = b"User-agent: *\nDisallow: /private\n"


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    start(ray)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield ray
    ray.shutdown()


def start(ray: Any) -> None:
    """Starts a node. Retries, because the 30 s that Ray allows may be too short on a busy machine."""
    for attempt in range(10):
        try:
            ray.init(
                num_cpus=1,
                include_dashboard=False,
                configure_logging=False,
                log_to_driver=False,
                object_store_memory=100 << 20,
            )
            return
        except Exception as error:
            if "timed out during startup" not in str(error) or attempt == 9:
                raise
            ray.shutdown()


def urls() -> "pa.Table":
    paths = ["/private", "/open", "private", None] * 50
    return pa.table(
        {
            "id": range(len(paths)),
            "url": [
                path if path is None or path[0] != "/" else "https://a.example" + path
                for path in paths
            ],
        }
    )


EXPECTED = ["disallowed_explicit", "allowed_implicit", None, None] * 50


def decided(dataset: Any, **options: Any) -> list[dict[str, Any]]:
    import ray

    decided = dataset.map_batches(
        Decide,
        fn_constructor_kwargs=options,
        batch_format="pyarrow",
        batch_size=32,
        compute=ray.data.ActorPoolStrategy(size=1),
    )
    rows: list[dict[str, Any]] = sorted(decided.take_all(), key=lambda row: row["id"])
    return rows


def test_bodies_in_the_url_table_are_used(ray: Any) -> None:
    table = urls().append_column("robots", pa.array([ROBOTS] * 200))
    rows = decided(
        ray.data.from_arrow(table), agent="examplebot", outputs=["verdict", "line", "error"]
    )
    assert [row["verdict"] for row in rows] == EXPECTED
    assert [row["line"] for row in rows] == [2, None, None, None] * 50
    assert [bool(row["error"]) for row in rows] == [False, False, True, True] * 50


def test_referenced_table_is_joined_in_each_actor(ray: Any) -> None:
    robots = ray.put(pa.table({"key": ["https://A.example"], "body": [ROBOTS]}))
    rows = decided(ray.data.from_arrow(urls()), agent="examplebot", robots=robots)
    assert [row["verdict"] for row in rows] == EXPECTED


def test_historical_audit_on_cluster_equals_local_result(ray: Any, as_of: Any) -> None:
    pages, robots = as_of.archive(origins=5, pages=500)
    here = as_of.both_verdicts(pages, robots)
    rows = as_of.in_ray(ray.data.from_arrow(pages), robots).take_all()
    found = sorted((row["url"], row["seen_at"].timestamp(), row["then_verdict"]) for row in rows)
    columns = [here.column(name).to_pylist() for name in ("url", "seen_at", "then_verdict")]
    assert found == sorted(
        (url, at.timestamp(), verdict) for url, at, verdict in zip(*columns, strict=True)
    )


def test_numpy_batch_error_names_the_needed_format() -> None:
    with pytest.raises(TypeError, match='pass batch_format="pyarrow"'):
        Decide(agent="examplebot")({"url": ["/a"]})
