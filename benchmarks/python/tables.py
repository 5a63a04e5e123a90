"""Measures verdicts per second of `comity.arrow` on one core, for real files with 100 URLs each, as in `benchmarks/arrow`.

    python tables.py [--rounds 3]

Needs COMITY_DATA, pyarrow and a release wheel of Comity. The figures are from CPU time of the best round. `first` is the first pass
of an auditor, and `after` its second pass, with cached files. Batches are passed as pointers, so Python adds only the validation
of their buffers.
"""

from __future__ import annotations

import argparse
import random
import time

import pyarrow as pa

from bench import AGENT, cases, real_files
from comity import arrow

BATCH = 65_536


def batches(files: list[bytes], urls: list[tuple[int, str]], form: str) -> list[pa.RecordBatch]:
    made = []
    values = pa.array(files, pa.binary())
    for start in range(0, len(urls), BATCH):
        rows = urls[start : start + BATCH]
        columns = {"url": pa.array([url for _, url in rows])}
        if form == "dictionary":
            codes = pa.array([file for file, _ in rows], pa.int32())
            columns["robots"] = pa.DictionaryArray.from_arrays(codes, values)
        made.append(pa.record_batch(columns))
    return made


def speed(auditor: arrow.Auditor, given: list[pa.RecordBatch]) -> float:
    begin = time.process_time()
    for batch in given:
        auditor.decide(batch)
    return sum(batch.num_rows for batch in given) / (time.process_time() - begin) / 1e6


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rounds", type=int, default=3)
    options = arguments.parse_args()
    files = real_files()
    made = enumerate(cases(files, 100, random.Random(1)))
    urls = [
        (file, url.replace("example.com", f"site-{file}.example", 1)) for file, (_, _, its, _) in made for url in its
    ]
    shuffled = urls.copy()
    random.Random(2).shuffle(shuffled)
    origins = [f"https://site-{file}.example" for file in range(len(files))]
    known = arrow.RobotsTable({"key": origins, "body": pa.array(files, pa.binary())})
    print("| rows | bodies | columns | M verdicts/s, first | after |\n|---|---|---|---:|---:|")
    for order, rows in (("sorted", urls), ("shuffled", shuffled)):
        for form in ("table", "dictionary"):
            given = batches(files, rows, form)
            for outputs in (arrow.VERDICT_OUTPUTS, ("verdict", "rule", "line", "error")):
                first = after = 0.0
                for _ in range(options.rounds):
                    auditor = arrow.Auditor(agent=AGENT, robots=known if form == "table" else None, outputs=outputs)
                    first = max(first, speed(auditor, given))
                    after = max(after, speed(auditor, given))
                print(f"| {order} | {form} | {len(outputs)} | {first:.2f} | {after:.2f} |", flush=True)


if __name__ == "__main__":
    main()
