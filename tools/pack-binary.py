#!/usr/bin/env python3
"""Builds the command and packs its archive for a release: `tools/pack-binary.py --out FOLDER [--target TARGET]`.

The archive contains the program, its manual pages and completions, the README and all licenses. Its bill of materials (CycloneDX)
is a file next to it. The program contains the list of its crates (cargo-auditable), but no path of this machine, and the archive
does not depend on times, order and owners of files. So two builds can be compared (`tools/release.sh reproduce`). `--program`
packs a program that is already built.
"""

import argparse
import gzip
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from licenses import ROOT
from sbom import commit_time

PACKAGE = "comity-cli"
AUDITABLE = "cargo-auditable@0.7.7"
SHELLS = ("bash", "elvish", "fish", "powershell", "zsh")
TEXTS = ("README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT")


def run(*command: str | Path, **options: object) -> str:
    """Runs a program and returns its output."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, encoding="utf-8", **options).stdout


def target_folder() -> Path:
    """Returns the folder of build results."""
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()


def build(target: str) -> Path:
    """Builds the program for a platform and returns its path."""
    tools = target_folder() / "tools"
    path = os.pathsep.join([str(tools / "bin"), os.environ["PATH"]])
    if not shutil.which("cargo-auditable", path=path):
        run("cargo", "install", "--quiet", "--locked", "--root", tools, AUDITABLE)
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo")).resolve()
    # rustc applies the last prefix that matches.
    folders = {ROOT: "comity", home: "cargo", target_folder(): "comity/target"}
    remapped = json.dumps([f"--remap-path-prefix={folder}=/{name}" for folder, name in folders.items()])
    jobs = ["--jobs", os.environ["CARGO_JOBS"]] if "CARGO_JOBS" in os.environ else []
    options = ["--release", "--locked", "--package", PACKAGE, "--target", target, "--config", f"build.rustflags={remapped}", *jobs]
    run("cargo", "auditable", "build", *options, cwd=ROOT, env=os.environ | {"PATH": path})
    return target_folder() / target / "release" / ("comity.exe" if "windows" in target else "comity")


def fill(folder: Path, program: Path, target: str) -> None:
    """Writes the files of the archive to a folder."""
    (folder / "completions").mkdir(parents=True)
    shutil.copy(program, folder)
    for shell in SHELLS:
        (folder / f"completions/comity.{shell}").write_text(run(program, "completions", shell), encoding="utf-8", newline="\n")
    run(program, "man", "--dir", folder / "man")
    for text in TEXTS:
        shutil.copy(ROOT / text, folder)
    run(sys.executable, ROOT / "tools/licenses.py", PACKAGE, folder / "LICENSE-THIRD-PARTY", "--target", target)


def files(folder: Path) -> Iterator[tuple[str, bytes, int]]:
    """Returns the name in the archive, content and mode of each file of a folder."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        mode = 0o755 if path.stem == "comity" and path.parent == folder else 0o644
        yield path.relative_to(folder.parent).as_posix(), path.read_bytes(), mode


def write_tar(folder: Path, archive: Path, time: datetime) -> None:
    """Packs a folder as .tar.gz, without the time, order and owners of its files."""
    with gzip.GzipFile(archive, "wb", mtime=0) as compressed, tarfile.open(fileobj=compressed, mode="w") as tar:
        for name, content, mode in files(folder):
            member = tarfile.TarInfo(name)
            member.size, member.mode, member.mtime = len(content), mode, int(time.timestamp())
            tar.addfile(member, io.BytesIO(content))


def write_zip(folder: Path, archive: Path, time: datetime) -> None:
    """Packs a folder as .zip, without the time, order and owners of its files."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content, _ in files(folder):
            packed.writestr(zipfile.ZipInfo(name, time.timetuple()[:6]), content, zipfile.ZIP_DEFLATED)


def main() -> None:
    """Builds and packs the program."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="the folder for the archive and the bill of materials")
    parser.add_argument("--target", help="the platform, such as x86_64-unknown-linux-musl (default: this machine)")
    parser.add_argument("--program", type=Path, help="packs this program for this machine instead of building it")
    arguments = parser.parse_args()
    target = arguments.target or run("rustc", "--print", "host-tuple").strip()
    program = arguments.program.resolve() if arguments.program else build(target)
    version = run(program, "--version").split()[1]
    name = f"comity-{version}-{target}"
    out = arguments.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    time = datetime.fromisoformat(commit_time())
    with tempfile.TemporaryDirectory() as work:
        fill(Path(work, name), program, target)
        write, ending = (write_zip, "zip") if "windows" in target else (write_tar, "tar.gz")
        write(Path(work, name), out / f"{name}.{ending}", time)
    run(sys.executable, ROOT / "tools/sbom.py", PACKAGE, out / f"{name}.cdx.json", "--target", target)
    print(out / f"{name}.{ending}")


if __name__ == "__main__":
    main()
