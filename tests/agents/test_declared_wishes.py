"""What a query's maker typed is for whoever scores: no agent that researches is shown it."""

import asyncio

import pytest
from langchain_core.messages import AIMessage

from drretail.agents.registry import BASELINES, BUILT_IN, load_agent
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest
from drretail.env.world import World
from drretail.llm.scripted import Request, requests_of, scripted_model
from drretail.records.money import Money
from drretail.records.query import Reference, WantedThing
from drretail.records.run import ORACLE_AGENT
from drretail.records.wish import Want, Wish
from tests.agents.conftest import QUERY, Scripted, calls
from tests.agents.grounded_hybrid.staging import WISH, understanding
from tests.agents.hybrid_react.cast import DONE, FEEDER, REPORT, launch, reported

MARKER = "zyxqv"
CENTS = "31.07"
"""Of the budget: no other number of the shop has them."""
WANT = Want(name=f"{MARKER} feeder", kinds=(MARKER,), must=(f"{MARKER} wood",), brands_unwanted=(f"{MARKER} & Sons",))
TYPED = QUERY.model_copy(update={"wish": Wish(wants=(WANT,), budget=Money.of(CENTS), deadline=f"by {MARKER}")})
REFERENCE = Reference(query_id=QUERY.query_id, things=(WantedThing(name=MARKER),), left_out=(f"B0{MARKER}",))


def play(request: Request) -> Scripted:
    """Each role's usual turns, whichever agent asks."""
    if request.schema == "Understood":
        return understanding(WISH)
    if request.schema == "IntermediateReport":
        return reported("P:B0TEST0001")
    if request.schema is not None:
        return AIMessage("{}")
    if "LaunchResearcher" in request.tool_names:
        return launch("A feeder.") if request.turn == 1 else calls(DONE)
    if request.turn == 1 and FEEDER[0] in request.tool_names:
        return calls(FEEDER)
    return calls(DONE) if "Finalize" in request.tool_names else REPORT


@pytest.mark.parametrize("name", BUILT_IN)
def test_no_agent_is_shown_the_typed_wish_or_what_the_shop_could_sell_for_it(world: World, name: str) -> None:
    model = scripted_model(play=play)
    sut = SystemUnderTest.of(name, load_agent(name), {"": model}, world)
    run = asyncio.run(Runner(world, "w").run(sut, TYPED, reference=REFERENCE)).run
    requests = requests_of(model)
    assert run.status == "done", run.error
    assert len(requests) > 1
    assert not [text for request in requests for text in texts(request) if MARKER in text.casefold() or CENTS in text]
    assert MARKER not in run.model_dump_json().casefold()


@pytest.mark.parametrize("name", [name for name in BASELINES if name != ORACLE_AGENT])
def test_no_floor_is_given_them_either(world: World, name: str) -> None:
    runs = [
        asyncio.run(
            Runner(world, "w").run(SystemUnderTest.of(name, load_agent(name), {}, world), query, reference=REFERENCE)
        ).run
        for query in (QUERY, TYPED)
    ]
    assert runs[0] == runs[1]


def texts(request: Request) -> list[str]:
    return [message.text for message in request.messages]
