"""Small sites on the loopback interface that count their requests."""

from __future__ import annotations

import socket
import ssl
import struct
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PATIENCE = 600
"""Seconds for which a test waits for a program or an answer. A busy machine may need minutes."""


@dataclass
class Answer:
    """The response of a site to requests for one path."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    held: threading.Event | None = None
    """Event that the site waits for before it answers."""
    missing: int = 0
    """Number of octets that `Content-Length` includes and the site does not send."""
    resets: bool = False
    """True if the site resets the connection instead of answering."""


class Site:
    """A site with an answer for each path. The path `*` stands for all other paths, whose default is 404."""

    def __init__(self, answers: dict[str, Answer], tls: ssl.SSLContext | None = None) -> None:
        self.answers = answers
        self.hits: Counter[str] = Counter()
        self.targets: list[str] = []
        self.times: list[float] = []
        self.fields: list[dict[str, str]] = []
        self.dropped = threading.Event()
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Header and body are sent in one write. A second write would wait 40 ms for the acknowledgement of the first.
            wbufsize = -1

            def do_GET(self) -> None:
                site.hits[self.path] += 1
                # The target comes from the request line, because `path` merges leading slashes.
                site.targets.append(self.requestline.split(" ")[1])
                site.times.append(time.monotonic())
                site.fields.append(dict(self.headers.items()))
                answer = site.answers.get(self.path) or site.answers.get("*") or Answer(404)
                until = time.monotonic() + answer.delay
                while time.monotonic() < until if answer.held is None else not answer.held.is_set():
                    # Reading from a client that has disconnected returns the end of the stream.
                    self.connection.settimeout(0.02)
                    try:
                        if not self.connection.recv(1):
                            site.dropped.set()
                            self.close_connection = True
                            return
                    except TimeoutError:
                        continue
                    except OSError:
                        site.dropped.set()
                        return
                self.connection.settimeout(None)
                if answer.resets:
                    # A linger of zero resets the connection.
                    linger = struct.pack("ii", 1, 0)
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                    self.close_connection = True
                    return
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body) + answer.missing))
                self.end_headers()
                self.wfile.write(answer.body)
                self.close_connection = self.close_connection or answer.missing > 0

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            request_queue_size = 256
            daemon_threads = True

        self.server = Server(("127.0.0.1", 0), Handler)
        if tls is not None:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        scheme = "http" if tls is None else "https"
        self.url = f"{scheme}://127.0.0.1:{self.server.server_port}"

    def at(self, path: str) -> str:
        return self.url + path


@contextmanager
def site(tls: ssl.SSLContext | None = None, /, **answers: Answer) -> Iterator[Site]:
    """Runs a site. The keywords are the paths of its answers: ``robots`` is ``/robots.txt``, ``otherwise`` any other path."""
    paths = {
        "robots": "/robots.txt",
        "llms": "/llms.txt",
        "sitemap": "/sitemap.xml",
        "otherwise": "*",
    }
    served = Site({paths.get(name, "/" + name): answer for name, answer in answers.items()}, tls)
    thread = threading.Thread(target=served.server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield served
    finally:
        served.server.shutdown()
        served.server.server_close()


def were_paced(since: float, times: list[float], seconds: float) -> bool:
    """Returns True if request number *n* (from 0) arrived at least *n* times ``seconds`` after ``since``.

    ``since`` is a time before the first request. Requests can arrive late, but never early, so the check also works on a busy
    machine.
    """
    return all(at >= since + number * seconds - 0.001 for number, at in enumerate(sorted(times)))
