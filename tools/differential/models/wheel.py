"""Comity's own Python package: `wheel.py DIALECT`. It answers in place of the library, see `--wheel`."""

import sys

import comity
import frames


def main():
    dialect = sys.argv[1]

    @frames.cached
    def parsed(body):
        return comity.Robots.parse(body, dialect=dialect)

    def decide(body, agent, url):
        # The programs accept any text as an agent's name; so does the engine below the check of the package.
        agent = comity.Agent._restore(agent, False, [], False)
        decision = parsed(body).decide(agent, url)
        allowed = parsed(body).is_allowed(agent, url)
        if allowed != decision.is_allowed or allowed != comity.is_allowed(body, agent, url, dialect=dialect):
            raise AssertionError("three ways to ask give different answers")
        return allowed, decision.line or 0

    frames.serve(f"comity {comity.__version__} through Python", decide)


if __name__ == "__main__":
    main()
