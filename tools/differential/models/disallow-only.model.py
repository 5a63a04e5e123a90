"""CPython's urllib.robotparser with rules of which no `Allow` applies."""

import platform
import urllib.robotparser

import frames


class RuleLine(urllib.robotparser.RuleLine):
    def __init__(self, path, allowance):
        super().__init__(path, allowance)
        self.is_allow = allowance

    def applies_to(self, filename):
        return not self.is_allow and super().applies_to(filename)


urllib.robotparser.RuleLine = RuleLine


@frames.cached
def parser(body):
    robots = urllib.robotparser.RobotFileParser()
    robots.parse(body.decode("utf-8", "replace").splitlines())
    return robots


def decide(body, agent, url):
    return parser(body).can_fetch(agent, url), None


if __name__ == "__main__":
    frames.serve(f"CPython {platform.python_version()} urllib.robotparser without Allow", decide)
