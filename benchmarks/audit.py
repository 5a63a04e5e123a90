#!/usr/bin/env python3
"""Measures `comity audit` on generated tables and archives: rows per second and memory, compared with other programs.

    cargo build --release -p comity-cli
    python3 benchmarks/audit.py --comity target/release/comity

Needs pyarrow. The comparisons need comity (the Python package, whose Arrow functions are the kernel), fastwarc, warcio and
protego; without its package, a comparison is skipped with a message. Each command runs on one core, except for the column
`rows/s`. Prints tables in Markdown with the best round; the table about memory has one round.
"""

import argparse
import gzip
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timedelta, timezone

import pyarrow as pa
import pyarrow.parquet as pq

FIRST = datetime(2024, 3, 1, tzinfo=timezone.utc)
SECTIONS = "search private admin cart login account api tmp print feed".split()
AGENTS = "GPTBot CCBot ClaudeBot Bytespider Amazonbot PerplexityBot Googlebot bingbot YandexBot DuckDuckBot Applebot PetalBot AhrefsBot".split()


def robots_txt(rng, names_crawlers):
    """Returns a robots.txt with a few groups. If `names_crawlers` is true, a third of the files name crawlers."""
    groups = []
    if names_crawlers and rng.random() < 0.33:
        for agent in rng.sample(AGENTS, rng.randrange(1, 4)):
            groups.append(f"User-agent: {agent}\nDisallow: /\n")
    rules = "".join(f"Disallow: /{section}/\n" for section in rng.sample(SECTIONS, rng.randrange(0, 8)))
    groups.append(f"User-agent: *\n{rules}Allow: /\n")
    return "\n".join(groups)


def write_robots(path, sites, names_crawlers=True):
    """Writes a table with one robots.txt per site."""
    rng = random.Random(1)
    table = pa.table(
        {
            "key": [f"https://s{site}.example" for site in range(sites)],
            "fetched_at": pa.array([FIRST] * sites, pa.timestamp("us", "UTC")),
            "status": pa.array([200] * sites, pa.uint16()),
            "body": [robots_txt(rng, names_crawlers).encode() for _ in range(sites)],
        }
    )
    pq.write_table(table, path, compression="zstd")


def write_pages(path, rows, sites, is_sorted):
    """Writes a table of pages with four columns, sorted by site or in random order."""
    rng = random.Random(2)
    writer = None
    for begin in range(0, rows, 500_000):
        count = min(500_000, rows - begin)
        numbers = range(begin, begin + count)
        site = (lambda n: n * sites // rows) if is_sorted else (lambda n: rng.randrange(sites))
        table = pa.table(
            {
                "id": pa.array(numbers, pa.int64()),
                "url": [f"https://s{site(n)}.example/{SECTIONS[n % 10]}/{n}.html" for n in numbers],
                "seen_at": pa.array([FIRST + timedelta(seconds=n % 2_000_000) for n in numbers], pa.timestamp("us", "UTC")),
                "language": ["eng" if n % 3 else "deu" for n in numbers],
            }
        )
        writer = writer or pq.ParquetWriter(path, table.schema, compression="zstd")
        writer.write_table(table)
    writer.close()


def write_warc(path, records):
    """Writes a WARC file. Its records are pages of a few kilobytes, each compressed separately."""
    rng = random.Random(3)
    words = "robots page table crawler rule answer site text line header".split()
    with open(path, "wb") as archive:
        for number in range(records):
            body = " ".join(rng.choice(words) for _ in range(rng.randrange(200, 1200)))
            block = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>{body}".encode()
            head = (
                "WARC/1.1\r\nWARC-Type: response\r\n"
                f"WARC-Target-URI: https://s{number % 2000}.example/{SECTIONS[number % 10]}/{number}\r\n"
                f"WARC-Date: 2024-03-02T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:{number:032x}>\r\n"
                f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
            )
            archive.write(gzip.compress(head.encode() + block + b"\r\n\r\n", 6))


def pin():
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[-1]})


def run(command, folder):
    """Runs a command on one core. Returns its CPU seconds and its maximum memory in MB."""
    child = subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=pin
    )
    errors = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"error: {' '.join(command)}\n{errors.decode(errors='replace')}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def wall(command, folder):
    """Runs a command on all cores. Returns its wall time in seconds."""
    begin = time.perf_counter()
    subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begin


KERNEL = """
import time, pyarrow.parquet as pq
from comity import arrow
pages = [batch for batch in pq.ParquetFile("pages.parquet").iter_batches(8192)]
robots = arrow.RobotsTable(pq.read_table("robots.parquet"))
auditor = arrow.Auditor(agent="GPTBot", robots=robots, outputs=["verdict", "allowed", "rule", "line", "group", "answer", "error"])
begin = time.process_time()
for batch in pages:
    auditor.decide(batch)
print(time.process_time() - begin)
"""

# The work of an audit without decisions: copies the input columns and adds constant output columns.
COPY = """
import time, pyarrow as pa, pyarrow.parquet as pq
pa.set_cpu_count(1)
begin = time.process_time()
table = pq.read_table("pages.parquet", use_threads=False)
rows = table.num_rows
added = {"verdict": pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int8()), rows), ["allowed_implicit"])}
added |= {"allowed": pa.repeat(True, rows), "group": pa.repeat("*", rows), "answer": pa.repeat("http_200", rows)}
added |= {"rule": pa.nulls(rows, pa.string()), "line": pa.nulls(rows, pa.uint32()), "error": pa.nulls(rows, pa.string())}
for name, column in added.items():
    table = table.append_column(name, column)
pq.write_table(table, "copy.parquet", compression="zstd", compression_level=1)
print(time.process_time() - begin)
"""

FASTWARC = "from fastwarc.warc import ArchiveIterator\nprint(sum(1 for _ in ArchiveIterator(open('crawl.warc.gz', 'rb'), parse_http=False)))"
WARCIO = """
from warcio.archiveiterator import ArchiveIterator
from protego import Protego
import pyarrow.parquet as pq
table = pq.read_table("robots.parquet")
parsed = {}
texts = dict(zip(table["key"].to_pylist(), table["body"].to_pylist()))
count = 0
for record in ArchiveIterator(open("crawl.warc.gz", "rb")):
    url = record.rec_headers.get_header("WARC-Target-URI")
    if record.rec_type == "response" and url:
        origin = "/".join(url.split("/", 3)[:3])
        rules = parsed.get(origin)
        if rules is None:
            rules = parsed[origin] = Protego.parse(texts.get(origin, b"").decode())
        count += rules.can_fetch(url, "GPTBot")
print(count)
"""


def seconds_of(python, program, folder):
    """Runs a Python program on one core. Returns its CPU seconds and the last word of its output, or None if it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [python, "-c", program], cwd=folder, capture_output=True, text=True, check=False, preexec_fn=pin
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode != 0:
        print(f"skipped: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return None
    return took, done.stdout.split()[-1]


def tables(given, folder):
    """Measures audits of Parquet files for one and for thirteen crawlers, compared with the kernel alone."""
    rows, sites = given.rows, given.sites
    write_robots(os.path.join(folder, "alike.parquet"), sites, names_crawlers=False)
    audit = [given.comity, "audit", "run", "pages.parquet", "-o", "out.parquet", "-q", "-r"]
    one, many = ["-a", "GPTBot"], [argument for agent in AGENTS for argument in ("-a", agent)]
    best = lambda command: min(run(command, folder) for _ in range(given.rounds))
    print(f"{rows:,} pages of {sites:,} sites, {os.cpu_count()} cores\n")
    print("| order | kernel alone, rows/s of a core | pyarrow without decisions, rows/s of a core | Parquet to Parquet, rows/s of a core | share | rows/s | 13 crawlers, relative to one | 13 with equal rules, relative to one | MB |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for is_sorted in (True, False):
        write_pages(os.path.join(folder, "pages.parquet"), rows, sites, is_sorted)
        alone, most = best([*audit, "robots.parquet", *one])
        thirteen = best([*audit, "robots.parquet", *many])[0] / alone
        alike = best([*audit, "alike.parquet", *many])[0] / best([*audit, "alike.parquet", *one])[0]
        waited = min(wall([*audit, "robots.parquet", *one], folder) for _ in range(given.rounds))
        results = lambda program: [seconds_of(sys.executable, program, folder) for _ in range(given.rounds)]
        least = lambda program: min((float(found[1]) for found in results(program) if found), default=None)
        per_second = lambda seconds: f"{rows / seconds:,.0f}" if seconds else "-"
        kernel, copy = least(KERNEL), least(COPY)
        share = f"{kernel / alone:.0%}" if kernel else "-"
        order = "by site" if is_sorted else "any"
        print(
            f"| {order} | {per_second(kernel)} | {per_second(copy)} | {per_second(alone)} | {share} | {rows / waited:,.0f} | {thirteen:.1f} | {alike:.1f} | {most:.0f} |",
            flush=True,
        )


def archives(given, folder):
    """Measures audits of WARC files, compared with a reader that only counts records, and with warcio and Protego."""
    records = given.records
    write_warc(os.path.join(folder, "crawl.warc.gz"), records)
    audit = [given.comity, "audit", "run", "crawl.warc.gz", "-r", "robots.parquet", "-a", "GPTBot", "-q"]
    found = {"comity audit run": min(run(audit, folder) for _ in range(given.rounds))[0]}
    found["comity audit run --usage"] = min(run([*audit, "--usage"], folder) for _ in range(given.rounds))[0]
    for name, program in (("fastwarc, counting records", FASTWARC), ("warcio and Protego", WARCIO)):
        took = [seconds_of(sys.executable, program, folder) for _ in range(given.rounds)]
        took = [one[0] for one in took if one]
        if took:
            found[name] = min(took)
    print("\n| records | program | seconds | records/s |\n|---:|---|---:|---:|")
    for name, took in found.items():
        print(f"| {records:,} | {name} | {took:.2f} | {records / took:,.0f} |", flush=True)


def memory(given, folder):
    """Measures the maximum memory for growing numbers of pages, and for answers that are larger than the memory limit."""
    print("\n| pages | sites | option | seconds | largest memory, MB |\n|---:|---:|---|---:|---:|")
    audit = [given.comity, "audit", "run", "pages.parquet", "-a", "GPTBot", "-o", "out.parquet", "-q"]
    for rows in map(int, given.growth.split(",")):
        write_pages(os.path.join(folder, "pages.parquet"), rows, given.sites, is_sorted=False)
        took, most = run([*audit, "-r", "robots.parquet", "--memory", "256M"], folder)
        print(f"| {rows:,} | {given.sites:,} | --memory 256M | {took:.1f} | {most:.0f} |", flush=True)
    sites = 20 * given.sites
    write_robots(os.path.join(folder, "many.parquet"), sites)
    write_pages(os.path.join(folder, "pages.parquet"), given.rows, sites, is_sorted=False)
    for option in ([], ["--memory", "256M"], ["--memory", "64M"]):
        took, most = run([*audit, "-r", "many.parquet", *option], folder)
        print(f"| {given.rows:,} | {sites:,} | {' '.join(option) or '-'} | {took:.1f} | {most:.0f} |", flush=True)
    took, most = run([given.comity, "audit", "index", "many.parquet", "-o", "index.parquet", "-q"], folder)
    print(f"\nindex of {sites:,} answers: {took:.1f} s, {most:.0f} MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--comity", default="target/release/comity", help="the command")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--sites", type=int, default=10_000)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--growth", default="1000000,5000000,20000000", help="numbers of pages for the measurement of memory")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    given.comity = os.path.abspath(given.comity)
    with tempfile.TemporaryDirectory() as folder:
        write_robots(os.path.join(folder, "robots.parquet"), given.sites)
        tables(given, folder)
        archives(given, folder)
        memory(given, folder)


if __name__ == "__main__":
    main()
