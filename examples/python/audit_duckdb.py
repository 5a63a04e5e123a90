"""An audit with DuckDB: decides a table of URLs by a folder of robots.txt files, and counts the verdicts of each site.

python examples/python/audit_duckdb.py pages.parquet robots/ GPTBot verdicts.parquet

The table has a column `url`. `robots/example.com.txt` is the robots.txt of https://example.com. Needs `duckdb` and `pyarrow`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb
import pyarrow as pa

from comity import arrow

SUMMARY = """
    SELECT regexp_extract(url, '^[^/]*//([^/?#]*)', 1) AS host, coalesce(verdict, 'error') AS verdict, count(*)
    FROM read_parquet($output) GROUP BY ALL ORDER BY ALL
"""


def audit(pages: str, folder: str, agent: str, output: str) -> list[tuple[str, str, int]]:
    """Writes the table with the verdicts. Returns the number of URLs by host and verdict."""
    files = sorted(Path(folder).glob("*.txt"))
    keys = [f"https://{file.stem}" for file in files]
    robots = pa.table({"key": keys, "body": [file.read_bytes() for file in files]})
    connection = duckdb.connect()
    table = connection.read_parquet(pages)
    arrow.decide(table, agent=agent, robots=robots).write_parquet(output)
    rows: list[tuple[str, str, int]] = connection.execute(SUMMARY, {"output": output}).fetchall()
    return rows


if __name__ == "__main__":
    for host, verdict, urls in audit(*sys.argv[1:]):
        print(f"{host or '(no host)'}: {verdict} {urls}")
