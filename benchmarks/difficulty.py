"""Do levels and steps of difficulty mean what they say? Without an agent; agents are reported beside it, by level.

    python benchmarks/difficulty.py WORLD QUERIES.jsonl [--experiment EXP] [--json OUT.json]

QUERIES.jsonl is what ``drretail queries generate`` made of WORLD. Each query is brought step by step towards level 9;
of all versions on the way the table has, by level, the mean utility of the eight solvers that the level is made of, and
of eight others (2, 4, 7 and 20 hits) that it is not made of: both have to fall from each level to the next one. And
each query takes one step of each sort: of the steps that change the loss, 90 % have to raise it.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

from drretail.api.worlds import open_world
from drretail.difficulty.hardening import AXES, Hardener
from drretail.difficulty.measure import HITS, Task
from drretail.eval.scores.file import read_scores
from drretail.querygen.reading import read_queries
from drretail.records.query import Query

OTHER_HITS = (2, 4, 7, 20)
LEAST = 5
"""Queries of a level below which its mean is not held to anything."""
RIGHT = 0.9
_NO_CHANGE = 1e-9


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("world")
    parser.add_argument("queries", type=Path)
    parser.add_argument("--experiment", type=Path)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    queries = read_queries(asked.queries)
    with open_world(asked.world) as world:
        hardener = Hardener.of(world, "42")
        levels = by_level(queries, hardener)
        axes = [by_axis(queries, hardener, axis) for axis in AXES]
    print("level  queries  mean utility  of other solvers  with 5 hits, no history")
    for row in levels:
        print("{level:5}  {n:7}  {mean:12.3f}  {other:16.3f}  {shallow:23.3f}".format(**row))
    counted = [row for row in levels if row["n"] >= LEAST]
    for name in ("mean", "other"):
        falls = all(later[name] < earlier[name] for earlier, later in pairwise(counted))
        print(f"{name}: {'falls' if falls else 'DOES NOT FALL'} from level to level ({len(counted)} levels)")
    print("\nstep      queries  made  moved  right  share | other solvers: moved  right  share")
    for row in axes:
        line = (
            "{axis:8}  {n:7}  {made:4}  {moved:5}  {right:5}  {share:5.2f} | {o_moved:19}  {o_right:5}  {o_share:5.2f}"
        )
        print(line.format(**row), "" if row["share"] >= RIGHT else "BELOW 0.90")
    if asked.experiment:
        agents(asked.experiment)
    if asked.json:
        asked.json.write_text(json.dumps({"levels": levels, "axes": axes}, indent=1), encoding="utf-8")


def utility(task: Task, hits: Sequence[int]) -> float:
    """The mean over solvers that see so many hits, with and without history."""
    return fmean(task.utility(each, history=history) for each in hits for history in (True, False))


def by_level(queries: Sequence[Query], hardener: Hardener) -> list[dict[str, Any]]:
    found: dict[int, list[Task]] = defaultdict(list)
    for query in queries:
        for version in hardener.brought_to(query, 9):
            task = hardener.dial.task(version)
            if task is not None and version.level is not None:
                found[version.level].append(task)
    return [
        {
            "level": level,
            "n": len(tasks),
            "mean": fmean(utility(task, HITS) for task in tasks),
            "other": fmean(utility(task, OTHER_HITS) for task in tasks),
            "shallow": fmean(task.utility(5, history=False) for task in tasks),
        }
        for level, tasks in sorted(found.items())
    ]


def by_axis(queries: Sequence[Query], hardener: Hardener, axis: Any) -> dict[str, Any]:
    pairs: list[tuple[Task, Task]] = []
    for query in queries:
        task, step = hardener.dial.task(query), next(hardener.steps(query, axis), None)
        stepped = None if step is None else hardener.dial.task(step)
        if task is not None and stepped is not None:
            pairs.append((task, stepped))
    row: dict[str, Any] = {"axis": axis, "n": len(queries), "made": len(pairs)}
    for prefix, hits in (("", HITS), ("o_", OTHER_HITS)):
        lost = [utility(task, hits) - utility(stepped, hits) for task, stepped in pairs]
        moved = [each for each in lost if abs(each) > _NO_CHANGE]
        right = sum(each > 0 for each in moved)
        row |= {
            f"{prefix}moved": len(moved),
            f"{prefix}right": right,
            f"{prefix}share": right / len(moved) if moved else 1.0,
        }
    return row


def agents(experiment: Path) -> None:
    """What systems score by level, as ``drretail compare --by level`` has it; nothing is held to it."""
    scores = read_scores(experiment)
    print("\nsystem                          level   utility     n")
    for row in () if scores is None else scores.slices:
        if row.by == "level" and (row.metric, row.variant) == ("basket", "utility_ratio"):
            value = "" if row.value is None else f"{row.value:.3f}"
            print(f"{row.system:30}  {row.name:>7}  {value:>7}  {row.n_counted:4}")


if __name__ == "__main__":
    main()
