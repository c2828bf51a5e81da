"""Experiments of one run whose model makes one chosen mistake, in a shop with one thing that no search finds."""

import asyncio
import json
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage

from drretail.agents.registry import load_agent
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest
from drretail.env.world import World, default_pool, write_world
from drretail.experiment import Definition, Experiment
from drretail.records.run import Limits
from tests.agents import sabotaged_shop
from tests.agents.sabotaged_shop import GOOD
from tests.agents.saboteur import SENTENCES, Saboteur, Spoiling, model

STOVE = "B0SABOT099"
"""No search for bird feeders finds it."""
QUERY = sabotaged_shop.QUERY
WRONG = SENTENCES["wrong_price"]
FEEDER = sabotaged_shop.PRODUCTS[0]
PRODUCTS = [
    *sabotaged_shop.PRODUCTS,
    FEEDER.model_copy(
        update={
            "product_id": STOVE,
            "title": "Farfield Camp Stove",
            "price": 45.0,
            "store": "Farfield",
            "details": {},
            "categories": ("Camping",),
            "category": "Sports_and_Outdoors",
        }
    ),
]


def build(folder: Path) -> Path:
    """The shop as a world in ``folder``; its pages are those of the saboteur's shop."""
    write_world(folder, products=PRODUCTS, orders=sabotaged_shop.ORDERS, seed="42", pool=default_pool())
    return folder


def spoilt(sentence: str, synthesis: Spoiling = lambda answer: answer) -> Saboteur:
    """Puts a sentence below the title of the report, and does something to what researchers hand on."""

    def spoil(answer: AIMessage) -> AIMessage:
        if not answer.text.startswith("# "):
            return answer if answer.tool_calls and "insights" not in answer.tool_calls[0]["args"] else synthesis(answer)
        title, _, rest = answer.text.partition("\n")
        return AIMessage(f"{title}\n\n{sentence}\n{rest}")

    return Saboteur(("alone", "synthesis", "report"), spoil, stubborn=True, of_reports=False)


def changed(change: "Change") -> Spoiling:
    """What a researcher hands on, changed as JSON, however it was answered."""

    def spoil(answer: AIMessage) -> AIMessage:
        if answer.tool_calls:
            call = answer.tool_calls[0]
            return AIMessage("", tool_calls=[call | {"args": change(call["args"])}])
        return AIMessage(json.dumps(change(json.loads(answer.text))))

    return spoil


class Change:
    """Of an intermediate report: forgets one product, or writes another price of it."""

    def __init__(self, price: str | None) -> None:
        self.price = price

    def __call__(self, message: dict[str, Any]) -> dict[str, Any]:
        if self.price is not None:
            return json.loads(json.dumps(message).replace("$18.75", self.price))
        named = f"P:{GOOD}"
        insights = [
            one for one in message["insights"] if named not in one["citations"] and "18.75" not in one["statement"]
        ]
        sources = [source for source in message["sources"] if source["evidence"] != named]
        return {"insights": insights, "sources": sources, "open_questions": ["What else is there?"]}


def an_experiment(folder: Path, shop: World, agent: str, saboteur: Saboteur) -> Path:
    sut = SystemUnderTest.of(agent, load_agent(agent), {"": model(saboteur)}, shop, limits=Limits())
    recorded = asyncio.run(Runner(shop, "w").run(sut, QUERY))
    assert recorded.run.status == "done"
    definition = Definition(
        world_fingerprint="w",
        queries=(QUERY,),
        systems={recorded.run.system: sut.system},
        prompt_hashes={recorded.run.system: {}},
        tool_schema_hash="t",
    )
    with Experiment(folder, definition) as opened:
        opened.save(recorded.run, recorded.evidence, recorded.texts, {})
    return folder


CASES = {
    "of what it was handed": ("react", spoilt(WRONG), "distorted", "18.75"),
    "of what was handed on": ("hybrid_react", spoilt(WRONG), "distorted", "so says the intermediate report of 0.1"),
    "handed on otherwise": (
        "hybrid_react",
        spoilt(WRONG, changed(Change("$11.11"))),
        "distorted",
        "already the intermediate report of 0.1",
    ),
    "not handed on": ("hybrid_react", spoilt(WRONG, changed(Change(None))), "lost", "no intermediate report says so"),
    "of what nobody looked up": (
        "react",
        spoilt(f"The Farfield Camp Stove costs $44.00 [P:{STOVE}]."),
        "never_retrieved",
        f"never handed P:{STOVE}",
    ),
    "of what nobody has": ("react", spoilt(SENTENCES["invented_product"]), "invented", "P:B0INVENTED"),
    "of a figure that nobody has": (
        "hybrid_react",
        spoilt(f"Together they come to $93.17 with the seed feeder [P:{GOOD}]."),
        "invented",
        "93.17",
    ),
    "of no figure": ("react", spoilt(SENTENCES["wrong_place"]), "unknown", "The claim has no figure"),
}
"""By what the mistake is: agent, saboteur, the place where it was made, and words of the reason."""
