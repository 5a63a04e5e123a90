"""The command ``comity``: ``python -m comity``, and the script that the package installs."""

from __future__ import annotations

import signal
import sys

from ._comity import run

__all__ = ["main"]


def main() -> int:
    """Runs the command with the arguments of the process and returns its exit code."""
    # Python's own handler would run only after the command has returned.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.stdout.flush()
    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
