#!/usr/bin/env python3
"""Writes the bill of materials of a program: `tools/sbom.py PACKAGE FILE`, such as `comity-cli comity.cdx.json`.

The format is CycloneDX 1.6. The components are the crates whose code is in the program, as in LICENSE-THIRD-PARTY.
cargo-cyclonedx also lists crates for other platforms and features, crates that are used at build time only, and paths of the
machine. Equal sources give an equal file: the time is that of the commit.
"""

import argparse
import json
import subprocess
import tomllib
import uuid
from datetime import UTC, datetime
from pathlib import Path

from licenses import ROOT, linked


def commit_time() -> str:
    """Returns the time of the commit that is checked out."""
    command = ["git", "log", "-1", "--format=%ct"]
    seconds = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    return datetime.fromtimestamp(int(seconds), UTC).isoformat()


def checksums() -> dict[tuple[str, str], str]:
    """Returns the SHA-256 of the archive of each crate from the registry."""
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text(encoding="utf-8"))
    return {(one["name"], one["version"]): one["checksum"] for one in lock["package"] if "checksum" in one}


def purl(crate: dict) -> str:
    """Returns the package URL of a crate, which also identifies it in the file."""
    return f"pkg:cargo/{crate['name']}@{crate['version']}"


def component(crate: dict, checksum: str | None, kind: str) -> dict:
    """Returns the entry of a crate."""
    entry = {"type": kind, "bom-ref": purl(crate), "name": crate["name"], "version": crate["version"], "purl": purl(crate)}
    if crate["license"]:
        # Old manifests separate alternatives with a slash.
        entry["licenses"] = [{"expression": crate["license"].replace("/", " OR ")}]
    if checksum:
        entry["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    if crate["repository"]:
        entry["externalReferences"] = [{"type": "vcs", "url": crate["repository"]}]
    return entry


def bill(package: str, target: str | None) -> dict:
    """Returns the bill of materials of a package."""
    (program, *others), edges = linked(package, target)
    names = {crate["id"]: purl(crate) for crate in (program, *others)}
    known = checksums()
    parts = [component(crate, known.get((crate["name"], crate["version"])), "library") for crate in others]
    graph = [{"ref": names[crate], "dependsOn": sorted(names[one] for one in needed)} for crate, needed in edges.items()]
    content = {
        "components": sorted(parts, key=lambda part: part["bom-ref"]),
        "dependencies": sorted(graph, key=lambda node: node["ref"]),
    }
    number = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([purl(program), target, content]))
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{number}",
        "version": 1,
        "metadata": {"timestamp": commit_time(), "component": component(program, None, "application")},
        **content,
    }


def main() -> None:
    """Writes the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package", help="a package of the workspace")
    parser.add_argument("file", type=Path, help="the file to write")
    parser.add_argument("--target", help="the platform of the program, such as wasm32-unknown-unknown (default: this machine)")
    arguments = parser.parse_args()
    text = json.dumps(bill(arguments.package, arguments.target), indent=1)
    arguments.file.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
