"""How well the stand-ins that need no key do: offline:judge beside people, offline:shopper beside a plain agent.

    python benchmarks/offline.py judge --attributionbench FILE --wice FILE [--threshold T] [--seed N] [--json F]
    python benchmarks/offline.py shopper                                       # the shipped dev queries on the demo
    python benchmarks/offline.py shopper --world W --questions Q.jsonl [--agent react] [--show] [--json F]

**judge.** FILE is a split as its authors publish it, as ``drretail lab card`` takes it: AttributionBench
(OSU-NLP-Group), WiCE (ryokamoi). Neither comes with this project. Measured is the balanced accuracy of "full support"
against "attributable" or "supported", beside a one-line rule and always guessing the majority; of WiCE's three labels
also the plain accuracy and Cohen's kappa.

The one-line rule: the share of a claim's content stems that occur anywhere in its sources, against a threshold. The
threshold is the best one of a random half of the file, unless --threshold gives one, as a test split demands: the one
that the development split printed. The judge's own thresholds are fixed, so both halves are shown.

**shopper.** How often it recommends what was asked for, beside an agent that cites the first good hit. A line of
Q.jsonl is {"query_id", "text", "user_id"?, "things": [{"name", "quantity", "any_of": [product ids]}]}; in place of the
ids "title" and "without" may hold patterns that a product's title has and has not, "price_max" the most that it costs.
A thing is covered by a pick that would do for it, in the number that is wanted; a question without things by an answer
without picks. Picks are what the run declares, of alternatives the first; a run whose picks are not known covers
nothing. For the shipped queries the things are those of the basket metric, in any number. The JSON holds for each
agent and query what is covered and what was picked, null where that is not known.
"""

import argparse
import json
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from drretail.agents.registry import load_agent
from drretail.agents.running.batch import Batch
from drretail.agents.running.new_experiment import open_experiment
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest
from drretail.data_ingest.demo import build_shop
from drretail.env.catalog.base import CatalogQuery
from drretail.env.offers import Offers
from drretail.env.world import World, open_world
from drretail.experiment import read_run
from drretail.lab.card import share_of_words
from drretail.lab.labelled_claims import SPELLINGS, LabelledClaim, read_labelled
from drretail.llm.registry import open_model
from drretail.offline.judge.support import judge_claim
from drretail.progress import Progress
from drretail.querygen.shipped import shipped_queries
from drretail.records.query import Query
from drretail.records.shop import Product

RESAMPLES = 2000
AGENTS = ("react", "plan_to_function", "hybrid_react", "null_search")
_PAGE = 50


@dataclass(frozen=True)
class Answered:
    """What people, the judge and the one-line rule say of one claim."""

    label: str
    judged: str
    share: float

    @property
    def is_full(self) -> bool:
        return self.label == "full"


def answered(claims: Sequence[LabelledClaim]) -> list[Answered]:
    """All claims, judged both ways."""
    return [Answered(it.label, SPELLINGS[judge_claim(it.claim, it.sources).label], share_of_words(it)) for it in claims]


def balanced_accuracy(rows: Sequence[Answered], says_full: Callable[[Answered], bool]) -> float:
    """The mean of the shares of supported and of other claims that are told right."""
    of_full = [says_full(row) for row in rows if row.is_full]
    of_other = [not says_full(row) for row in rows if not row.is_full]
    return (sum(of_full) / len(of_full) + sum(of_other) / len(of_other)) / 2


def best_threshold(rows: Sequence[Answered]) -> float:
    return max(
        sorted({row.share for row in rows}), key=lambda least: balanced_accuracy(rows, lambda it: it.share >= least)
    )


def measured(rows: Sequence[Answered], seed: int, threshold: float | None) -> dict[str, Any]:
    """The table of one set: each rule on a random half, on the other half, and on all."""
    order = random.Random(seed).sample(rows, len(rows))
    half, other = order[: len(order) // 2], order[len(order) // 2 :]
    least = best_threshold(half) if threshold is None else threshold
    rules: dict[str, Callable[[Answered], bool]] = {
        "offline:judge": lambda row: row.judged == "full",
        "stems in the source": lambda row: row.share >= least,
        "always the majority": lambda _: Counter(it.is_full for it in rows).most_common(1)[0][0],
    }
    parts = {"half": half, "other half": other, "all": rows}
    return {
        "claims": len(rows),
        "threshold": least,
        "balanced_accuracy": {
            name: {part: balanced_accuracy(some, rule) for part, some in parts.items()} for name, rule in rules.items()
        },
        "judge_minus_stems": _difference(rows, rules["offline:judge"], rules["stems in the source"], seed),
        **_three_labels(rows),
    }


def _difference(
    rows: Sequence[Answered], one: Callable[[Answered], bool], other: Callable[[Answered], bool], seed: int
) -> list[float]:
    """The 95 % bootstrap interval of the difference of two rules, resampled by claim."""
    draws = np.random.default_rng(seed).integers(0, len(rows), (RESAMPLES, len(rows)))
    truth, first, second = (np.array([rule(row) for row in rows]) for rule in (lambda row: row.is_full, one, other))
    gained = (first == truth).astype(float) - (second == truth)
    drawn, told = truth[draws], gained[draws]
    means = [(told * part).sum(1) / part.sum(1) for part in (drawn, ~drawn)]
    return [float(it) for it in np.quantile((means[0] + means[1]) / 2, (0.025, 0.975))]


def _three_labels(rows: Sequence[Answered]) -> dict[str, Any]:
    people, judged = Counter(row.label for row in rows), Counter(row.judged for row in rows)
    if len(people) < 3:
        return {}
    agreed = sum(row.label == row.judged for row in rows) / len(rows)
    by_chance = sum(people[label] * judged[label] for label in people) / len(rows) ** 2
    majority = max(people.values()) / len(rows)
    return {"accuracy": agreed, "accuracy_of_majority": majority, "kappa": (agreed - by_chance) / (1 - by_chance)}


def _print_judged(name: str, table: dict[str, Any]) -> None:
    print(f"\n{name}: {table['claims']} claims, threshold of stems {table['threshold']:.3f}")
    print(f"  {'balanced accuracy':22}{'half':>8}{'other half':>12}{'all':>8}")
    for rule, parts in table["balanced_accuracy"].items():
        print(f"  {rule:22}{parts['half']:8.3f}{parts['other half']:12.3f}{parts['all']:8.3f}")
    low, high = table["judge_minus_stems"]
    print(f"  offline:judge less stems in the source, 95 %: {low:+.3f} to {high:+.3f}")
    if "kappa" in table:
        print(
            f"  three labels: accuracy {table['accuracy']:.3f} (majority {table['accuracy_of_majority']:.3f}), "
            f"kappa {table['kappa']:.3f}"
        )


def judge(given: argparse.Namespace) -> dict[str, Any]:
    """Prints the tables of the files that are given, and gives them."""
    files = {"AttributionBench": given.attributionbench, "WiCE": given.wice}
    tables: dict[str, Any] = {}
    for name, path in files.items():
        if path is not None:
            tables[name] = measured(answered(read_labelled(path).claims), given.seed, given.threshold)
            _print_judged(name, tables[name])
    if not tables:
        sys.exit("Give --attributionbench FILE, --wice FILE, or both.")
    return {"seed": given.seed, "sets": tables}


@dataclass(frozen=True)
class Thing:
    name: str
    would_do: frozenset[str]
    quantity: int = 1
    """0 where the number does not matter."""


def things_of(line: dict[str, Any], world: World) -> list[Thing]:
    """The wanted things of a line, patterns resolved to products."""
    return [
        Thing(it["name"], frozenset(it.get("any_of") or _matching(it, world)), it.get("quantity", 0))
        for it in line["things"]
    ]


def _matching(thing: dict[str, Any], world: World) -> list[str]:
    title, without = re.compile(thing["title"], re.I), re.compile(thing.get("without") or r"(?!)", re.I)
    most = thing.get("price_max", float("inf"))
    return [
        it.product_id
        for it in _all_products(world)
        if title.search(it.title) and not without.search(it.title) and (it.price or 0) <= most
    ]


def _all_products(world: World) -> Iterator[Product]:
    for offset in range(0, 10_000, _PAGE):
        hits = world.catalog.search(CatalogQuery(text="", limit=_PAGE, offset=offset)).hits
        yield from world.store.products([hit.product_id for hit in hits]).values()
        if len(hits) < _PAGE:
            return


def picks_of(folder: Path) -> dict[str, int] | None:
    """The picks of a run with their numbers; None where they are not known."""
    picks = read_run(folder).picks
    return None if picks is None else {it.product: it.quantity for it in picks}


def covered(things: Sequence[Thing], picks: dict[str, int] | None) -> float:
    """The share of the things for which something is picked; 1 for no thing and no pick."""
    if picks is None:
        return 0.0
    if not things:
        return float(not picks)
    met = [
        any(product in it.would_do and (it.quantity < 2 or number == it.quantity) for product, number in picks.items())
        for it in things
    ]
    return sum(met) / len(met)


def shopper(given: argparse.Namespace) -> dict[str, Any]:
    """Runs every agent on every query, prints what is covered, and gives it with the picks."""
    table: dict[str, dict[str, dict[str, Any]]] = {}
    with tempfile.TemporaryDirectory() as folder, opened(given.world, Path(folder)) as world:
        queries, wanted = asked(given.questions, world)
        for agent in given.agent or AGENTS:
            began = time.perf_counter()
            folders = ran(Path(folder) / agent, world, agent, queries)
            seconds = time.perf_counter() - began
            picks = {query: picks_of(run) for query, run in folders.items()}
            scores = {query: covered(wanted[query], picks[query]) for query in folders}
            table[agent] = {query: {"covered": scores[query], "picks": picks[query]} for query in folders}
            mean = sum(scores.values()) / len(scores)
            whole = sum(it == 1 for it in scores.values())
            each = 1000 * seconds / len(folders)
            print(f"{agent:20} covered {mean:.3f}   whole {whole:3} of {len(folders)}   {each:6.0f} ms a run")
            if given.show:
                show(folders, queries, picks, scores)
    return table


def asked(questions: Path | None, world: World) -> tuple[Sequence[Query], dict[str, list[Thing]]]:
    """The queries, and by query the things that would do."""
    if questions is None:
        queries, offers = shipped_queries("dev"), Offers(world)
        return queries, {
            it.query_id: [
                Thing(thing.name, frozenset(fit.product_id for fit in thing.fits), 0)
                for thing in offers.reference(it).things
            ]
            for it in queries
        }
    lines = [json.loads(line) for line in questions.read_text(encoding="utf-8").splitlines() if line]
    queries = [
        Query.model_validate({key: it[key] for key in it if key != "things"} | {"source": "imported"}) for it in lines
    ]
    return queries, {it["query_id"]: things_of(it, world) for it in lines}


def opened(spec: str, folder: Path) -> World:
    return open_world(build_shop(folder, Progress()) if spec == "demo" else Path(spec))


def ran(to: Path, world: World, agent: str, queries: Sequence[Query]) -> dict[str, Path]:
    """The folders of the runs by query."""
    system = SystemUnderTest.of(agent, load_agent(agent), {"": open_model("offline:shopper")}, world)
    with open_experiment(to, world, list(queries), [system], "42") as experiment:
        (tally,) = Batch(Runner(world, "benchmark"), experiment, 1).run_all([system], list(queries), 1)
        for failure in tally.failures:
            print(failure)
        return {it.query_id: experiment.run_folder(system.label, it.query_id, 1) for it in queries}


def show(folders: dict[str, Path], queries: Sequence[Query], picks: dict[str, Any], scores: dict[str, float]) -> None:
    for query in queries:
        print(f"\n{'=' * 100}\n{query.query_id}  {scores[query.query_id]:.2f}  {query.text}\n{'-' * 100}")
        print(read_run(folders[query.query_id]).report)
        print(picks[query.query_id])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(required=True)
    of_judge, of_shopper = parts.add_parser("judge"), parts.add_parser("shopper")
    of_judge.set_defaults(measure=judge)
    of_judge.add_argument("--attributionbench", type=Path, metavar="FILE")
    of_judge.add_argument("--wice", type=Path, metavar="FILE")
    of_judge.add_argument("--threshold", type=float, metavar="T", help="of the one-line rule, from a development split")
    of_judge.add_argument("--seed", type=int, default=7)
    of_shopper.set_defaults(measure=shopper)
    of_shopper.add_argument("--world", default="demo")
    of_shopper.add_argument("--questions", type=Path)
    of_shopper.add_argument("--agent", action="append")
    of_shopper.add_argument("--show", action="store_true", help="print every report")
    for part in (of_judge, of_shopper):
        part.add_argument("--json", type=Path)
    given = parser.parse_args()
    found = given.measure(given)
    if given.json is not None:
        given.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
