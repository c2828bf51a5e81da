"""How the question is understood, and what every role is told of the shopper. Also tests agent.py."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from drretail.env.world import World
from drretail.errors import ModelError
from drretail.llm.prompt import tag_content
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from tests.agents.conftest import QUERY
from tests.agents.grounded_hybrid.staging import DRAFT, FOR_30, play, plays, understanding
from tests.agents.hybrid_react.cast import DONE, UNDERSTANDING, calls, launch
from tests.shop import USER


def answer(**fields: Any) -> AIMessage:
    return AIMessage(json.dumps(FOR_30.model_dump(mode="json") | fields))


@pytest.mark.parametrize(
    ("unfit", "why"),
    [
        (AIMessage("Two feeders, I suppose."), "Invalid JSON"),
        (answer(budget={"amount": "$30", "currency": "USD"}), "is not a decimal number"),
        (answer(wants=FOR_30.model_dump(mode="json")["wants"] * 2), "two wants have the same name"),
    ],
)
def test_what_does_not_fit_is_asked_for_once_more(world: World, unfit: AIMessage, why: str) -> None:
    cast = plays(understood=(unfit, understanding(FOR_30)))
    run = play(world, cast).run
    assert (run.understood, run.notes) == (FOR_30, play(world, plays(understood=(understanding(FOR_30),))).run.notes)
    assert why in (tag_content("problem", cast.shown[UNDERSTANDING][1].last) or "")


@pytest.mark.parametrize("unusable", [AIMessage("No."), ModelError("refusal", "no"), ModelError("timeout", "slow")])
def test_without_a_usable_answer_the_run_goes_on_without_a_wish(world: World, unusable: AIMessage | ModelError) -> None:
    cast = plays(understood=(unusable, unusable))
    run = play(world, cast).run
    assert (run.status, run.understood) == ("done", None)
    assert run.notes[0].startswith("not known how the question was understood: ")
    for turn in (cast.shown["supervisor"][0], *cast.shown["researcher"], *cast.shown["report"]):
        assert tag_content("wish", turn.messages[1].text) is None
        assert tag_content("query", turn.messages[1].text) or tag_content("sub_problem", turn.messages[1].text)
    assert len(cast.shown[UNDERSTANDING]) == (2 if isinstance(unusable, AIMessage) else 1)


CHEAPER = DRAFT.replace("$39.50", "$29.50")
TUBE = Wish(wants=(Want(name="bird feeder", kinds=("tube bird feeder",)),), budget=Money.of(30))


def test_every_role_is_given_the_whole_wish_and_who_reads_all_of_it_the_profile(world: World) -> None:
    cast = plays(
        supervisor=(launch("A feeder.", "A bath."), calls(DONE)),
        report=(CHEAPER, DRAFT),
        understood=(understanding(TUBE),),
    )
    play(world, cast)
    turns = [cast.shown["supervisor"][0], *cast.shown["researcher"], *cast.shown["report"]]
    for turn in turns:
        wish = json.loads(tag_content("wish", turn.messages[1].text) or "")
        assert wish["wants"] == [{"name": "bird feeder", "kinds": ["tube bird feeder"], "quantity": 1}]
        assert wish["budget"] == {"amount": "30", "currency": "USD"}
        assert [product["id"] for product in wish["owned"]] == ["B0TEST0001"], "by its record it is of the wanted kind"
        assert wish["owned_besides"] == 1
    for turn in (cast.shown["supervisor"][0], *cast.shown["report"]):
        profile = tag_content("profile", turn.messages[1].text) or ""
        assert all(each in profile for each in ("Tanagrove Bird Bath", "U:profile", "O:0000000001"))
        owner = world.store.user(USER)
        assert not any(each in profile for each in (owner.email, owner.address.address1))


@pytest.mark.parametrize(
    ("user_id", "options", "note"),
    [(None, {}, ""), (USER, {"without": ["user"]}, ""), ("AENOBODY", {}, "no profile briefing:")],
    ids=["no user", "no tools of the user", "unknown user"],
)
def test_without_user_or_tools_there_is_no_profile(world: World, user_id: str | None, options: Any, note: str) -> None:
    cast = plays(report=("Take the hopper feeder, I would say.",))
    run = play(world, cast, query=QUERY.model_copy(update={"user_id": user_id}), options=options).run
    assert run.status == "done"
    assert tag_content("profile", cast.shown["researcher"][0].messages[1].text) is None
    if note:
        assert run.notes[0].startswith(note)
        assert "not_found" in run.notes[0]
    else:
        assert not [step for step in run.steps if step.role == "profile"]


@pytest.mark.parametrize("size", [1, 2])
def test_all_orders_are_read_page_by_page(world: World, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr("drretail.agents.grounded_hybrid.briefing.PAGE", size)
    cast = plays()
    recorded = play(world, cast)
    asked = [step.args for step in recorded.run.steps if step.name == "get_user_orders"]
    assert len(asked) == 2 // size
    owned = tag_content("owned", cast.shown[UNDERSTANDING][0].messages[1].text) or ""
    assert {line.split()[0] for line in owned.splitlines()} == {"B0TEST0001", "B0TEST0004"}
