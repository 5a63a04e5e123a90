#!/usr/bin/env python3
"""Draws terminal output of `comity` as the picture in the README, docs/images/matrix.svg.

    cargo build -p comity-cli && python3 tools/picture.py

Each line of the output is one `<text>`, so that a test can compare the picture with the output of the command. The colours
depend on the light or dark scheme of the browser. The environment variable COMITY can contain the path of another binary.
"""

import os
import re
import subprocess
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs/images/matrix.svg"
AGENTS = [
    "GPTBot",
    "CCBot",
    "ClaudeBot",
    "PerplexityBot",
    "Googlebot",
    "Googlebot-Image",
    "AhrefsBot",
]
PATHS = ["/blog/news", "/reviews/12", "/cart/", "/manuals/a.pdf"]
ARGUMENTS = [
    "matrix",
    "--robots",
    "samples/robots.txt",
    *(word for agent in AGENTS for word in ("--agent", agent)),
    *PATHS,
]

# The class in the style sheet for each terminal colour code.
CLASSES = {"1": "b", "2": "d", "31": "r", "32": "g", "33": "y", "36": "c"}
SIZE, ADVANCE, LEADING, MARGIN = 14, 8.45, 20, 16
STYLE = """\
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; fill: #1f2328 }
.paper { fill: #ffffff; stroke: #d1d9e0 } .b { font-weight: bold } .d { fill: #59636e }
.r { fill: #c21c2c } .g { fill: #1a7f37 } .y { fill: #8a5d00 } .c { fill: #0b6b8a }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .paper { fill: #0d1117; stroke: #3d444d } .d { fill: #9198a1 }
.r { fill: #ff7b72 } .g { fill: #3fb950 } .y { fill: #d29922 } .c { fill: #39c5cf }
}"""


def output() -> str:
    """Returns the output of the command with terminal colours."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    program = os.environ.get("COMITY", str(target / "debug/comity"))
    arguments = [program, "--color", "always", *ARGUMENTS]
    return subprocess.run(arguments, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def row(line: str) -> str:
    """Converts one line of terminal output to the content of a `<text>`."""
    on: list[str] = []
    parts = []
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        if code := re.fullmatch(r"\x1b\[([0-9;]*)m", piece):
            for number in code[1].split(";"):
                on = [] if number in ("", "0") else [*on, CLASSES[number]]
        elif piece:
            text = escape(piece, quote=False)
            parts.append(f'<tspan class="{" ".join(on)}">{text}</tspan>' if on else text)
    return "".join(parts)


def main() -> None:
    """Writes the picture."""
    lines = output().splitlines()
    columns = max(len(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in lines)
    width = round(columns * ADVANCE + 2 * MARGIN)
    height = len(lines) * LEADING + 2 * MARGIN
    rows = [
        f'<text x="{MARGIN}" y="{MARGIN + SIZE + number * LEADING}" xml:space="preserve">{row(line)}</text>'
        for number, line in enumerate(lines)
    ]
    PICTURE.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}" role="img" aria-labelledby="title">\n'
        f'<title id="title">comity {escape(" ".join(ARGUMENTS))}</title>\n<style>\n{STYLE}\n</style>\n'
        f'<rect class="paper" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>\n'
        + "\n".join(rows)
        + "\n</svg>\n",
        encoding="utf-8",
    )
    print(f"{PICTURE.relative_to(ROOT)}: {len(lines)} rows of {columns} columns")


if __name__ == "__main__":
    main()
