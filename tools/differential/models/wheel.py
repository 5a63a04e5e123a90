"""Comity's Python package as a runner: `wheel.py DIALECT`. The option `--wheel` compares it instead of the Rust library."""

import sys

import comity
import frames


def main():
    dialect = sys.argv[1]

    @frames.cached
    def parsed(body):
        return comity.Robots.parse(body, dialect=dialect)

    def decide(body, agent, url):
        # Some generated names are not product tokens. `_restore` does not check the name.
        agent = comity.Agent._restore(agent, False, [], False)
        decision = parsed(body).decide(agent, url)
        allowed = parsed(body).is_allowed(agent, url)
        if allowed != decision.is_allowed or allowed != comity.is_allowed(body, agent, url, dialect=dialect):
            raise AssertionError("is_allowed, decide and comity.is_allowed differ")
        return allowed, decision.line or 0

    frames.serve(f"comity {comity.__version__} through Python", decide)


if __name__ == "__main__":
    main()
