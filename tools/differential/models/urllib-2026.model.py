"""CPython's urllib.robotparser since its rewrite of 2026, from the interpreter that runs this file or from a folder.

If the interpreter has the older module, the environment variable COMITY_URLLIB_2026 must contain the path of a folder with
`parse.py` and `robotparser.py` from `Lib/urllib` of a newer CPython. Otherwise the exit status is 77, which means "skipped".
"""

import importlib.util
import os
import platform
import sys
import urllib.parse
import urllib.request
import urllib.robotparser

import frames

FOLDER = "COMITY_URLLIB_2026"


def is_rewritten(module):
    """Returns True if a module supports wildcards, which only the rewritten module does."""
    robots = module.RobotFileParser()
    robots.parse(["User-agent: *", "Disallow: /*x"])
    return not robots.can_fetch("heron", "/ax")


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def program():
    own, folder = urllib.robotparser, os.environ.get(FOLDER)
    if is_rewritten(own):
        return own, f"CPython {platform.python_version()} urllib.robotparser"
    if folder is None:
        print(f"SKIPPED: CPython {platform.python_version()} has the older module, and {FOLDER} is not set", file=sys.stderr)
        sys.exit(77)
    urllib.parse = sys.modules["urllib.parse"] = load("urllib.parse", os.path.join(folder, "parse.py"))
    module = load("urllib.robotparser", os.path.join(folder, "robotparser.py"))
    if not is_rewritten(module):
        sys.exit(f"{folder}/robotparser.py is not the rewrite of 2026")
    return module, f"{folder}/robotparser.py on CPython {platform.python_version()}"


MODULE, VERSION = program()


@frames.cached
def parser(body):
    robots = MODULE.RobotFileParser()
    robots.parse(body.decode("utf-8", "surrogateescape").splitlines())
    return robots


def decide(body, agent, url):
    return parser(body).can_fetch(agent, url), None


if __name__ == "__main__":
    frames.serve(VERSION, decide)
