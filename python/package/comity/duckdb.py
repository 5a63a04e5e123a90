"""Decisions in DuckDB: a function for SQL.

>>> import duckdb
>>> import comity.duckdb
>>> con = duckdb.connect()
>>> comity.duckdb.register(con)
>>> body = "User-agent: *\\nDisallow: /private\\n"
>>> con.execute("SELECT comity_allowed('https://a.example/private', ?, 'examplebot')", [body]).fetchall()
[(False,)]

`comity.arrow.decide` takes whole relations and adds the columns of decisions. The relation that it returns belongs to the
connection of its input.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ._comity import Agent
from ._names import Dialect, Preset
from .arrow import Auditor
from .errors import BatchError

if TYPE_CHECKING:
    import duckdb

__all__ = ["register"]

_NAME = "comity_allowed"
_PARAMETERS = ("url", "robots", "agent")


def register(
    con: duckdb.DuckDBPyConnection, *, preset: Preset = "rfc9309", dialect: Dialect | None = None
) -> None:
    """Adds the function ``comity_allowed(url, robots, agent)`` to a connection.

    The function returns true if a crawler with the product token ``agent`` may fetch ``url``. ``robots`` is the robots.txt of
    its origin, as VARCHAR or BLOB. The result is NULL for a row that cannot be decided: a text that is not a URL, or an
    unknown robots.txt or crawler (NULL). For a site without a robots.txt, pass an empty text. A name that is not a product
    token, such as a whole header, is an error of the query. ``preset`` and ``dialect`` are as in
    :func:`comity.arrow.decide`. A second call replaces the function.
    """
    import duckdb
    import pyarrow as pa
    import pyarrow.compute as pc
    from duckdb.sqltypes import BOOLEAN

    auditor = Auditor(
        preset=preset, dialect=dialect, outputs=["allowed"], keep=False, cache_bytes=64 << 20
    )

    def allowed(*columns: Any) -> Any:
        if len(columns) != len(_PARAMETERS):
            raise BatchError(f"{_NAME} takes {', '.join(_PARAMETERS)}")
        # DuckDB passes a column of NULLs with the Arrow type `null`, but the auditor reads text.
        columns = tuple(
            column.cast(pa.string()) if pa.types.is_null(column.type) else column
            for column in columns
        )
        robots, agents = columns[1], columns[2]
        for name in pc.unique(agents).to_pylist():
            if name is not None:
                Agent(name)
        decided = auditor.decide(pa.table(dict(zip(_PARAMETERS, columns, strict=True))))["allowed"]
        # An unknown robots.txt must not count as a file that allows everything.
        return pc.if_else(pc.is_null(robots), None, decided)

    with suppress(duckdb.InvalidInputException):
        con.remove_function(_NAME)
    # Without a list of parameters, DuckDB passes every type as it is.
    con.create_function(_NAME, allowed, None, BOOLEAN, type="arrow", null_handling="special")
