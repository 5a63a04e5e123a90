"""CPython's urllib.robotparser since its rewrite of 2026, as the interpreter running this file has it.

An interpreter with the older module takes the newer one from the folder that COMITY_URLLIB_2026 names: `parse.py` and
`robotparser.py` of CPython's `Lib/urllib`. Without that folder it ends with status 77, which means that it was skipped.
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
    """Asks a question that the two answer differently: only the rewrite knows wildcards."""
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
