"""What the two models of robotexclusionrulesparser share.

Its regular expressions can take exponential time, which the alarm in frames.py
turns into the answer `T`.
"""

from importlib.metadata import version

import frames
from robotexclusionrulesparser import RobotExclusionRulesParser


@frames.cached
def parsed(body):
    parser = RobotExclusionRulesParser()
    parser.parse(body)  # bytes: the program decodes them as ISO-8859-1
    return parser


def serve(syntax):
    def decide(body, agent, url):
        return parsed(body).is_allowed(agent, url, syntax=syntax), None

    frames.serve(f"robotexclusionrulesparser {version('robotexclusionrulesparser')}", decide)
