"""Google's unchanged C++ parser, through the Python package jwm.robotstxt.

The package accepts bodies as `bytes`, and passes them unchanged to the C++ code.
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
