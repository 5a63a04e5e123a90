"""A local Spark: the join by origin, and verdicts from the executors."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("pyarrow")
sql = pytest.importorskip("pyspark.sql")

from comity import spark as comity_spark  # noqa: E402
from comity.errors import BatchError  # noqa: E402


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    # Workers start whichever Python the path finds first, unless told.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "2")
    session = builder.config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
    yield session
    session.stop()


def test_urls_meet_the_robots_txt_of_their_origin(session: Any) -> None:
    urls = [
        "HTTPS://me@Example.COM:443/private/a",
        "https://example.com/b",
        "http://example.com/private/a",
        "http://other.example/",
        "nonsense",
    ]
    pages = session.createDataFrame([(n, url) for n, url in enumerate(urls)], "n int, url string")
    answers = session.createDataFrame(
        [
            ("https://example.com/", "User-agent: *\nDisallow: /private\n", 200),
            ("http://example.com:80", None, 404),
        ],
        "origin string, robots string, robots_status int",
    )
    decided = comity_spark.decide(pages, answers, agent="examplebot")
    rows = {row.n: row for row in decided.collect()}
    verdicts = [rows[n].verdict for n in range(5)]
    assert verdicts == [
        "disallowed_explicit",
        "allowed_implicit",
        "allowed_implicit",
        "unknown_unreachable",
        None,
    ]
    assert (rows[0].line, rows[0].allowed, rows[0].url) == (2, False, urls[0])
    assert "neither an absolute URL nor a path" in rows[4].error
    with pytest.raises(BatchError, match="`verdict` already"):
        comity_spark.decide(decided, answers, agent="examplebot")
    doubled = answers.union(answers.where("robots_status = 404"))
    with pytest.raises(Exception, match="two rows for the origin"):
        comity_spark.decide(pages, doubled, agent="examplebot").collect()
