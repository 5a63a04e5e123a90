"""Decisions in DuckDB: a function for SQL.

>>> import duckdb
>>> import comity.duckdb
>>> con = duckdb.connect()
>>> comity.duckdb.register(con)
>>> body = "User-agent: *\\nDisallow: /private\\n"
>>> con.execute("SELECT comity_allowed('https://a.example/private', ?, 'examplebot')", [body]).fetchall()
[(False,)]

`comity.arrow.decide` takes whole relations and adds every column. The relation that it returns belongs to the connection of
its input.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._names import Dialect, Preset
from .arrow import Auditor

if TYPE_CHECKING:
    import duckdb

__all__ = ["register"]


def register(
    con: duckdb.DuckDBPyConnection, *, preset: Preset = "rfc9309", dialect: Dialect | None = None
) -> None:
    """Adds the function ``comity_allowed(url, robots, agent)`` to a connection.

    The function returns true if a crawler with the product token ``agent`` may fetch ``url``. ``robots`` is the text of its
    origin's robots.txt. The result is NULL for a row that cannot be decided: a text that is not a URL, a name that is not a
    product token, or an unknown robots.txt (NULL). For a site without a robots.txt, pass an empty text. ``preset`` and
    ``dialect`` are as in :func:`comity.arrow.decide`. Pass bodies that are BLOBs as ``decode(body)``.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    from duckdb.sqltypes import BOOLEAN, VARCHAR

    auditor = Auditor(
        preset=preset, dialect=dialect, outputs=["allowed"], keep=False, cache_bytes=64 << 20
    )

    # DuckDB reads the annotations.
    def allowed(url: Any, robots: Any, agent: Any) -> Any:
        table = pa.table({"url": url, "robots": robots, "agent": agent})
        decided = auditor.decide(table)["allowed"]
        # An unknown robots.txt must not count as a file that allows everything.
        return pc.if_else(pc.is_null(robots), None, decided)

    con.create_function(
        "comity_allowed",
        allowed,
        [VARCHAR, VARCHAR, VARCHAR],
        BOOLEAN,
        type="arrow",
        null_handling="special",
    )
