"""The protocol between the Python runners and the program `differential`.

Input: frames of three fields (robots.txt, agent, URL). A field is its length
as a little-endian u32, followed by its bytes. Output: one line per frame
(README.md).
"""

import os
import signal
import sys

CASE_SECONDS = 2.0


class _TimedOut(BaseException):
    """A timeout. An `except Exception` in the program does not catch it."""


class _Input:
    """Standard input, read in chunks. Flushes standard output before each read."""

    def __init__(self):
        self._buffer = b""
        self._at = 0

    def take(self, count):
        while len(self._buffer) - self._at < count:
            sys.stdout.flush()
            chunk = os.read(0, 1 << 16)
            if not chunk:
                return None
            self._buffer = self._buffer[self._at :] + chunk
            self._at = 0
        taken = self._buffer[self._at : self._at + count]
        self._at += count
        return taken

    def field(self):
        length = self.take(4)
        return None if length is None else self.take(int.from_bytes(length, "little"))


def _on_alarm(_signal, _frame):
    raise _TimedOut


def _answer(decide, body, agent, url):
    try:
        signal.setitimer(signal.ITIMER_REAL, CASE_SECONDS)
        try:
            allowed, line = decide(body, agent, url)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except _TimedOut:
        return "T"
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        return "E " + ascii(text)[1:-1][:200]
    return f"{'A' if allowed else 'D'} {'-' if line is None else line}"


def serve(version, decide):
    """Answers every frame with `decide(body: bytes, agent: str, url: str)`.

    `decide` returns True if the URL is allowed, and the deciding line: a number
    from 1, 0 for no line, or None if the program does not report it.
    """
    if "--version" in sys.argv[1:]:
        print(version)
        return
    signal.signal(signal.SIGALRM, _on_alarm)
    frames = _Input()
    while True:
        body, agent, url = frames.field(), frames.field(), frames.field()
        if url is None:
            break
        print(_answer(decide, body, agent.decode("utf-8"), url.decode("utf-8")))
    sys.stdout.flush()


def cached(parse):
    """Returns a `parse` that caches the result for the last body."""
    last = [None, None]

    def parse_once(body):
        if last[0] != body:
            last[:] = [None, None]
            last[:] = [body, parse(body)]
        return last[1]

    return parse_once
