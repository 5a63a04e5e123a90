"""What the drop-ins share: rules kept per agent, and how text that is no URL is asked about.

The originals take "a user agent" and mean a name or a whole `User-Agent` header, so the drop-ins hand what they are given
to `Agent.header`, which finds the product token in either. A check is then one look into a dictionary and one native call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias, TypeVar
from urllib.parse import urlsplit

from comity import Agent, Robots, Rules
from comity._urls import UrlLike, text_of

if TYPE_CHECKING:
    from comity.robots import Record

#: How many agents' rules a file keeps; crawlers that make up a new User-Agent for every request must not fill memory.
MOST_AGENTS = 256

#: The first number of seconds that the engine may have rounded, or reduced to its largest one.
LARGE_DELAY = 2.0**53
#: The engine's largest number of documents or seconds of a rate.
LARGEST_IN_RATE = 2**32 - 1

AgentName: TypeAlias = "str | bytes | Agent"
Number = TypeVar("Number")


class RulesByAgent(dict[AgentName, Rules]):
    """The rules of one file for each agent that was asked about."""

    def __init__(self, robots: Robots) -> None:
        super().__init__()
        self.robots = robots

    def __missing__(self, agent: AgentName) -> Rules:
        rules = self.robots.rules_for(agent if isinstance(agent, Agent) else Agent.header(agent))
        if len(self) >= MOST_AGENTS:
            self.clear()
        self[agent] = rules
        return rules


class Checks(dict[AgentName, Callable[[UrlLike], bool]]):
    """The question "may it be fetched?" of one file, bound to each agent that was asked about."""

    def __init__(self, robots: Robots) -> None:
        super().__init__()
        self.rules = RulesByAgent(robots)

    @property
    def robots(self) -> Robots:
        """The file."""
        return self.rules.robots

    def __missing__(self, agent: AgentName) -> Callable[[UrlLike], bool]:
        check = self.rules[agent].is_allowed
        if len(self) >= MOST_AGENTS:
            self.clear()
        self[agent] = check
        return check

    def numbers(
        self, agent: AgentName, kind: str, read: Callable[[str], Number | None]
    ) -> Iterator[Number]:
        """The values of one kind of record in the groups that speak to an agent, the last one first, as `read` reads them.

        Values for which it returns None or raises ValueError are left out. The originals have no largest number, and the
        engine has one: a delay from `LARGE_DELAY` on, or a rate with `LARGEST_IN_RATE`, is looked up in the file.
        """
        asked = agent if isinstance(agent, Agent) else Agent.header(agent)
        chosen = {group.index for group in self.robots.explain(asked, "/").groups}
        groups = (group for group in self.robots.groups if group.index in chosen)
        records = [one for group in groups for one in group.records if one.kind == kind]
        for record in reversed(records):
            try:
                number = read(record.value)
            except ValueError:
                continue
            if number is not None:
                yield number

    def __reduce__(self) -> tuple[type[Checks], tuple[Robots]]:
        # Rules belong to this process; the file can be read anew in another.
        return Checks, (self.robots,)


def seconds_of(value: str) -> float | None:
    """A delay as Python's `float` reads it; None if it is negative or no number. Raises ValueError for other text."""
    seconds = float(value)
    return seconds if seconds >= 0 else None


def lines_of(lines: Iterable[str]) -> Iterator[str]:
    """Lines of text, and a TypeError for anything else that is passed as such."""
    try:
        given = iter(lines)
    except TypeError:
        raise TypeError(f"parse takes the lines of a file, not {type(lines).__name__}") from None
    for line in given:
        if not isinstance(line, str):
            kind = type(line).__name__
            raise TypeError(f"parse takes lines of text (str), not of {kind}: decode them first")
        yield line


def names_by_group(robots: Robots) -> dict[int, list[Record]]:
    """The user-agent records of each group of a file."""
    names: dict[int, list[Record]] = {}
    for record in robots.records:
        if record.kind == "user-agent" and record.group is not None:
            names.setdefault(record.group, []).append(record)
    return names


def with_scheme(url: UrlLike) -> UrlLike:
    """A URL whose text begins with a host (`//example.com/x`), with a scheme before it; anything else as it is.

    The originals split it so; to Comity such a text is a path.
    """
    if isinstance(url, str) and url.startswith("//"):
        return f"http:{url}"
    if isinstance(url, bytes) and url.startswith(b"//"):
        return b"http:" + url
    return url


def path_of(url: UrlLike | bytes) -> str:
    """What to ask about for text that is neither an absolute URL nor a path, which the originals never refuse.

    `example.com/x` is taken as the path `/example.com/x`, as Protego takes it; what cannot be split at all is asked about
    as `/`.
    """
    given = text_of(url)
    text = given if isinstance(given, str) else given.decode("utf-8", "replace")
    try:
        parts = urlsplit(text)
    except ValueError:
        return "/"
    path = parts.path if parts.path.startswith("/") else "/" + parts.path
    return f"{path}?{parts.query}" if parts.query else path
