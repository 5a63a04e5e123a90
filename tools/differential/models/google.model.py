"""Google's C++ parser, unchanged, through the PyPI wheel jwm.robotstxt.

The wrapper takes `bytes` wherever it takes `str`, so every body reaches the C++
code byte for byte. A `str` is passed as its UTF-8.
"""

from importlib.metadata import version

import frames
from jwm.robotstxt.googlebot import RobotsMatcher

matcher = RobotsMatcher()


def decide(body, agent, url):
    allowed = matcher.OneAgentAllowedByRobots(body, agent, url)
    return allowed, matcher.matching_line()


if __name__ == "__main__":
    frames.serve(f"jwm.robotstxt {version('jwm.robotstxt')}", decide)
