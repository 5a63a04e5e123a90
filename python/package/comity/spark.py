"""Verdicts in Apache Spark: URLs joined with the robots.txt of their origins, decided on the executors.

    decided = comity.spark.decide(pages, answers, agent="examplebot")

Executors need the packages ``comity`` and ``pyarrow``; what is sent to them is a handful of options.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from .arrow import Auditor

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

__all__ = ["decide", "origin"]

#: What is read of the table of answers.
_ANSWER = ("robots", "robots_status", "robots_failure")
_KEY = "_comity_origin"
_TYPES = {"allowed": "boolean", "line": "long", "crawl_delay": "double"}
_COLUMNS = (
    "verdict",
    "recommendation",
    "allowed",
    "rule",
    "rule_kind",
    "line",
    "group",
    "crawl_delay",
    "basis",
    "treatment",
    "error",
)


def origin(column: Column | str) -> Column:
    """The origin of a URL, in the one form in which two of them can be compared.

    Scheme and host in small letters, without user, password and the port that the scheme has anyway:
    ``HTTPS://me@Example.COM:443/a`` becomes ``https://example.com``. Null for what has no scheme and host. It is a column
    expression, so nothing leaves the JVM. Hosts in letters beyond ASCII stay as they are: write them in one way.
    """
    from pyspark.sql import functions as f

    url = f.col(column) if isinstance(column, str) else column
    found = f.regexp_extract(url, r"^\s*([A-Za-z][A-Za-z0-9+.-]*://[^/?#\\]+)", 1)
    bare = f.regexp_replace(f.lower(found), "//.*@", "//")
    for scheme, port in (("http", 80), ("https", 443)):
        bare = f.regexp_replace(bare, f"^({scheme}://.*):(?:{port})?$", "$1")
    return f.when(f.length(bare) > 0, bare)


def decide(
    df: DataFrame,
    robots_df: DataFrame,
    *,
    agent: str,
    url: str = "url",
    origin_column: str = "origin",
    prefix: str = "",
    preset: str = "rfc9309",
    mode: str | None = None,
    dialect: str | None = None,
) -> DataFrame:
    """Decide every URL of ``df``, by the answers in ``robots_df``; the verdict's columns are added to ``df``.

    ``robots_df`` has one row for each origin: ``origin_column`` (brought to the form of :func:`origin`), ``robots`` (the
    body) and, where known, ``robots_status`` and ``robots_failure``. A URL whose origin is not there is one whose
    robots.txt was never asked for; two rows of one origin fail the job, since they may contradict each other. ``line`` is a long, since Spark has no unsigned numbers.
    """
    from pyspark.sql.types import StructType

    from .errors import BatchError

    if not (answer := [name for name in _ANSWER if name in robots_df.columns]):
        raise BatchError(f"the table of answers has none of the columns {', '.join(_ANSWER)}")
    new = [prefix + name for name in _COLUMNS]
    if taken := [name for name in (*new, *answer) if name in df.columns]:
        raise BatchError(
            f"the table of URLs has a column `{taken[0]}` already: rename it, or give a prefix"
        )
    answers = _one_for_each(robots_df.select(origin(origin_column).alias(_KEY), *answer), answer)
    joined = df.withColumn(_KEY, origin(url)).join(answers, _KEY, "left").drop(_KEY)
    schema = StructType(list(df.schema.fields))
    for name in _COLUMNS:
        schema = schema.add(prefix + name, _TYPES.get(name, "string"))
    options = {"agent": agent, "url": url, "preset": preset, "mode": mode, "dialect": dialect}
    function = partial(_decide_batches, {**options, "append": False}, list(df.columns), new)
    return joined.mapInArrow(function, schema)


def _one_for_each(answers: DataFrame, names: list[str]) -> DataFrame:
    """The answers, one for each origin: a second one would double the pages of its origin."""
    from pyspark.sql import functions as f

    count, key = f.col("comity_count"), f.col(_KEY)
    grouped = answers.where(key.isNotNull()).groupBy(_KEY)
    counted = grouped.agg(
        f.count(f.lit(1)).alias("comity_count"), *(f.first(name).alias(name) for name in names)
    )
    twice = f.raise_error(f.concat(f.lit("the table of answers has two rows for the origin "), key))
    return counted.select(f.when(count > 1, twice).otherwise(key).alias(_KEY), *names)


def _decide_batches(
    options: dict[str, Any], kept: list[str], names: list[str], batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """What runs on an executor, once for each partition."""
    import pyarrow as pa

    auditor = Auditor(**options)
    for batch in batches:
        decided = auditor.decide(batch)
        columns = [batch.column(name) for name in kept]
        columns += [c.cast(pa.int64()) if c.type == pa.uint32() else c for c in decided.columns]
        yield pa.RecordBatch.from_arrays(columns, names=kept + names)
