#!/usr/bin/env python3
"""Adds the URLs of the project to packages: `COMITY_REPOSITORY=URL tools/project-urls.py PYPROJECT...`.

COMITY_REPOSITORY is also the setting of `tools/docs.sh`. Releases set it to the repository of the workflow, so no committed
file contains this URL.
"""

import os
import sys
from pathlib import Path

PAGES = {
    "Source": "",
    "Documentation": "/tree/main/docs",
    "Changelog": "/blob/main/CHANGELOG.md",
    "Issues": "/issues",
}


def main() -> None:
    """Appends the table `project.urls` to each file."""
    repository = os.environ.get("COMITY_REPOSITORY", "").rstrip("/")
    if not repository.startswith("https://"):
        sys.exit("error: COMITY_REPOSITORY must be the URL of the repository: https://...")
    lines = [f'{name} = "{repository}{page}"' for name, page in PAGES.items()]
    for name in sys.argv[1:]:
        path = Path(name)
        text = path.read_text(encoding="utf-8")
        if "[project.urls]" in text:
            sys.exit(f"error: {name} has URLs already")
        path.write_text("\n".join([text, "[project.urls]", *lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
