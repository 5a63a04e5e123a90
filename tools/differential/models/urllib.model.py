"""CPython's urllib.robotparser, from the interpreter that runs this file."""

import platform
import urllib.robotparser

import frames


@frames.cached
def parser(body):
    robots = urllib.robotparser.RobotFileParser()
    robots.parse(body.decode("utf-8", "replace").splitlines())
    return robots


def decide(body, agent, url):
    return parser(body).can_fetch(agent, url), None


if __name__ == "__main__":
    frames.serve(f"CPython {platform.python_version()} urllib.robotparser", decide)
