"""Verdicts in Ray Data: a class for ``map_batches``.

    import ray
    from comity.ray import Decide

    pages = ray.data.read_parquet("pages/")            # url, robots, robots_status, ...
    verdicts = pages.map_batches(
        Decide,
        fn_constructor_kwargs={"agent": "examplebot"},
        batch_format="pyarrow",
        batch_size=65_536,
        compute=ray.data.ActorPoolStrategy(size=4),
    )

Each actor caches parsed robots.txt files, so repeated bodies cost little. Rows are not grouped by origin, so several actors
can decide the rows of one large origin. The robots.txt files can also be in a separate table that fits in an actor's memory.
Pass a reference to the table, and each actor joins it by origin::

    fn_constructor_kwargs={"agent": "examplebot", "robots": ray.put(table)}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .arrow import Auditor

if TYPE_CHECKING:
    import pyarrow as pa

    from ._comity import Agent

__all__ = ["Decide"]


class Decide:
    """Decides batches. ``map_batches`` creates one object in each actor.

    Accepts the arguments of :class:`comity.arrow.Auditor`; ``robots`` may be a reference that ``ray.put`` returned.
    """

    def __init__(
        self, agent: str | Agent | None = None, *, robots: object = None, **options: Any
    ) -> None:
        if type(robots).__name__ == "ObjectRef":
            import ray

            robots = ray.get(robots)
        self._auditor = Auditor(agent=agent, robots=robots, **options)

    def __call__(self, batch: pa.Table) -> pa.Table:
        """Decides one batch, in pyarrow's format."""
        if isinstance(batch, dict):
            raise TypeError(
                'cannot decide batches of NumPy arrays: pass batch_format="pyarrow" to map_batches'
            )
        return self._auditor.decide(batch)
