"""Decisions in DuckDB: a function for SQL.

>>> import duckdb
>>> import comity.duckdb
>>> con = duckdb.connect()
>>> comity.duckdb.register(con)
>>> body = "User-agent: *\\nDisallow: /private\\n"
>>> con.execute("SELECT comity_allowed('https://a.example/private', ?, 'examplebot')", [body]).fetchall()
[(False,)]

`comity.arrow.decide` takes relations whole and adds every column; the relation that comes back belongs to the connection of
the one that went in.
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
    """Gives a connection the function ``comity_allowed(url, robots, agent)``.

    It is true if a crawler with the product token ``agent`` may fetch ``url``, given the text of its origin's robots.txt, and
    NULL for a row that cannot be decided: a text that is no URL, a name that is no token, or no robots.txt (NULL; that of a
    site without one is empty).
    ``preset`` and ``dialect`` are as in :func:`comity.arrow.decide`. Bodies that are BLOBs are passed as ``decode(body)``.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    from duckdb.sqltypes import BOOLEAN, VARCHAR

    auditor = Auditor(
        preset=preset, dialect=dialect, outputs=["allowed"], keep=False, cache_bytes=64 << 20
    )

    # DuckDB reads annotations.
    def allowed(url: Any, robots: Any, agent: Any) -> Any:
        table = pa.table({"url": url, "robots": robots, "agent": agent})
        decided = auditor.decide(table)["allowed"]
        # A robots.txt that nobody has is no robots.txt that allows everything.
        return pc.if_else(pc.is_null(robots), None, decided)

    con.create_function(
        "comity_allowed",
        allowed,
        [VARCHAR, VARCHAR, VARCHAR],
        BOOLEAN,
        type="arrow",
        null_handling="special",
    )
