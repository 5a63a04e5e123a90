"""Verdicts for columns of URLs, through Arrow: no Python object per row, no copy of what was given.

>>> import pyarrow as pa
>>> from comity import arrow
>>> table = pa.table({
...     "url": ["https://example.com/private/a", "https://example.com/"],
...     "robots": ["User-agent: *\\nDisallow: /private\\n"] * 2,
... })
>>> arrow.decide(table, agent="examplebot").column("verdict").to_pylist()
['disallowed_explicit', 'allowed_implicit']

Columns in: ``url``; the body of robots.txt in ``robots`` (null: there is none), with ``robots_status`` and
``robots_failure`` where they are known; or ``robots_key``, which leads to a row of a second table of answers. ``agent``
names the crawler row by row where no agent is given. Columns out: ``verdict``, ``recommendation``, ``allowed``, ``rule``,
``rule_kind``, ``line``, ``group``, ``crawl_delay``, ``basis``, ``treatment`` and ``error``, which says why a row cannot
be decided. A verdict is the one at the moment when the answer came.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._comity import Agent, ArrowAuditor, ArrowBatch, ArrowStream

__all__ = ["ArrowBatch", "ArrowStream", "Auditor", "decide"]

#: The names under which columns are looked for, in the order in which the compiled half takes them.
_NAMES = ("url", "agent", "robots", "robots_status", "robots_failure", "robots_key")


class Auditor:
    """Decides table after table, and keeps the robots.txt files that it has parsed.

    Each distinct robots.txt is parsed once, however many rows have it. ``cache_bytes`` bounds what is kept. An auditor
    may be used from several threads, which take turns; one for each thread is faster.

    ``answers`` is a second table, with ``robots_key`` and the columns of an answer; the tables to decide then have
    ``robots_key`` in place of bodies. ``usage`` names uses (``train``, ``search``, ``ai_input``) to have columns about, one
    for each signal in robots.txt that speaks about them. ``url``, ``robots`` and so on are other names for the columns to
    read; one that is named has to be there. With ``append=False`` the new columns come alone.
    """

    def __init__(
        self,
        agent: str | Agent | None = None,
        *,
        answers: Any = None,
        preset: str = "rfc9309",
        mode: str | None = None,
        dialect: str | None = None,
        columns: Sequence[str] | None = None,
        usage: Sequence[str] = (),
        prefix: str = "",
        append: bool = True,
        url: str | None = None,
        agent_column: str | None = None,
        robots: str | None = None,
        robots_status: str | None = None,
        robots_failure: str | None = None,
        robots_key: str | None = None,
        cache_bytes: int = 256 << 20,
    ) -> None:
        """Make one that has parsed nothing yet."""
        names = [url, agent_column, robots, robots_status, robots_failure, robots_key]
        self._reads = [own or usual for own, usual in zip(names, _NAMES, strict=True)]
        self._appends = append
        self._inner = ArrowAuditor(
            agent=agent,
            preset=preset,
            mode=mode,
            dialect=dialect,
            names=names,
            columns=None if columns is None else list(columns),
            usage=list(usage),
            prefix=prefix,
            append=append,
            cache_bytes=cache_bytes,
        )
        if answers is not None:
            if _library(answers) == "pandas":
                answers = self._from_pandas(answers)
            self._inner.set_answers(answers)

    def decide(self, data: Any) -> Any:
        """Decide every row of a table, and give back a table of the same kind.

        Kinds: ``RecordBatch``, ``Table`` and ``RecordBatchReader`` of pyarrow; ``DataFrame`` of polars and of pandas (new
        columns have Arrow types); relations of DuckDB (the answer belongs to DuckDB's default connection). Anything
        else with ``__arrow_c_array__`` or ``__arrow_c_stream__`` gives an object with the same method. Readers and
        streams are decided batch by batch as they are read.
        """
        kind = type(data).__name__
        match _library(data):
            case "pyarrow":
                import pyarrow as pa

                if isinstance(data, pa.RecordBatch):
                    return pa.record_batch(self._inner.decide_batch(data))
                reader = pa.RecordBatchReader.from_stream(self._inner.decide_stream(data))
                return reader if isinstance(data, pa.RecordBatchReader) else reader.read_all()
            case "polars" if kind == "DataFrame":
                import polars as pl

                return pl.DataFrame(self._inner.decide_stream(data))
            case "polars":
                raise TypeError(f"pass a polars DataFrame, not {kind}: collect a LazyFrame first")
            case "pandas":
                return self._decide_pandas(data)
            case "duckdb" | "_duckdb":
                return self._decide_duckdb(data)
        if hasattr(data, "__arrow_c_stream__"):
            return self._inner.decide_stream(data)
        if hasattr(data, "__arrow_c_array__"):
            return self._inner.decide_batch(data)
        raise TypeError(
            f"pass a table of pyarrow, polars, pandas or DuckDB, or anything with __arrow_c_stream__, not {kind}"
        )

    def _from_pandas(self, data: Any) -> Any:
        """What is read of a DataFrame; the other columns may be of types that Arrow does not know."""
        import pyarrow as pa

        reads = [name for name in self._reads if name in data.columns]
        return pa.Table.from_pandas(data[reads], preserve_index=False)

    def _decide_pandas(self, data: Any) -> Any:
        import pandas as pd
        import pyarrow as pa

        from .errors import BatchError

        given = self._from_pandas(data)
        table = pa.table(self._inner.decide_stream(given))
        if self._appends:
            table = table.select(range(given.num_columns, table.num_columns))
        decided = table.to_pandas(types_mapper=pd.ArrowDtype)
        decided.index = data.index
        if not self._appends:
            return decided
        if taken := [name for name in decided.columns if name in data.columns]:
            raise BatchError(
                f"there is a column `{taken[0]}` already: give the new columns a prefix, or ask for them alone"
            )
        return pd.concat([data, decided], axis=1)

    def _decide_duckdb(self, data: Any) -> Any:
        import duckdb
        import pyarrow as pa

        # Read whole before it is handed over: a relation that is read while another one is would wait for itself.
        table = pa.table(self._inner.decide_stream(data))
        return duckdb.from_arrow(table)


def decide(data: Any, *, agent: str | Agent | None = None, **options: Any) -> Any:
    """Decide every row of a table; see :class:`Auditor` for the options and :meth:`Auditor.decide` for the tables."""
    return Auditor(agent, **options).decide(data)


def _library(data: Any) -> str:
    """The package that a table's type comes from."""
    return type(data).__module__.partition(".")[0]
