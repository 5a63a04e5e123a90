"""HTTP dates."""

from __future__ import annotations

import email.utils


def parse_date(string: str) -> int:
    """Parses an HTTP date in any of the three forms of RFC 9110 §5.6.7. Returns seconds since 1970.

    Raises ValueError for other text.
    """
    parsed = email.utils.parsedate_tz(string)
    if parsed is None:
        raise ValueError(f"`{string}` is not an HTTP date, such as `Sun, 06 Nov 1994 08:49:37 GMT`")
    return email.utils.mktime_tz((*parsed[:9], parsed[9] or 0))
