"""The distribution ``comity-command``: installed, absent, and in another version."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import comity_command
import pytest
from conftest import REPOSITORY

import comity
from comity import Robots, _comity

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: Functions of the compiled module that only `comity-command` has.
COMMAND = {"audit", "audit_index", "audit_report", "audit_verify", "run"}
ABSENT = "import sys; sys.modules['comity_command'] = None\n"
OTHER = (
    "import sys, types\n"
    "other = sys.modules['comity_command'] = types.ModuleType('comity_command')\n"
    "other.__version__, other.__path__ = '9.9.9', ['/nonexistent']\n"
)


def python(program: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", program]
    return subprocess.run(command, input=stdin, capture_output=True, check=False)


def printed(program: str, stdin: bytes = b"") -> str:
    done = python(program, stdin)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().strip()


def test_installed_command_provides_the_compiled_module() -> None:
    assert comity_command.__version__ == comity.__version__
    assert Path(_comity.__file__).parent == Path(comity_command.__file__).parent
    assert set(dir(_comity)) >= COMMAND
    assert _comity.is_allowed.__module__ == "comity._comity"


@pytest.mark.parametrize("setup", [ABSENT, OTHER], ids=["absent", "other version"])
def test_package_without_the_command_has_everything_else(setup: str) -> None:
    names = printed(
        f"{setup}from comity import _comity; print(_comity.__file__, *sorted(vars(_comity)))"
    )
    file, *found = names.split()
    assert Path(file).parent == Path(comity.__file__).parent
    assert set(vars(_comity)) - set(found) == COMMAND
    assert set(found) <= set(vars(_comity))


@pytest.mark.parametrize(
    ("setup", "expected"),
    [
        (ABSENT, 'which is not installed: run `pip install "comity[command]"`'),
        (
            OTHER,
            f"9.9.9 differs from that of `comity`, {comity.__version__}: run "
            f'`pip install "comity[command]=={comity.__version__}"`',
        ),
    ],
    ids=["absent", "other version"],
)
def test_part_without_the_command_raises_an_error_with_the_way_out(
    setup: str, expected: str
) -> None:
    attempt = (
        f"{setup}import comity\n"
        "try:\n    from comity import audit\n"
        "except ImportError as error:\n"
        "    assert isinstance(error, comity.MissingExtraError), error\n"
        "    assert isinstance(error, comity.ComityError), error\n"
        "    print(error)\n"
    )
    error = printed(attempt)
    assert error.startswith("comity.audit is in ") and error.endswith(expected)
    done = python(
        f"{setup}import runpy\nsys.argv = ['comity', '--version']\n"
        "runpy.run_module('comity', run_name='__main__')"
    )
    assert (done.returncode, done.stdout) == (2, b"")
    message = done.stderr.decode().strip()
    assert message.startswith("error: the command is in ") and message.endswith(expected)


def test_pickles_are_read_with_and_without_the_command() -> None:
    robots = Robots.parse("User-agent: *\nDisallow: /x\n")
    pickled = pickle.dumps((robots, comity.is_allowed, comity.Agent("a")))
    read = "robots, is_allowed, agent = pickle.loads(sys.stdin.buffer.read())\n"
    ask = "print(robots.is_allowed(agent, '/x'), is_allowed('', agent, '/x'))"
    for setup in (ABSENT, "import sys\n"):
        assert printed(f"{setup}import pickle\n{read}{ask}", pickled) == "False True"


@pytest.mark.parametrize("distribution", ["comity", "comity-command"])
def test_wheel_contains_the_licenses_of_its_dependencies(distribution: str) -> None:
    files = importlib.metadata.files(distribution) or []
    (third,) = [file for file in files if file.name == "LICENSE-THIRD-PARTY"]
    text = third.read_text(encoding="utf-8")
    for crate in ("ring 0.", "rusqlite 0.", "tokio 1."):
        assert f"\n{crate}" in text or f", {crate}" in text
    assert ("parquet 6" in text) == (distribution == "comity-command")


def test_project_urls_come_from_one_setting(tmp_path: Path) -> None:
    projects = [REPOSITORY / "python", REPOSITORY / "python" / "command"]
    copies = [tmp_path / f"{project.name}.toml" for project in projects]
    for project, copy in zip(projects, copies, strict=True):
        shutil.copy(project / "pyproject.toml", copy)
    script = [sys.executable, REPOSITORY / "tools" / "project-urls.py", *copies]
    without = {name: value for name, value in os.environ.items() if name != "COMITY_REPOSITORY"}
    refused = subprocess.run(script, env=without, capture_output=True, check=False)
    assert refused.returncode == 1 and b"COMITY_REPOSITORY" in refused.stderr
    address = "https://forge.example/comity/comity"
    subprocess.run(script, env={**without, "COMITY_REPOSITORY": f"{address}/"}, check=True)
    for copy in copies:
        urls = tomllib.loads(copy.read_text())["project"]["urls"]
        assert urls["Source"] == address and urls["Issues"] == f"{address}/issues"
        assert all(url.startswith(address) for url in urls.values())
