"""How right the checks of queries are, how much the offline generator repeats itself, and how long both take.

    python benchmarks/queries.py checks W --good GOOD… --bad BAD…    queries (.jsonl), or plain questions (.txt, .csv)
    python benchmarks/queries.py sentences W…                        a hundred queries, in equal parts over the worlds
    python benchmarks/queries.py time W [--queries 1000]

``checks``: a finding in a good query is false, but for a wish that nobody has typed; a bad query is found when it has
any. Goal: at most 1 good query in 20
with a finding. ``sentences``: the share of sentences that stand in three or more of the queries, as they are and with
amounts made equal. ``time``: goal 1,000 queries made and checked in 10 seconds; processor time stands beside the time
on the wall, since only the former is comparable on a machine that others use, too. For a large world:

    drretail synth --to raw --products 40000 --reviews 400000 && drretail ingest raw --world w
"""

import argparse
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from drretail.env.world import World, open_world
from drretail.querygen.generate import generate_sampled
from drretail.querygen.importing import queries_from, read_questions
from drretail.querygen.lint import Linter
from drretail.querygen.reading import read_queries
from drretail.records.query import Query

PER_USER = 3
GOAL_SECONDS = 10
HUNDRED = 100
OFTEN = 3
"""A sentence that stands in so many queries of a hundred is a stock one."""


class Timer:
    """Seconds since it was made, on the wall and of the processor."""

    def __init__(self) -> None:
        self._wall, self._processor = time.perf_counter(), time.process_time()

    def seconds(self) -> dict[str, float]:
        wall, processor = time.perf_counter() - self._wall, time.process_time() - self._processor
        return {"wall": round(wall, 2), "processor": round(processor, 2)}


def made(world: World, wanted: int, linter: Linter) -> Sequence[Query]:
    users = wanted * 11 // (10 * PER_USER) + 1  # some have orders for fewer than three
    return generate_sampled(world, users, per_user=PER_USER, seed="42", linter=linter).queries[:wanted]


def timed(world: World, wanted: int) -> dict[str, Any]:
    linter = Linter(world)
    timer = Timer()
    queries = made(world, wanted, linter)
    generation = timer.seconds()
    timer = Timer()
    checked = linter.check_all(queries)
    checks = timer.seconds()
    result: dict[str, Any] = {
        "world": world.manifest.counts.model_dump(),
        "queries": len(queries),
        "generation": generation,
        "checks": checks,
        "together": {name: round(generation[name] + checks[name], 2) for name in generation},
        "goal_seconds": GOAL_SECONDS,
        "found": dict(Counter(finding.code for each in checked for finding in each.findings).most_common()),
    }
    print(f"{result['queries']} queries, a world of {result['world']['products']:,} products; goal {GOAL_SECONDS} s")
    for step in ("generation", "checks", "together"):
        print(f"{step:12}{result[step]['wall']:8.1f} s on the wall{result[step]['processor']:8.1f} s of the processor")
    return result


def checked(world: World, files: Sequence[Path], *, good: bool) -> dict[str, Any]:
    """Of each file how many queries have a finding, by code."""
    rows: dict[str, Any] = {}
    for path in files:
        is_record = path.suffix == ".jsonl"
        queries = read_queries(path) if is_record else queries_from(read_questions(path), path.name, None)
        found = [each for each in Linter(world).check_all(queries) if each.faults]
        codes = Counter(code for each in found for code in {finding.code for finding in each.faults})
        rows[str(path)] = {"good": good, "queries": len(queries), "with_a_finding": len(found), "codes": codes}
        counts_ = ", ".join(f"{code} {count}" for code, count in codes.most_common())
        print(f"{'good' if good else 'bad':5}{len(found):4} of {len(queries):4} with a finding  {path}  {counts_}")
    return rows


def sentences(worlds: Sequence[Path]) -> dict[str, Any]:
    queries: list[Query] = []
    for path in worlds:
        with open_world(path) as world:
            queries += made(world, HUNDRED // len(worlds), Linter(world))
    shares = {"as_they_are": _stock(queries, str), "amounts_alike": _stock(queries, _without_amounts)}
    print(f"{len(queries)} queries: sentences in {OFTEN} of them or more: ", end="")
    print(", ".join(f"{name.replace('_', ' ')} {share:.1%}" for name, share in shares.items()))
    return {"queries": len(queries), **shares}


def _stock(queries: Sequence[Query], form: Callable[[str], str]) -> float:
    texts = [[form(part.casefold()) for part in re.split(r"(?<=[.!?])\s+", query.text)] for query in queries]
    counts = Counter(it for text in texts for it in set(text))
    every = [it for text in texts for it in text]
    return sum(counts[each] >= OFTEN for each in every) / len(every)


def _without_amounts(sentence: str) -> str:
    return re.sub(r"[$€£]?\d+(?:[.,]\d+)*", "#", sentence)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("checks", "sentences", "time"))
    parser.add_argument("worlds", type=Path, nargs="+")
    parser.add_argument("--good", type=Path, nargs="*", default=[])
    parser.add_argument("--bad", type=Path, nargs="*", default=[])
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    if arguments.what == "sentences":
        result = sentences(arguments.worlds)
    else:
        with open_world(arguments.worlds[0]) as world:
            if arguments.what == "time":
                result = timed(world, arguments.queries)
            else:
                result = checked(world, arguments.good, good=True) | checked(world, arguments.bad, good=False)
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
