"""The command ``comity``: ``python -m comity``, and the script that the package installs."""

from __future__ import annotations

import signal
import sys

from ._command import require
from .errors import MissingExtraError

__all__ = ["main"]


def main() -> int:
    """Runs the command with the arguments of the process and returns its exit code."""
    try:
        require("the command")
    except MissingExtraError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    from ._comity import run

    # Python's own handler would run only after the command has returned.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.stdout.flush()
    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
