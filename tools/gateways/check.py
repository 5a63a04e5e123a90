"""Tests the configurations of nginx, Caddy and Envoy in `deploy/`, in which only ports and a token are replaced.

    check.py COMITY [nginx=PATH] [caddy=PATH] [envoy=PATH]

Starts each gateway with its own `comity serve --gateway`, and sends requests through it. All requests stay on loopback.
"""

import http.client
import json
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "assistants"))

from sites import PAGE, Site, reply, robots, settings  # noqa: E402

TOKEN = "a-token-for-this-test-alone"

# Limit of new origins per minute for each caller.
NEW_ORIGINS = 8


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


def wait_for(port, process):
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if process.poll() is not None:
                raise SystemExit(f"{process.args} ended with {process.returncode}")
            time.sleep(0.05)
    raise SystemExit(f"{process.args} does not listen on {port}")


class Running:
    """A program that runs during a `with` block."""

    def __init__(self, command, port, **more):
        self.process = subprocess.Popen(command, **more)
        self.port = port

    def __enter__(self):
        wait_for(self.port, self.process)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)


def comity(command, folder, port, has_token):
    configured = Path(folder, "comity.toml")
    tokens = Path(folder, "tokens")
    tokens.write_text(TOKEN)
    tokens.chmod(0o600)
    flags = ["--config", str(configured), "--store", "memory", "--min-interval", "0", "--contact", "https://example.com/bot"]
    flags += ["--token-file", str(tokens)] if has_token else []
    flags += ["--new-origins", str(NEW_ORIGINS)]
    command = [command, "serve", "--gateway", "--gateway-agent", "OtherBot", "--listen", f"127.0.0.1:{port}", *flags]
    return Running(command, port, stdout=subprocess.DEVNULL)


def nginx(path, folder, port, service_port):
    text = (ROOT / "deploy/nginx/comity.conf").read_text()
    text = text.replace("127.0.0.1:8080", f"127.0.0.1:{port}").replace("127.0.0.1:7273", f"127.0.0.1:{service_port}")
    Path(folder, "comity.conf").write_text(text)
    Path(folder, "nginx.conf").write_text(
        f"daemon off; pid {folder}/nginx.pid; error_log stderr warn; events {{}}\n"
        f"http {{ access_log off; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;"
        f" uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s; include comity.conf; }}\n"
    )
    return Running([path, "-p", folder, "-c", f"{folder}/nginx.conf"], port)


def caddy(path, folder, port, service_port):
    text = (ROOT / "deploy/caddy/Caddyfile").read_text()
    text = text.replace("http://:8080", f"http://:{port}").replace("127.0.0.1:7273", f"127.0.0.1:{service_port}")
    Path(folder, "Caddyfile").write_text(text)
    command = [path, "run", "--config", f"{folder}/Caddyfile", "--adapter", "caddyfile"]
    return Running(command, port, stderr=subprocess.DEVNULL)


def envoy(name):
    def start(path, folder, port, service_port):
        text = (ROOT / "deploy/envoy" / name).read_text()
        text = text.replace("port_value: 10000", f"port_value: {port}").replace("7273", str(service_port))
        text = text.replace("REPLACE-WITH-A-TOKEN", TOKEN)
        Path(folder, name).write_text(text)
        return Running([path, "-c", f"{folder}/{name}", "--use-dynamic-base-id", "-l", "error"], port)

    return start


def ask(port, site, path, **headers):
    """Sends a request through a gateway. Returns status, headers and body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    connection.request("GET", path, headers={"Host": f"127.0.0.1:{site.port}", **headers})
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, body


def ask_raw(port, site, method, target, source="127.0.0.1", host=None):
    """Sends a request with an unencoded target, and returns the status."""
    host = host or f"127.0.0.1:{site.port}"
    with socket.create_connection(("127.0.0.1", port), 20, (source, 0)) as connection:
        head = method + b" " + target + b" HTTP/1.1\r\nHost: " + host.encode() + b"\r\nX-Forwarded-For: 192.0.2.1\r\n"
        connection.sendall(head + b"comity-client: 192.0.2.1\r\nConnection: close\r\n\r\n")
        with connection.makefile("rb") as answer:
            return int(answer.readline().split()[1])


def check_bytes(name, port, site):
    """Asserts that a gateway refuses requests whose URL, method or host a site could read in another way."""
    for method, target in [
        (b"GET", b"/no/x?q=\xc3\xa9"),
        (b"GET", b"/no/\xff"),
        (b"GET", b"/no/x?q=\xe9"),
        (b"GET", b"/no/page.php/\\..\\..\\..\\page"),
        (b"GET", b"/no/%2e%2e/page"),
        (b"GET", b"/no/../page"),
        (b"GET", b"/page/../no/x"),
        (b"GET", b"/#/../no/x"),
        (b"GET", b"no/x"),
        (b"GET", b"*"),
        (b"connect", b"/no/x"),
        (b"CONNECT", b"/no/x"),
        (b"G\xe9T", b"/no/x"),
    ]:
        status = ask_raw(port, site, method, target)
        assert 400 <= status < 500, (name, method, target, status)
    for host in ["127.1", "user@127.0.0.1", "127.0.0.%31", "0x7f000001", f"127.0.0.1:{site.port},127.0.0.1"]:
        status = ask_raw(port, site, b"GET", b"/page", host=host)
        assert 400 <= status < 500, (name, host, status)
    received = [target for target in site.seen if "no/" in str(target)]
    assert not received, received
    # Envoy itself rejects these bytes.
    status = ask_raw(port, site, b"GET", b"/page?q=\xc3\xa9\xff")
    assert status == (400 if name.startswith("envoy") else 200), status


def check_shares(name, port, site):
    """Asserts that a caller with many new hosts and forged address headers does not use up the limit of other callers."""
    # With 403, the guard rejects the port, but the origin is counted. With 429, the limit is reached.
    statuses = [ask_raw(port, site, b"GET", b"/", "127.0.0.2", f"127.9.0.{number}:1") for number in range(1, NEW_ORIGINS + 2)]
    assert statuses == [403] * NEW_ORIGINS + [429], (name, statuses)
    assert ask_raw(port, site, b"GET", b"/", "127.0.0.3", "127.9.1.1:1") == 403, name
    assert ask_raw(port, site, b"GET", b"/page", "127.0.0.2") == 200, name


def check(name, gateway, has_token, command):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "comity.toml").write_text(settings(8))
        service_port, port = free_port(), free_port()
        open_site = Site(
            robots_txt=robots("User-agent: OtherBot\nDisallow: /\n\nUser-agent: *\nDisallow: /no\n"), page=PAGE, otherwise=reply(200, "else")
        )
        slow = Site(robots_txt=robots("User-agent: *\nCrawl-delay: 30\n"), otherwise=PAGE)
        broken = Site(robots_txt=reply(503, "no"), otherwise=PAGE)
        with gateway(folder, port, service_port):
            with comity(command, folder, service_port, has_token):
                status, headers, body = ask(port, open_site, "/page?a=b")
                assert status == 200 and "words of the page" in body, (status, headers, body)
                if name != "caddy":
                    assert headers["comity-verdict"] == "allowed_implicit", headers
                for forged in ({}, {"comity-agent": "OtherBot", "X-Forwarded-Uri": "/page", "comity-scheme": "ftp"}):
                    status, headers, body = ask(port, open_site, "/no/x", **forged)
                    assert status == 403, (status, headers, body)
                    assert headers["comity-outcome"] == "robots_refused", headers
                    assert headers["comity-rule"] == "line 5: Disallow: /no", headers
                    assert json.loads(body)["outcome"] == "robots_refused", body
                status, headers, body = ask(port, open_site, "/page", **{"comity-agent": "OtherBot", "Origin": "https://evil.example"})
                assert status == 200, (status, headers, body)
                assert open_site.count("/no/x") == 0, open_site.seen
                check_bytes(name, port, open_site)
                # The request for robots.txt also counts for the pace. The answer to a request that is too early has `Retry-After`.
                statuses = [ask(port, slow, f"/{number}") for number in range(3)]
                late = [(headers, body) for status, headers, body in statuses if status == 429]
                assert len(late) >= 2, statuses
                for headers, body in late:
                    assert 0 < int(headers["retry-after"]) <= 31, headers
                    assert json.loads(body)["outcome"] == "wait_too_long", body
                status, headers, body = ask(port, broken, "/page")
                assert status == 403 and headers["comity-verdict"] == "unknown_unreachable", (status, headers, body)
                assert broken.count("/page") == 0
                check_shares(name, port, open_site)
            # The service has ended, so the gateway rejects every request.
            status, headers, body = ask(port, open_site, "/page")
            assert status >= 400, (status, headers, body)
    print(f"ok: {name}")


def main():
    command = sys.argv[1]
    paths = dict(argument.split("=", 1) for argument in sys.argv[2:])
    for name, path, start, has_token in [
        ("nginx", "nginx", nginx, False),
        ("caddy", "caddy", caddy, False),
        ("envoy, ext_authz over HTTP", "envoy", envoy("ext-authz-http.yaml"), True),
        ("envoy, ext_authz over gRPC", "envoy", envoy("ext-authz-grpc.yaml"), False),
    ]:
        if path in paths:
            check(name, lambda folder, port, service_port: start(paths[path], folder, port, service_port), has_token, command)
        else:
            subprocess.run([ROOT / "tools" / "skip.sh", f"{name}: it is not installed"], check=True)


if __name__ == "__main__":
    main()
