"""How the question is understood, and what every role is told before the research."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from drretail.agents.grounded_hybrid.briefing import (
    MOST_LINES,
    MOST_ORDERED,
    MOST_OWNED,
    Owned,
    Understood,
    UnderstoodWant,
    owned_block,
    profile_block,
    statements_on,
    wish_block,
)
from drretail.env.world import World
from drretail.errors import ModelError
from drretail.grounding.report.citations import find_citations
from drretail.llm.prompt import tag_content
from drretail.records.score import Statement
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from tests.agents.conftest import QUERY
from tests.agents.grounded_hybrid.staging import DRAFT, FOR_30, play, plays, understanding
from tests.agents.hybrid_react.cast import DONE, UNDERSTANDING, calls, launch
from tests.build import demands, known
from tests.shop import USER


def answer(**fields: Any) -> AIMessage:
    return AIMessage(json.dumps(FOR_30.model_dump(mode="json") | fields))


def test_the_wish_is_the_first_answer_and_is_kept_in_the_run(world: World) -> None:
    cast = plays(understood=(understanding(FOR_30),))
    run = play(world, cast).run
    assert run.understood == FOR_30
    first = next(step for step in run.steps if step.kind == "model")
    assert (first.path, first.role) == ("0", "supervisor")
    (asked,) = cast.shown[UNDERSTANDING]
    assert asked.schema == "Understood"
    assert tag_content("query", asked.messages[1].text) == QUERY.text
    assert "B0TEST0001" in (tag_content("owned", asked.messages[1].text) or "")


@pytest.mark.parametrize(("answered", "record"), [(Understood, Wish), (UnderstoodWant, Want)])
def test_every_field_of_a_wish_has_to_be_answered(answered: type[Wish], record: type[Wish]) -> None:
    schema = answered.model_json_schema()
    assert list(schema["properties"]) == list(record.model_fields) == schema["required"]


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


def test_a_product_that_is_in_no_order_is_not_owned(world: World) -> None:
    run = play(world, plays(understood=(answer(owned=["B0TEST0004", "B0NOBODYS1"]),))).run
    assert known(run.understood).owned == ("B0TEST0004",)
    assert run.notes[0] == "named as owned, but in no order: B0NOBODYS1"


WRONG = DRAFT.replace("$39.50", "$29.50")
TUBE = Wish(wants=(Want(name="bird feeder", kinds=("tube bird feeder",)),), budget=Money.of(30))


def test_every_role_is_given_the_whole_wish_and_who_reads_all_of_it_the_profile(world: World) -> None:
    cast = plays(
        supervisor=(launch("A feeder.", "A bath."), calls(DONE)),
        report=(WRONG, DRAFT),
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
        assert "Tanagrove Bird Bath" in (tag_content("profile", turn.messages[1].text) or "")


def test_the_shoppers_records_come_through_the_tools_and_can_be_cited_without_street_and_mail(world: World) -> None:
    cast = plays()
    recorded = play(world, cast)
    first = [(step.path, step.seq, step.role, step.name) for step in recorded.run.steps[:3]]
    assert first == [
        ("0", 0, "profile", "get_user_profile"),
        ("0", 1, "profile", "get_user_statistics"),
        ("0", 2, "profile", "get_user_orders"),
    ]
    profile = tag_content("profile", cast.shown["report"][0].messages[1].text) or ""
    cited = find_citations(profile, recorded.evidence)
    assert {"U:profile", "O:0000000001"} <= {citation.evidence_id for citation in cited}
    assert all(citation.type == "internal" for citation in cited)
    assert len(profile.splitlines()) <= len(cited)
    owner = world.store.user(USER)
    for turn in cast.shown["researcher"]:
        assert owner.email not in turn.messages[1].text
        assert owner.address.address1 not in turn.messages[1].text


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


BAG = "Find a diaper bag for up to $40."
DAY = "2023-05-01"
LEASH = Owned("B1", "Foglark Leash, Red", "01", DAY)
SWADDLE = Owned("B2", "Napperly Muslin Swaddle, 3 Pack", "02", DAY)
BLANKET = Want(name="swaddle blanket", kinds=("blanket",), quantity=2, must=demands("cotton"), rating_min=4.0)
BLANKETS = Wish(wants=(BLANKET,), budget=Money.of(70), deadline="by March 3", owned=("B2",))


def few(_: str) -> float:
    """As if every word stood in one product of a hundred."""
    return 0.01


def about(title: str, *categories: str) -> Statement:
    text = f"Bought on 2023-05-01: {title}"
    return Statement(code="recent_purchase", text=text, orders=("01",), categories=categories, names=(title,))


def shown(wish: Wish, *owned: Owned) -> dict[str, Any]:
    return json.loads(tag_content("wish", wish_block(wish, owned)) or "")


def test_a_wish_is_shown_without_empty_fields_and_with_what_it_names_as_owned() -> None:
    blanket = {"name": "swaddle blanket", "kinds": ["blanket"], "quantity": 2, "must": ["cotton"], "rating_min": 4}
    wish = {"wants": [blanket], "budget": {"amount": "70", "currency": "USD"}, "deadline": "by March 3"}
    assert shown(BLANKETS) == wish
    assert shown(Wish()) == {}
    entry = {"id": "B2", "title": "Napperly Muslin Swaddle, 3 Pack", "evidence": "O:02", "ordered": DAY}
    assert shown(BLANKETS, LEASH, SWADDLE) == wish | {"owned": [entry], "owned_besides": 1}


def test_a_long_history_is_shown_in_part() -> None:
    many = [Owned(f"B{number}", f"Diaper {number}", f"{number}", DAY) for number in range(MOST_ORDERED + 5)]
    read = shown(BLANKETS.model_copy(update={"owned": tuple(product.product_id for product in many)}), *many)
    assert (len(read["owned"]), read["owned_besides"]) == (MOST_OWNED, len(many) - MOST_OWNED)
    lines = (tag_content("owned", owned_block(many, BAG)) or "").splitlines()
    assert lines[0] == f"B0  {DAY}  Diaper 0"
    assert (len(lines), lines[-1]) == (MOST_ORDERED + 1, "and 5 more, ordered before these")


def test_lines_of_the_profile_are_those_that_speak_of_the_part_and_cite_what_was_seen() -> None:
    person = Statement(code="person", text="Ada Low of Bend, Oregon.")
    bag = about("Foglark Diaper Bag.")
    assert statements_on((about("Bird Feeder."), person, bag), BAG, few) == [person, bag]
    assert len(statements_on([bag] * 40, BAG, few)) == MOST_LINES
    lines = profile_block([person, bag], {"O:01"})
    assert "- Ada Low of Bend, Oregon. [U:profile]" in lines
    assert lines.endswith("Foglark Diaper Bag. [O:01]\n</profile>")
    priced = about("Foglark Diaper Bag [B1] ($30.00).")
    assert "Foglark Diaper Bag [P:B1] ($30.00). [O:01]" in profile_block([priced], {"O:01", "P:B1"})
    assert "Foglark Diaper Bag ($30.00). [O:01]" in profile_block([priced], {"O:01"})


def test_words_around_the_things_of_a_line_choose_none() -> None:
    tablet = about("Foglark Computer Tablet, 7 inch")
    rhythm = Statement(code="rhythm", text="Half last 30 days or less.")
    for part in ("What was bought before? Compute the total.", "How long do seeds last, in days?"):
        assert statements_on([tablet, rhythm], part, few) == []
    assert statements_on([tablet, rhythm], "Which tablets last long?", few) == [tablet]
