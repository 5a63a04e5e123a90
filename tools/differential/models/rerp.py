"""Common code of the two runners of robotexclusionrulesparser.

The regular expressions of this program can take exponential time. Then the
alarm in frames.py stops them, and the answer is `T`.
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
