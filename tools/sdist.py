#!/usr/bin/env python3
"""Packs the source archives of the Python distributions: `tools/sdist.py --out FOLDER`.

Uses the maturin of this environment, or else the one on PATH.

Maturin packs only the workspace members that the package needs, but the lock file of the whole workspace. Cargo with `--locked`
rejects such a lock file. So this script lets Cargo remove the unused entries, without changing versions. It also packs the
settings of Cargo, which maturin omits. Without them, the wheel would be larger and its calls slower.
"""

import argparse
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROJECTS = (ROOT / "python", ROOT / "python/command")
SETTINGS = ".cargo/config.toml"


def packed(project: Path, folder: Path) -> Path:
    """Runs maturin for a project and returns the path of its archive."""
    places = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    maturin = shutil.which("maturin", path=places)
    if maturin is None:
        sys.exit("error: maturin is not installed: run `pip install maturin` in this environment")
    command = [maturin, "sdist", "--out", str(folder)]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    (archive,) = folder.glob("*.tar.gz")
    return archive


def lock_file(archive: Path, folder: Path) -> bytes:
    """Returns a lock file without entries that the packages in the archive do not need."""
    with tarfile.open(archive) as source:
        source.extractall(folder, filter="data")
    (tree,) = folder.iterdir()
    before = packages(tree)
    subprocess.run(["cargo", "update", "--workspace", "--quiet"], cwd=tree, check=True)
    new = packages(tree) - before
    if new:
        sys.exit(f"error: the lock file of the archive has packages that are missing in the lock file of the workspace: {sorted(new)}")
    return (tree / "Cargo.lock").read_bytes()


def packages(tree: Path) -> set[tuple[str, str]]:
    """Returns name and version of each package in a lock file."""
    lock = (tree / "Cargo.lock").read_text(encoding="utf-8")
    return set(re.findall(r'^name = "(.+)"\nversion = "(.+)"$', lock, re.MULTILINE))


def pack(project: Path, out: Path) -> Path:
    """Packs a project into a folder and returns the path of the archive."""
    with tempfile.TemporaryDirectory() as work:
        archive = packed(project, Path(work, "packed"))
        lock = lock_file(archive, Path(work, "tree"))
        with tarfile.open(archive) as source, tarfile.open(out / archive.name, "w:gz") as target:
            for member in source:
                content = source.extractfile(member)
                folder, _, name = member.name.partition("/")
                if name == "Cargo.lock":
                    member.size, content = len(lock), io.BytesIO(lock)
                target.addfile(member, content)
            content = (ROOT / SETTINGS).read_bytes()
            settings = tarfile.TarInfo(f"{folder}/{SETTINGS}")
            settings.size, settings.mtime = len(content), member.mtime
            target.addfile(settings, io.BytesIO(content))
    return out / archive.name


def main() -> None:
    """Writes the archives to the folder `--out`."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="the folder for the archives")
    out = parser.parse_args().out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    for project in PROJECTS:
        print(pack(project, out))


if __name__ == "__main__":
    main()
