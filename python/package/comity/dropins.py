"""All drop-ins: `comity.urllib`, `comity.exclusion`, `comity.protego` and `comity.reppy`.

A drop-in gives the answers of its original, so a changed import changes no answer. One argument selects RFC 9309's answers, for
one parser (`RobotFileParser(dialect="rfc9309")`), for one class (its attribute `dialect`), or for a whole program:

    >>> import comity.dropins
    >>> comity.dropins.use_dialect("rfc9309")
    >>> from comity.exclusion import RobotExclusionRulesParser
    >>> RobotExclusionRulesParser().dialect
    'rfc9309'
    >>> comity.dropins.use_dialect(None)
    >>> RobotExclusionRulesParser().dialect
    'gym2008'
"""

from __future__ import annotations

from comity import Robots
from comity._names import Dialect

__all__ = ["use_dialect"]

_program: Dialect | None = None


def use_dialect(dialect: Dialect | None) -> None:
    """Sets the dialect of all drop-ins that are made from now on without another dialect; None restores that of the originals.

    Raises `UnknownNameError` for an unknown dialect.
    """
    global _program
    if dialect is not None:
        Robots.parse(b"", dialect=dialect)
    _program = dialect


def dialect_of(given: Dialect | None, of_class: Dialect | None, of_original: Dialect) -> Dialect:
    """Returns the dialect of a parser: its own, else that of its class, else of the program, else of the original."""
    return given or of_class or _program or of_original
