"""Decisions in polars: an expression namespace, for eager and lazy frames.

>>> import polars as pl
>>> import comity.polars
>>> body = "User-agent: *\\nDisallow: /private\\n"
>>> pages = pl.LazyFrame({"url": ["https://a.example/private", "https://a.example/"], "robots": [body, body]})
>>> pages.filter(pl.col("url").comity.allowed("robots", agent="examplebot")).collect()["url"].to_list()
['https://a.example/']

The namespace is an attribute of the expression with the URLs. `comity.arrow.decide` accepts a whole `DataFrame`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import polars as pl

from ._names import Dialect, Preset
from .arrow import Auditor

if TYPE_CHECKING:
    from ._comity import Agent

__all__ = ["Comity"]


@pl.api.register_expr_namespace("comity")
class Comity:
    """Decisions about a column of URLs: ``pl.col("url").comity``."""

    def __init__(self, url: pl.Expr) -> None:
        """Stores the expression with the URLs. Polars calls this method."""
        self._url = url

    def allowed(
        self,
        robots: pl.Expr | str,
        *,
        agent: pl.Expr | str | Agent,
        preset: Preset = "rfc9309",
        dialect: Dialect | None = None,
    ) -> pl.Expr:
        """Returns a boolean for each URL: true if it may be fetched, null if the row cannot be decided."""
        decided = self.decide(
            robots, agent=agent, preset=preset, dialect=dialect, outputs=["allowed"]
        )
        return decided.struct.field("allowed")

    def decide(
        self,
        robots: pl.Expr | str,
        *,
        agent: pl.Expr | str | Agent,
        preset: Preset = "rfc9309",
        dialect: Dialect | None = None,
        outputs: Iterable[str] | None = None,
    ) -> pl.Expr:
        """Returns the decision about each URL as a struct. Its fields are the ``outputs`` of :func:`comity.arrow.decide`.

        ``robots`` is the column of the robots.txt bodies, as a name or an expression. ``agent`` is a product token, a
        `comity.Agent`, or an expression with a token for each row.
        """
        columns = {
            "url": self._url,
            "robots": pl.col(robots) if isinstance(robots, str) else robots,
        }
        if isinstance(agent, pl.Expr):
            columns["agent"] = agent
        auditor = Auditor(
            agent=None if isinstance(agent, pl.Expr) else agent,
            preset=preset,
            dialect=dialect,
            outputs=outputs,
            keep=False,
        )
        empty = pl.DataFrame(schema=dict.fromkeys(columns, pl.String))
        fields = pl.Struct(auditor.decide(empty).schema)

        def decide(rows: pl.Series) -> pl.Series:
            frame: Any = auditor.decide(rows.struct.unnest())
            return pl.Series(frame.to_struct(rows.name))

        whole = pl.struct(**columns)
        return whole.map_batches(decide, return_dtype=fields, is_elementwise=True)
