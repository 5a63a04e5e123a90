"""Google's unchanged C++ parser, through the Python package jwm.robotstxt.

The wrapper accepts bodies as `bytes`, which reach the C++ code unchanged.
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
