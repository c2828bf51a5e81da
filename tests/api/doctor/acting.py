"""Models that do all that the probes ask, or all but one thing."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from drretail.api.doctor.conversations import ADVERTISED, CEDAR, PAGE_ID, STEEL, TODAY, USER
from drretail.llm.scripted import Request, ScriptedAnswer, ScriptedCall

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
