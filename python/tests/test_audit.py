"""``comity.audit``: the jobs of the command, in process."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sites import Answer, site

from comity import Client, audit
from comity.errors import AuditError, ComityError

ROBOTS = """key,fetched_at,status,body
https://a.example,2024-01-01,200,"User-agent: *
Disallow: /private
"
https://b.example,2024-01-01,404,
"""
PAGES = """id,url,timestamp
1,https://a.example/,20240201000000
2,https://a.example/private/x,20240201000000
3,https://b.example/,20240201000000
4,https://c.example/,20240201000000
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "robots.csv").write_text(ROBOTS)
    (tmp_path / "pages.csv").write_text(PAGES)
    return tmp_path


def test_index_audit_and_report_write_their_files(folder: Path) -> None:
    made = audit.index(folder / "robots.csv", folder / "robots.parquet")
    assert (made.rows, made.answers, made.sites) == (2, 2, 2)
    done = audit.audit(
        folder / "pages.csv",
        made.path,
        agents=["GPTBot", "CCBot"],
        output=folder / "out.jsonl",
        report=folder / "audit.html",
    )
    assert [view.agent for view in done.views] == ["GPTBot", "CCBot"]
    view = done.views[0]
    assert (view.allowed, view.disallowed, view.unknown, view.undecidable) == (2, 1, 1, 0)
    rows = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
    assert [row["gptbot_verdict"] for row in rows] == [
        "allowed_implicit",
        "disallowed_explicit",
        "allowed_implicit",
        "unknown_unreachable",
    ]
    page = (folder / "audit.html").read_text()
    audit.report(done, folder / "again.html")
    audit.report(folder / "out.jsonl.manifest.json", folder / "third.html")
    assert page == (folder / "again.html").read_text() == (folder / "third.html").read_text()
    assert audit.Audit.of_manifest(done.manifest) == done


def test_every_argument_reaches_the_job(folder: Path) -> None:
    done = audit.audit(
        [folder / "pages.csv"],
        [folder / "robots.csv"],
        purposes=["training"],
        preset="rfc9309",
        dialect="google",
        as_of="both",
        nearest=True,
        usage=True,
        join_keys=True,
        crawl="CC-MAIN-2024-10",
        columns=["verdict", "line"],
        prefix="then_",
        rows="long",
        only="disallowed",
        url_column="url",
        time_column="timestamp",
        input_format="csv",
        output=folder / "out.csv",
    )
    assert done.manifest["summary"]["dialect"] == "google"
    assert {view.moment for view in done.views} == {"seen", "now"}
    header, *rows = (folder / "out.csv").read_text().splitlines()
    assert "then_agent,then_moment,then_verdict,then_line,then_usage_content_usage_train" in header
    assert rows and all("/private/x" in row for row in rows)


def test_failed_audit_raises_an_error_with_a_remedy(folder: Path) -> None:
    with pytest.raises(AuditError, match=r"missing\.csv") as caught:
        audit.audit(folder / "missing.csv", folder / "robots.csv", agents=["GPTBot"])
    assert isinstance(caught.value, ComityError)
    with pytest.raises(AuditError, match="no crawler is named"):
        audit.audit(folder / "pages.csv", folder / "robots.csv")
    with pytest.raises(TypeError, match="several names"):
        audit.audit(folder / "pages.csv", folder / "robots.csv", agents="GPTBot")
    with pytest.raises(ValueError, match="standard input"):
        audit.index("-", folder / "robots.parquet")
    # A name that begins like an option is still a name.
    with pytest.raises(AuditError, match="--quiet"):
        audit.index("--quiet", folder / "robots.parquet")


def test_site_without_an_answer_is_requested_live(folder: Path) -> None:
    client = Client("ExampleBot", allow_address=["127.0.0.0/8"], contact="https://example.com/bot")
    with site(robots=Answer(body=b"User-agent: *\nDisallow: /private\n")) as here:
        urls = [here.at("/"), here.at("/private/x")]
        (folder / "urls.txt").write_text("\n".join(urls) + "\n")
        done = audit.audit(
            folder / "urls.txt", agents=["GPTBot"], client=client, output=folder / "out.jsonl"
        )
        assert here.hits == {"/robots.txt": 1}
        view = done.views[0]
        assert (view.allowed, view.disallowed, view.moment) == (1, 1, "now")
        assert done.manifest["live"]["sites"] == 1
        with pytest.warns(UserWarning, match="live_limit"):
            done = audit.audit(folder / "urls.txt", agents=["GPTBot"], client=client, live_limit=0)
        assert done.views[0].unknown == 2
    with pytest.raises(AuditError, match="mode `respect`"):
        ignoring = Client("ExampleBot", mode="ignore")
        audit.audit(folder / "urls.txt", agents=["GPTBot"], client=ignoring)


def test_progress_is_reported_by_stages(folder: Path) -> None:
    seen: list[audit.Progress] = []
    audit.audit(
        folder / "pages.csv", folder / "robots.csv", agents=["GPTBot"], progress=seen.append
    )
    assert list(dict.fromkeys(step.stage for step in seen)) == [
        "robots.txt answers",
        "pages",
        "digests",
    ]
    assert [step.rows for step in seen if step.stage == "pages"][-1] == 4


def test_raising_progress_callback_cancels_the_job(folder: Path) -> None:
    def stop(progress: audit.Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        audit.audit(
            folder / "pages.csv",
            folder / "robots.csv",
            agents=["GPTBot"],
            output=folder / "out.csv",
            progress=stop,
        )
    assert sorted(path.name for path in folder.iterdir()) == ["pages.csv", "robots.csv"]


def test_unsupported_compression_is_named_with_a_remedy(folder: Path) -> None:
    pages = pa.table({"url": ["https://a.example/"]})
    pq.write_table(pages, folder / "pages.parquet", compression="brotli")
    with pytest.raises(
        AuditError, match=r"`url` is compressed with Brotli, which is not supported; .* zstd"
    ):
        audit.audit(folder / "pages.parquet", folder / "robots.csv", agents=["GPTBot"])


def test_damaged_input_causes_a_warning(folder: Path) -> None:
    (folder / "pages.jsonl").write_text('{"url": "https://a.example/"}\n{broken\n')
    with pytest.warns(UserWarning, match="1 record could not be read"):
        done = audit.audit(folder / "pages.jsonl", folder / "robots.csv", agents=["GPTBot"])
    assert done.manifest["inputs"][0]["damaged"] == 1
