"""Compares two verdicts for each page of a crawl: by the robots.txt when the page was seen, and by today's robots.txt.

python examples/python/as_of.py [--plot as-of.svg] [--in spark] [--in ray]

Needs comity and pyarrow, and matplotlib for the plot. Editors that support cells (`# %%`) open this file as a notebook.
`docs/guide/as-of.md` explains the cells and their output.
"""

# %% The archive of a crawl: pages with the times at which they were seen, and robots.txt files with the times of their fetches.

from __future__ import annotations

import argparse
import random
from datetime import datetime, timedelta, timezone
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from comity import arrow

CRAWLER = "GPTBot"
START, END = (datetime(year, 1, 1, tzinfo=timezone.utc) for year in (2023, 2026))
OPEN = b"User-agent: *\nDisallow: /cart\n"
CLOSED = OPEN + b"\nUser-agent: GPTBot\nDisallow: /\n"
PARTLY = OPEN + b"\nUser-agent: GPTBot\nDisallow: /\nAllow: /blog/\n"


def archive(origins: int = 60, pages: int = 30_000, seed: int = 7) -> tuple[pa.Table, pa.Table]:
    """Returns pages seen at random times, and robots.txt answers. The generated sites change their rules from 2023 to 2026."""
    rng = random.Random(seed)
    days = (END - START).days
    answers: list[tuple[str, datetime, int, bytes | None]] = []
    for number in range(origins):
        origin = f"https://site-{number}.example"
        # Two thirds of the sites disallow the crawler from some day on. One third of these later allow a part of the site again.
        closes = rng.randrange(180, days) if rng.random() < 0.67 else days
        opens = rng.randrange(closes, days) if closes < days and rng.random() < 0.33 else days
        # robots.txt is fetched every 14 days. In 3 % of the fetches, the server begins to fail, for one to three fetches.
        failures_left = 0
        for day in range(0, days, 14):
            failures_left = max(failures_left - 1, 0) or (
                rng.randrange(1, 4) if rng.random() < 0.03 else 0
            )
            at = START + timedelta(days=day, minutes=rng.randrange(1440))
            if failures_left:
                answers.append((origin, at, 503, None))
            else:
                body = OPEN if day < closes else CLOSED if day < opens else PARTLY
                answers.append((origin, at, 200, body))
    robots = pa.table(
        {
            "origin": [answer[0] for answer in answers],
            "fetched_at": pa.array([answer[1] for answer in answers], pa.timestamp("us", "UTC")),
            "status": [answer[2] for answer in answers],
            "body": pa.array([answer[3] for answer in answers], pa.binary()),
        }
    )
    seen = [START + timedelta(minutes=rng.randrange(days * 1440)) for _ in range(pages)]
    sections = ["blog/", "news/", "shop/", "cart?item="]
    urls = [
        f"https://site-{rng.randrange(origins)}.example/{rng.choice(sections)}{rng.randrange(10_000)}"
        for _ in range(pages)
    ]
    return pa.table({"url": urls, "seen_at": pa.array(seen, pa.timestamp("us", "UTC"))}), robots


# %% Two verdicts for each page: by the answers up to the time at which the page was seen, and by the latest answer.


def both_verdicts(pages: pa.Table, robots: pa.Table) -> pa.Table:
    """Returns the pages, with verdicts for the time when they were seen (`then_…`) and by the latest robots.txt (`today_…`)."""
    known = arrow.RobotsTable(robots, columns={"key": "origin"})
    outputs = ["verdict", "allowed", "treatment"]
    then = arrow.decide(pages, agent=CRAWLER, robots=known, outputs=outputs, prefix="then_")
    # Without `seen_at`, the latest answer decides.
    return arrow.decide(
        then,
        agent=CRAWLER,
        robots=known,
        outputs=outputs,
        prefix="today_",
        columns={"seen_at": None},
    )


# %% The number of pages for each pair of verdicts.


def counts(verdicts: pa.Table) -> list[tuple[bool, bool, int]]:
    """Counts the pages for each pair of verdicts: allowed then, allowed today."""
    grouped = verdicts.group_by(["then_allowed", "today_allowed"]).aggregate([([], "count_all")])
    rows = grouped.sort_by([("then_allowed", "descending"), ("today_allowed", "descending")])
    return [(r["then_allowed"], r["today_allowed"], r["count_all"]) for r in rows.to_pylist()]


# %% The share of pages that were allowed, month by month.


def by_month(verdicts: pa.Table) -> pa.Table:
    """Returns the shares of allowed pages by the month in which they were seen."""
    month = pc.floor_temporal(verdicts.column("seen_at"), unit="month")
    table = pa.table(
        {
            "month": month,
            "then": pc.cast(verdicts.column("then_allowed"), pa.float64()),
            "today": pc.cast(verdicts.column("today_allowed"), pa.float64()),
        }
    )
    return table.group_by("month").aggregate([("then", "mean"), ("today", "mean")]).sort_by("month")


def plot(months: pa.Table, file: str) -> None:
    """Draws the shares."""
    import matplotlib

    matplotlib.use("Agg")
    # With a fixed salt, the picture has identical bytes in every run.
    matplotlib.rcParams["svg.hashsalt"] = "as-of"
    from matplotlib import pyplot
    from matplotlib.ticker import PercentFormatter

    at = months.column("month").to_pylist()
    then, today = (months.column(name).to_pylist() for name in ("then_mean", "today_mean"))
    figure, axes = pyplot.subplots(figsize=(8, 4), layout="constrained")
    axes.plot(at, then, color="#0b6e4f", linewidth=2)
    axes.plot(at, today, color="#b3541e", linewidth=2, linestyle="--")
    axes.fill_between(at, then, today, color="#b3541e", alpha=0.12)
    axes.annotate(
        "allowed when it was seen",
        (at[3], then[3]),
        (0, 8),
        textcoords="offset points",
        color="#0b6e4f",
    )
    axes.annotate(
        "allowed by today's robots.txt",
        (at[3], today[3]),
        (0, -28),
        textcoords="offset points",
        color="#b3541e",
    )
    axes.set_ylim(0, 1)
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.set_title(
        f"Pages that {CRAWLER} was allowed to fetch, by the month in which it saw them", loc="left"
    )
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(file, metadata={"Date": None} if file.endswith(".svg") else None)
    pyplot.close(figure)


# %% The verdicts on a cluster.


def in_spark(pages: Any, robots: Any) -> Any:
    """Computes the verdicts in Spark: two frames, joined by origin and time."""
    from comity import spark

    names = {"key": "origin"}
    return spark.decide(pages, robots, agent=CRAWLER, robots_columns=names, prefix="then_")


def in_ray(pages: Any, robots: pa.Table) -> Any:
    """Computes the verdicts in Ray: a data set of pages, and a table of answers in every worker."""
    import ray

    from comity.ray import Decide

    known = ray.put(robots.rename_columns({"origin": "key"}))
    return pages.map_batches(
        Decide,
        fn_constructor_args=(CRAWLER,),
        fn_constructor_kwargs={"robots": known, "prefix": "then_"},
        batch_format="pyarrow",
        compute=ray.data.ActorPoolStrategy(min_size=1, max_size=2),
    )


# %%


def main() -> None:
    """Runs every cell."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--plot", metavar="FILE", help="draw the shares by month")
    arguments.add_argument(
        "--in", dest="engines", action="append", choices=["spark", "ray"], default=[]
    )
    options = arguments.parse_args()

    pages, robots = archive()
    print(
        f"{pages.num_rows:,} pages of {len(pc.unique(robots['origin']))} sites, {robots.num_rows:,} robots.txt answers"
    )
    verdicts = both_verdicts(pages, robots)
    for then, today, count in counts(verdicts):
        words = {True: "allowed", False: "not allowed"}
        print(f"{words[then]:>12} then, {words[today]:>12} today: {count:6,} pages")
    treatments = pc.value_counts(verdicts.column("then_treatment")).to_pylist()
    print("as of then:", ", ".join(f"{row['values']} {row['counts']:,}" for row in treatments))
    if options.plot:
        plot(by_month(verdicts), options.plot)
        print(f"wrote {options.plot}")
    for engine in options.engines:
        if engine == "spark":
            from pyspark.sql import SparkSession

            session = (
                SparkSession.builder.master("local[2]")
                .config("spark.ui.enabled", "false")
                .getOrCreate()
            )
            frames = [session.createDataFrame(table) for table in (pages, robots)]
            allowed = in_spark(*frames).where("then_allowed").count()
        else:
            import ray

            allowed = (
                in_ray(ray.data.from_arrow(pages), robots)
                .filter(lambda row: row["then_allowed"])
                .count()
            )
        print(f"{engine}: {allowed:,} pages were allowed when they were seen")


if __name__ == "__main__":
    main()
