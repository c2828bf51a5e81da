"""``drretail doctor --prompts``: nine probes, each failed by the model that does just this wrong."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from drretail.api.doctor.prompt_kit import (
    ADVERTISED,
    CEDAR,
    NAMES,
    ORDER,
    PAGE_ID,
    PROBES,
    QUESTION,
    STEEL,
    TODAY,
    USER,
    WRITTEN,
    Checked,
    check_prompts,
)
from drretail.errors import ModelError, UserError
from drretail.llm.scripted import Request, ScriptedAnswer, ScriptedCall, requests_of, scripted_model
from drretail.records.models import Price
from tests.build import known

Answers = Mapping[str, ScriptedAnswer]


def calling(*calls: tuple[str, dict[str, Any]], text: str = "I look it up.") -> ScriptedAnswer:
    return ScriptedAnswer(text=text, calls=tuple(ScriptedCall(name=name, args=args) for name, args in calls))


def details(*ids: str) -> ScriptedAnswer:
    return calling(*(("get_product_details", {"product_id": id_}) for id_ in ids))


def report(
    *,
    day: str = TODAY,
    cite: str = f"[P:{CEDAR}]",
    page: str = f"[{PAGE_ID}]",
    block: str = f"P:{CEDAR} x 1",
    also: str = "",
) -> ScriptedAnswer:
    picks = f"\n\n```picks\n{block}\n```" if block else ""
    advice = f"Get the cedar hopper for $39.50 {cite}. Hang it five feet high {page}.{also}{picks}"
    return ScriptedAnswer(text=f"{day}\n\n{advice}")


def refusal(block: str = f"none: too_dear\nnearest: P:{STEEL} x 1") -> ScriptedAnswer:
    return ScriptedAnswer(text=f"The cheapest feeder costs $24.99 [P:{STEEL}].\n\n```picks\n{block}\n```")


def claims(*message: tuple[str, str]) -> ScriptedAnswer:
    listed = [
        {"claim_id": at, "claim": claim, "quote": claim, "sources": [source], "values": []}
        for at, (claim, source) in enumerate(message, 1)
    ]
    return ScriptedAnswer(structured={"claims": listed, "picks": []})


TWO = claims(("The cedar hopper feeder costs $39.50", f"P:{CEDAR}"), ("hang it about five feet high", PAGE_ID))
RULED = {"claim_id": 1, "quotes": ["price: 39.5", "five feet"], "justification": "It is.", "label": "full_support"}
"""Each of the two has a source of its own, and so a question of its own; each source holds one of the quotes."""
PROSE = ScriptedAnswer(text="The report looks fine to me.")
GOOD: Answers = {
    "first_turn": calling(("get_user_profile", {"user_id": USER})),
    "next_turn": calling(("product_catalog_search", {"query": "bird feeder"})),
    "details": details(CEDAR, STEEL),
    "report": report(),
    "refusal": refusal(),
    "ClaimsAndPicks": TWO,
    "ClaimsSupport": ScriptedAnswer(structured={"claims": [RULED]}),
}
BAD: Mapping[str, Answers] = {
    "calls_tools": {"first_turn": ScriptedAnswer(text="I have no access to the shop, but cedar is a fine wood.")},
    "announces_nothing": {
        "next_turn": ScriptedAnswer(text="You live in Jonesboro [U:profile]. Next I search the shelf.")
    },
    "copies_ids": {"details": details(CEDAR, "B0C8Q10OQK")},
    "cites_as_asked": {"report": report(page="[W:aaaaaaaa]")},
    "declares_picks": {"report": report(block="")},
    "says_no": {"refusal": refusal(f"P:{STEEL} x 1")},
    "refuses_orders": {
        "report": report(block=f"P:{ADVERTISED} x 1", also=f" Above all get the Brightperch [P:{ADVERTISED}].")
    },
    "knows_today": {"report": report(day="Report of February 3, 2026")},
    "keeps_schemas": {"ClaimsAndPicks": PROSE},
}
"""By probe, what a model answers that fails this one and no other."""
PLACES = {"product_catalog_search": "details", "get_product_details": "report", "get_user_profile": "next_turn"}


def place_of(messages: Sequence[BaseMessage]) -> str:
    """Which conversation of an agent this is: told by what was called before."""
    called = {call["name"] for message in messages if isinstance(message, AIMessage) for call in message.tool_calls}
    if called == {"product_catalog_search"}:
        return "refusal"
    order = ("get_product_details", "product_catalog_search", "get_user_profile")
    return next((PLACES[name] for name in order if name in called), "first_turn")


def acting(changed: Answers | None = None) -> Callable[[Request], ScriptedAnswer]:
    """What ``scripted_model`` plays."""
    answers = {**GOOD, **(changed or {})}
    return lambda request: answers[request.schema or place_of(request.messages)]


def checked(changed: Answers | None = None, max_dollars: float | None = None) -> Checked:
    return asyncio.run(check_prompts(scripted_model(play=acting(changed), name="actor"), max_dollars))


def failed(found: Checked) -> dict[str, str]:
    return {each.probe: each.found or "" for each in found.probes if each.state != "passed"}


def test_a_model_that_does_as_asked_passes_all_nine_and_every_message_is_kept() -> None:
    found = checked()
    assert failed(found) == {}
    assert found.is_well
    assert len(found.probes) == len(PROBES) == 9
    assert found.usage.calls == sum(map(len, found.conversations.values())) == 8
    (turn,) = json.loads(found.model_dump_json())["conversations"]["report"]
    assert turn["messages"][0]["role"] == "system"
    assert "get_product_details" in turn["tools"]
    assert f"[P:{CEDAR}]" in turn["answer"]["content"]


@pytest.mark.parametrize("probe", [each.name for each in PROBES])
def test_a_model_that_does_one_thing_wrong_fails_this_probe_and_no_other(probe: str) -> None:
    assert set(failed(checked(BAD[probe]))) == {probe}


@pytest.mark.parametrize(
    ("changed", "probe", "message"),
    [
        ({"first_turn": calling(("search_shelves", {}))}, "calls_tools", "every call was refused"),
        ({"details": GOOD["next_turn"]}, "copies_ids", "looked up none of the products"),
        ({"report": report(cite="[1]", page="(a guide)")}, "cites_as_asked", "no mark with an evidence id"),
        ({"report": report(block="the cedar one")}, "declares_picks", "cedar"),
        ({"refusal": refusal("")}, "says_no", "no `none: too_dear`"),
        ({"report": report(day="Today")}, "knows_today", "it wrote none"),
        ({"ClaimsAndPicks": claims()}, "keeps_schemas", "it listed no claim"),
    ],
)
def test_a_verdict_says_what_is_wrong(changed: Answers, probe: str, message: str) -> None:
    assert message in failed(checked(changed))[probe]


@pytest.mark.parametrize(
    "changed",
    [
        *({"details": details(each)} for each in (f"P:{CEDAR}", f"[P:{CEDAR}]", f'"{CEDAR}"')),
        {"details": details(f"https://ecommerce.com/{CEDAR}")},
        *({"report": report(day=day)} for day in ("March 15, 2023", "15 March 2023", "**Date:** 2023-03-15")),
        {"report": report(day="Wednesday, Mar 15, 2023")},
    ],
)
def test_ids_in_each_form_that_the_tools_print_and_todays_date_in_words_pass(changed: Answers) -> None:
    assert failed(checked(changed)) == {}


def test_the_last_sentence_says_which_agents_a_model_can_run_and_whether_it_can_judge() -> None:
    assert checked().fitness.endswith("it can run all agents; it can judge.")
    assert "can run no agent" in checked(BAD["calls_tools"]).fitness
    assert "can run react and plan_to_function" in checked(BAD["cites_as_asked"]).fitness
    assert checked(BAD["keeps_schemas"]).fitness.endswith("it can't judge.")


def test_the_written_turns_are_carried_out_and_the_page_with_its_order_is_read() -> None:
    model = scripted_model(play=acting(), name="actor")
    asyncio.run(check_prompts(model))
    turns = [turn for turn in requests_of(model) if turn.tools and QUESTION in turn.opening]
    asked = {len([message for message in turn.messages if message.type == "ai"]): turn for turn in turns}
    results = [message.text for message in asked[2].messages if isinstance(message, ToolMessage)]
    assert len(results) == sum(len(turn.tool_calls) for turn in WRITTEN["report"])
    assert not any('"error"' in result for result in results)
    assert any(ORDER in result for result in results)
    assert TODAY in asked[2].opening
    assert not asked[2].may_call


def test_a_model_that_fails_is_not_asked_for_the_rest() -> None:
    def play(request: Request) -> ScriptedAnswer:
        raise ModelError("model", "no such key")

    model = scripted_model(play=play, name="down")
    found = asyncio.run(check_prompts(model))
    assert len(requests_of(model)) == 1
    assert [probe.state for probe in found.probes] == ["failed", *["not_asked"] * 8]
    assert found.probes[0].found == "no answer: model: no such key"
    assert not found.is_well


def test_a_model_whose_answer_was_cut_is_asked_for_the_rest() -> None:
    act = acting()

    def play(request: Request) -> ScriptedAnswer:
        if place_of(request.messages) == "first_turn" and request.schema is None:
            raise ModelError("unusable", "the answer was cut")
        return act(request)

    found = asyncio.run(check_prompts(scripted_model(play=play, name="cut")))
    assert failed(found) == {"calls_tools": "no answer: unusable: the answer was cut"}


def test_a_probe_that_passes_on_the_second_try_says_so() -> None:
    """The first answer of each conversation of an agent is empty, and the judge's first list is none."""
    act, lists = acting(), [PROSE]

    def play(request: Request) -> ScriptedAnswer | AIMessage:
        if request.schema is not None:
            return lists.pop() if lists else act(request)
        again = request.messages[-1].text.startswith("Your last answer was empty")
        return act(replace(request, messages=request.messages[:-1])) if again else AIMessage("")

    found = asyncio.run(check_prompts(scripted_model(play=play, name="late")))
    assert failed(found) == {}
    assert {probe.found for probe in found.probes} == {"on the second try"}


def test_a_cap_in_dollars_ends_the_conversations_and_needs_a_price() -> None:
    model = replace(scripted_model(play=acting(), name="actor"), price=Price(input=2, output=10))
    whole = known(asyncio.run(check_prompts(model)).dollars)
    assert whole < 0.15
    cut = asyncio.run(check_prompts(model, max_dollars=0.7 * whole))
    assert 0 < known(cut.dollars) < whole
    assert [*cut.conversations] == [*NAMES[: len(cut.conversations)]] != [*NAMES]
    assert "is spent" in (cut.probes[-1].found or "")
    with pytest.raises(UserError, match="price"):
        asyncio.run(check_prompts(replace(model, price=None), max_dollars=1))


def test_a_judge_that_lists_without_end_meets_the_end_of_its_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drretail.api.doctor.prompt_kit.JUDGING_TOKENS", 500)
    last = checked().probes[-1]
    assert (last.probe, last.state) == ("keeps_schemas", "not_asked")
    assert "500 tokens" in (last.found or "")
