"""Arrow batches: tables of several libraries, verdicts equal to those of `Policy`, and malformed capsules."""

import copy
import ctypes
import gc
import pickle
import random
import threading
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from comity import (
    Agent,
    BatchError,
    Policy,
    Robots,
    TokenError,
    UnknownNameError,
    arrow,
)
from comity._comity import NativeAuditor

pa = pytest.importorskip("pyarrow")

BODY = "User-agent: *\nDisallow: /search\nAllow: /search/about\nCrawl-delay: 2\n"
ROWS = {
    "url": [
        "https://a.example/search?q=1",
        "https://a.example/search/about",
        "nonsense",
        None,
        "/x",
    ],
    "robots": [BODY, BODY, BODY, BODY, None],
}
VERDICTS = ["disallowed_explicit", "allowed_explicit", None, None, "unknown_unreachable"]


def table() -> "pa.Table":
    return pa.table(ROWS)


# Libraries ---------------------------------------------------------------------------------------


def test_pyarrow_table_is_returned() -> None:
    verdicts = arrow.decide(table(), agent="examplebot")
    assert isinstance(verdicts, pa.Table)
    assert verdicts.column_names == [*ROWS, *arrow.VERDICT_OUTPUTS]
    assert verdicts["verdict"].to_pylist() == VERDICTS
    assert verdicts["allowed"].to_pylist() == [False, True, None, None, False]
    assert verdicts["rule"].to_pylist() == ["/search", "/search/about", None, None, None]
    assert verdicts["line"].to_pylist() == [2, 3, None, None, None]
    assert verdicts["crawl_delay"].to_pylist() == [2.0, 2.0, None, None, None]
    errors = verdicts["error"].to_pylist()
    assert errors[2].startswith("`nonsense` is neither an absolute URL nor a path")
    assert errors[3] == "the row has no URL"


def test_input_column_is_returned_without_a_copy() -> None:
    batch = table().to_batches()[0]
    verdicts = arrow.decide(batch, agent="examplebot")
    assert isinstance(verdicts, pa.RecordBatch)
    for name in ROWS:
        before = [buffer and buffer.address for buffer in batch.column(name).buffers()]
        after = [buffer and buffer.address for buffer in verdicts.column(name).buffers()]
        assert before == after
    # The column remains valid after the source is freed.
    del batch
    gc.collect()
    assert verdicts.column("url").to_pylist() == ROWS["url"]


def test_reader_is_decided_batch_by_batch() -> None:
    taken = []

    def batches() -> "pa.RecordBatch":
        for number in range(3):
            taken.append(number)
            yield table().to_batches()[0]

    reader = pa.RecordBatchReader.from_batches(table().schema, batches())
    decided = arrow.decide(reader, agent="examplebot")
    assert isinstance(decided, pa.RecordBatchReader)
    assert taken == []
    assert decided.read_next_batch().column("verdict").to_pylist() == VERDICTS
    assert taken == [0]
    assert decided.read_all().num_rows == 10


def test_error_within_a_stream_is_raised_at_the_reader() -> None:
    def batches() -> "pa.RecordBatch":
        yield table().to_batches()[0]
        raise RuntimeError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(table().schema, batches())
    decided = arrow.decide(reader, agent="examplebot")
    decided.read_next_batch()
    with pytest.raises(Exception, match="the disk is gone"):
        decided.read_next_batch()


def test_polars_frame_is_returned() -> None:
    pl = pytest.importorskip("polars")
    verdicts = arrow.decide(pl.DataFrame(ROWS), agent="examplebot", dictionary=True)
    assert isinstance(verdicts, pl.DataFrame)
    assert verdicts["verdict"].to_list() == VERDICTS
    plain = arrow.decide(pl.DataFrame(ROWS), agent="examplebot", usage=True)
    assert plain["usage_content_signal_train"].to_list() == ["unknown"] * 2 + [None] * 2 + [
        "unknown"
    ]
    assert plain["usage_rsl_licenses"].to_list() == [[], [], None, None, []]
    with pytest.raises(
        TypeError, match=r"LazyFrame does not export Arrow data: collect\(\) it first"
    ):
        arrow.decide(pl.LazyFrame(ROWS), agent="examplebot")


def test_duckdb_relation_is_returned() -> None:
    duckdb = pytest.importorskip("duckdb")
    pages = table()
    relation = duckdb.sql("SELECT * FROM pages WHERE url IS NOT NULL")
    verdicts = arrow.decide(relation, agent="examplebot")
    assert isinstance(verdicts, type(relation))
    counted = duckdb.sql("SELECT verdict, count(*) FROM verdicts GROUP BY 1").fetchall()
    assert dict(counted) == {None: 1, **{verdict: 1 for verdict in VERDICTS if verdict}}
    assert len(pages) == 5


def test_duckdb_relation_stays_on_its_connection() -> None:
    duckdb = pytest.importorskip("duckdb")
    con = duckdb.connect()
    con.register("pages", table())
    # DuckDB finds the table by the name of the variable.
    verdicts = arrow.decide(con.sql("SELECT url, robots FROM pages"), agent="examplebot")  # noqa: F841
    gc.collect()
    # Read it more than once, and together with another relation of the same connection.
    for _ in range(2):
        counted = con.sql("SELECT count(*) FROM verdicts JOIN pages USING (url)").fetchall()
        assert counted == [(4,)]
    assert con.sql("SELECT count(*) FROM duckdb_views() WHERE NOT internal").fetchall() == [(1,)]


def test_sql_function_decides_rows() -> None:
    duckdb = pytest.importorskip("duckdb")
    import comity.duckdb

    con = duckdb.connect()
    comity.duckdb.register(con)
    con.register("pages", table())
    ask = "SELECT comity_allowed(url, robots, ?) FROM pages"
    assert con.execute(ask, ["examplebot"]).fetchall() == [
        (False,),
        (True,),
        (None,),
        (None,),
        (None,),
    ]
    many = con.execute(
        "SELECT comity_allowed('https://a.example/p' || i, ?, 'x'), count(*) FROM range(10_000) r(i) GROUP BY 1",
        ["User-agent: *\nDisallow: /p1\n"],
    ).fetchall()
    assert dict(many) == {False: 1111, True: 8889}


def test_polars_namespace_decides_expressions() -> None:
    pl = pytest.importorskip("polars")
    import comity.polars  # noqa: F401

    pages = pl.LazyFrame({**ROWS, "who": ["examplebot", "examplebot", "x", "x", "Mozilla/5.0 (X)"]})
    lazy = pages.with_columns(
        own=pl.col("url").comity.allowed("robots", agent=pl.col("who")),
        all=pl.col("url").comity.decide("robots", agent="examplebot", outputs=["verdict", "line"]),
    )
    assert lazy.collect_schema()["own"] == pl.Boolean
    for engine in ("in-memory", "streaming"):
        made = lazy.collect(engine=engine)
        assert made["own"].to_list() == [False, True, None, None, None]
        assert made["all"].struct.field("verdict").to_list() == VERDICTS
        assert made["all"].struct.field("line").to_list() == [2, 3, None, None, None]
    with pytest.raises(TokenError):
        pl.col("url").comity.allowed("robots", agent="Mozilla/5.0 (X)")
    with pytest.raises(UnknownNameError):
        pl.col("url").comity.allowed("robots", agent="x", preset="altavista")


def test_pandas_frame_is_returned() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(ROWS, index=list("abcde"))
    # A column without an Arrow type stays as it is.
    frame["other"] = [object() for _ in range(5)]
    verdicts = arrow.decide(frame, agent="examplebot")
    assert list(verdicts.index) == list("abcde")
    assert verdicts["other"].tolist() == frame["other"].tolist()
    assert verdicts["verdict"].dtype == pd.ArrowDtype(pa.string())
    assert [None if pd.isna(v) else v for v in verdicts["verdict"]] == VERDICTS
    with pytest.raises(BatchError, match="the batch has a column `rule` already"):
        arrow.decide(frame.assign(rule="x"), agent="examplebot")
    arrowed = frame[["url", "robots"]].convert_dtypes(dtype_backend="pyarrow")
    assert arrow.decide(arrowed, agent="examplebot", keep=False).shape == (
        5,
        len(arrow.VERDICT_OUTPUTS),
    )
    with pytest.raises(TypeError, match=r"pass a DataFrame, not a Series"):
        arrow.decide(frame["url"], agent="examplebot")


def test_object_with_arrow_methods_is_decided() -> None:
    class Own:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return table().__arrow_c_stream__(requested_schema)

    verdicts = arrow.decide(Own(), agent="examplebot")
    assert pa.table(verdicts)["verdict"].to_pylist() == VERDICTS
    with pytest.raises(BatchError, match="the stream was already read"):
        pa.table(verdicts)

    class Batch:
        def __arrow_c_array__(self, requested_schema: object = None) -> object:
            return table().to_batches()[0].__arrow_c_array__(requested_schema)

    verdicts = arrow.decide(Batch(), agent="examplebot")
    assert len(verdicts) == 5
    # A batch can be read repeatedly.
    for _ in range(2):
        assert pa.record_batch(verdicts).column("verdict").to_pylist() == VERDICTS
    assert pa.table(verdicts).num_rows == 5
    with pytest.raises(TypeError, match="int does not export Arrow data"):
        arrow.decide(3, agent="examplebot")


# Answers -----------------------------------------------------------------------------------------


def test_verdicts_of_a_table_equal_those_of_the_policy() -> None:
    dice = random.Random(5)
    bodies = [BODY, "User-agent: examplebot\nDisallow: /*.pdf$\n", "<!doctype html>", "", None]
    start = datetime(2026, 1, 1, tzinfo=timezone.utc)
    rows = [
        {
            "url": dice.choice(["/search", "/a.pdf", "/search/about", "/robots.txt", "x", "/"]),
            "robots": dice.choice(bodies),
            "robots_status": dice.choice([None, 200, 301, 401, 404, 429, 503]),
            "robots_fetched_at": start,
            "seen_at": start + timedelta(hours=dice.randrange(1000)),
        }
        for _ in range(2000)
    ]
    for preset in ["rfc9309", "google", "strict"]:
        verdicts = arrow.decide(
            pa.Table.from_pylist(rows), agent="examplebot", preset=preset, outputs=arrow.OUTPUTS
        ).to_pylist()
        for row, verdict in zip(rows, verdicts, strict=True):
            policy = Policy("examplebot", preset=preset)
            body, status = row["robots"], row["robots_status"]
            # A row without a status has no answer, even if the row has a body.
            if status is not None:
                policy.update(status, body, fetched_at=start)
            # The dialect `rfc9309` rejects text that is not a URL. The dialect of the preset `google` does not.
            if row["url"] == "x" and preset != "google":
                assert verdict["error"].startswith("`x` is neither an absolute URL nor a path")
                assert verdict["verdict"] is None
                continue
            decision = policy.decide(row["url"], now=row["seen_at"])
            for name in ["verdict", "recommendation", "treatment", "basis", "line", "group"]:
                assert verdict[name] == getattr(decision, name), (preset, row, name)
            assert verdict["stale"] == decision.stale
            assert verdict["rule"] == (decision.rule and decision.rule.pattern)


def test_agent_column_names_the_crawler_of_each_row() -> None:
    rows = pa.table(
        {
            "url": ["/a"] * 3,
            "agent": ["A", "b", None],
            "robots": ["User-agent: a\nDisallow: /\n"] * 3,
        }
    )
    verdicts = arrow.decide(rows)
    assert verdicts["allowed"].to_pylist() == [False, True, None]
    assert verdicts["error"].to_pylist()[2] == "the row names no crawler"
    named = rows.set_column(1, "agent", [["A/1.0", "*", "A"]])
    verdicts = arrow.decide(named)
    assert verdicts["allowed"].to_pylist() == [None, True, False]
    assert (
        verdicts["error"]
        .to_pylist()[0]
        .startswith("`A/1.0` is not a product token: it contains `/`")
    )
    with pytest.raises(TokenError):
        arrow.decide(rows, agent="A/1.0")
    header = Agent.header("Mozilla/5.0 (compatible; A/1.0)")
    one = arrow.decide(rows, agent=header, columns={"agent": None})
    assert one["allowed"].to_pylist() == [False] * 3


def test_table_of_robots_history_decides_by_time() -> None:
    day = timedelta(days=1)
    start = datetime(2026, 1, 1, tzinfo=timezone.utc)
    robots = {
        "origin": ["https://a.example"] * 3,
        "body": [b"User-agent: *\nDisallow: /old\n", None, b"User-agent: *\nDisallow: /new\n"],
        "status": [200, 503, 200],
        "fetched_at": [start, start + 2 * day, start + 4 * day],
    }
    seen = [start - day, start + day, start + 3 * day, start + 5 * day]
    urls = pa.table({"url": ["https://A.example/old"] * 4, "seen_at": seen})
    known = arrow.RobotsTable(robots, columns={"key": "origin"})
    assert repr(known) == "<RobotsTable of 1 keys>"
    for verdicts in [
        arrow.decide(urls, agent="x", robots=known),
        arrow.decide(urls, agent="x", robots=robots, robots_columns={"key": "origin"}),
        arrow.decide(urls, agent="x", robots=pa.table(robots), robots_columns={"key": "origin"}),
    ]:
        assert verdicts["verdict"].to_pylist() == [
            "unknown_unreachable",
            "disallowed_explicit",
            "disallowed_explicit",  # the server fails, and the last good copy applies
            "allowed_implicit",
        ]
        assert verdicts["treatment"].to_pylist() == [
            "stop",
            "read_rules",
            "last_good",
            "read_rules",
        ]
    with pytest.raises(TypeError, match="robots_columns names the columns of a table"):
        arrow.Auditor(agent="x", robots_columns={"key": "origin"})


def test_origin_of_a_url_is_normalized() -> None:
    assert arrow.origin("HTTPS://Example.com:443/a") == "https://example.com"
    assert arrow.origin(b"ftp://example.com/") is None


# Column names and errors -------------------------------------------------------------------------


def test_columns_with_other_names_are_read() -> None:
    rows = pa.table({"page": ["/search"], "text": [BODY], "code": [404], "status": [500]})
    names = {"url": "page", "robots": "text"}
    assert arrow.decide(rows, agent="x", columns=names)["verdict"].to_pylist() == [
        "disallowed_explicit"
    ]
    coded = arrow.decide(rows, agent="x", columns={**names, "robots_status": "code"})
    assert coded["treatment"].to_pylist() == ["allow_all"]


def test_invalid_column_error_names_the_column() -> None:
    with pytest.raises(
        BatchError, match="no column `url` for the URL: there are `robots`; name the one to read"
    ):
        arrow.decide(pa.table({"robots": [BODY]}), agent="x")
    with pytest.raises(
        BatchError, match="column `url` has the type Int64: cast it to text or bytes"
    ):
        arrow.decide(pa.table({"url": [1], "robots": [BODY]}), agent="x")
    with pytest.raises(BatchError, match="no crawler is named"):
        arrow.decide(table())
    with pytest.raises(
        UnknownNameError, match="unknown verdict column `verdikt`; must be one of: verdict,"
    ):
        arrow.Auditor(agent="x", outputs=["verdikt"])
    with pytest.raises(UnknownNameError, match="unknown input column `uri`; must be one of: url,"):
        arrow.Auditor(agent="x", columns={"uri": "u"})
    with pytest.raises(UnknownNameError, match="unknown preset `bing`"):
        arrow.Auditor(agent="x", preset="bing")
    with pytest.raises(
        BatchError, match="pass a batch or table with columns, not one column of Utf8"
    ):
        arrow.decide(pa.chunked_array([["a"]]), agent="x")
    with pytest.raises(TypeError):
        arrow.Auditor(agent=3)


def test_pickled_auditor_has_the_options_of_the_original() -> None:
    auditor = arrow.Auditor(agent="examplebot", preset="google", usage=True, prefix="r_")
    for other in [pickle.loads(pickle.dumps(auditor)), copy.copy(auditor)]:
        assert other.decide(table()).equals(auditor.decide(table()))
    with pytest.raises(TypeError, match="cannot be pickled: create one in the other process"):
        pickle.dumps(arrow.Auditor(agent="x", robots={"key": ["a"], "body": [b""]}))


def test_auditor_shared_by_threads_decides_correctly() -> None:
    auditor = arrow.Auditor(agent="examplebot", cache_bytes=0)
    expected = auditor.decide(table())
    wrong = []

    def ask() -> None:
        for _ in range(50):
            if not auditor.decide(table()).equals(expected):
                wrong.append(True)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("threads", [0, 2, 3])
def test_rows_decided_on_several_threads_keep_their_order(threads: int) -> None:
    rows = 30_001
    urls = [f"https://site-{n % 9_000}.example/private/{n}" for n in range(rows)]
    urls[20_000] = "nonsense"
    pages = pa.table({"url": urls})
    keys = [f"https://site-{n}.example" for n in range(0, 9_000, 2)]
    robots = {
        "key": keys,
        "body": [f"User-agent: *\nDisallow: /private/{n % 9}\n" for n in range(len(keys))],
    }
    known = arrow.RobotsTable(robots)
    alone = arrow.decide(pages, agent="examplebot", robots=known)
    assert len(set(alone["rule"].to_pylist())) == 10
    auditor = arrow.Auditor(agent="examplebot", robots=known, threads=threads)
    for _ in range(2):
        assert auditor.decide(pages).equals(alone)
    few = pages.slice(19_990, 20)
    assert auditor.decide(few).equals(alone.slice(19_990, 20))


def test_error_on_another_thread_is_raised() -> None:
    rows = 20_000
    pages = pa.table(
        {"url": ["https://a.example/"] * rows, "robots": [BODY] * rows, "rule": [""] * rows}
    )
    with pytest.raises(BatchError, match="`rule` already"):
        arrow.decide(pages, agent="examplebot", threads=2)


# Capsules ----------------------------------------------------------------------------------------


def native() -> NativeAuditor:
    return arrow.Auditor(agent="x")._native


class ArrowObject:
    """An object whose Arrow methods return the given capsules."""

    def __init__(self, *, array: object = None, stream: object = None) -> None:
        self.array, self.stream = array, stream

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        return self.array

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.stream


def test_invalid_capsule_is_rejected() -> None:
    schema, array = table().to_batches()[0].__arrow_c_array__()
    for wrong in [
        None,
        3,
        (1, 2),
        (array, schema),
        (schema, schema),
        (schema,),
        (schema, array, array),
    ]:
        with pytest.raises((TypeError, ValueError)):
            native().decide_batch(ArrowObject(array=wrong))
    for wrong in [None, 3, array, schema]:
        with pytest.raises((TypeError, ValueError)):
            native().decide_stream(ArrowObject(stream=wrong))
    # A capsule that was not consumed can still be used.
    assert len(native().decide_batch(ArrowObject(array=(schema, array)))) == 5


def test_consumed_capsule_is_rejected() -> None:
    pair = table().to_batches()[0].__arrow_c_array__()
    native().decide_batch(ArrowObject(array=pair))
    with pytest.raises(BatchError, match="was consumed before"):
        native().decide_batch(ArrowObject(array=pair))
    stream = table().__arrow_c_stream__()
    native().decide_stream(ArrowObject(stream=stream))
    with pytest.raises(BatchError, match="the Arrow stream was consumed before"):
        native().decide_stream(ArrowObject(stream=stream))


def test_dropped_capsule_frees_its_memory() -> None:
    before = pa.total_allocated_bytes()
    for _ in range(200):
        batch = pa.record_batch({"url": ["/a" * 500] * 50, "robots": [BODY] * 50})
        decided = native().decide_batch(batch)
        decided.__arrow_c_array__()
        decided.__arrow_c_stream__()
        native().decide_stream(pa.table(batch)).__arrow_c_stream__()
        native().decide_stream(pa.table(batch))
    del batch, decided
    gc.collect()
    assert pa.total_allocated_bytes() - before < 1_000_000


def test_invalid_offsets_and_dictionary_keys_are_errors() -> None:
    def batch(urls: "pa.Array") -> "pa.RecordBatch":
        return pa.record_batch({"url": urls, "robots": pa.array([BODY] * len(urls))})

    offsets = (ctypes.c_int32 * 4)(0, 900_000, 2, 4)
    buffers = [None, pa.py_buffer(bytes(offsets)), pa.py_buffer(b"/a/b")]
    with pytest.raises(BatchError):
        native().decide_batch(batch(pa.Array.from_buffers(pa.string(), 3, buffers)))
    keys = pa.Array.from_buffers(pa.int8(), 2, [None, pa.py_buffer(b"\x00\x63")])
    dictionary = pa.DictionaryArray.from_arrays(keys, pa.array(["/a"]), safe=False)
    with pytest.raises(BatchError):
        native().decide_batch(batch(dictionary))
    view = (3).to_bytes(4, "little") + b"/ab" + bytes(9)
    outside = (20).to_bytes(4, "little") + b"/abc" + (7).to_bytes(4, "little") + bytes(4)
    views = pa.Array.from_buffers(pa.binary_view(), 2, [None, pa.py_buffer(view + outside)])
    with pytest.raises(BatchError):
        native().decide_batch(batch(views))


def test_text_that_is_not_utf8_is_read_as_bytes() -> None:
    offsets = (ctypes.c_int32 * 2)(0, 3)
    text = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(bytes(offsets)), pa.py_buffer(b"/\xff\xfe")]
    )
    robots = pa.array([b"User-agent: *\nDisallow: /\xff\n"])
    verdicts = arrow.decide(pa.record_batch({"url": text, "robots": robots}), agent="x", keep=False)
    assert verdicts.column("verdict").to_pylist() == ["disallowed_explicit"]
    assert verdicts.column("rule").to_pylist() == ["/ÿ"]


def test_slices_and_empty_batches_are_decided() -> None:
    for kind in [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.binary_view()]:
        sliced = pa.table({name: pa.array(ROWS[name]).cast(kind) for name in ROWS}).slice(1, 3)
        assert arrow.decide(sliced, agent="x")["verdict"].to_pylist() == VERDICTS[1:4]
    empty = arrow.decide(table().slice(0, 0), agent="x")
    assert (empty.num_rows, empty.num_columns) == (0, 2 + len(arrow.VERDICT_OUTPUTS))


def test_real_files_have_equal_decisions_in_columns(data: "object") -> None:
    paths = sorted((data / "corpus" / "robots").glob("*.txt"))[:500]  # type: ignore[operator]
    bodies = [path.read_bytes() for path in paths]
    urls = ["/", "/search", "/admin/x", "/a/b.pdf?c=d"]
    rows = pa.table({"url": urls * len(bodies), "robots": [body for body in bodies for _ in urls]})
    verdicts = arrow.decide(rows, agent="Googlebot", columns={})
    expected = [Robots.parse(body).decide("Googlebot", url) for body in bodies for url in urls]
    for verdict, decision in zip(verdicts.to_pylist(), expected, strict=True):
        if verdict["treatment"] == "read_rules":
            assert (verdict["verdict"], verdict["line"]) == (decision.verdict, decision.line)


PRIVATE = "User-agent: *\nDisallow: /private\n"
PRIVATE_PAGE = {"url": ["https://a.example/private"], "robots": [PRIVATE]}


def test_column_with_the_name_of_a_given_argument_is_an_error() -> None:
    with pytest.raises(
        BatchError, match=r"column `agent`, and agent=.*columns=\{\"agent\": None\}"
    ):
        arrow.decide(PRIVATE_PAGE | {"agent": ["GPTBot"]}, agent="ExampleBot")
    with pytest.raises(BatchError, match="column `name`, and agent="):
        arrow.decide(PRIVATE_PAGE | {"name": ["b"]}, agent="ExampleBot", columns={"agent": "name"})
    with pytest.raises(BatchError, match="column `robots`, and robots="):
        arrow.decide(
            PRIVATE_PAGE, agent="a", robots={"key": ["https://a.example"], "body": [PRIVATE]}
        )
    chosen = arrow.decide(
        PRIVATE_PAGE | {"agent": ["b"]},
        agent="ExampleBot",
        columns={"agent": None},
        outputs=["allowed"],
    )
    assert chosen["allowed"].to_pylist() == [False]
    with pytest.raises(BatchError, match="column `agent`"):
        list(arrow.Auditor(agent="a").stream(pa.table(PRIVATE_PAGE | {"agent": ["b"]})))


def test_table_of_robots_txt_without_answers_is_an_error() -> None:
    urls = {"url": ["https://a.example/private"]}
    with pytest.raises(BatchError, match="unknown keys bdoy; must be among: key, body, status"):
        arrow.decide(urls, agent="a", robots={"key": ["https://a.example"], "bdoy": [PRIVATE]})
    with pytest.raises(BatchError, match=r"has no answers.*give a column `body`"):
        arrow.decide(urls, agent="a", robots={"key": ["https://a.example"]})
    with pytest.raises(BatchError, match="give a column `body`"):
        arrow.decide(
            urls, agent="a", robots=pa.table({"key": ["https://a.example"], "x": [PRIVATE]})
        )
    found = arrow.decide(urls, agent="a", robots={"key": ["https://a.example"], "status": [404]})
    assert found["allowed"].to_pylist() == [True]


@pytest.mark.parametrize("url", ["", "http://", "#f", "http://[::1", "https://[zz]/", "mailto:a"])
def test_invalid_url_is_an_error_in_every_form_of_the_call(url: str) -> None:
    forms: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"robots": [PRIVATE]}, {}),
        ({"robots_status": [404]}, {}),
        ({"robots": pa.array([None], pa.string())}, {}),
        ({}, {"robots": {"key": ["https://a.example"], "body": [PRIVATE]}}),
        ({"robots_key": ["k"]}, {"robots": {"key": ["k"], "body": [PRIVATE]}}),
    ]
    for columns, options in forms:
        row = arrow.decide({"url": [url]} | columns, agent="a", **options).to_pylist()[0]
        assert row["error"] and row["verdict"] is None, (row, columns)


def test_invalid_url_is_decided_in_the_dialect_google() -> None:
    for url in ("", "#f", "http://[::1"):
        row = arrow.decide({"url": [url], "robots": [PRIVATE]}, agent="a", dialect="google")
        assert row["allowed"].to_pylist() == [True]


def test_stream_iterates_over_its_batches() -> None:
    table = pa.table({"url": ["/private", "/"], "robots": [PRIVATE, PRIVATE]})
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=1))
    batches = list(arrow.Auditor(agent="a", outputs=["allowed"], keep=False).stream(reader))
    assert [batch.to_pylist() for batch in batches] == [[{"allowed": False}], [{"allowed": True}]]


def test_duckdb_takes_blobs_and_rejects_a_header() -> None:
    duckdb = pytest.importorskip("duckdb")
    import comity.duckdb

    con = duckdb.connect()
    comity.duckdb.register(con, preset="ladon")
    comity.duckdb.register(con)
    ask = "SELECT comity_allowed('https://a.example/private', ?, ?)"
    for body in (PRIVATE, PRIVATE.encode(), b"\xff\n" + PRIVATE.encode()):
        assert con.execute(ask, [body, "examplebot"]).fetchall() == [(False,)]
    assert con.execute(ask, [None, "examplebot"]).fetchall() == [(None,)]
    assert con.execute(ask, [PRIVATE, None]).fetchall() == [(None,)]
    con.execute("CREATE TABLE pages AS SELECT '/private' url, ?::BLOB body", [PRIVATE.encode()])
    found = con.sql("SELECT comity_allowed(url, body, 'a') FROM pages").fetchall()
    assert found == [(False,)]
    for name in ("Mozilla/5.0 (compatible; GPTBot/1.2)", "GPTBot/1.2", ""):
        with pytest.raises(duckdb.Error, match=r"Agent\.header"):
            con.execute(ask, [PRIVATE, name]).fetchall()
    with pytest.raises(duckdb.Error, match="url, robots, agent"):
        con.execute("SELECT comity_allowed('/private')").fetchall()
