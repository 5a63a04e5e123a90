"""HTTP dates."""

from __future__ import annotations

import email.utils

#: Largest offset of a zone, in seconds.
_LARGEST_OFFSET = 100 * 3600


def parse_date(string: str) -> int:
    """Parses an HTTP date, including the obsolete forms (RFC 9110 §5.6.7), and returns seconds since 1970.

    Raises ValueError if the text is not a date.
    """
    parsed = email.utils.parsedate_tz(string)
    # A zone has four digits. Longer ones overflow.
    if parsed is None or abs(parsed[9] or 0) > _LARGEST_OFFSET:
        raise ValueError(f"`{string}` is not an HTTP date, such as `Sun, 06 Nov 1994 08:49:37 GMT`")
    return email.utils.mktime_tz((*parsed[:9], parsed[9] or 0))
