"""Tables of every library in, tables of the same library out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import comity
from comity import arrow
from comity.errors import BatchError, UnknownNameError

pa = pytest.importorskip("pyarrow")

ROBOTS = "User-agent: *\nDisallow: /private\nContent-Usage: train-ai=n\n"
URLS = ["https://h.example/private/a", "https://h.example/", "mailto:x", None]
VERDICTS = ["disallowed_explicit", "allowed_implicit", None, None]


def table() -> Any:
    return pa.table({"url": URLS, "robots": [ROBOTS] * 4})


def test_pyarrow_kinds_come_back_as_they_went() -> None:
    given = table()
    for data in (given, given.to_batches()[0], given.to_reader()):
        decided = arrow.decide(data, agent="examplebot")
        assert type(decided) is type(data)
        decided = decided.read_all() if isinstance(decided, pa.RecordBatchReader) else decided
        assert decided.column("verdict").to_pylist() == VERDICTS
        assert decided.column("url").to_pylist() == URLS


def test_single_questions_have_the_same_answers() -> None:
    robots = comity.Robots.parse(ROBOTS)
    decided = arrow.decide(table().slice(0, 2), agent="examplebot").to_pylist()
    for row in decided:
        decision = robots.decide("examplebot", row["url"])
        assert (row["verdict"], row["line"], row["basis"]) == (
            decision.verdict,
            decision.line,
            decision.basis,
        )


def test_what_was_given_is_not_copied() -> None:
    given = table().to_batches()[0]
    decided = arrow.decide(given, agent="examplebot")
    for name in ("url", "robots"):
        before, after = given.column(name).buffers(), decided.column(name).buffers()
        assert before[2].address == after[2].address


def test_streams_are_read_as_they_are_asked_for() -> None:
    pulled = []

    def batches() -> Iterator[Any]:
        for number in range(3):
            pulled.append(number)
            yield from table().to_batches()

    reader = pa.RecordBatchReader.from_batches(table().schema, batches())
    decided = arrow.decide(reader, agent="examplebot")
    assert pulled == []
    decided.read_next_batch()
    assert pulled == [0]
    assert decided.read_all().num_rows == 8


def test_capsules_alone_will_do_and_a_stream_is_read_once() -> None:
    class Other:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return table().__arrow_c_stream__(requested_schema)

    decided = arrow.decide(Other(), agent="examplebot")
    assert pa.table(decided).column("verdict").to_pylist() == VERDICTS
    with pytest.raises(ValueError, match="read before"):
        pa.table(decided)


def test_odd_capsules_are_refused() -> None:
    capsules = table().to_batches()[0].__arrow_c_array__()
    pa.record_batch(type("Taker", (), {"__arrow_c_array__": lambda self, *_: capsules})())

    class Odd:
        def __init__(self, value: object) -> None:
            self.value = value

        def __arrow_c_array__(self, requested_schema: object = None) -> object:
            return self.value

    numbers = pa.array([1, 2])
    for value in (capsules, (capsules[1], capsules[0]), (1, 2), 3, numbers.__arrow_c_array__()):
        with pytest.raises((ValueError, TypeError)):
            arrow.decide(Odd(value), agent="examplebot")


def test_polars() -> None:
    pl = pytest.importorskip("polars")
    decided = arrow.decide(pl.DataFrame(table()), agent="examplebot")
    assert isinstance(decided, pl.DataFrame)
    assert decided["verdict"].to_list() == VERDICTS
    with pytest.raises(TypeError, match="collect"):
        arrow.decide(decided.lazy(), agent="examplebot")


def test_pandas_keeps_its_index_and_columns() -> None:
    pd = pytest.importorskip("pandas")
    given = pd.DataFrame({"url": URLS[:2], "robots": ROBOTS, "own": [object(), {}]}, index=[7, 9])
    decided = arrow.decide(given, agent="examplebot")
    assert list(decided.index) == [7, 9]
    assert list(decided["verdict"]) == VERDICTS[:2]
    assert decided["own"].iloc[1] == {}
    with pytest.raises(BatchError, match="`verdict` already"):
        arrow.decide(decided, agent="examplebot")


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    given = duckdb.from_arrow(table())
    decided = arrow.decide(given, agent="examplebot")
    assert decided.project("verdict").fetchall() == [(verdict,) for verdict in VERDICTS]


def test_answers_of_their_own_table() -> None:
    answers = pa.table(
        {"robots_key": ["a", "b"], "robots": [ROBOTS, None], "robots_status": [200, 404]}
    )
    given = pa.table({"url": ["/private"] * 3, "robots_key": ["a", "b", "c"]})
    decided = arrow.decide(given, agent="examplebot", answers=answers)
    expected = ["disallowed_explicit", "allowed_implicit", "unknown_unreachable"]
    assert decided.column("verdict").to_pylist() == expected


def test_errors_say_what_to_do() -> None:
    with pytest.raises(BatchError, match="on whose behalf"):
        arrow.decide(table())
    with pytest.raises(BatchError, match="no column `link`"):
        arrow.decide(table(), agent="a", url="link")
    with pytest.raises(UnknownNameError, match="verdict, recommendation"):
        arrow.decide(table(), agent="a", columns=["veredict"])
    with pytest.raises(TypeError, match="not list"):
        arrow.decide([], agent="a")


def test_usage_has_its_columns() -> None:
    decided = arrow.decide(
        table(), agent="examplebot", usage=["train"], append=False, columns=["error"]
    )
    assert decided.column("usage_train_content_usage").to_pylist()[1] == "disallow"
    assert decided.column("usage_train_content_signal").to_pylist()[1] == "unknown"
