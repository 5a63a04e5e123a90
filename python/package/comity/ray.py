"""Verdicts in Ray Data.

decided = dataset.map_batches(comity.ray.Decide, fn_constructor_args=("examplebot",),
                              batch_format="pyarrow", concurrency=2)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .arrow import Auditor

if TYPE_CHECKING:
    import pyarrow as pa

    from ._comity import Agent

__all__ = ["Decide"]


class Decide:
    """Adds the columns of verdicts to each batch; takes what :class:`comity.arrow.Auditor` takes.

    Each worker makes one and keeps it, so a robots.txt is parsed once on each of them.
    """

    def __init__(self, agent: str | Agent | None = None, **options: Any) -> None:
        """Make one that has parsed nothing yet."""
        self._auditor = Auditor(agent, **options)

    def __call__(self, batch: pa.Table) -> pa.Table:
        """Decide a batch of ``batch_format="pyarrow"``."""
        table: pa.Table = self._auditor.decide(batch)
        return table
