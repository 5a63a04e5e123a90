"""What can go wrong, by name.

Wrong types raise ``TypeError``, as everywhere in Python; everything else that Comity raises is a ``ComityError``.
"""

from __future__ import annotations

__all__ = ["BatchError", "ComityError", "ReadError", "UnknownNameError", "UrlError"]


class ComityError(Exception):
    """Whatever Comity raises."""


class UrlError(ComityError, ValueError):
    """Text that is neither an absolute URL nor a path."""


class UnknownNameError(ComityError, ValueError):
    """A name that no dialect, preset, mode, profile, failure, scope or strategy has; the message lists those there are."""


class ReadError(ComityError, ValueError):
    """A document that cannot be read at all."""


class BatchError(ComityError, ValueError):
    """A table that cannot be decided as a whole: a column is missing, has a type that is not read, or would be there twice."""
