"""A pytest plugin that replaces a package (the original) by Comity's drop-in before pytest imports the suite of the package.

`run.py` loads it. Environment variables select the suite, the dialect, and the file for the outcomes.
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
    """Returns a subclass with another default dialect and an equal name."""
    return type(cls.__name__, (cls,), {"dialect": DIALECT, "__module__": cls.__module__})


def swap_protego() -> None:
    # Only the class is replaced, because the suite also imports private helpers of the package.
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
    # The module names of the original refer to the modules of the drop-in, so that patches of the suite affect the drop-in.
    for name in ("", ".robots", ".ttl", ".util", ".exceptions", ".cache", ".cache.policy"):
        sys.modules[f"reppy{name}"] = importlib.import_module(f"comity.reppy{name}")
    for name in ("Robots", "Agent"):
        getattr(sys.modules["reppy.robots"], name).dialect = DIALECT


def swap_scrapy() -> None:
    import scrapy.downloadermiddlewares.robotstxt
    import scrapy.robotstxt

    import comity.scrapy

    # Replaces the default parser, which the suites of the middleware and of the parsers use.
    scrapy.robotstxt.ProtegoRobotParser = with_dialect(comity.scrapy.RobotParser)
    scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware = comity.scrapy.RobotsTxtMiddleware


globals()[f"swap_{SUITE}"]()

outcomes: dict[str, str] = {}


def pytest_runtest_logreport(report: Any) -> None:
    """Records the outcome of a test: the worst outcome of its phases and subtests."""
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
    """Records a file that cannot be imported as a failure."""
    if report.failed:
        outcomes[report.nodeid] = "failed"


def pytest_sessionfinish() -> None:
    """Writes the outcomes."""
    RESULTS.write_text(json.dumps(outcomes))
