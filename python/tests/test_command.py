"""``python -m comity`` compared with the command: identical output and exit codes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from conftest import REPOSITORY
from sites import PATIENCE, Answer, site

PYTHON = [sys.executable, "-m", "comity"]
COMMANDS = [
    ["--version"],
    ["--help"],
    [],
    ["no-such-command"],
    ["check"],
    ["check", "--help"],
    ["check", "--agent", "a", "--robots", "robots.txt", "/x", "/y"],
    ["check", "--agent", "a", "--robots", "robots.txt", "/y"],
    ["check", "--agent", "a", "--robots", "missing.txt", "/y"],
    ["check", "--agent", "a", "--robots", "-", "/y"],
    ["explain", "--agent", "a", "--robots", "robots.txt", "/x"],
    ["explain", "--color", "always", "--agent", "a", "--robots", "robots.txt", "/x"],
    ["lint", "robots.txt"],
    ["lint", "--json", "robots.txt"],
    ["inspect", "robots.txt"],
    ["dialects"],
    ["presets"],
    ["config", "--no-config"],
    ["completions", "bash"],
    ["man"],
    ["fetch", "--no-config", "--store", "memory", "http://127.0.0.1:9/"],
]
ROBOTS = b"User-agent: *\nDisallow: /x\nDisalow: /typo\n"


@pytest.fixture(scope="module")
def binary() -> str:
    """Returns the path in `COMITY_BINARY`, or that of the command that Cargo built."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))
    for found in (
        os.environ.get("COMITY_BINARY"),
        target / "debug/comity",
        target / "release/comity",
    ):
        if found and Path(found).is_file():
            return str(found)
    pytest.skip(
        "SKIPPED: the command is not built: run cargo build -p comity-cli, or set COMITY_BINARY to its path"
    )


def run(command: list[str], folder: Path, stdin: bytes = ROBOTS) -> tuple[bytes, bytes, int]:
    done = subprocess.run(
        command, cwd=folder, input=stdin, capture_output=True, timeout=PATIENCE, check=False
    )
    return done.stdout, done.stderr, done.returncode


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_module_prints_the_output_of_the_binary(
    binary: str, arguments: list[str], tmp_path: Path
) -> None:
    (tmp_path / "robots.txt").write_bytes(ROBOTS)
    native = run([binary, *arguments], tmp_path)
    assert native[0] or native[1], "a command without output compares nothing"
    assert run([*PYTHON, *arguments], tmp_path) == native


def test_verdicts_and_errors_have_their_exit_codes(tmp_path: Path) -> None:
    (tmp_path / "robots.txt").write_bytes(ROBOTS)
    ask = ["check", "--agent", "a", "--robots", "robots.txt"]
    assert run([*PYTHON, *ask, "/y"], tmp_path)[2] == 0
    assert run([*PYTHON, *ask, "/x"], tmp_path)[2] == 1
    assert run([*PYTHON, "check"], tmp_path)[2] == 2


def test_argument_that_is_not_unicode_is_passed(tmp_path: Path) -> None:
    name = b"r\xff.txt"
    try:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_bytes(ROBOTS)
    except OSError:
        pytest.skip("SKIPPED: this system's file names are Unicode")
    command = [*map(os.fsencode, PYTHON), b"check", b"--agent", b"a", b"--robots", name, b"/x"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stderr) == (1, b"")


def test_installed_script_prints_the_version_of_the_module(tmp_path: Path) -> None:
    script = shutil.which("comity", path=str(Path(sys.executable).parent))
    assert script is not None, "the package is not installed with its script"
    assert run([script, "--version"], tmp_path) == run([*PYTHON, "--version"], tmp_path)


def test_closed_pipe_is_not_an_error(tmp_path: Path) -> None:
    urls = b"/y\n" * 400_000
    (tmp_path / "robots.txt").write_bytes(ROBOTS)
    (tmp_path / "urls.txt").write_bytes(urls)
    with (tmp_path / "urls.txt").open("rb") as source:
        program = subprocess.Popen(
            [*PYTHON, "check", "--agent", "a", "--robots", "robots.txt"],
            cwd=tmp_path,
            stdin=source,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert program.stdout is not None and program.stderr is not None
        assert program.stdout.readline()
        program.stdout.close()
        assert program.wait(PATIENCE) == 0
        assert program.stderr.read() == b""
        program.stderr.close()


@pytest.mark.skipif(sys.platform == "win32", reason="SKIPPED: there is no SIGINT to send")
def test_ctrl_c_ends_the_command_during_a_request() -> None:
    ask = ["--allow-address", "127.0.0.0/8", "--agent", "a"]
    # The site answers only after the program has ended, so only the signal can end the program.
    answer = Answer(held=threading.Event())
    with site(robots=answer) as here:
        program = subprocess.Popen(
            [*PYTHON, "check", "--no-config", "--store", "memory", *ask, here.at("/x")],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while not here.hits:
            assert program.poll() is None, "the command ended before its request"
            time.sleep(0.01)
        program.send_signal(signal.SIGINT)
        assert program.wait() == -signal.SIGINT
        answer.held.set()
