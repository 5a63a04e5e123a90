"""Measures Spark jobs in which one origin has most of the rows: `python benchmarks/python/skew.py [--rows N] [--rounds N]`.

The jobs decide pages of 10,000 origins with a table of robots.txt files, on all cores. Either each origin has about an equal
number of pages, or one origin has nine of ten pages. The option `spread` is on or off. A figure is the wall time of the best
round, after a warm-up. `largest task` is the share of rows in the largest of 32 tasks. Needs comity, pyspark, pandas, pyarrow and
Java.
"""

import argparse
import os
import sys
import tempfile
import time

ORIGINS = 10_000
TASKS = 32


def main() -> None:
    """Measures the jobs, and prints a table."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rows", type=int, default=4_000_000)
    arguments.add_argument("--rounds", type=int, default=3)
    options = arguments.parse_args()
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    from comity import spark as comity_spark
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as F

    builder = SparkSession.builder.master("local[*]").appName("skew")
    for name, value in {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "4g",
        "spark.sql.shuffle.partitions": TASKS,
        # Spark must not merge small tasks, because the table shows the size of the largest task.
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
        "spark.ui.enabled": "false",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")

    number = F.col("id") % ORIGINS
    hot = F.when(F.col("id") % 10 == 0, number).otherwise(F.lit(7))
    site = "https://site-%d.example"
    ids = session.range(options.rows)
    rules = "User-agent: *\nDisallow: /private/\nDisallow: /search\nAllow: /\n# %d\n"
    robots = session.range(ORIGINS).select(
        F.format_string(site, "id").alias("key"),
        F.format_string(rules, "id").alias("body"),
        F.lit(200).alias("status"),
    )
    print("| nine of ten pages | spread | largest task, % | seconds | M rows/s |")
    print("|---|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for name, origin in {"anywhere": number, "on one origin": hot}.items():
            path = f"{folder}/{name[:2]}"
            url = F.format_string(site + "/private/%d", origin, F.col("id")).alias("url")
            ids.select("id", url).write.parquet(path)
            pages = session.read.parquet(path)
            for spread in (True, False):
                verdicts = comity_spark.decide(
                    pages, robots, agent="examplebot", outputs=["verdict", "line"], spread=spread
                )
                tasks = verdicts.groupBy(F.spark_partition_id()).count().collect()
                fullest = 100 * max(row["count"] for row in tasks) / options.rows
                best = min(
                    seconds(lambda: verdicts.write.format("noop").mode("overwrite").save())  # noqa: B023
                    for _ in range(options.rounds)
                )
                speed = options.rows / best / 1e6
                print(
                    f"| {name} | {spread} | {fullest:.0f} | {best:.1f} | {speed:.2f} |", flush=True
                )
    session.stop()


def seconds(work) -> float:
    """Returns the wall time of a function in seconds."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
