"""Spark: one local session, in which robots.txt is joined by origin and executors decide batches."""

import os
import shutil
import sys
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any

import pytest

from comity import BatchError, UnknownNameError

pytest.importorskip("pyspark")
pytest.importorskip("pandas")

from comity import spark as comity_spark

ROBOTS = b"User-agent: *\nDisallow: /private\nContent-Signal: ai-train=no\n"


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    if not os.environ.get("JAVA_HOME") and not shutil.which("java"):
        pytest.skip("SKIPPED: there is no Java, so Spark is not run")
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[1]").appName("comity")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.session.timeZone": "UTC",
    }.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    yield spark
    spark.stop()


@pytest.fixture(scope="module")
def pages(session: Any) -> Any:
    urls = [
        "https://a.example/private/1",
        "HTTPS://A.EXAMPLE:443/open",
        "https://b.example/private",
        "https://c.example/private",
        "https://nowhere.example/",
        "mailto:somebody",
        None,
    ]
    return session.createDataFrame(list(enumerate(urls)), "id int, url string")


@pytest.fixture(scope="module")
def robots(session: Any) -> Any:
    def at(day: int) -> datetime:
        return datetime(2026, 1, day, tzinfo=timezone.utc)

    rows = [
        ("https://A.example/robots.txt", b"User-agent: *\nDisallow:\n", 200, at(1)),
        ("https://a.example/robots.txt", ROBOTS, 200, at(3)),
        ("https://a.example/robots.txt", None, 404, at(2)),
        ("https://b.example", None, 404, at(1)),
        ("https://c.example", None, 503, None),
    ]
    return session.createDataFrame(
        rows, "key string, body binary, status int, fetched_at timestamp"
    )


def rows_of(frame: Any, *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in frame.orderBy("id").collect()]


def test_robots_txt_is_joined_by_origin(pages: Any, robots: Any) -> None:
    verdicts = comity_spark.decide(pages, robots, agent="examplebot", usage=True)
    assert verdicts.columns[:4] == ["id", "url", "verdict", "recommendation"]
    assert verdicts.columns[-1] == "error"
    assert not [name for name in verdicts.columns if name.startswith("__")]
    assert dict(verdicts.dtypes)["line"] == "int"
    names = ("verdict", "allowed", "rule", "line", "treatment", "usage_content_signal_train")
    assert rows_of(verdicts, *names) == [
        # The latest of three answers counts.
        ("disallowed_explicit", False, "/private", 2, "read_rules", "disallow"),
        ("allowed_implicit", True, None, None, "read_rules", "disallow"),
        ("allowed_implicit", True, None, None, "allow_all", "unknown"),
        ("unknown_unreachable", False, None, None, "stop", "unknown"),
        ("unknown_unreachable", False, None, None, "stop", "unknown"),
        (None, None, None, None, None, None),
        (None, None, None, None, None, None),
    ]
    errors = [error for (error,) in rows_of(verdicts, "error")]
    assert errors[:5] == [None] * 5
    assert errors[5].startswith("`mailto:somebody` is neither an http nor an https URL")
    assert errors[6] == "the row has no URL"


def test_page_is_decided_by_the_answers_up_to_its_time(session: Any, robots: Any) -> None:
    def at(day: int, hour: int = 0) -> datetime:
        return datetime(2026, 1, day, hour, tzinfo=timezone.utc)

    ill = session.createDataFrame([("https://a.example", None, 503, at(4))], robots.schema)
    seen = [at(1), at(2, 12), at(3, 1), at(4, 1)]
    rows = [(n, "https://a.example/private", seen_at) for n, seen_at in enumerate(seen)]
    # Before the first answer, robots.txt is unknown.
    rows.append((4, "https://a.example/private", datetime(2025, 1, 1, tzinfo=timezone.utc)))
    pages = session.createDataFrame(rows, "id int, url string, seen_at timestamp")
    verdicts = comity_spark.decide(pages, robots.union(ill), agent="examplebot")
    assert rows_of(verdicts, "verdict", "treatment") == [
        ("allowed_implicit", "read_rules"),
        ("allowed_implicit", "allow_all"),
        ("disallowed_explicit", "read_rules"),
        ("disallowed_explicit", "last_good"),
        ("unknown_unreachable", "stop"),
    ]


def test_historical_audit_on_cluster_equals_local_result(session: Any, as_of: Any) -> None:
    pages, robots = as_of.archive(origins=5, pages=500)
    here = as_of.both_verdicts(pages, robots)
    frames = [session.createDataFrame(table) for table in (pages, robots)]
    there = as_of.in_spark(*frames).toArrow()
    columns = ["url", "seen_at", "then_verdict"]
    in_order = [
        table.select(columns).sort_by([(name, "ascending") for name in columns])
        for table in (here, there)
    ]
    assert in_order[0].to_pylist() == in_order[1].to_pylist()


def test_page_column_named_robots_key_is_only_copied(session: Any, robots: Any) -> None:
    rows = [(0, "https://a.example/private", "mine")]
    pages = session.createDataFrame(rows, "id int, url string, robots_key string")
    verdicts = comity_spark.decide(pages, robots, agent="examplebot")
    assert rows_of(verdicts, "verdict", "robots_key") == [("disallowed_explicit", "mine")]
    with pytest.raises(TypeError, match="leave robots_key out"):
        comity_spark.decide(pages, robots, agent="x", columns={"robots_key": "robots_key"})


def test_origin_with_many_batches_is_decided_completely(session: Any, robots: Any) -> None:
    batches = "spark.sql.execution.arrow.maxRecordsPerBatch"
    usual = session.conf.get(batches)
    session.conf.set(batches, 2)
    try:
        rows = [(n, f"https://{'ab'[n % 2]}.example/private/{n}") for n in range(21)]
        pages = session.createDataFrame(rows, "id int, url string")
        verdicts = rows_of(comity_spark.decide(pages, robots, agent="examplebot"), "allowed")
    finally:
        session.conf.set(batches, usual)
    assert verdicts == [(n % 2 == 1,) for n in range(21)]


@pytest.mark.parametrize("urls_differ", [True, False])
def test_large_origin_is_distributed_over_the_tasks(
    session: Any, monkeypatch: pytest.MonkeyPatch, urls_differ: bool
) -> None:
    from pyspark.sql import functions as F

    def at(minute: int) -> datetime:
        return datetime(2026, 1, 1, minute // 60, minute % 60, tzinfo=timezone.utc)

    def url(n: int) -> str:
        host = "b.example" if n % 10 == 0 else "a.example"
        return f"https://{host}/private/{n if urls_differ else 0}"

    pages = session.createDataFrame(
        [(n, url(n), at(n)) for n in range(1_000)], "id int, url string, seen_at timestamp"
    )
    history = [
        ("https://a.example", b"User-agent: *\nDisallow:\n", 200, at(1)),
        ("https://a.example", ROBOTS, 200, at(300)),
        ("https://a.example", None, 503, at(600)),
        ("https://a.example", None, 503, at(900)),
        ("b.example", None, 404, at(1)),
    ]
    robots = session.createDataFrame(
        history, "key string, body binary, status int, fetched_at timestamp"
    )
    settings = {"spark.sql.shuffle.partitions": "8", "spark.sql.adaptive.enabled": "false"}
    usual = {name: session.conf.get(name) for name in settings}
    for name, value in settings.items():
        session.conf.set(name, value)
    try:
        monkeypatch.setattr(comity_spark, "_PART_ROWS", 10)
        spread = comity_spark.decide(pages, robots, agent="examplebot")
        parts = [row["count"] for row in spread.groupBy(F.spark_partition_id()).count().collect()]
        verdicts = rows_of(spread, "id", "verdict", "answer", "line", "treatment")
        whole = comity_spark.decide(pages, robots, agent="examplebot", spread=False)
        expected = rows_of(whole, "id", "verdict", "answer", "line", "treatment")
    finally:
        for name, value in usual.items():
            session.conf.set(name, value)
    assert sum(parts) == 1_000
    assert max(parts) < 2 * 1_000 / 8, parts
    assert verdicts == expected
    assert len({row[1:] for row in expected}) == 5


def test_bodies_in_the_url_table_are_used(session: Any) -> None:
    frame = session.createDataFrame(
        [(1, "/private", "Bot", ROBOTS.decode()), (2, "/private", "Bot", None)],
        "id int, page string, who string, robots string",
    )
    names = {"url": "page", "agent": "who"}
    verdicts = comity_spark.decide(
        frame, columns=names, outputs=["verdict", "line"], prefix="robots_", preset="ladon"
    )
    assert verdicts.columns == [*frame.columns, "robots_verdict", "robots_line"]
    assert rows_of(verdicts, "robots_verdict", "robots_line") == [
        ("disallowed_explicit", 2),
        ("unknown_unreachable", None),
    ]


@pytest.mark.parametrize("by", ["arrow_udf", "pandas_udf"])
def test_origin_of_a_url_column_is_normalized(
    session: Any, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if by == "pandas_udf":
        # Spark before 4.1 has no `arrow_udf`.
        monkeypatch.delattr("pyspark.sql.functions.arrow_udf", raising=False)
    urls = [("HTTP://Example.com:80/a",), ("https://bücher.example",), ("/a",), (None,)]
    frame = session.createDataFrame(urls, "url string")
    origins = [row[0] for row in frame.select(comity_spark.origin("url")).collect()]
    assert origins == ["http://example.com", "https://xn--bcher-kva.example", None, None]


def test_function_for_executors_is_small() -> None:
    import pyarrow as pa
    from pyspark import cloudpickle

    decider = comity_spark._decider(
        {"agent": "examplebot", "outputs": ["line"], "keep": False}, ["url"], ["url", "line"]
    )
    sent = cloudpickle.dumps(decider)
    assert len(sent) < 5_000
    batch = pa.record_batch({"url": ["/private"], "robots": [ROBOTS]})
    (decided,) = cloudpickle.loads(sent)(iter([batch]))
    assert decided.to_pylist() == [{"url": "/private", "line": 2}]


def test_invalid_argument_is_an_error_before_the_job_runs(pages: Any, robots: Any) -> None:
    with pytest.raises(UnknownNameError, match="unknown preset"):
        comity_spark.decide(pages, robots, agent="x", preset="nobody's")
    with pytest.raises(UnknownNameError, match="unknown verdict column `verdikt`"):
        comity_spark.decide(pages, robots, agent="x", outputs="verdikt")
    with pytest.raises(BatchError, match="has none of the columns body, status, failure"):
        comity_spark.decide(pages, pages, agent="x", robots_columns={"key": "url"})
    with pytest.raises(BatchError, match="no crawler is named"):
        comity_spark.decide(pages, robots)
    with pytest.raises(BatchError, match=r"the robots\.txt answers are missing"):
        comity_spark.decide(pages, agent="x")
    with pytest.raises(BatchError, match="no column `url`"):
        comity_spark.decide(pages.withColumnRenamed("url", "page"), robots, agent="x")
    with pytest.raises(BatchError, match="the frame has a column `rule` already"):
        comity_spark.decide(pages.withColumnRenamed("id", "rule"), robots, agent="x")
    with pytest.raises(BatchError, match="no column `uri` for the key"):
        comity_spark.decide(pages, robots, agent="x", robots_columns={"key": "uri"})
    with pytest.raises(UnknownNameError, match="robots_columns: unknown name `text`"):
        comity_spark.decide(pages, robots, agent="x", robots_columns={"text": "body"})
