"""A runner for Comity's Python package: `wheel.py DIALECT`. `differential --wheel` compares it instead of the Rust library."""

import sys

import comity
import frames


def main():
    dialect = sys.argv[1]

    @frames.cached
    def parsed(body):
        return comity.Robots.parse(body, dialect=dialect)

    def decide(body, agent, url):
        # A generated name may not be a product token. `_restore` creates an agent without checking its name.
        agent = comity.Agent._restore(agent, False, [], False)
        decision = parsed(body).decide(agent, url)
        allowed = parsed(body).is_allowed(agent, url)
        if allowed != decision.is_allowed or allowed != comity.is_allowed(body, agent, url, dialect=dialect):
            raise AssertionError("is_allowed, decide and comity.is_allowed differ")
        return allowed, decision.line or 0

    frames.serve(f"comity {comity.__version__} through Python", decide)


if __name__ == "__main__":
    main()
