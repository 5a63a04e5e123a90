"""webcanon's robots module."""

from importlib.metadata import version

import frames
from webcanon.robots import RobotsVerdict, evaluate_robots, parse_robots

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
