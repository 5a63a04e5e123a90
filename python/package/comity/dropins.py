"""All drop-ins: `comity.urllib`, `comity.exclusion`, `comity.protego` and `comity.reppy`.

A drop-in replaces a library, its *original*. A program only changes its import. By default, drop-ins return the answers of their
originals, except that of reppy, which follows RFC 9309. To get the answers of RFC 9309 from the others, set the dialect: for one
parser (`RobotFileParser(dialect="rfc9309")`), for one class (attribute `dialect`), or for the whole program.

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
    """Sets the default dialect of all parsers that are created from now on. None restores the dialects of the originals.

    Raises `UnknownNameError` for an unknown dialect.
    """
    global _program
    if dialect is not None:
        Robots.parse(b"", dialect=dialect)
    _program = dialect


def dialect_of(given: Dialect | None, of_class: Dialect | None, of_original: Dialect) -> Dialect:
    """Returns the first dialect that is set: for the parser, for its class, for the program, or by the original."""
    return given or of_class or _program or of_original
