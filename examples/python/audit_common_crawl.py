"""Audits a crawl in the format of Common Crawl: reads a columnar index and `robotstxt` WARC files, writes verdicts and a report.

python examples/python/audit_common_crawl.py FOLDER [--spark]

If FOLDER has no such files, the script generates them: two small WARC files of robots.txt answers, and an index of 600 pages
with the columns of Common Crawl's index. The guide docs/guide/audit-common-crawl.md shows how to read the public files on a
cluster.
"""

import argparse
import gzip
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from comity import audit

AGENTS = ["CCBot", "GPTBot"]
FIRST = datetime(2024, 3, 1, tzinfo=timezone.utc)


def record(url: str, fetched_at: datetime, answer: str) -> bytes:
    """Returns a WARC record of an answer. Each record is compressed separately, as in Common Crawl's files."""
    block = answer.encode()
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\n"
        f"WARC-Target-URI: {url}\r\nWARC-Date: {fetched_at:%Y-%m-%dT%H:%M:%SZ}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + block + b"\r\n\r\n")


def make_robotstxt(folder: Path) -> None:
    """Writes robots.txt answers of 20 sites at two times. In the second half of the crawl some sites disallow GPTBot."""
    ok = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
    for part, at in enumerate([FIRST, FIRST + timedelta(days=7)]):
        with (folder / f"robotstxt-{part:05}.warc.gz").open("wb") as archive:
            for site in range(20):
                closed = (
                    "User-agent: GPTBot\nDisallow: /\n\n" if part == 1 and site % 4 == 0 else ""
                )
                answer = f"{ok}{closed}User-agent: *\nDisallow: /search\n"
                if site % 5 == 3:
                    answer = "HTTP/1.1 404 Not Found\r\n\r\n"
                archive.write(record(f"https://site{site}.example/robots.txt", at, answer))


def make_index(folder: Path) -> None:
    """Writes pages with the columns of the columnar index. No robots.txt was requested from two of the sites."""
    rows = []
    for page in range(600):
        site, path = page % 22, ["", "search?q=a", f"page/{page}"][page % 3]
        rows.append(
            {
                "url_surtkey": f"example,site{site})/{path}",
                "url": f"https://site{site}.example/{path}",
                "url_host_name": f"site{site}.example",
                "fetch_time": FIRST + timedelta(minutes=30 + 30 * page),
                "fetch_status": 200,
                "content_mime_detected": "text/html",
                "warc_filename": f"crawl-data/CC-MAIN-2024-10/warc/{page // 100:05}.warc.gz",
                "warc_record_offset": 1_000 * page,
                "warc_record_length": 900,
                "crawl": "CC-MAIN-2024-10",
                "subset": "warc",
            }
        )
    pq.write_table(pa.Table.from_pylist(rows), folder / "cc-index.parquet")


def on_one_machine(folder: Path) -> None:
    """Runs the audit in this process. For files larger than memory, use `comity audit run --memory`."""
    done = audit.audit(
        folder / "cc-index.parquet",
        folder / "robots.parquet",
        agents=AGENTS,
        as_of="both",
        output=folder / "verdicts.parquet",
        report=folder / "audit.html",
    )
    for view in done.views:
        print(
            f"{view.agent} {view.moment}: {view.allowed} allowed, {view.disallowed} disallowed, {view.unknown} unknown"
        )


def on_a_cluster(folder: Path) -> None:
    """Computes the verdicts in Spark, from the same files as `on_one_machine`."""
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as F

    from comity import spark as comity_spark

    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    # An existing Spark session may have another working folder.
    folder = folder.resolve()
    pages = spark.read.parquet(str(folder / "cc-index.parquet")).withColumnRenamed(
        "fetch_time", "seen_at"
    )
    robots = spark.read.parquet(str(folder / "robots.parquet"))
    for agent in AGENTS:
        verdicts = comity_spark.decide(pages, robots, agent=agent)
        verdicts.write.mode("overwrite").parquet(str(folder / f"verdicts-{agent}"))
        kind = (
            F.when(F.col("allowed"), "allowed")
            .when(F.col("verdict").startswith("disallowed"), "disallowed")
            .otherwise("unknown")
        )
        counts = {
            row["kind"]: row["count"]
            for row in verdicts.groupBy(kind.alias("kind")).count().collect()
        }
        shares = ", ".join(
            f"{counts.get(name, 0)} {name}" for name in ("allowed", "disallowed", "unknown")
        )
        print(f"{agent} seen: {shares}")
    spark.stop()


def main() -> None:
    """Makes the missing files and runs the job."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--spark", action="store_true")
    arguments = parser.parse_args()
    folder = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    if not list(folder.glob("robotstxt-*.warc.gz")):
        make_robotstxt(folder)
    if not (folder / "cc-index.parquet").exists():
        make_index(folder)
    made = audit.index(folder / "robotstxt-*.warc.gz", folder / "robots.parquet")
    print(f"{made.answers} answers of {made.sites} sites")
    if arguments.spark:
        on_a_cluster(folder)
    else:
        on_one_machine(folder)


if __name__ == "__main__":
    main()
