"""How far off estimates are that rest on the shipped table: against the demo's recording, and against played runs.

    python benchmarks/estimates.py [DEMO] [--drawn SEED] [--json FILE]

DEMO is the folder that ``drretail demo`` made; without one it is made anew. Its answers and judgements are a language
model's, recorded. The twelve played runs are of four agents on three of the demo's questions: rules choose what is
looked up, as many calls a turn and as many researchers as a model may want, and what is written is as long as a
model's. A factor is what was estimated over what was taken. With --drawn, twelve runs of another kind are played
instead: of six systems on questions of the market shop, each turn in a style that is drawn anew. Those of seeds 505,
606 and 707 were unseen when they were measured.
"""

import random
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from figures import hold, keep, parser_of
from langchain_core.messages import AIMessage, BaseMessage

import drretail
from drretail.agents.registry import load_agent
from drretail.agents.running.estimate import estimate_left
from drretail.agents.running.run import run_systems
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest
from drretail.api.demo_recording import LIMITS, recorded_model, recorded_queries
from drretail.env.world import World, world_at
from drretail.eval.estimate import likely_judging
from drretail.eval.judging.session import Judge
from drretail.eval.judging.spending import judging_costs
from drretail.experiments.experiment import read_runs
from drretail.llm.estimates import Estimate
from drretail.llm.offline.chat import OfflineChat
from drretail.llm.offline.shopper import shop
from drretail.llm.registry import Model
from drretail.llm.scripted import scripted_model
from drretail.querygen.reading import shipped_queries
from drretail.records.query import Query
from drretail.records.run import Limits, Usage

PLAYED = ("plan_to_function", "react", "hybrid_react", "grounded_hybrid")
DRAWN = (*PLAYED, "react+ws", "hybrid_react+ws")
THOUGHT = "I weigh what was found against what was asked, and look at what is still open before I decide. " * 2
REPORT = "It suits what you asked for: the record says so, and others who bought it say why it lasts. " * 14
Measured = tuple[str, Estimate, Usage]
"""A name, what was estimated and what was taken."""


@dataclass(frozen=True)
class Style:
    """How a played model works."""

    calls: int
    """Tool calls in one turn."""
    researchers: int


STYLES = (Style(8, 2), Style(5, 3), Style(3, 4))


def ends_with_picks(messages: Sequence[BaseMessage]) -> bool:
    """True if a report is asked for."""
    return "```picks" in "".join(message.text for message in messages[:2])


def played(style: Style) -> Model:
    """The rules of offline:shopper in this style, with thoughts and reports as long as a model's."""

    def policy(messages: Sequence[BaseMessage], tools: list[dict[str, Any]], choice: Any = None) -> AIMessage:
        answer = shop(messages, tools, choice)
        calls = answer.tool_calls
        is_report = not calls and ends_with_picks(messages)
        text = f"{answer.text}\n\n{REPORT}" if is_report else f"{answer.text} {THOUGHT}" if answer.text else ""
        most = style.researchers if any(call["name"] == "LaunchResearcher" for call in calls) else style.calls
        return AIMessage(text, tool_calls=calls[:most])

    return scripted_model("").with_chat(OfflineChat(policy=policy))


def drawn(rng: random.Random) -> Model:
    """The rules of offline:shopper, each turn with as many calls and words as are drawn."""

    def policy(messages: Sequence[BaseMessage], tools: list[dict[str, Any]], choice: Any = None) -> AIMessage:
        answer = shop(messages, tools, choice)
        is_report = not answer.tool_calls and ends_with_picks(messages)
        length = rng.randint(120, 520) if is_report else rng.randint(10, 110)
        text = f"{answer.text} {' '.join(rng.choices(REPORT.split(), k=length))}" if answer.text else ""
        launches = any(call["name"] == "LaunchResearcher" for call in answer.tool_calls)
        return AIMessage(text, tool_calls=answer.tool_calls[: rng.randint(1, 4 if launches else 8)])

    return scripted_model("").with_chat(OfflineChat(policy=policy))


def of_drawn(scratch: Path, seed: int) -> Iterator[Measured]:
    """Twelve runs whose styles are drawn."""
    rng = random.Random(seed)
    queries = rng.sample(shipped_queries("market-dev", "market-test"), 12)
    with drretail.open_world("market") as world:
        for number, (name, query) in enumerate(zip(DRAWN * 2, queries, strict=True)):
            plain, limits = name.removesuffix("+ws"), Limits(researchers=rng.randint(1, 4))
            mode: Any = {} if name == plain else {"web_mode": "ws"}
            model = drawn(random.Random(seed + number))
            system = SystemUnderTest.of(plain, load_agent(plain), {"": model}, world, limits=limits, **mode)
            yield f"drawn {name} {number}", *of_run(world, scratch / str(number), system, query)


def taken(folder: Path) -> Iterator[tuple[str, int, Usage]]:
    """By system: its agent, its runs, and what they took."""
    by_label: dict[str, list[Usage]] = {}
    for each in read_runs(folder):
        by_label.setdefault(each.system, []).append(sum(each.usage.values(), Usage()))
    yield from ((label.partition("@")[0], len(used), sum(used, Usage())) for label, used in by_label.items())


def line(name: str, likely: Estimate, took: Usage) -> dict[str, float]:
    """Prints and gives the factors of one estimate."""
    parts = {"calls": took.calls, "input": took.input, "output": took.output}
    estimated = {what: getattr(likely, what) for what in parts}
    factors = {what: estimated[what] / part for what, part in parts.items()}
    shown = (f"{what} {estimated[what]:>9,} / {part:>9,} {factors[what]:5.2f}" for what, part in parts.items())
    print(f"{name:36}{'   '.join(shown)}")
    return factors


def of_run(world: World, to: Path, system: SystemUnderTest, query: Query) -> tuple[Estimate, Usage]:
    """What a run was likely to take, and what it took."""
    run_systems(to, Runner(world, "benchmark"), [system], [query])
    ((_, _, took),) = taken(to)
    return by_table(to, system, [query]), took


def by_table(to: Path, system: SystemUnderTest, queries: Sequence[Query]) -> Estimate:
    """What such runs are likely to take, as the table has it."""
    (estimate,) = estimate_left(to.with_name("empty"), [system], queries, 1)
    return estimate


def of_demo(scratch: Path, demo: Path | None) -> Iterator[Measured]:
    """The demo's recorded runs and judging, and the twelve played runs."""
    demo = demo or Path(drretail.demo(scratch / "demo").value.folder).parent
    with world_at(demo / "world") as world:
        for agent, count, took in taken(demo / "recorded"):
            system = SystemUnderTest.of(agent, load_agent(agent), {"": recorded_model()}, world, limits=LIMITS)
            estimate = by_table(scratch / "recorded", system, recorded_queries())
            assert estimate.count == count
            yield f"recorded {agent}", estimate, took
        for cost in judging_costs(demo / "recorded"):
            (estimate,) = likely_judging(cost.metric, Judge.of(recorded_model()), cost.reports, Usage(), 0)
            yield f"recorded {cost.metric}", estimate, cost.cost.usage
        for agent, (style, query) in product(PLAYED, zip(STYLES, recorded_queries()[::4], strict=True)):
            limits = Limits(researchers=style.researchers)
            system = SystemUnderTest.of(agent, load_agent(agent), {"": played(style)}, world, limits=limits)
            to = scratch / f"{agent}-{style.calls}"
            yield f"played {agent}, {style.calls} a turn", *of_run(world, to, system, query)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("demo", type=Path, nargs="?")
    parser.add_argument("--drawn", type=int, metavar="SEED")
    args = parser.parse_args()
    print("estimated / taken")
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        measured = of_demo(scratch, args.demo) if args.drawn is None else of_drawn(scratch, args.drawn)
        factors = {name: line(name, likely, took) for name, likely, took in measured}
    hold(factors and all(min(each.values()) > 0 for each in factors.values()), "every run took calls and tokens")
    keep(args.json, factors)


if __name__ == "__main__":
    main()
