"""How long it takes to make queries offline, each checked when it is drafted, and to check the whole for duplicates.

    drretail synth --to raw --products 40000 --reviews 400000 && drretail ingest raw --world w --vary-orders
    python benchmarks/queries.py w --queries 1000 --json queries.json

Goal: 1,000 queries made and checked in 10 seconds. Processor time stands beside the time on the wall, since only the
former is comparable on a machine that others use, too.
"""

import argparse
import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

from drretail.env.world import World, open_world
from drretail.querygen.generate import generate_sampled
from drretail.querygen.lint import Linter

PER_USER = 3
GOAL_SECONDS = 10


class Timer:
    """Seconds since it was made, on the wall and of the processor."""

    def __init__(self) -> None:
        self._wall, self._processor = time.perf_counter(), time.process_time()

    def seconds(self) -> dict[str, float]:
        wall, processor = time.perf_counter() - self._wall, time.process_time() - self._processor
        return {"wall": round(wall, 2), "processor": round(processor, 2)}


def measured(world: World, wanted: int) -> dict[str, Any]:
    linter = Linter(world)
    timer = Timer()
    users = wanted * 11 // (10 * PER_USER) + 1  # some have orders for fewer than three
    made = generate_sampled(world, users, per_user=PER_USER, seed="42", linter=linter).queries[:wanted]
    generation = timer.seconds()
    timer = Timer()
    checked = linter.check_all(made)
    checks = timer.seconds()
    return {
        "world": world.manifest.counts.model_dump(),
        "queries": len(made),
        "generation": generation,
        "checks": checks,
        "together": {name: round(generation[name] + checks[name], 2) for name in generation},
        "goal_seconds": GOAL_SECONDS,
        "found": dict(Counter(finding.code for it in checked for finding in it.findings).most_common()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("world", type=Path)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with open_world(arguments.world) as world:
        result = measured(world, arguments.queries)
    print(f"{result['queries']} queries, a world of {result['world']['products']:,} products; goal {GOAL_SECONDS} s")
    for step in ("generation", "checks", "together"):
        print(f"{step:12}{result[step]['wall']:8.1f} s on the wall{result[step]['processor']:8.1f} s of the processor")
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
