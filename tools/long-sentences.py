#!/usr/bin/env python3
"""Prints the sentences of Markdown pages that are longer than WORDS words. Code, tables and headings are not sentences.

    tools/long-sentences.py WORDS PAGE...
"""

import re
import sys


def paragraphs(text):
    """Yields the number of the first line and the text of each paragraph or list item."""
    start, lines, fenced = 0, [], False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        bare = line.strip()
        fence = bare.startswith("```")
        is_prose = bare and not (fenced or fence or line.startswith("    ") or bare[0] in "#|<")
        if lines and (not is_prose or re.match(r"([-*]|\d+\.) ", bare)):
            yield start, " ".join(lines)
            lines = []
        if is_prose:
            start = start if lines else number
            lines.append(bare)
        fenced ^= fence


def sentences(paragraph):
    """Splits a paragraph into sentences. A code span counts as one word."""
    text = re.sub(r"`[^`]*`", "code", re.sub(r"\]\([^)]*\)", "]", paragraph))
    return re.split(r"(?<=[.?!])[)*\"]* +", text)


limit = int(sys.argv[1])
for page in sys.argv[2:]:
    with open(page, encoding="utf-8") as file:
        for line, paragraph in paragraphs(file.read()):
            for sentence in sentences(paragraph):
                if len(sentence.split()) > limit:
                    print(f"{page}:{line}: {sentence}")
