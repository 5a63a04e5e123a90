"""Sites on loopback. Each site has its own port, because a robots.txt applies to one port."""

import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Sockets that reserve ports for later sites. The settings of a service list the allowed ports, so they must be known before it
# starts.
_reserved = []


def reserve(number):
    """Reserves this number of ports. Returns all ports that no site has taken yet."""
    for _ in range(number):
        taken = socket.create_server(("127.0.0.1", 0))
        _reserved.append(taken)
    return [taken.getsockname()[1] for taken in _reserved]


class Site:
    """A site. Each path has a function that receives the request handler and sends the answer."""

    def __init__(self, **pages):
        self.pages = pages
        self.seen = []
        self.sent = 0
        self.lock = threading.Lock()
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                path = self.path.split("?")[0]
                with site.lock:
                    site.seen.append((path, time.monotonic(), self.headers.get("User-Agent", "")))
                name = path.strip("/").replace(".", "_") or "index"
                answer = site.pages.get(name, site.pages.get("otherwise", missing))
                try:
                    answer(self)
                except (BrokenPipeError, ConnectionResetError):
                    pass

            def write(self, data):
                self.wfile.write(data)
                with site.lock:
                    site.sent += len(data)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler, bind_and_activate=False)
        self.server.socket.close()
        self.server.socket = _reserved.pop()
        self.server.daemon_threads = True
        self.port = self.server.socket.getsockname()[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, path):
        return f"http://127.0.0.1:{self.port}{path}"

    def count(self, path):
        return sum(1 for seen, *_ in self.seen if seen == path)

    def gaps(self, prefix):
        """Returns the seconds between consecutive requests for paths with a prefix."""
        times = [at for seen, at, _ in self.seen if seen.startswith(prefix)]
        return [late - early for early, late in zip(times, times[1:])]


def reply(status=200, body=b"", content_type="text/html", **fields):
    """Returns a function that answers with a status and a body."""
    body = body.encode() if isinstance(body, str) else body

    def answer(handler):
        handler.send_response(status)
        handler.send_header("Content-Type", content_type)
        handler.send_header("Content-Length", str(len(body)))
        for name, value in fields.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.write(body)

    return answer


def robots(text):
    return reply(200, text, "text/plain")


def endless(content_type="text/html", piece=b"<p>" + b"x" * 65_000 + b"</p>\n"):
    """Returns a function that sends an endless body."""

    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Type", content_type)
        handler.end_headers()
        while True:
            handler.write(piece)

    return answer


def silence(handler):
    """Accepts the request, and closes the connection after a minute without an answer."""
    time.sleep(60)


def settings(number):
    """Reserves ports, and returns the settings of a service that may connect to sites on these ports of loopback."""
    return f'[guard]\nallow_address = ["127.0.0.0/8"]\nallow_port = {reserve(number)}\n'


def missing(handler):
    reply(404, "not found", "text/plain")(handler)


PAGE = reply(200, "<html><body><h1>Title</h1><p>The words of the page, enough of them to be taken for a page.</p></body></html>")
