"""What a run costs beside its model: four searches and an answer, against a bare LangGraph loop and inspect_ai's mock.

    python benchmarks/run_cost.py WORLD                     # three rounds in alternation, the least of each
    python benchmarks/run_cost.py WORLD --quick             # one round of few runs

Each contender plays the same answers and searches the same catalog, in a process of its own, and is measured after
some runs that don't count. Each search has words that no search before it had, from a title of the shop: a repeated
one is answered from memory. ``drretail`` journals, keeps evidence and writes the run's file; ``inspect_ai`` writes its
log; the bare loop writes nothing. A contender that is not installed is left out.
"""

# inspect_ai is in no environment of ours but its own.
# pyright: reportMissingImports=false, reportUntypedFunctionDecorator=false, reportDeprecated=false

import argparse
import importlib.util
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from figures import hold, keep, parser_of
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from drretail.agents.registry import load_agent
from drretail.agents.running.run import Batch, open_for_writing
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest
from drretail.env.catalog.base import CatalogQuery
from drretail.env.world import World, world_at
from drretail.llm.scripted import Request, scripted_model
from drretail.records.query import Query

SEARCHES = 4
"""Of each run."""
REPORT = "# Report\n\nThe feeder is good.\n\n```picks\nnone\n```\n"
WARM = 5
GOALS = {"drretail": 25.0, "langgraph": 1.6}
"""Milliseconds of the processor on the demo's shop, 60 on one of the paper's size; and the ratio to the bare loop."""


class Searches:
    """What each run searches for: three words of a title each, none of them asked for twice."""

    def __init__(self, shop: World, seed: int = 7) -> None:
        ids = shop.catalog.matching(CatalogQuery(""))
        random.Random(seed).shuffle(ids)
        titles = [product.title.split() for product in shop.store.products(ids[:5000]).values()]
        drawn = (" ".join(words[at : at + 3]) for at in range(3) for words in titles if len(words) >= at + 3)
        self._texts = iter(dict.fromkeys(drawn))
        self._of_runs: dict[str, list[str]] = {}

    def of(self, question: str) -> list[str]:
        """The searches of a run. Ends with 3 if the shop has no further titles."""
        if question not in self._of_runs:
            drawn = list(islice(self._texts, SEARCHES))
            hold(len(drawn) == SEARCHES, "the shop has titles enough for searches that are all new")
            self._of_runs[question] = drawn
        return self._of_runs[question]


def question_of(folder: Path, number: int) -> str:
    """Another in each folder, so that it searches with other words."""
    return f"Which of {folder.name} shall I take, {number}?"


def drretail_runs(shop: World, searches: Searches, count: int, folder: Path) -> None:
    def play(request: Request) -> AIMessage:
        turn, texts = request.turn - 1, searches.of(request.opening)
        if turn == len(texts):
            return AIMessage(REPORT)
        call = {"name": "product_catalog_search", "args": {"query": texts[turn]}, "id": f"c{turn}"}
        return AIMessage("", tool_calls=[call])

    queries = [
        Query(query_id=f"q{n}", text=question_of(folder, n), mode="generic", source="test") for n in range(count)
    ]
    sut = SystemUnderTest.of("react", load_agent("react"), {"": scripted_model(play=play)}, shop)
    with open_for_writing(folder, shop, queries, [sut], "42") as experiment:
        (tally,) = Batch(Runner(shop, "benchmark"), experiment, 4).run_all([sut], queries)
    if tally.failures:
        raise SystemExit(str(tally.failures[0]))


def search_of(shop: World) -> Callable[[str], str]:
    """A search as one writes it for a loop of one's own: hits as JSON."""

    def product_catalog_search(query: str) -> str:
        """Searches the shop's products."""
        found = shop.catalog.search(CatalogQuery(query))
        products = shop.store.products([hit.product_id for hit in found.hits])
        return json.dumps(
            [{"id": key, "title": each.title, "price": str(each.price)} for key, each in products.items()]
        )

    return product_catalog_search


class Playing(BaseChatModel):
    """Searches for what the question's run searches for, then answers."""

    searches: Any

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        turn = sum(isinstance(message, AIMessage) for message in messages)
        texts = self.searches.of(messages[0].text)
        answer = AIMessage(REPORT)
        if turn < len(texts):
            call = {"name": "product_catalog_search", "args": {"query": texts[turn]}, "id": f"c{turn}"}
            answer = AIMessage("", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=answer)])

    def bind_tools(self, tools: Any, **_: Any) -> "Playing":
        return self

    @property
    def _llm_type(self) -> str:
        return "playing"


def langgraph_runs(shop: World, searches: Searches, count: int, folder: Path) -> None:
    from langgraph.prebuilt import create_react_agent

    agent = create_react_agent(Playing(searches=searches), [search_of(shop)])
    for number in range(count):
        agent.invoke({"messages": [("user", question_of(folder, number))]})


def inspect_ai_runs(shop: World, searches: Searches, count: int, folder: Path) -> None:
    import inspect_ai
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.solver import generate, use_tools
    from inspect_ai.tool import Tool, tool

    search = search_of(shop)

    @tool
    def product_catalog_search() -> Tool:
        async def execute(query: str) -> str:
            """Searches the shop's products.

            Args:
                query: What to search for.
            """
            return search(query)

        return execute

    def answer(messages: list[Any], *_: Any) -> ModelOutput:
        turn = sum(message.role == "assistant" for message in messages)
        texts = searches.of(next(message.text for message in messages if message.role == "user"))
        output = ModelOutput.from_content("mockllm/model", REPORT)
        if turn < len(texts):
            arguments = {"query": texts[turn]}
            output = ModelOutput.for_tool_call("mockllm/model", "product_catalog_search", arguments)
        output.usage = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)  # else it counts with tiktoken
        return output

    samples = [Sample(input=question_of(folder, number), id=number) for number in range(count)]
    task = inspect_ai.Task(dataset=samples, solver=[use_tools(product_catalog_search()), generate()])
    model = get_model("mockllm/model", custom_outputs=answer)
    logs = inspect_ai.eval(task, model=model, log_dir=str(folder), display="none", max_samples=4)
    if logs[0].error is not None:
        raise SystemExit(logs[0].error.message)


CONTENDERS = {
    "drretail": ("drretail", drretail_runs),
    "langgraph": ("langgraph.prebuilt", langgraph_runs),
    "inspect_ai": ("inspect_ai", inspect_ai_runs),
}


def measured(name: str, world: Path, count: int) -> float:
    """Milliseconds of the processor that one more run of this contender takes, in this process."""
    runs = CONTENDERS[name][1]
    with world_at(world) as shop, tempfile.TemporaryDirectory() as parent:
        searches = Searches(shop)
        runs(shop, searches, WARM, Path(parent) / "warm")
        spent: list[float] = []
        for number in (WARM, WARM + count):  # what opening and ending take is in both
            began = time.process_time()
            runs(shop, searches, number, Path(parent) / str(number))
            spent.append(time.process_time() - began)
    return 1000 * (spent[1] - spent[0]) / count


def is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("world", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--one", choices=sorted(CONTENDERS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    count, rounds = (2, 1) if options.quick else (60, 3)
    if options.one:
        print(measured(options.one, options.world, count))
        return
    least: dict[str, float] = {}
    for _ in range(rounds):
        for name in (name for name, (module, _) in CONTENDERS.items() if is_installed(module)):
            command = [sys.executable, __file__, str(options.world), "--one", name]
            command += ["--quick"] * options.quick
            ended = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603
            least[name] = min(least.get(name, float("inf")), float(ended.stdout.split()[-1]))
    for name, milliseconds in least.items():
        print(f"{name:<12} {milliseconds:6.1f} ms a run  {milliseconds / least['drretail']:.2f}")
    hold(least.get("drretail", 0) > 0, "runs were made")
    keep(options.json, {"ms_a_run": least, "goals": GOALS})


if __name__ == "__main__":
    main()
