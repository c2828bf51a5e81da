"""How right the checks of queries are, how much the offline generator repeats itself, and how long both take.

    python benchmarks/queries.py checks W --good GOOD… --bad BAD…    queries (.jsonl), or plain questions (.txt, .csv)
    python benchmarks/queries.py sentences W…                        a hundred queries, in equal parts over the worlds
    python benchmarks/queries.py proofs W --good FILE…               what the questions need, in ms a question
    python benchmarks/queries.py time W [--queries 1000]

``checks``: a finding in a good query is false, but for a wish that nobody has typed; a bad query is found when it has
any. Goal: at most 1 good query in 20
with a finding. ``sentences``: the share of sentences that stand in three or more of the queries, as they are and with
amounts made equal. ``time``: processor time and memory of the commands, as a user pays them. For a world of the paper's
size:

    drretail synth --to raw --products 80000 --reviews 4300000 && drretail ingest raw --world w
"""

import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

from command import cost_of
from figures import hold, keep, parser_of

from drretail.env.world import World, world_at
from drretail.querygen.generate import generate_queries
from drretail.querygen.lint import Linter
from drretail.querygen.reading import queries_from, read_queries, read_questions
from drretail.records.query import Query

PER_USER = 3
GOALS = "1.5 s for one, 15 s for 1,000 beyond loading the shop's products, and for their checks; 700 MB"
HUNDRED = 100
OFTEN = 3
"""A sentence that stands in so many queries of a hundred is a stock one."""


def made(world: World, wanted: int, linter: Linter) -> Sequence[Query]:
    users = wanted * 11 // (10 * PER_USER) + 1  # some have orders for fewer than three
    return generate_queries(world, users, per_user=PER_USER, seed="42", linter=linter).queries[:wanted]


def timed(world: Path, wanted: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        files = {count: f"{folder}/{count}.jsonl" for count in (1, wanted)}
        costs = {
            f"generate {count}": cost_of(
                "queries", "generate", "-q", "--world", str(world), "--n", str(count), "--to", to
            )
            for count, to in files.items()
        }
        costs[f"check {wanted}"] = cost_of("queries", "check", files[wanted], "--world", str(world))
    for name, cost in costs.items():
        print(f"{name:16}{cost.processor:8.1f} s of the processor{cost.peak_mb:8.0f} MB")
    print(f"goals: {GOALS}")
    return {name: cost._asdict() for name, cost in costs.items()}


def proofs(world: World, files: Sequence[Path]) -> dict[str, float]:
    """How long it takes to prove what a question needs, beyond its baskets; goal: 50 ms on the market world."""
    linter, taken = Linter(world), list[float]()
    for query in (query for file in files for query in read_queries(file)):
        assert linter.case(query).reference
        began = time.perf_counter()
        linter.with_needs(query)
        taken.append((time.perf_counter() - began) * 1000)
    print(f"{len(taken)} proofs: median {median(taken):.0f} ms, mean {mean(taken):.0f} ms, most {max(taken):.0f} ms")
    return {"median": median(taken), "mean": mean(taken), "most": max(taken)}


def checked(world: World, files: Sequence[Path], *, good: bool) -> dict[str, Any]:
    """Of each file how many queries have a finding, by code."""
    rows: dict[str, Any] = {}
    for path in files:
        is_record = path.suffix == ".jsonl"
        queries = read_queries(path) if is_record else queries_from(read_questions(path), path.name, None)
        found = [each for each in Linter(world).check_all(queries) if each.findings]
        codes = Counter(code for each in found for code in {finding.code for finding in each.findings})
        rows[str(path)] = {"good": good, "queries": len(queries), "with_a_finding": len(found), "codes": codes}
        counts_ = ", ".join(f"{code} {count}" for code, count in codes.most_common())
        print(f"{'good' if good else 'bad':5}{len(found):4} of {len(queries):4} with a finding  {path}  {counts_}")
    return rows


def sentences(worlds: Sequence[Path]) -> dict[str, Any]:
    queries: list[Query] = []
    for path in worlds:
        with world_at(path) as world:
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
    parser = parser_of(__doc__)
    parser.add_argument("what", choices=("checks", "proofs", "sentences", "time"))
    parser.add_argument("worlds", type=Path, nargs="+")
    parser.add_argument("--good", type=Path, nargs="*", default=[])
    parser.add_argument("--bad", type=Path, nargs="*", default=[])
    parser.add_argument("--queries", type=int, default=1000)
    arguments = parser.parse_args()
    if arguments.what == "sentences":
        result = sentences(arguments.worlds)
    elif arguments.what == "time":
        result = timed(arguments.worlds[0], arguments.queries)
    else:
        with world_at(arguments.worlds[0]) as world:
            if arguments.what == "proofs":
                result = proofs(world, arguments.good)
            else:
                result = checked(world, arguments.good, good=True) | checked(world, arguments.bad, good=False)
    hold(result, "there were queries to measure")
    keep(arguments.json, result)


if __name__ == "__main__":
    main()
