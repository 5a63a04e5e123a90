"""Code that the drop-ins share: a cache of rules by agent, and the conversion of text that is not a valid URL.

An *original* is the library that a drop-in replaces. The originals accept a name or a whole `User-Agent` header as the user
agent. The drop-ins pass it to `Agent.header`, which extracts the product token. Later checks for this agent cost one
dictionary lookup and one native call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias, TypeVar
from urllib.parse import urlsplit

from comity import Agent, Robots, Rules
from comity._urls import UrlLike, text_of

if TYPE_CHECKING:
    from comity.robots import Record

#: Maximum number of agents whose rules are cached per file. Some programs pass a new User-Agent for every request.
MOST_AGENTS = 256

#: Smallest delay that the engine may round or reduce, in seconds. Shorter delays are exact.
LARGE_DELAY = 2.0**53
#: Largest number of documents or seconds in a request rate of the engine, which reduces larger numbers.
LARGEST_IN_RATE = 2**32 - 1

AgentName: TypeAlias = "str | bytes | Agent"
Number = TypeVar("Number")


class RulesByAgent(dict[AgentName, Rules]):
    """The rules of one file by agent. They are compiled at the first access."""

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
    """The checks of one file by agent: functions that return True if the agent may fetch a URL."""

    def __init__(self, robots: Robots) -> None:
        super().__init__()
        self.rules = RulesByAgent(robots)

    @property
    def robots(self) -> Robots:
        """The parsed file."""
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
        """Parses the values of one kind of record in an agent's groups with `read`, and yields the numbers, the last one first.

        Skips the values for which `read` returns None or raises ValueError. The engine limits numbers, and the originals do
        not. So callers parse a delay of `LARGE_DELAY` or more, or a rate with `LARGEST_IN_RATE`, from the file again.
        """
        wanted = agent if isinstance(agent, Agent) else Agent.header(agent)
        chosen = {group.index for group in self.robots.explain(wanted, "/").groups}
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
        # Rules cannot be pickled. The other process parses the file again.
        return Checks, (self.robots,)


def seconds_of(value: str) -> float | None:
    """Parses a delay with `float`. Returns None for a negative delay and for NaN. Raises ValueError for invalid text."""
    seconds = float(value)
    return seconds if seconds >= 0 else None


def lines_of(lines: Iterable[str]) -> Iterator[str]:
    """Yields the given lines. Raises TypeError if the argument is not iterable, or a line is not `str`."""
    try:
        given = iter(lines)
    except TypeError:
        raise TypeError(f"parse takes the lines of a file, not {type(lines).__name__}") from None
    for line in given:
        if not isinstance(line, str):
            kind = type(line).__name__
            raise TypeError(f"parse takes lines of type str, not {kind}: decode them first")
        yield line


def names_by_group(robots: Robots) -> dict[int, list[Record]]:
    """Returns the user-agent records of each group of a file."""
    names: dict[int, list[Record]] = {}
    for record in robots.records:
        if record.kind == "user-agent" and record.group is not None:
            names.setdefault(record.group, []).append(record)
    return names


def with_scheme(url: UrlLike) -> UrlLike:
    """Adds `http:` to a URL that begins with `//` and a host (`//example.com/x`). Returns other URLs unchanged.

    The originals split such text into host and path, but Comity reads all of it as a path.
    """
    if isinstance(url, str) and url.startswith("//"):
        return f"http:{url}"
    if isinstance(url, bytes) and url.startswith(b"//"):
        return b"http:" + url
    return url


def path_of(url: UrlLike | bytes) -> str:
    """Converts text that is neither an absolute URL nor a path to a path, because the originals accept such text.

    `example.com/x` becomes the path `/example.com/x`, as in Protego. Text that `urlsplit` rejects becomes `/`.
    """
    given = text_of(url)
    text = given if isinstance(given, str) else given.decode("utf-8", "replace")
    try:
        parts = urlsplit(text)
    except ValueError:
        return "/"
    path = parts.path if parts.path.startswith("/") else "/" + parts.path
    return f"{path}?{parts.query}" if parts.query else path
