"""Verdicts in Spark: robots.txt joined by origin, decided in Arrow batches.

    from comity import spark as comity_spark

    verdicts = comity_spark.decide(pages, robots, agent="examplebot")

``pages`` has a column ``url``; ``robots`` a column ``key`` (an origin, or any URL of it) and of ``body``, ``status``,
``failure``, ``content_type``, ``fetched_at`` what there is. The columns of ``pages`` come out, and those of
:mod:`comity.arrow` after them. Without ``robots`` the columns ``robots``, ``robots_status``, ... of ``pages`` are read.

What goes to the executors is the options and nothing else; comity has to be installed there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .arrow import Auditor, _chosen
from .errors import BatchError, UnknownNameError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

    from ._comity import Agent

__all__ = ["decide", "origin"]

_ROBOTS = {
    "body": "robots",
    "status": "robots_status",
    "failure": "robots_failure",
    "content_type": "robots_content_type",
    "fetched_at": "robots_fetched_at",
}
_JOINED = "__comity_"


def origin(column: Column | str) -> Column:
    """The origin of a column of URLs, as the URL standard prints it: what a URL and its robots.txt are joined by.

    ``HTTPS://Example.com:443/a`` gives ``https://example.com``; what is no ``http`` or ``https`` URL gives null. Spark's own
    ``parse_url`` keeps case and default ports, so that pages and robots.txt files of one origin miss each other.
    """
    from pyspark.sql import functions as F

    if hasattr(F, "arrow_udf"):  # since Spark 4.1
        import pyarrow as pa

        def by_arrow(urls: pa.Array) -> pa.Array:
            import pyarrow as pa

            from comity._comity import origins

            return pa.array(origins(urls))

        # Spark reads the types of a function from its annotations, which are text here.
        by_arrow.__annotations__ = {"urls": pa.Array, "return": pa.Array}
        return F.arrow_udf(by_arrow, "string")(column)
    import pandas as pd

    def by_pandas(urls: pd.Series) -> pd.Series:
        import pandas as pd
        import pyarrow as pa

        from comity._comity import origins

        found = pa.array(origins(pa.Array.from_pandas(urls, type=pa.string())))
        return pd.Series(found.to_pylist(), dtype=object)

    by_pandas.__annotations__ = {"urls": pd.Series, "return": pd.Series}
    return F.pandas_udf(by_pandas, "string")(column)


def decide(
    df: DataFrame,
    robots_df: DataFrame | None = None,
    *,
    agent: str | Agent | None = None,
    preset: str = "rfc9309",
    dialect: str | None = None,
    outputs: Iterable[str] | None = None,
    usage: bool = False,
    columns: Mapping[str, str | None] | None = None,
    robots_columns: Mapping[str, str | None] | None = None,
    prefix: str = "",
) -> DataFrame:
    """Decides every row of a frame of URLs.

    ``robots_df`` is joined by origin. Of several rows of one origin the latest counts (``fetched_at``); which one, where
    there is no such column, is for Spark to say. ``columns`` and ``robots_columns`` give other names, as in
    :mod:`comity.arrow`; ``outputs``, ``usage``, ``prefix``, ``preset`` and ``dialect`` are as there.
    """
    names = dict(columns or {})
    options: dict[str, Any] = {
        "agent": agent,
        "preset": preset,
        "dialect": dialect,
        "outputs": _chosen(outputs, usage),
        "columns": names,
        "prefix": prefix,
        "keep": False,
    }
    joined: list[str] = []
    if robots_df is not None:
        df, joined = _join(df, robots_df, names, dict(robots_columns or {}))
    elif robots_columns is not None:
        raise TypeError("robots_columns names the columns of a frame of robots.txt files: pass one")
    # What is wrong with names and columns is told here, and not by every executor.
    Auditor(**options).decide(_empty(df))
    kept = [field for field in df.schema.fields if field.name not in joined]
    schema = _schema(kept, options["outputs"], prefix)
    return df.mapInArrow(_decider(options, [field.name for field in kept], schema.names), schema)


def _join(
    df: DataFrame,
    robots_df: DataFrame,
    names: dict[str, str | None],
    robots_names: dict[str, str | None],
) -> tuple[DataFrame, list[str]]:
    """The frame with its origins' robots.txt, and the columns that were added; ``names`` learns of them."""
    from pyspark.sql import functions as F

    key = robots_names.pop("key", None) or "key"
    for theirs in robots_names:
        if theirs not in _ROBOTS:
            known = ", ".join(["key", *_ROBOTS])
            raise UnknownNameError(f"nothing is read from a column `{theirs}`; known are {known}")
    found = {
        ours: robots_names.get(theirs, theirs if theirs in robots_df.columns else None)
        for theirs, ours in _ROBOTS.items()
    }
    present = "there are `" + "`, `".join(robots_df.columns) + "`; name the one to read"
    for what, name in {"key": key, **found}.items():
        if name is not None and name not in robots_df.columns:
            raise BatchError(
                f"no column `{name}` for the {what.removeprefix('robots_')}: {present}"
            )
    if not any(found[ours] for ours in ("robots", "robots_status", "robots_failure")):
        raise BatchError(
            f"the frame of robots.txt files has none of the columns body, status, failure: {present}"
        )
    if (names.get("url") or "url") not in df.columns:
        raise BatchError(
            f"no column `{names.get('url') or 'url'}` for the URL: there are {df.columns}"
        )
    at = found["robots_fetched_at"]
    fields = F.struct(*(F.col(name).alias(_JOINED + ours) for ours, name in found.items() if name))
    latest = (
        F.first(fields)
        if at is None
        else F.max_by(fields, F.coalesce(F.col(at), F.timestamp_seconds(F.lit(0))))
    )
    keyed = robots_df.withColumn(_JOINED + "origin", origin(F.col(key).cast("string")))
    robots = keyed.groupBy(_JOINED + "origin").agg(latest.alias(_JOINED + "latest"))
    robots = robots.select(_JOINED + "origin", _JOINED + "latest.*")
    df = df.withColumn(_JOINED + "origin", origin(F.col(names.get("url") or "url").cast("string")))
    df = df.join(robots, on=_JOINED + "origin", how="left")
    for ours, name in found.items():
        names[ours] = _JOINED + ours if name else None
    return df, [name for name in df.columns if name.startswith(_JOINED)]


def _empty(df: DataFrame) -> pa.Table:
    """A table without rows with columns such as executors will get."""
    import pyarrow as pa

    kinds = {
        "string": pa.string(),
        "binary": pa.binary(),
        "date": pa.date32(),
        "timestamp": pa.timestamp("us", "UTC"),
        "timestamp_ntz": pa.timestamp("us"),
        "byte": pa.int8(),
        "short": pa.int16(),
        "integer": pa.int32(),
        "long": pa.int64(),
        "float": pa.float32(),
        "double": pa.float64(),
    }
    # Of any other kind it is not read, or there is an error to tell.
    other = pa.list_(pa.null())
    fields = [
        (field.name, kinds.get(field.dataType.typeName(), other)) for field in df.schema.fields
    ]
    return pa.schema(fields).empty_table()


def _schema(kept: list[Any], made: Iterable[str], prefix: str) -> Any:
    from pyspark.sql import types as T

    kinds: dict[str, Any] = {
        "allowed": T.BooleanType(),
        "stale": T.BooleanType(),
        "line": T.IntegerType(),
        "crawl_delay": T.DoubleType(),
        "usage_rsl_licences": T.ArrayType(T.StringType()),
    }
    fields = [T.StructField(prefix + name, kinds.get(name, T.StringType())) for name in made]
    names = {field.name for field in kept}
    for field in fields:
        if field.name in names:
            raise ValueError(
                f"the frame has a column `{field.name}` already: set a prefix for the verdict columns"
            )
    return T.StructType([*kept, *fields])


def _decider(
    options: dict[str, Any], kept: list[str], names: list[str]
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function that executors run: it carries names and options only."""

    def decide(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        from comity.arrow import Auditor

        auditor = Auditor(**options)
        for batch in batches:
            verdicts = auditor.decide(batch)
            by_name = {name: batch.column(name) for name in kept}
            for name in names[len(kept) :]:
                column = verdicts.column(name)
                # Spark has no unsigned numbers.
                by_name[name] = column.cast(pa.int32()) if column.type == pa.uint32() else column
            yield pa.RecordBatch.from_arrays([by_name[name] for name in names], names=names)

    return decide
