"""What the agents cost beside their models: time, throughput, CPU, memory, and what a provider can cache.

    python benchmarks/agents.py --json agents.json          # every agent, models that take 1 s ± 0.3 s
    python benchmarks/agents.py --quick                     # fewer runs

Models play offline:shopper from memory after a simulated, seeded time, so that only what is around them is measured.
Each agent is measured in a process of its own. The critical path of a run is the time of its model calls alone, those
of researchers launched together side by side; tools, graph, journal and disk count against the agent.
"""

import argparse
import heapq
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from figures import hold, keep, parser_of
from simulated import Memory, Walked, simulated_model

from drretail.agents.registry import BUILT_IN, load_agent
from drretail.agents.running.outcomes import Ended
from drretail.agents.running.run import Batch, open_for_writing
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest
from drretail.api.settings import read_settings
from drretail.data_ingest.demo import ensure_world
from drretail.env.world import World, world_at
from drretail.experiments.experiment import run_path
from drretail.files import write_lines
from drretail.progress import Progress
from drretail.querygen.reading import read_queries, shipped_queries
from drretail.records.query import Query

QUERIES = 10
MODEL_SECONDS = 1.0
CPU_PASSES = 3
WAVES = 3
"""So many times more runs than go at once: throughput is that of work that goes on."""
GOALS = {"wall_to_critical": 1.05, "of_ideal_throughput": 0.93, "cpu_ms_a_step": 2.0, "mb_a_run": 20.0}
AT_LEAST = {"of_ideal_throughput"}
# Paper section 5.3 (mean tool calls) and Table 5 (thousands of tokens in and out), snippets only.
PAPER = {"plan_to_function": (6.0, 34.2, 2.3), "react": (8.8, 198.9, 2.9), "hybrid_react": (15.9, 461.9, 15.8)}


def prepared(folder: Path, agents: Sequence[str], seed: int) -> None:
    """Some of the queries that ship in ``folder``, and for each agent what its models answer."""
    with demo_shop() as shop:
        queries = shipped_queries("dev")[:QUERIES]
        write_lines(folder / "queries.jsonl", (query.as_line() for query in queries))
        for agent in agents:
            memory = Memory(seed=seed)
            runs_of(folder / "learnt", shop, agent, memory, queries)
            memory.save(folder / f"{agent}.json")


def demo_shop() -> AbstractContextManager[World]:
    return world_at(ensure_world("demo", read_settings().cache_dir, Progress()))


@dataclass(frozen=True)
class Ran:
    """Runs that went together, after the experiment had been opened."""

    seconds: float
    cpu: float
    """Seconds of all threads, the models' left out."""
    paths: list[Path]

    def walked(self) -> list[Walked]:
        return [Walked.of(path) for path in self.paths]


def runs_of(
    to: Path, shop: World, agent: str, memory: Memory, queries: Sequence[Query], repeats: int = 1, parallel: int = 1
) -> Ran:
    """Every query so often, up to ``parallel`` runs at once."""
    sut = SystemUnderTest.of(agent, load_agent(agent), {"": simulated_model(memory)}, shop)
    with open_for_writing(to, shop, queries, [sut], "42") as experiment:
        batch = Batch(Runner(shop, "benchmark", model_calls=10_000), experiment, parallel)
        began, cpu, models = time.perf_counter(), time.process_time(), memory.cpu
        (tally,) = batch.run_all([sut], queries, repeats)
        seconds, cpu = time.perf_counter() - began, time.process_time() - cpu - (memory.cpu - models)
        paths = [
            run_path(experiment.folder, sut.label, query.query_id, repeat)
            for query in queries
            for repeat in range(1, repeats + 1)
        ]
    if tally.failures:
        raise SystemExit(f"{agent}: {tally.failures[0]}")
    return Ran(seconds, cpu, paths)


def measured(folder: Path, agent: str, alone: int, at_once: int, seed: int, seconds: float) -> dict[str, Any]:
    """All figures of one agent, in this process; its models take these ``seconds`` for an answer."""
    memory = Memory.load(folder / f"{agent}.json", seed)
    queries = read_queries(folder / "queries.jsonl")
    with demo_shop() as shop, tempfile.TemporaryDirectory(dir=folder) as parent:
        to = Path(parent)
        runs_of(to / "warm", shop, agent, memory, queries[:1])
        memory.seconds, before = seconds, _mb_now()
        batch = runs_of(to / "batch", shop, agent, memory, queries, WAVES * at_once // len(queries), at_once)
        peak = _peak_mb()  # the runs' own: nothing has read them yet
        criticals = [run.critical_seconds for run in batch.walked()]
        alones = [runs_of(to / f"alone-{query.query_id}", shop, agent, memory, [query]) for query in queries[:alone]]
        memory.seconds = 0.0
        passes = [runs_of(to / f"cpu-{number}", shop, agent, memory, queries) for number in range(CPU_PASSES)]
        least = min(passes, key=lambda ran: ran.cpu)  # what else the machine does only ever adds
        walked = least.walked()
        return {
            "wall_to_critical": statistics.mean(ran.seconds / ran.walked()[0].critical_seconds for ran in alones),
            "of_ideal_throughput": ideal_seconds(criticals, at_once) / batch.seconds,
            "cpu_ms_a_step": 1000 * least.cpu / sum(len(run.run.steps) for run in walked),
            "mb_a_run": (peak - before) / at_once,
            "steps_a_run": statistics.mean(len(run.run.steps) for run in walked),
            "critical_seconds": statistics.mean(criticals),
            **_requests(walked),
        }


def ideal_seconds(criticals: Sequence[float], places: int) -> float:
    """When the last of these runs would end, if each took its critical path and a free place the next one."""
    free = [0.0] * places
    for seconds in criticals:
        heapq.heapreplace(free, free[0] + seconds)
    return max(free)


def _requests(walked: Sequence[Walked]) -> dict[str, Any]:
    """What a run asks of its models and tools, in the mean."""
    shared, whole, broken = (sum(part) for part in zip(*(run.prefixes for run in walked), strict=True))
    used = [usage for run in walked for usage in run.run.usage.values()]
    return {
        "shared_prefix": shared / whole,
        "broken_prefixes": broken,
        "tool_calls": statistics.mean(Ended.of(run.run, before=False).tool_calls for run in walked),
        "model_calls": sum(usage.calls for usage in used) / len(walked),
        "tokens_in": sum(usage.input for usage in used) / len(walked),
        "tokens_out": sum(usage.output for usage in used) / len(walked),
        "report_words": statistics.mean(len((run.run.report or "").split()) for run in walked),
    }


def _mb_now() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 2**20


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured_apart(folder: Path, agent: str, args: argparse.Namespace, alone: int, at_once: int) -> dict[str, Any]:
    """``measured`` in a process of its own."""
    sizes = ["--alone", str(alone), "--at-once", str(at_once), "--seed", str(args.seed)]
    sizes += ["--seconds", str(args.seconds)]
    command = [sys.executable, __file__, "--measure", agent, "--folder", str(folder), *sizes]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)  # noqa: S603 -- ourselves


def print_table(result: dict[str, dict[str, Any]]) -> None:
    print(f"{'':18}" + "".join(f"{name:>26}" for name in GOALS))
    signs = (f"{'≥' if name in AT_LEAST else '≤':>20}{goal:6.2f}" for name, goal in GOALS.items())
    print(f"{'goal':18}{''.join(signs)}")
    for agent, row in result.items():
        marks = ("✓" if (row[name] >= goal) == (name in AT_LEAST) else "✗" for name, goal in GOALS.items())
        print(f"{agent:18}" + "".join(f"{row[name]:24.3f} {mark}" for name, mark in zip(GOALS, marks, strict=True)))
    names = ("shared_prefix", "broken_prefixes", "model_calls", "tool_calls", "tokens_in", "tokens_out", "report_words")
    print(f"\n{'a query':18}" + "".join(f"{name:>16}" for name in names))
    for agent, row in result.items():
        print(f"{agent:18}" + "".join(f"{row[name]:16,.2f}" for name in names))
        if agent in PAPER:
            calls, read, written = PAPER[agent]
            print(
                f"{'  in the paper':18}{'':16}{'':16}{'':16}{calls:16,.2f}{1000 * read:16,.2f}{1000 * written:16,.2f}"
            )


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--agent", action="append", choices=list(BUILT_IN), help="only this one; may be given again")
    parser.add_argument("--alone", type=int, default=3, help="runs that go alone")
    parser.add_argument("--at-once", type=int, default=50, help="runs that go at once, a multiple of ten")
    parser.add_argument("--quick", action="store_true", help="one run alone, ten at once")
    parser.add_argument("--seconds", type=float, default=MODEL_SECONDS, help="that a model takes for an answer")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    alone, at_once = (1, QUERIES) if args.quick else (args.alone, args.at_once)
    if args.measure:
        print(json.dumps(measured(args.folder, args.measure, alone, at_once, args.seed, args.seconds)))
        return
    agents = args.agent or list(BUILT_IN)
    with tempfile.TemporaryDirectory() as parent:
        prepared(Path(parent), agents, args.seed)
        result = {agent: measured_apart(Path(parent), agent, args, alone, at_once) for agent in agents}
    hold(all(row["report_words"] and row["model_calls"] for row in result.values()), "every agent asked and reported")
    print_table(result)
    keep(args.json, result)


if __name__ == "__main__":
    main()
