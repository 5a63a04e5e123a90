"""Code that the two models of robotexclusionrulesparser share.

The program's regular expressions can take exponential time. The alarm in
frames.py then interrupts the program, and the answer is `T`.
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
