"""Runs of grounded_hybrid by scripted roles; the report's turns are told apart by how often it was asked."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage

from drretail.agents.running.runner import Recorded, Runner
from drretail.env.world import World
from drretail.llm.registry import Model
from drretail.llm.scripted import Request, scripted_model
from drretail.records.query import Query
from tests.agents.conftest import QUERY, Scripted, calls
from tests.agents.hybrid_react.cast import DONE, Cast, Script, cast, launch, sut_of

DRAFT = (
    "# Feeders\n\nGet the **Tanagrove Hopper Bird Feeder, Cedar** at $39.50 [P:B0TEST0002]. It holds seed.\n\n"
    "You bought the Tanagrove Tube Bird Feeder before [O:0000000002].\n"
)
HOPPER = ("product_catalog_search", {"query": "bird feeder"})


def plays(
    supervisor: Script | None = None,
    researcher: Mapping[str, Script] | None = None,
    report: Sequence[str | BaseException] = (DRAFT,),
) -> Cast:
    """A cast that has looked at all bird feeders; the report generator says these in turn, the last one for ever."""
    return cast(
        supervisor=supervisor or (launch("A feeder."), calls(DONE)),
        researcher=researcher or {"": (calls(HOPPER), calls(DONE))},
        report=[AIMessage(it) if isinstance(it, str) else it for it in report],
    )


def play(world: World, actors: Cast, query: Query = QUERY, **given: Any) -> Recorded:
    """One run of grounded_hybrid by this cast."""
    models = actors.models() | {"report": _reporter(actors)}
    player = sut_of("grounded_hybrid", world, models, **given)
    return asyncio.run(Runner(world, "w").run(player, query))


def _reporter(actors: Cast) -> Model:
    said: Sequence[Scripted] = actors.scripts["report"][""]

    def play(request: Request) -> Scripted:
        number = len(actors.shown["report"])
        actors.shown["report"].append(request)
        return said[min(number, len(said) - 1)]

    return scripted_model(play=play, name="report")
