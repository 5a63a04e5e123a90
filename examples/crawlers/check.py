"""Tests the crawlers whose language is installed, with a site on loopback: `check.py COMITY`.

Asserts that a crawler does not request a disallowed page, and that its requests keep the pace of the site.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools" / "assistants"))

from sites import PAGE, Site, robots, settings  # noqa: E402

CRAWLERS = {
    "node": [["node"], "crawler.mjs"],
    "ruby": [["ruby"], "crawler.rb"],
    "go": [["go", "run"], "crawler.go"],
}


def check(comity, name, command):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "comity.toml").write_text(settings(1))
        site = Site(robots_txt=robots("User-agent: *\nDisallow: /no\nCrawl-delay: 1\n"), otherwise=PAGE)
        flags = ["--config", f"{folder}/comity.toml", "--store", "memory", "--agent", "ExampleBot", "--contact", "a@example.com"]
        serve = [comity, "serve", "--listen", "127.0.0.1:0", *flags]
        service = subprocess.Popen(serve, stdout=subprocess.PIPE, text=True)
        try:
            address = service.stdout.readline().strip()
            urls = "".join(site.url(path) + "\n" for path in ("/page1", "/no", "/page2", "/page3"))
            environment = {**os.environ, "COMITY": address}
            began = time.monotonic()
            done = subprocess.run(command, input=urls, env=environment, text=True, capture_output=True, timeout=600)
        finally:
            service.terminate()
            service.wait(30)
        words = [line.split()[0] for line in done.stdout.splitlines()]
        assert words == ["200", "robots_refused", "200", "200"], (done.stdout, done.stderr)
        assert site.count("/no") == 0 and site.count("/robots.txt") == 1, site.seen
        # A request may arrive later than its slot, but never earlier.
        pages = [at - began for path, at, _ in site.seen if path.startswith("/page")]
        assert all(at >= number for number, at in enumerate(pages)), pages
        assert all(agent.startswith("ExampleBot") for _, _, agent in site.seen), site.seen
    print(f"ok: {name}")


for name, (command, crawler) in CRAWLERS.items():
    if shutil.which(command[0]):
        check(sys.argv[1], name, [*command, str(HERE / crawler)])
    else:
        skip = HERE.parents[1] / "tools" / "skip.sh"
        subprocess.run([skip, f"the crawler in {name}, which is not installed"], check=True)
