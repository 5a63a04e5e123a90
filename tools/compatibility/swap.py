"""A pytest plugin: puts a drop-in of Comity in the place of the original before the original's suite is imported.

`run.py` loads it and says by environment variables which suite, which dialect, and where to write what came of each test.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

SUITE = os.environ["COMITY_COMPATIBILITY_SUITE"]
DIALECT = os.environ["COMITY_COMPATIBILITY_DIALECT"]
RESULTS = Path(os.environ["COMITY_COMPATIBILITY_RESULTS"])


def with_dialect(cls: type) -> type:
    """The class with another default dialect, under its own name."""
    return type(cls.__name__, (cls,), {"dialect": DIALECT, "__module__": cls.__module__})


def swap_protego() -> None:
    # The package itself stays: the suite also imports helpers of it that are not part of its interface.
    import protego

    from comity.protego import Protego

    protego.Protego = with_dialect(Protego)


def swap_cpython() -> None:
    import urllib.robotparser

    from comity.urllib import RobotFileParser

    urllib.robotparser.RobotFileParser = with_dialect(RobotFileParser)


swap_cpython2025 = swap_cpython2026 = swap_cpython


def swap_robotexclusionrulesparser() -> None:
    import comity.exclusion

    module = ModuleType("robotexclusionrulesparser")
    vars(module).update(
        {name: value for name, value in vars(comity.exclusion).items() if not name.startswith("__")}
    )
    for name in ("RobotExclusionRulesParser", "RobotFileParserLookalike"):
        setattr(module, name, with_dialect(getattr(module, name)))
    sys.modules["robotexclusionrulesparser"] = module


def swap_reppy() -> None:
    # One name for each module, so that the suite patches the module that the drop-in uses.
    for name in ("", ".robots", ".ttl", ".util", ".exceptions", ".cache", ".cache.policy"):
        sys.modules[f"reppy{name}"] = importlib.import_module(f"comity.reppy{name}")
    for name in ("Robots", "Agent"):
        getattr(sys.modules["reppy.robots"], name).dialect = DIALECT


def swap_scrapy() -> None:
    import scrapy.downloadermiddlewares.robotstxt
    import scrapy.robotstxt

    import comity.scrapy

    # Every crawler of the middleware's suite without a parser gets the drop-in. So does the suite of parsers when it
    # tests the default one.
    scrapy.robotstxt.ProtegoRobotParser = with_dialect(comity.scrapy.RobotParser)
    scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware = comity.scrapy.RobotsTxtMiddleware


globals()[f"swap_{SUITE}"]()

outcomes: dict[str, str] = {}


def pytest_runtest_logreport(report: Any) -> None:
    """Keeps the worst of a test's phases and subtests."""
    name = report.nodeid.partition("::")[2]
    module = Path(report.nodeid.partition("::")[0]).stem
    name = f"{module}::{name}"
    if report.failed:
        outcomes[name] = "failed"
    elif report.skipped:
        outcomes.setdefault(name, "skipped")
    elif report.when == "call":
        outcomes.setdefault(name, "passed")


def pytest_collectreport(report: Any) -> None:
    """A file that cannot be imported is a failure too."""
    if report.failed:
        outcomes[report.nodeid] = "failed"


def pytest_sessionfinish() -> None:
    """Writes the outcomes."""
    RESULTS.write_text(json.dumps(outcomes))
