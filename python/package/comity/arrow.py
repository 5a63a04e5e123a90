"""Verdicts for whole tables of URLs: Arrow data in, Arrow data out, no Python object for a row.

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

What comes in: anything with Arrow's methods (``__arrow_c_stream__``, ``__arrow_c_array__``) and the tables of pandas. What
comes out is of the same library: a ``RecordBatch``, ``Table`` or ``RecordBatchReader`` of pyarrow, a ``DataFrame`` of polars
or pandas, a relation of DuckDB; for everything else an object with Arrow's methods.

Columns that are read, all but the first optional; ``columns={"url": "page"}`` gives other names, None for one that is not to
be read:

- ``url``: the URL to decide.
- ``agent``: a product token per row, unless ``agent=`` names one for all.
- ``robots``: the body of the robots.txt of the URL's origin.
- ``robots_status``, ``robots_failure``, ``robots_content_type``: the status code and ``Content-Type`` that it came with, or
  why nothing came (``timeout``, ``dns``, ``tls``, ``connection``, ``protocol``, ``redirects``, ``guard``, ``oversize``,
  ``unsupported_coding``, ``local``).
- ``robots_fetched_at``: when it came.
- ``seen_at``: the time to decide for.
- ``page_status``, ``page_headers``: the status code and the header that the page itself came with, for the column ``refusal``.
- ``robots_key``: which row of the table ``robots=`` is meant; without it, the one of the URL's origin.

The table ``robots=`` has ``key`` (an origin, any URL of it, a bare host, or a key of your own) and of ``body``, ``status``, ``failure``, ``content_type``, ``fetched_at`` what there is;
``robots_columns={"key": "origin"}`` gives other names. Several rows of a key are its history: what held at ``seen_at`` follows
from the answers up to then, last good copies included.

A row without any answer is ``unknown_unreachable``. The column ``answer`` says what is behind it: ``none``, ``not_yet`` (the
first answer came after ``seen_at``), a status (``http_503``) or a failure (``timeout``). ``versions="nearest"`` takes the
answer nearest to ``seen_at``, before or after it, for archives with few captures. A row that cannot be decided, because its URL is none, has the reason in
``error`` and nothing else; it never fails the others.

What is called ``verdict``, ``recommendation``, ``treatment``, ... has the words of the rest of the package. The columns about
use (``usage=True``) say what one signal says of one use, ``allow``, ``disallow`` or ``unknown``; they are never added up.
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
"""The columns that come out unless others are asked for."""
USAGE_OUTPUTS: tuple[str, ...] = tuple(_usage)
"""The columns about use."""
OUTPUTS: tuple[str, ...] = (*_verdicts[:-1], *_others, *_usage, _verdicts[-1])
"""Every column that can come out."""

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

_T = TypeVar("_T")


def _chosen(outputs: Iterable[str] | None, usage: bool) -> list[str]:
    """The columns that come out."""
    if isinstance(outputs, str):
        outputs = [outputs]
    names = list(VERDICT_OUTPUTS if outputs is None else dict.fromkeys(outputs))
    if usage:
        # The error, if it is asked for, stays the last.
        end = len(names) - (names[-1:] == ["error"])
        names[end:end] = [name for name in USAGE_OUTPUTS if name not in names]
    return names


def _library(data: object) -> str:
    """The library that a table is of, or nothing."""
    for base in type(data).__mro__:
        module = base.__module__.split(".")[0]
        if module in {"pyarrow", "polars", "pandas", "duckdb", "_duckdb"}:
            return module.lstrip("_")
    return ""


def _arrow(data: object, needed: Iterable[str] | None = None) -> Any:
    """A table as something with Arrow's methods; of one of pandas the columns that are needed."""
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
    raise TypeError(f"{type(data).__qualname__} does not hand out Arrow data: {hint}")


class RobotsTable:
    """Robots.txt files by key, to be joined to many tables of URLs; reading it once saves reading it each time.

    >>> table = RobotsTable({"key": ["https://a.example"], "body": [b"User-agent: *\\nDisallow: /\\n"]})
    >>> len(table)
    1
    """

    def __init__(self, data: object, *, columns: Mapping[str, str | None] | None = None) -> None:
        """Takes a table with the columns ``key``, ``body``, ... in any form that :func:`decide` takes."""
        self._native = NativeRobotsTable(_arrow(data), list((columns or {}).items()))
        if self.bare_hosts:
            warnings.warn(
                f"{self.bare_hosts} keys are bare hosts, which are taken for their origins with https and http: "
                "write origins, such as https://example.com",
                stacklevel=2,
            )

    @property
    def bare_hosts(self) -> int:
        """How many keys are bare hosts (``example.com``), which stand for their origins with https and http."""
        return self._native.bare_hosts

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        return f"<RobotsTable of {len(self)} keys>"


class Auditor:
    """Decides table after table, and keeps the robots.txt files that it has read, up to ``cache_bytes``.

    ``agent`` is a product token or an :class:`comity.Agent`. ``preset`` says what follows from a status code, ``dialect``
    has bodies read in another dialect than the preset's. ``outputs`` chooses columns by name (``OUTPUTS``);
    ``usage=True`` adds those about use. ``keep=False`` leaves out the columns that came in, ``prefix`` is put before the
    names of those that come out. ``versions`` chooses the answer of a row with a time: ``as_of`` (what held then) or
    ``nearest``. ``dictionary=True`` writes columns of few words as Arrow dictionaries, which take a
    twentieth of the memory. ``threads`` says on how many threads a batch of a table or a stream is decided, in parts of equal
    length that come out one after the other; 0 is as many as there are cores. Each keeps what it has read for itself, within
    its part of ``cache_bytes``. A single ``RecordBatch`` is decided on one.

    Threads may share an auditor, and wait for each other. Copies and pickles start with nothing read.
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
            raise TypeError("robots_columns names the columns of a table: pass it as robots=")
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
                "an Auditor with a table of robots.txt files is not pickled: make one where it is used"
            )
        return {**self._options, "columns": self._columns, "keep": self._keep}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def __repr__(self) -> str:
        return f"<Auditor for {self._options['agent']!r}, preset {self._options['preset']}>"

    def decide(self, data: _T) -> _T:
        """Decides every row, and returns a table of the kind that was given."""
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
            # A relation can be read again and again, so it stands on a table, which DuckDB finds by the variable's name.
            comity_decided = pa.RecordBatchReader.from_stream(made).read_all()
            made = relation.query("comity_given", "SELECT * FROM comity_decided")
            del comity_decided
        elif isinstance(data, Mapping):
            import pyarrow as pa

            made = pa.table(made)
        decided: _T = made
        return decided

    def stream(self, data: object) -> NativeStream:
        """Decides batch by batch, each when it is taken: for more than fits in memory.

        The stream has ``__arrow_c_stream__`` and can be taken once: ``pyarrow.RecordBatchReader.from_stream(stream)``.
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
        """The columns that came in stay what they are; those that come out are Arrow's (``ArrowDtype``)."""
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
            from .errors import BatchError

            raise BatchError(
                f"the batch has a column `{taken[0]}` already: set a prefix for the verdict columns, or keep no input "
                "columns"
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
    """Decides every row of a table, and returns a table of the kind that was given; see :class:`Auditor`."""
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
