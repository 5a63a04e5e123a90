"""webcanon's robots module. The file has its name, so it must leave sys.path first."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
import frames  # noqa: E402  (while this folder is still on the path)

sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != HERE]
from importlib.metadata import version  # noqa: E402

from webcanon.robots import RobotsVerdict, evaluate_robots, parse_robots  # noqa: E402

DECISIONS = {
    RobotsVerdict.ALLOWED_EXPLICIT: True,
    RobotsVerdict.ALLOWED_IMPLICIT: True,
    RobotsVerdict.DISALLOWED_EXPLICIT: False,
}


@frames.cached
def policy(body):
    return parse_robots(body.decode("utf-8", "replace"))


def decide(body, agent, url):
    verdict, match = evaluate_robots(policy(body), url, agent)
    return DECISIONS[verdict], match.source_line if match else 0


if __name__ == "__main__":
    frames.serve(f"webcanon {version('webcanon')}", decide)
