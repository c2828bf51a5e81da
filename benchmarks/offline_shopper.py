"""How often offline:shopper recommends what was asked for, beside an agent that cites the first good hit.

    python benchmarks/offline_shopper.py                                       # the shipped dev queries on the demo
    python benchmarks/offline_shopper.py --world W --questions Q.jsonl [--agent react] [--show] [--json F]

A line of Q.jsonl is {"query_id", "text", "user_id"?, "things": [{"name", "quantity", "any_of": [product ids]}]}; in
place of the ids "title" and "without" may hold patterns that a product's title has and has not, "price_max" the most
that it costs. A thing is covered by a pick that would do for it, in the number that is wanted; a question without
things by an answer without picks. Picks are what the run declares, of alternatives the first; a run whose picks are
not known covers nothing. For the shipped queries the things are those of the basket metric, in any number.
The JSON holds for each agent and query what is covered and what was picked, null where that is not known.
"""

import argparse
import json
import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drretail.agents.registry import load_agent
from drretail.agents.running.batch import Batch
from drretail.agents.running.new_experiment import open_experiment
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest
from drretail.data_ingest.demo import build_shop
from drretail.env.catalog.base import CatalogQuery
from drretail.env.world import World, open_world
from drretail.experiment import read_run
from drretail.llm.registry import open_model
from drretail.progress import Progress
from drretail.querygen.lint import References
from drretail.querygen.shipped import shipped_queries
from drretail.records.query import Query
from drretail.records.shop import Product

AGENTS = ("react", "plan_to_function", "hybrid_react", "null_search")
_PAGE = 50


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--world", default="demo")
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--agent", action="append")
    parser.add_argument("--show", action="store_true", help="print every report")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, opened(arguments.world, Path(folder)) as world:
        if arguments.questions is None:
            queries = shipped_queries("dev")
            references = References(world)
            wanted = {
                it.query_id: [
                    Thing(thing.name, frozenset(fit.product_id for fit in thing.fits), 0)
                    for thing in references.of(it).things
                ]
                for it in queries
            }
        else:
            lines = [json.loads(line) for line in arguments.questions.read_text(encoding="utf-8").splitlines() if line]
            queries = [
                Query.model_validate({key: it[key] for key in it if key != "things"} | {"source": "imported"})
                for it in lines
            ]
            wanted = {it["query_id"]: things_of(it, world) for it in lines}
        table: dict[str, dict[str, dict[str, Any]]] = {}
        for agent in arguments.agent or AGENTS:
            began = time.perf_counter()
            folders = ran(Path(folder) / agent, world, agent, queries)
            seconds = time.perf_counter() - began
            picks = {it.query_id: picks_of(folders[it.query_id]) for it in queries}
            scores = {query: covered(wanted[query], picks[query]) for query in folders}
            table[agent] = {query: {"covered": scores[query], "picks": picks[query]} for query in folders}
            mean = sum(scores.values()) / len(scores)
            whole = sum(it == 1 for it in scores.values())
            each = 1000 * seconds / len(folders)
            print(f"{agent:20} covered {mean:.3f}   whole {whole:3} of {len(folders)}   {each:6.0f} ms a run")
            if arguments.show:
                show(folders, queries, picks, scores)
    if arguments.json:
        arguments.json.write_text(json.dumps(table, indent=1), encoding="utf-8")


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


if __name__ == "__main__":
    main()
