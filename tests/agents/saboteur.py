"""A model that researches as offline:shopper does, understands, writes as scripted, and makes one chosen mistake."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from drretail.grounding.report.picks import picks_block, take_picks
from drretail.llm.offline.chat import OfflineChat
from drretail.llm.offline.shopper import shop
from drretail.llm.registry import Model, ModelInfo
from drretail.records.reading import Pick
from tests.agents.sabotaged_shop import DEAR, GOOD, INVENTED, OWNED, QUERY, SEED, UNWANTED

Part = Literal["alone", "understanding", "supervisor", "researcher", "synthesis", "report", "summariser"]
Spoiling = Callable[[AIMessage], AIMessage]
SPEC = "scripted:saboteur"

REPORT = f"""# A new bird feeder

Get the **Larkhall Window Bird Feeder, Clear** [P:{GOOD}]. It costs $18.75 and is rated 4.5 from 120 ratings [P:{GOOD}].

{picks_block([Pick(product=GOOD)])}"""
# What a spoilt report says besides.
SENTENCES = {
    "invented_product": f"I recommend the **Featherworth Deluxe Bird Feeder** for $19.99 [P:{INVENTED}].",
    "wrong_price": f"The Larkhall Window Bird Feeder, Clear costs $11.11 [P:{GOOD}].",
    "wrong_total": (
        f"- Larkhall Window Bird Feeder, Clear: $18.75 [P:{GOOD}]\n"
        f"- Larkhall Small Bird Feeder for Seed: $8.50 [P:{SEED}]\n"
        "- **Total: $18.75 + $8.50 = $21.00**"
    ),
    "over_budget": f"I recommend the **Larkhall Metal Bird Feeder, Squirrel Proof** at $62.00 [P:{DEAR}].",
    "unknown_citation": "Birds come back to the same feeder every morning [W:zzzzzzzz].",
    "owned_as_new": f"I recommend the **Tanagrove Tube Bird Feeder, 18 inch** at $24.99 [P:{OWNED}].",
    "unwanted_brand": f"I recommend the **Wrenfield Hopper Bird Feeder, Cedar** at $27.50 [P:{UNWANTED}].",
    "wrong_place": "It will last through the winters at your home in Fairbanks, Alaska [U:profile].",
}

PICKED = {
    "invented_product": INVENTED,
    "over_budget": DEAR,
    "owned_as_new": OWNED,
    "unwanted_brand": UNWANTED,
}
"""What such a report puts into the cart besides."""


def part_of(messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]]) -> Part:
    """Which role is asked, read from the tags and tools that define it."""
    text = "\n".join(message.text for message in messages if isinstance(message, HumanMessage))
    for tag, part in _BY_TAG.items():
        if f"<{tag}>\n" in text:
            return part
    names = {tool["function"]["name"] for tool in tools}
    return "understanding" if "Understood" in names else "supervisor" if "LaunchResearcher" in names else "alone"


_BY_TAG: dict[str, Part] = {
    "reports": "report",
    "findings": "synthesis",
    "search": "summariser",
    "sub_problem": "researcher",
}


class Saboteur:
    """Spoils what some roles write, calls too unless ``of_reports``: the first time only, or (``stubborn``) always."""

    def __init__(self, parts: Sequence[Part], spoil: Spoiling, *, stubborn: bool, of_reports: bool) -> None:
        self._parts = parts
        self._of_reports = of_reports
        self._spoil = spoil
        self._stubborn = stubborn
        self._spoilt = False

    def __call__(self, messages: Sequence[BaseMessage], tools: list[dict[str, Any]], choice: Any = None) -> AIMessage:
        part = part_of(messages, tools)
        answer = _scripted(shop(messages, tools, choice), part)
        spares = part not in self._parts or (self._of_reports and bool(answer.tool_calls))
        if spares or (self._spoilt and not self._stubborn):
            return answer
        self._spoilt = True
        return self._spoil(answer)


def model(saboteur: Saboteur) -> Model:
    info = ModelInfo(spec=SPEC, provider="offline", model="saboteur", kind="scripted")
    return Model(SPEC, lambda: OfflineChat(policy=saboteur, model="saboteur"), info, {})


def liar(mistake: str, *, stubborn: bool = True) -> Saboteur:
    """Puts one of ``SENTENCES`` below the title of the report, and what it recommends into the cart."""
    return Saboteur(("alone", "report"), lambda answer: _with(answer, mistake), stubborn=stubborn, of_reports=True)


def _with(answer: AIMessage, mistake: str) -> AIMessage:
    written = take_picks(answer.text)
    title, _, rest = written.report.partition("\n")
    text = f"{title}\n\n{SENTENCES[mistake]}\n{rest}"
    picks = [*(written.picks or ()), *(Pick(product=each) for key, each in PICKED.items() if key == mistake)]
    return AIMessage(f"{text.rstrip()}\n\n{picks_block(picks)}")


def _scripted(answer: AIMessage, part: Part) -> AIMessage:
    """The same, but that the wish is the query's own, and the report the scripted one."""
    if part in ("alone", "report") and not answer.tool_calls:
        return AIMessage(REPORT)
    if part != "understanding" or QUERY.wish is None:
        return answer
    wish = QUERY.wish.model_dump(mode="json")
    return AIMessage("", tool_calls=[call | {"args": wish} for call in answer.tool_calls])
