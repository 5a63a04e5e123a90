"""robotexclusionrulesparser: `rerp.py gym2008` or `rerp.py mk1996`.

Its regular expressions can take exponential time, which the alarm in frames.py
turns into the answer `T`.
"""

import sys
from importlib.metadata import version

import frames
from robotexclusionrulesparser import GYM2008, MK1996, RobotExclusionRulesParser

SYNTAXES = {"gym2008": GYM2008, "mk1996": MK1996}


@frames.cached
def parsed(body):
    parser = RobotExclusionRulesParser()
    parser.parse(body)  # bytes: the program decodes them as ISO-8859-1
    return parser


def main():
    syntax = SYNTAXES[sys.argv[1]]

    def decide(body, agent, url):
        return parsed(body).is_allowed(agent, url, syntax=syntax), None

    frames.serve(f"robotexclusionrulesparser {version('robotexclusionrulesparser')}", decide)


if __name__ == "__main__":
    main()
