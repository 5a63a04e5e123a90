"""Common parts of the drop-ins: rules kept per agent, and checks of text that is not a valid URL.

The "user agent" of the originals is a name or a whole `User-Agent` header. The drop-ins pass either to `Agent.header`, which
finds the product token in it. A check is then one dictionary lookup and one native call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias, TypeVar
from urllib.parse import urlsplit

from comity import Agent, Robots, Rules
from comity._urls import UrlLike, text_of

if TYPE_CHECKING:
    from comity.robots import Record

#: Maximum number of agents whose rules a file caches, for programs that pass a new User-Agent for every request.
MOST_AGENTS = 256

#: Delays below this number of seconds are exact. The engine may have rounded or reduced a larger one.
LARGE_DELAY = 2.0**53
#: The engine's largest number of documents or seconds in a rate.
LARGEST_IN_RATE = 2**32 - 1

AgentName: TypeAlias = "str | bytes | Agent"
Number = TypeVar("Number")


class RulesByAgent(dict[AgentName, Rules]):
    """The rules of one file for each agent that was checked."""

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
    """For each agent that was checked: the function that returns whether one file permits fetching a URL."""

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
        """Yields the parsed values of one kind of record in the groups that apply to an agent, the last one first.

        Skips the values for which `read` returns None or raises ValueError. The engine limits numbers, unlike the originals.
        So callers read a delay of `LARGE_DELAY` or more, or a rate with `LARGEST_IN_RATE`, from the file.
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
    """Parses a delay as Python's `float` does. Returns None for a negative delay and for NaN. Raises ValueError for other text."""
    seconds = float(value)
    return seconds if seconds >= 0 else None


def lines_of(lines: Iterable[str]) -> Iterator[str]:
    """Yields lines of text. Raises TypeError for anything else."""
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
    """Returns the user-agent records of each group of a file."""
    names: dict[int, list[Record]] = {}
    for record in robots.records:
        if record.kind == "user-agent" and record.group is not None:
            names.setdefault(record.group, []).append(record)
    return names


def with_scheme(url: UrlLike) -> UrlLike:
    """Adds a scheme to a URL whose text begins with a host (`//example.com/x`); returns anything else unchanged.

    The originals split such a text into host and path; Comity takes it for a path.
    """
    if isinstance(url, str) and url.startswith("//"):
        return f"http:{url}"
    if isinstance(url, bytes) and url.startswith(b"//"):
        return b"http:" + url
    return url


def path_of(url: UrlLike | bytes) -> str:
    """Returns the URL to check for text that is neither an absolute URL nor a path. The originals never refuse such text.

    `example.com/x` becomes the path `/example.com/x`, as in Protego. Text that cannot be split at all becomes `/`.
    """
    given = text_of(url)
    text = given if isinstance(given, str) else given.decode("utf-8", "replace")
    try:
        parts = urlsplit(text)
    except ValueError:
        return "/"
    path = parts.path if parts.path.startswith("/") else "/" + parts.path
    return f"{path}?{parts.query}" if parts.query else path
