"""Protego, the parser of Scrapy."""

from importlib.metadata import version

import frames
from protego import Protego


@frames.cached
def parser(body):
    return Protego.parse(body.decode("utf-8", "replace"))


def decide(body, agent, url):
    return parser(body).can_fetch(url, agent), None


if __name__ == "__main__":
    frames.serve(f"Protego {version('protego')}", decide)
