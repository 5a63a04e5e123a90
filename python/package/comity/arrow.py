"""Verdicts for tables of URLs, as Arrow data, without a Python object for each row.

>>> import pyarrow as pa
>>> from comity import arrow
>>> urls = pa.table({
...     "url": ["https://a.example/search?q=1", "https://a.example/about", "nonsense"],
...     "robots": ["User-agent: *\\nDisallow: /search\\n"] * 3,
... })
>>> verdicts = arrow.decide(urls, agent="examplebot")
>>> verdicts["verdict"].to_pylist()
['disallowed_explicit', 'allowed_implicit', None]
>>> verdicts["line"].to_pylist()
[2, None, None]

The input is any object with Arrow's methods (``__arrow_c_stream__``, ``__arrow_c_array__``), a ``DataFrame`` of pandas, or a
mapping of columns. The output is a table of the same library: a ``RecordBatch``, ``Table`` (also for a mapping) or
``RecordBatchReader`` of pyarrow, a ``DataFrame`` of polars or pandas, a relation of DuckDB. For any other input, the output is an
object with Arrow's methods.

These are the input columns. All except the first are optional. ``columns={"url": "page"}`` sets other names, and the name None
excludes a column:

- ``url``: the URL to decide.
- ``agent``: a product token per row, unless ``agent=`` names one for all rows.
- ``robots``: the body of the robots.txt of the URL's origin.
- ``robots_status``, ``robots_failure``, ``robots_content_type``: the status code and ``Content-Type`` of the answer that had
  the body, or the reason for a missing answer (``timeout``, ``dns``, ``tls``, ``connection``, ``protocol``, ``redirects``,
  ``guard``, ``oversize``, ``unsupported_coding``, ``local``).
- ``robots_fetched_at``: the time at which the answer was received.
- ``seen_at``: the time at which the page was seen. The robots.txt of that time decides.
- ``page_status``, ``page_headers``: the status code and the header of the page itself, for the column ``refusal``.
- ``robots_key``: the key of a row in the table ``robots=``; the default is the origin of the URL.

The table ``robots=`` has a column ``key`` (an origin, any URL of it, a bare host, or a key of your own) and any of the columns
``body``, ``status``, ``failure``, ``content_type`` and ``fetched_at``, of which ``body``, ``status`` or ``failure`` is
required; ``robots_columns={"key": "origin"}`` gives other names. If the table is a mapping, it must not have other keys.
Several rows of a key are its history: the state at ``seen_at`` follows from the answers up to that time, including last good
copies.

A row without any answer is ``unknown_unreachable``. The column ``answer`` contains the answer that decided: a status
(``http_200``) or a failure (``timeout``). If there is no answer, the column contains the reason: ``none``, ``not_yet`` (the
first answer came after ``seen_at``), ``no_time`` (``seen_at`` is null) or ``undated`` (``fetched_at`` is null).
``versions="nearest"`` takes the answer nearest to ``seen_at``, before or after it, for archives with few captures. A row that
cannot be decided, for example because its URL is invalid, has only the reason in ``error``; it does not affect other rows.

The values of ``verdict``, ``recommendation``, ``treatment``, ... are those of the rest of the package. Each column about use
(``usage=True``) is the stance of one signal on one use: ``allow``, ``disallow`` or ``unknown``. Stances are never combined.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from ._comity import (
    Agent,
    NativeAuditor,
    NativeRobotsTable,
    NativeStream,
    origin,
)
from ._comity import outputs as _outputs
from ._names import Dialect, Preset
from .errors import BatchError

__all__ = [
    "OUTPUTS",
    "USAGE_OUTPUTS",
    "VERDICT_OUTPUTS",
    "Auditor",
    "RobotsTable",
    "decide",
    "origin",
]

_verdicts, _others, _usage = _outputs()

VERDICT_OUTPUTS: tuple[str, ...] = tuple(_verdicts)
"""The default output columns."""
USAGE_OUTPUTS: tuple[str, ...] = tuple(_usage)
"""The columns about use."""
OUTPUTS: tuple[str, ...] = (*_verdicts[:-1], *_others, *_usage, _verdicts[-1])
"""All possible output columns."""

_INPUTS = (
    "url",
    "agent",
    "robots",
    "robots_key",
    "robots_status",
    "robots_failure",
    "robots_content_type",
    "robots_fetched_at",
    "seen_at",
    "page_status",
    "page_headers",
)

_TABLE_COLUMNS = ("key", "body", "status", "failure", "content_type", "fetched_at")

_T = TypeVar("_T")


def _chosen(outputs: Iterable[str] | None, usage: bool) -> list[str]:
    """Returns the names of the output columns."""
    if isinstance(outputs, str):
        outputs = [outputs]
    names = list(VERDICT_OUTPUTS if outputs is None else dict.fromkeys(outputs))
    if usage:
        # A requested column `error` stays the last.
        end = len(names) - (names[-1:] == ["error"])
        names[end:end] = [name for name in USAGE_OUTPUTS if name not in names]
    return names


def _library(data: object) -> str:
    """Returns the name of the library that a table belongs to, or an empty text."""
    for base in type(data).__mro__:
        module = base.__module__.split(".")[0]
        if module in {"pyarrow", "polars", "pandas", "duckdb", "_duckdb"}:
            return module.lstrip("_")
    return ""


def _arrow(data: object, needed: Iterable[str] | None = None) -> Any:
    """Returns a table as an object with Arrow's methods; for a table of pandas, with only the necessary columns."""
    if _library(data) == "pandas":
        import pyarrow as pa

        frame: Any = data
        if needed is not None:
            frame = frame[[name for name in needed if name in frame.columns]]
        return pa.Table.from_pandas(frame, preserve_index=False)
    if isinstance(data, Mapping):
        import pyarrow as pa

        return pa.table(data)
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        return data
    hint = "collect() it first" if _library(data) == "polars" else "turn it into a pyarrow.Table"
    raise TypeError(f"{type(data).__qualname__} does not export Arrow data: {hint}")


class RobotsTable:
    """Robots.txt files by key, for joins with many tables of URLs. The files are read once, instead of once for each table.

    >>> table = RobotsTable({"key": ["https://a.example"], "body": [b"User-agent: *\\nDisallow: /\\n"]})
    >>> len(table)
    1
    """

    def __init__(self, data: object, *, columns: Mapping[str, str | None] | None = None) -> None:
        """Reads a table with the columns ``key``, ``body``, ... in any form that :func:`decide` accepts."""
        if isinstance(data, Mapping):
            accepted = {name: (columns or {}).get(name, name) for name in _TABLE_COLUMNS}
            unknown = [str(key) for key in data if key not in accepted.values()]
            if unknown:
                raise BatchError(
                    f"robots: unknown keys {', '.join(unknown)}; must be among: "
                    f"{', '.join(name for name in accepted.values() if name)}"
                )
        self._native = NativeRobotsTable(_arrow(data), list((columns or {}).items()))
        if self.bare_hosts:
            warnings.warn(
                f"{self.bare_hosts} keys are bare hosts, each of which means its https and its http origin: "
                "write origins, such as https://example.com",
                stacklevel=2,
            )

    @property
    def bare_hosts(self) -> int:
        """The number of keys that are bare hosts (``example.com``). A bare host means its https and its http origin."""
        return self._native.bare_hosts

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        return f"<RobotsTable of {len(self)} keys>"


class Auditor:
    """Decides any number of tables, and caches the robots.txt files that it has read, up to ``cache_bytes``.

    ``agent`` is a product token or an :class:`comity.Agent`. ``preset`` sets the consequence of a status code. ``dialect`` reads
    bodies in another dialect than the preset's. ``outputs`` chooses columns by name (``OUTPUTS``); ``usage=True`` adds the
    columns about use. ``keep=False`` leaves out the input columns, ``prefix`` is put before the names of the output columns.
    ``versions`` chooses the answer for a row with a time: ``as_of`` (the state at that time) or ``nearest``.
    ``dictionary=True`` writes columns with few distinct words as Arrow dictionaries, which take a twentieth of the memory.
    ``threads`` is the maximum number of threads that decide a batch of a table or a stream; 0 means the number of cores. Each
    thread decides consecutive rows, about 4,096 or more, and has its own cache within its part of ``cache_bytes``. A single
    ``RecordBatch`` is decided on one thread.

    Threads may share an auditor, but their calls wait for each other. Copies and pickles start with an empty cache.
    """

    def __init__(
        self,
        *,
        agent: str | Agent | None = None,
        robots: object = None,
        preset: Preset = "rfc9309",
        dialect: Dialect | None = None,
        outputs: Iterable[str] | None = None,
        usage: bool = False,
        columns: Mapping[str, str | None] | None = None,
        robots_columns: Mapping[str, str | None] | None = None,
        keep: bool = True,
        prefix: str = "",
        dictionary: bool = False,
        cache_bytes: int = 256 << 20,
        versions: str = "as_of",
        threads: int = 1,
    ) -> None:
        if robots is not None and not isinstance(robots, RobotsTable):
            robots = RobotsTable(robots, columns=robots_columns)
        elif robots_columns is not None:
            raise TypeError(
                "robots_columns names the columns of a table: pass the table as robots="
            )
        self._table = robots
        self._columns = dict(columns or {})
        self._options: dict[str, Any] = {
            "agent": agent,
            "preset": preset,
            "dialect": dialect,
            "outputs": _chosen(outputs, usage),
            "prefix": prefix,
            "dictionary": dictionary,
            "cache_bytes": cache_bytes,
            "versions": versions,
            "threads": threads,
        }
        self._keep = keep
        self._native = self._auditor(keep)
        self._bare: NativeAuditor | None = None

    def _auditor(self, keep: bool) -> NativeAuditor:
        return NativeAuditor(
            **self._options,
            table=None if self._table is None else self._table._native,
            names=list(self._columns.items()),
            keep=keep,
        )

    def __getstate__(self) -> dict[str, Any]:
        if self._table is not None:
            raise TypeError(
                "an Auditor with a table of robots.txt files cannot be pickled: create one in the other process"
            )
        return {**self._options, "columns": self._columns, "keep": self._keep}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def __repr__(self) -> str:
        return f"<Auditor for {self._options['agent']!r}, preset {self._options['preset']}>"

    def decide(self, data: _T) -> _T:
        """Decides every row, and returns a table of the input's type."""
        library = _library(data)
        made: Any
        if library == "pandas":
            frame: _T = self._decide_pandas(data)
            return frame
        source = _arrow(data)
        if library == "pyarrow":
            table: _T = self._decide_pyarrow(source)
            return table
        made = self._native.decide_stream(source) if hasattr(source, "__arrow_c_stream__") else None
        if made is None:
            made = self._native.decide_batch(source)
        elif library == "polars":
            import polars as pl

            made = pl.DataFrame(made)
        elif library == "duckdb":
            import pyarrow as pa

            relation: Any = data
            # A relation can be read repeatedly, and a stream only once. DuckDB finds the table by the name of this variable.
            comity_decided = pa.RecordBatchReader.from_stream(made).read_all()
            made = relation.query("comity_given", "SELECT * FROM comity_decided")
            del comity_decided
        elif isinstance(data, Mapping):
            import pyarrow as pa

            made = pa.table(made)
        decided: _T = made
        return decided

    def stream(self, data: object) -> NativeStream:
        """Decides each batch when it is read, for data larger than memory.

        The stream has ``__arrow_c_stream__`` and can be read once: ``for batch in stream`` (with pyarrow), or
        ``pyarrow.RecordBatchReader.from_stream(stream)``.
        """
        return self._native.decide_stream(_arrow(data))

    def _decide_pyarrow(self, data: Any) -> Any:
        import pyarrow as pa

        if isinstance(data, (pa.RecordBatch, pa.StructArray)):
            return pa.record_batch(self._native.decide_batch(data))
        stream = self._native.decide_stream(data)
        if isinstance(data, pa.RecordBatchReader):
            return pa.RecordBatchReader.from_stream(stream)
        return pa.table(stream)

    def _decide_pandas(self, data: Any) -> Any:
        """Decides a DataFrame. The input columns keep their types; the output columns have Arrow's (``ArrowDtype``)."""
        import pandas as pd
        import pyarrow as pa

        if not isinstance(data, pd.DataFrame):
            raise TypeError(
                f"pass a DataFrame, not a {type(data).__name__}: series.to_frame('url')"
            )
        if self._bare is None:
            self._bare = self._auditor(keep=False)
        needed = dict.fromkeys([*_INPUTS, *(name for name in self._columns.values() if name)])
        table = pa.table(self._bare.decide_stream(_arrow(data, needed)))
        verdicts = table.to_pandas(types_mapper=pd.ArrowDtype)
        verdicts.index = data.index
        if not self._keep:
            return verdicts
        taken = [name for name in verdicts.columns if name in data.columns]
        if taken:
            raise BatchError(
                f"the batch has a column `{taken[0]}` already: pass prefix=... for the verdict columns, or keep=False to leave "
                "out the input columns"
            )
        return pd.concat([data, verdicts], axis=1)


def decide(
    data: _T,
    *,
    agent: str | Agent | None = None,
    robots: object = None,
    preset: Preset = "rfc9309",
    dialect: Dialect | None = None,
    outputs: Iterable[str] | None = None,
    usage: bool = False,
    columns: Mapping[str, str | None] | None = None,
    robots_columns: Mapping[str, str | None] | None = None,
    keep: bool = True,
    prefix: str = "",
    dictionary: bool = False,
    versions: str = "as_of",
    threads: int = 1,
) -> _T:
    """Decides every row of a table, and returns a table of the input's type; see :class:`Auditor`."""
    auditor = Auditor(
        agent=agent,
        robots=robots,
        preset=preset,
        dialect=dialect,
        outputs=outputs,
        usage=usage,
        columns=columns,
        robots_columns=robots_columns,
        keep=keep,
        prefix=prefix,
        dictionary=dictionary,
        versions=versions,
        threads=threads,
    )
    return auditor.decide(data)
