#!/usr/bin/env python3
"""A crawler that uses only the standard library, and requests a slot from a service of Comity before each fetch.

The soak test starts it, and checks the requests that arrive at the origins.
"""

import argparse
import http.client
import json
import random
import threading
import time


class Service:
    """A connection to the service, which may be temporarily unavailable."""

    def __init__(self, port):
        self.port = port
        self.connection = None

    def ask(self, path, question):
        """Sends a question. Returns the status and the answer. The status is None if the service does not answer."""
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=40)
            self.connection.request("POST", path, json.dumps(question), {"Content-Type": "application/json"})
            response = self.connection.getresponse()
            return response.status, json.loads(response.read())
        except (OSError, http.client.HTTPException, ValueError):
            self.connection = None
            return None, {}


def fetch(url, address, port):
    """Fetches a page from the checked address. Returns the status and `Retry-After`."""
    path = "/" + url.split("/", 3)[3]
    connection = http.client.HTTPConnection(address, port, timeout=5)
    try:
        connection.request("GET", path, headers={"User-Agent": "SoakBot", "Host": url.split("/")[2]})
        response = connection.getresponse()
        response.read()
        return response.status, response.headers.get("Retry-After")
    except (OSError, http.client.HTTPException):
        return None, None
    finally:
        connection.close()


def visit(service, url, given):
    """Reserves a slot for a page, fetches the page in this slot, and reports the answer."""
    start = time.monotonic()
    status, answer = service.ask("/v1/admit", {"url": url, "max_wait_seconds": given.max_wait})
    if status != 200:
        # The service or its store does not answer. Without a slot, the crawler sends no request.
        time.sleep(0.2)
        return
    if not answer["admitted"]:
        return
    time.sleep(answer["wait_seconds"])
    # The slot is valid at least until this time. A later request needs a new slot.
    if time.monotonic() - start > answer["wait_seconds"] + answer["window_seconds"]:
        return
    status, retry_after = fetch(answer["url"], answer["addresses"][0], given.port)
    if status is not None:
        service.ask("/v1/report", {"url": answer["url"], "status": status, "retry_after": retry_after})


def crawl(given, number):
    """Fetches pages of random origins until the process is killed."""
    chance = random.Random(given.seed * 1_000 + number)
    service = Service(given.service)
    while True:
        origin = (127 << 24) + (1 << 16) + chance.randrange(given.origins) + 1
        address = ".".join(str(origin >> shift & 255) for shift in (24, 16, 8, 0))
        folder = "closed" if chance.random() < 0.3 else "open"
        url = f"http://{address}:{given.port}/{folder}/{chance.randrange(65_536)}"
        # A few pages in a row, to test the pace.
        for _ in range(3):
            visit(service, url, given)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--service", type=int, required=True, help="the port of the service")
    arguments.add_argument("--port", type=int, required=True, help="the port of all origins")
    arguments.add_argument("--origins", type=int, required=True)
    arguments.add_argument("--seed", type=int, required=True)
    arguments.add_argument("--max-wait", type=int, required=True, help="the maximum wait for a slot, in seconds")
    arguments.add_argument("--jobs", type=int, default=16, help="number of concurrent fetches")
    given = arguments.parse_args()
    threads = [threading.Thread(target=crawl, args=(given, number), daemon=True) for number in range(given.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
