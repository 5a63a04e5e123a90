"""HTTP dates."""

from email.utils import mktime_tz, parsedate_tz

__all__ = ["parse_date"]


def parse_date(string: str) -> float:
    """An HTTP date in seconds since 1970, UTC unless it says otherwise. Raises ValueError for anything else."""
    parsed = parsedate_tz(string)
    if parsed is None:
        raise ValueError(f"{string!r} is no date")
    return mktime_tz((*parsed[:9], parsed[9] or 0))
