"""Verdicts in Spark: joins pages with the robots.txt files of their origins, and decides them in Arrow batches.

    from comity import spark as comity_spark

    verdicts = comity_spark.decide(pages, robots, agent="examplebot")

``pages`` has a column ``url``. ``robots`` has a column ``key`` (an origin, or any URL of it) and any of the columns ``body``,
``status``, ``failure``, ``content_type`` and ``fetched_at``. The result has the columns of ``pages``, followed by those of
:mod:`comity.arrow`. Without ``robots``, the columns ``robots``, ``robots_status``, ... of ``pages`` are read.

One task decides the pages of one origin. If an origin has very many pages, several tasks share them, and each receives all
answers of the origin. So one site with most of the rows does not delay a job.

Several rows of ``robots`` with one origin are the history of its robots.txt. If ``pages`` has a column ``seen_at``, the answers
up to that time decide a page; otherwise the latest answer decides. Among answers with equal times, or without times, any
answer may count as the latest, because a shuffle does not keep the order.

The driver sends only the options to executors, so the package comity must be installed on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ._names import Dialect, Preset
from .arrow import Auditor, RobotsTable, _chosen
from .errors import BatchError, UnknownNameError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

    from ._comity import Agent

__all__ = ["decide", "origin"]

#: The columns of a table of robots.txt files, as `comity.arrow.RobotsTable` reads them.
_ANSWER = ("key", "body", "status", "failure", "content_type", "fetched_at")
#: The columns of the joined frame, whose rows are answers and pages.
_ORIGIN, _PART, _IS_PAGE, _PAGE, _ROBOTS = "origin", "part", "is_page", "page", "robots"
#: Maximum number of pages of an origin in one part. A larger origin is split into parts of about this size.
_PART_ROWS = 65_536
#: The Arrow types of readable columns, by the name of the Spark type.
_READ: dict[str, Callable[[Any], pa.DataType]] = {
    "string": lambda pa: pa.string(),
    "binary": lambda pa: pa.binary(),
    "date": lambda pa: pa.date32(),
    "timestamp": lambda pa: pa.timestamp("us", "UTC"),
    "timestamp_ntz": lambda pa: pa.timestamp("us"),
    "byte": lambda pa: pa.int8(),
    "short": lambda pa: pa.int16(),
    "integer": lambda pa: pa.int32(),
    "long": lambda pa: pa.int64(),
    "float": lambda pa: pa.float32(),
    "double": lambda pa: pa.float64(),
}


def origin(column: Column | str) -> Column:
    """Returns the origin of each URL in a column, in the form of the URL standard: the join key of pages and robots.txt files.

    ``HTTPS://Example.com:443/a`` becomes ``https://example.com``. Text that is not an ``http`` or ``https`` URL becomes null.
    Spark's own ``parse_url`` does not normalize case and default ports. A join by its results would miss some robots.txt files.
    """
    from pyspark.sql import functions as F

    if hasattr(F, "arrow_udf"):  # since Spark 4.1
        import pyarrow as pa

        def by_arrow(urls: pa.Array) -> pa.Array:
            import pyarrow as pa

            from comity._comity import origins

            return pa.array(origins(urls))

        # Spark reads the types of a function from its annotations, which would be strings in this module.
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
    preset: Preset = "rfc9309",
    dialect: Dialect | None = None,
    outputs: Iterable[str] | None = None,
    usage: bool = False,
    columns: Mapping[str, str | None] | None = None,
    robots_columns: Mapping[str, str | None] | None = None,
    prefix: str = "",
    versions: str = "as_of",
    spread: bool = True,
) -> DataFrame:
    """Decides every row of a frame of URLs.

    Pages and answers are joined by origin, with one shuffle. An answer is not copied to every page. The rows are sorted, so a task
    stores only a batch and the answers of its origins.

    The pages of an origin with more than 65,536 pages are distributed over as many tasks as necessary, and each of these tasks
    receives the origin's answers. To find such origins, ``df`` is read a second time, for its URLs only. If computing ``df`` is
    expensive, call ``df.persist()`` before. If no origin is that large, ``spread=False`` avoids the second read.

    The module :mod:`comity.arrow` documents ``columns``, ``robots_columns``, ``outputs``, ``usage``, ``prefix``, ``preset``,
    ``dialect`` and ``versions``.
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
        "versions": versions,
    }
    if robots_df is None:
        if robots_columns is not None:
            raise TypeError(
                "robots_columns names the columns of a frame of robots.txt files: pass the frame as robots_df"
            )
        # Invalid names and columns raise an error here, instead of in every executor.
        Auditor(**options).decide(_empty(df))
        schema = _schema(df.schema.fields, options["outputs"], prefix)
        return df.mapInArrow(_decider(options, df.columns, schema.names), schema)
    url = names.get("url") or "url"
    if url not in df.columns:
        raise BatchError(
            f"no column `{url}` for the URL: there are `{'`, `'.join(df.columns)}`; name the one to read with columns={{'url': ...}}"
        )
    if names.setdefault("robots_key", None) is not None:
        raise TypeError("answers are joined by origin here: leave robots_key out of columns")
    answers = _answers(robots_df, dict(robots_columns or {}))
    Auditor(robots=RobotsTable(_empty(answers)), **options).decide(_empty(df))
    schema = _schema(df.schema.fields, options["outputs"], prefix)
    return _together(df, url, answers, spread).mapInArrow(
        _joiner(options, df.columns, schema.names), schema
    )


def _answers(robots_df: DataFrame, names: dict[str, str | None]) -> DataFrame:
    """Renames the columns of a frame of robots.txt files to the names that `RobotsTable` reads."""
    from pyspark.sql import functions as F

    for name in names:
        if name not in _ANSWER:
            raise UnknownNameError(
                f"robots_columns: unknown name `{name}`; must be one of: {', '.join(_ANSWER)}"
            )
    present = f"there are `{'`, `'.join(robots_df.columns)}`; name the one to read with robots_columns={{...}}"
    found: dict[str, str | None] = {
        what: names.get(what, what if what == "key" or what in robots_df.columns else None)
        for what in _ANSWER
    }
    for what, column in found.items():
        if column is not None and column not in robots_df.columns:
            raise BatchError(f"no column `{column}` for the {what}: {present}")
    if not any(found[what] for what in ("body", "status", "failure")):
        raise BatchError(
            f"the frame of robots.txt files has none of the columns body, status, failure: {present}"
        )
    return robots_df.select(
        *(F.col(f"`{name}`").alias(what) for what, name in found.items() if name)
    )


def _together(df: DataFrame, url: str, answers: DataFrame, spread: bool) -> DataFrame:
    """Joins pages and answers in one frame, by origin, with each origin's answers before its pages."""
    from pyspark.sql import functions as F

    def part(frame: DataFrame, by: Column, name: str, other: str, missing: Any) -> DataFrame:
        whole = F.struct(*(F.col(f"`{column}`") for column in frame.columns))
        return frame.select(
            by.alias(_ORIGIN),
            F.lit(name == _PAGE).alias(_IS_PAGE),
            whole.alias(name),
            F.lit(None).cast(missing).alias(other),
        )

    page = F.col(f"`{url}`").cast("string")
    # A page without an origin is distributed by the text of its URL.
    of_page = F.coalesce(origin(page), page, F.lit(""))
    pages = part(df, of_page, _PAGE, _ROBOTS, answers.schema)
    key = F.col("key").cast("string")
    # A host without a scheme stands for its http and its https origin.
    is_host = key.rlike(r"^[^/?#@\s]*\.[^/?#@\s]*$")
    of_host = F.array(*(origin(F.concat(F.lit(scheme), key)) for scheme in ("https://", "http://")))
    origins = F.explode(F.when(is_host, of_host).otherwise(F.array(origin(key))))
    found = part(answers, origins, _ROBOTS, _PAGE, df.schema)
    both = found.where(F.col(_ORIGIN).isNotNull()).unionByName(pages)
    by = [F.col(_ORIGIN)]
    if spread:
        many = df.groupBy(of_page.alias(_ORIGIN)).count().where(F.col("count") > _PART_ROWS)
        both = _in_parts(both, many, df, url)
        by.append(F.col(_PART))
    return both.repartition(*by).sortWithinPartitions(_ORIGIN, _IS_PAGE)


def _in_parts(both: DataFrame, many: DataFrame, df: DataFrame, url: str) -> DataFrame:
    """Assigns each page to one part of its origin, and each answer to all parts of its origin.

    Only the origins in `many` have more than one part.
    """
    from pyspark.sql import functions as F

    # One join determines the parts of pages and answers. So their number is consistent even if `df` changes between reads.
    parts = F.ceil(F.col("count") / _PART_ROWS).cast("int")
    # The part of a page is a hash of its row, because one URL may have many rows. A repeated task computes an equal part.
    names = [field.name for field in df.schema.fields if field.dataType.typeName() in _READ]
    hashed = F.xxhash64(*(F.col(f"{_PAGE}.`{name}`") for name in sorted({url, *names})))
    of_page = F.array(F.pmod(hashed, F.col("parts")).cast("int"))
    of_answer = F.sequence(F.lit(0), F.col("parts") - 1)
    mine = F.when(F.col("parts").isNull(), F.array(F.lit(0)))
    mine = mine.when(F.col(_IS_PAGE), of_page).otherwise(of_answer)
    hot = F.broadcast(many.select(_ORIGIN, parts.alias("parts")))
    return both.join(hot, _ORIGIN, "left").withColumn(_PART, F.explode(mine)).drop("parts")


def _empty(df: DataFrame) -> pa.Table:
    """Returns a table without rows whose columns have the types that executors will receive."""
    import pyarrow as pa

    kinds = {name: kind(pa) for name, kind in _READ.items()}
    # A column of any other type is ignored, or raises an error if it has to be read.
    other = pa.list_(pa.null())
    fields = [
        (field.name, kinds.get(field.dataType.typeName(), other)) for field in df.schema.fields
    ]
    return pa.schema(fields).empty_table()


def _schema(kept: list[Any], made: Iterable[str], prefix: str) -> Any:
    from pyspark.sql import types as T

    kinds: dict[str, Any] = {
        "allowed": T.BooleanType(),
        "blocked": T.BooleanType(),
        "rule_allows": T.BooleanType(),
        "failed_open": T.BooleanType(),
        "stale": T.BooleanType(),
        "line": T.IntegerType(),
        "crawl_delay": T.DoubleType(),
        "crawl_delay_seconds": T.DoubleType(),
        "usage_rsl_licenses": T.ArrayType(T.StringType()),
    }
    fields = [T.StructField(prefix + name, kinds.get(name, T.StringType())) for name in made]
    names = {field.name for field in kept}
    for field in fields:
        if field.name in names:
            raise BatchError(
                f"the frame has a column `{field.name}` already: pass prefix=... for the verdict columns"
            )
    return T.StructType([*kept, *fields])


_Decider = Callable[["Iterator[pa.RecordBatch]"], "Iterator[pa.RecordBatch]"]


def _decider(options: dict[str, Any], kept: list[str], names: list[str]) -> _Decider:
    """Returns the function that executors run on pages with answers in their columns. It captures only names and options."""

    def decide(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from comity.arrow import Auditor
        from comity.spark import _joined

        auditor = Auditor(**options)
        for batch in batches:
            yield _joined(batch.select(kept), auditor.decide(batch), names)

    return decide


def _joiner(options: dict[str, Any], kept: list[str], names: list[str]) -> _Decider:
    """Returns the function that executors run on a mix of pages and answers. It captures only names and options."""

    def decide(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        import pyarrow.compute as pc

        from comity.arrow import Auditor, RobotsTable
        from comity.spark import _IS_PAGE, _ORIGIN, _PAGE, _ROBOTS, _joined

        # The answers of the last origin in the previous batch.
        known: pa.Table | None = None
        for batch in batches:
            is_page = batch.column(_IS_PAGE)
            found = batch.filter(pc.invert(is_page))
            answers = pa.Table.from_struct_array(found.column(_ROBOTS))
            key = answers.schema.get_field_index("key")
            answers = answers.set_column(key, "key", found.column(_ORIGIN))
            answers = answers.append_column(_ORIGIN, found.column(_ORIGIN))
            known = answers if known is None else pa.concat_tables([known, answers])
            pages = pa.RecordBatch.from_struct_array(batch.filter(is_page).column(_PAGE))
            if pages.num_rows:
                auditor = Auditor(robots=RobotsTable(known), **options)
                yield _joined(pages.select(kept), auditor.decide(pages), names)
            if batch.num_rows:
                last = batch.column(_ORIGIN)[-1]
                known = known.filter(pc.equal(known.column(_ORIGIN), last))

    return decide


def _joined(kept: pa.RecordBatch, verdicts: pa.RecordBatch, names: list[str]) -> pa.RecordBatch:
    """Merges input and verdict columns. Converts unsigned numbers to signed ones, because Spark has no unsigned numbers."""
    import pyarrow as pa

    made = [c.cast(pa.int32()) if c.type == pa.uint32() else c for c in verdicts.columns]
    return pa.RecordBatch.from_arrays([*kept.columns, *made], names=names)
