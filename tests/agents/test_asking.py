"""Runs in which the shopper can be asked: what agents are told, who speaks, and that a replay asks nobody."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from drretail.agents.running.run import open_experiment
from drretail.agents.running.runner import Recorded, Runner
from drretail.agents.running.system import SystemUnderTest, prompt_hashes, with_baselines
from drretail.env.world import World
from drretail.errors import UnknownName
from drretail.llm.scripted import Request
from drretail.records.query import Query
from drretail.records.reading import Pick
from drretail.records.run import ASK_SHOPPER, INTENT_BASELINES
from drretail.records.wish import Demand, Hidden, Want, Wish
from tests.agents.conftest import QUERY, calls, record, reporting, scripted, sut, under
from tests.agents.grounded_hybrid.staging import understanding
from tests.agents.hybrid_react.cast import DONE, UNDERSTANDING, cast, launch
from tests.build import demands

CEDAR = Hidden(field="must", index=0, value="cedar", topic="feature", say="It has to be of cedar.")
BATH = Hidden(field="must", index=0, value="bath", topic="use", say="It is for a bath.")
FEEDER = Want(name="feeder", kinds=("bird feeder",), must=demands("cedar"), again=True)
HIDING = Query(
    query_id="q1", user_id=QUERY.user_id, text="Which bird feeder?", source="t", wish=Wish(wants=(FEEDER,)),
    hidden=(CEDAR,),
)  # fmt: skip
OF_TWO = HIDING.model_copy(
    update={
        "hidden": (CEDAR, BATH),
        "wish": Wish(wants=(FEEDER.model_copy(update={"must": (Demand(say="cedar"), Demand(say="bath"))}),)),
    }
)
ASKING = (ASK_SHOPPER, {"topic": "feature", "question": "What must it be made of?"})
SEARCH = ("product_catalog_search", {"query": "bird feeder"})
REPORT = reporting("You asked for cedar [S:feature-1]: the hopper feeder [P:B0TEST0002].", "P:B0TEST0002 x 1")


def played(
    world: World,
    *turns: AIMessage,
    query: Query = HIDING,
    intent: str | None = "asked",
    shopper: Sequence[AIMessage] = (),
) -> tuple[Recorded, list[Request]]:
    model, shown = scripted(*turns)
    system = sut(world, {"": model} | ({"shopper": scripted(*shopper)[0]} if shopper else {}))
    (system,) = under(system, world, query, intent=intent) if intent else [system]
    return record(world, system, query), shown


def first_words(shown: Sequence[Request]) -> str:
    return "\n".join(str(message.content) for message in shown[0].messages)


def test_who_can_ask_is_told_so_and_who_can_not_reads_what_was_read_before(world: World) -> None:
    turns = (calls(SEARCH), REPORT)
    asked, mute, plain = (
        first_words(played(world, *turns, query=query, intent=intent)[1])
        for query, intent in ((HIDING, "asked"), (HIDING, "mute"), (HIDING.model_copy(update={"hidden": ()}), None))
    )
    assert "The shopper can be asked, with `ask_shopper`" in asked
    assert ASK_SHOPPER not in mute
    assert mute == plain
    told = first_words(played(world, *turns, intent="told")[1])
    assert told == mute.replace(HIDING.text, HIDING.full_text)


def test_intents_are_systems_of_their_own_and_the_wording_of_asking_is_hashed_where_it_is_used(world: World) -> None:
    system = sut(world, scripted()[0])
    made = under(system, world, HIDING, intent="told,asked,mute")
    assert [sut.label.removeprefix(system.label) for sut in made] == ["-intent-told", "-intent-asked", "-intent-mute"]
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9.+@_-]{0,79}", sut.label) for sut in made)
    assert ["asking" in prompt_hashes(sut) for sut in (system, *made)] == [False, False, True, False]
    assert {*INTENT_BASELINES} <= {sut.label for sut in with_baselines(made, world)}
    assert not {*INTENT_BASELINES} & {sut.label for sut in with_baselines([system], world)}
    with pytest.raises(UnknownName):
        under(system, world, HIDING, intent="deaf")


def kept_and_replayed(world: World, folder: Path, system: SystemUnderTest, query: Query, **given: Any) -> Recorded:
    """A replayed run of the system, which is the run itself."""
    with open_experiment(folder, world, [query], [system], "42") as experiment:
        first = asyncio.run(Runner(world, "w", **given).run_into(experiment, system, query))
    again = record(world, system, query, replay=folder)
    assert again.run == first
    return again


def test_the_model_that_speaks_is_shown_only_what_is_told_and_a_replay_asks_nobody(world: World, folder: Path) -> None:
    speaker, shown = scripted(AIMessage('{"answer": "Cedar, please."}'))
    models = {"": scripted(calls(ASKING), calls(SEARCH), REPORT)[0], "shopper": speaker}
    (system,) = under(sut(world, models), world, HIDING, intent="asked")
    assert system.label.endswith("-intent-asked-shopper-scripted-test")
    again = kept_and_replayed(world, folder, system, OF_TWO)
    assert (again.run.usage["shopper"].calls, again.run.notes) == (1, ())
    assert "cedar" in first_words(shown)
    assert "bath" not in first_words(shown)
    assert '"answer":"Cedar, please."' in "".join(again.texts.values())


@pytest.mark.parametrize("wrong", ['{"answer": "Oak."}', '{"answer": "Cedar, for a bath."}'])
def test_a_sentence_that_is_wrong_twice_gives_way_to_the_scripted_one(world: World, wrong: str) -> None:
    turns = (calls(ASKING), calls(SEARCH), REPORT)
    recorded, _ = played(world, *turns, query=OF_TWO, shopper=[AIMessage(wrong), AIMessage(wrong)])
    assert '"answer":"It has to be of cedar."' in "".join(recorded.texts.values())
    assert recorded.run.notes == ("the shopper's scripted words stand for answer 1, on feature",)


@pytest.mark.parametrize("agent", ["hybrid_react", "grounded_hybrid"])
def test_the_supervisor_asks_the_writer_reads_the_answers_and_researchers_cannot_ask(world: World, agent: str) -> None:
    played_by = cast(
        supervisor=[calls(ASKING), launch("feeders of cedar"), calls(DONE)],
        researcher={"": (calls(SEARCH), calls(DONE))},
        report=[REPORT],
        understanding=[understanding(HIDING.wish or Wish())],
    )
    (system,) = under(sut(world, played_by.models(), agent), world, HIDING, intent="asked")
    recorded = record(world, system, HIDING)
    shown = played_by.shown
    tools = {role: {tool for request in requests for tool in request.tools} for role, requests in shown.items()}
    assert (ASK_SHOPPER in tools["supervisor"], ASK_SHOPPER in tools["researcher"]) == (True, False)
    answer = '"evidence":"S:feature-1","topic":"feature","answer":"It has to be of cedar."'
    assert answer in first_words(shown["report"])
    assert "S:feature-1" in {each.evidence_id for each in recorded.run.citations}
    if agent == "grounded_hybrid":  # which says anew how it understands the question
        before, after = shown[UNDERSTANDING]
        assert (answer in first_words([before]), answer in first_words([after])) == (False, True)


def test_the_floors_know_what_the_text_states_and_what_they_asked_for(world: World) -> None:
    mute, asking, oracle = (
        record(world, sut(world, {}, name), HIDING).run.picks for name in ("mute_oracle", "ask_all", "oracle")
    )
    assert asking == oracle == (Pick(product="B0TEST0002"),)
    assert mute == (Pick(product="B0TEST0001"),)


def test_a_person_is_asked_once_and_a_replay_asks_nobody(world: World, folder: Path) -> None:
    asked: list[str] = []

    def read(topic: str, question: str) -> str:
        asked.append(f"{topic}: {question}")
        return "Oak, if you have it."

    plain = HIDING.model_copy(update={"hidden": (), "wish": None})
    system = sut(world, scripted(calls(ASKING), calls(SEARCH), REPORT)[0], options={"shopper": "me"})
    again = kept_and_replayed(world, folder, system, plain, reads=read)
    assert asked == ["feature: What must it be made of?"]
    assert '"answer":"Oak, if you have it."' in "".join(again.texts.values())
