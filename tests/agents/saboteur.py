"""A shop in which mistakes can be made, and a model that works as offline:shopper does and makes a chosen one."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from drretail.env.web.sandbox import SandboxPage
from drretail.env.world import OrderRow
from drretail.grounding.report.picks import picks_block, take_picks
from drretail.llm.offline.chat import OfflineChat
from drretail.llm.offline.shopper import shop
from drretail.llm.registry import Model, ModelInfo
from drretail.records.query import Query
from drretail.records.reading import Pick
from drretail.records.shop import Money, Product
from drretail.records.wish import Want, Wish
from tests.build import build_world
from tests.shop import DAY, JANUARY, USER

OWNED, UNWANTED, GOOD, DEAR, BATH, SEED = (f"B0SABOT00{number}" for number in range(1, 7))
INVENTED = "B0INVENTED"


def _product(product_id: str, title: str, price: float, store: str) -> Product:
    return Product(
        product_id=product_id,
        title=title,
        features=("Weatherproof", "Easy to clean"),
        price=price,
        average_rating=4.5,
        rating_number=120,
        store=store,
        categories=("Patio, Lawn & Garden", "Bird Feeders"),
        category="Patio_Lawn_and_Garden",
        details={"Brand": store},
    )


PRODUCTS = [
    _product(OWNED, "Tanagrove Tube Bird Feeder, 18 inch", 24.99, "Tanagrove"),
    _product(UNWANTED, "Wrenfield Hopper Bird Feeder, Cedar", 27.5, "Wrenfield"),
    _product(GOOD, "Larkhall Window Bird Feeder, Clear", 18.75, "Larkhall"),
    _product(DEAR, "Larkhall Metal Bird Feeder, Squirrel Proof", 62.0, "Larkhall"),
    _product(BATH, "Larkhall Bird Bath, Stone", 55.0, "Larkhall"),
    _product(SEED, "Larkhall Small Bird Feeder for Seed", 8.5, "Larkhall"),
]
ORDERS = [OrderRow("0000000001", USER, OWNED, JANUARY), OrderRow("0000000002", USER, BATH, JANUARY + DAY)]
PAGES = [
    SandboxPage(url="https://birds.example/clean", title="Cleaning", text="Clean a bird feeder every two weeks."),
    SandboxPage(
        url="https://birds.example/place",
        title="Where to hang a bird feeder",
        text="Hang a window bird feeder within three feet of the glass, so that birds cannot gather speed.",
    ),
]
QUERY = Query(
    query_id="q1",
    user_id=USER,
    text="I need a new bird feeder under $60. Nothing from Wrenfield, please. Do not suggest what I already own.",
    wish=Wish(
        wants=(Want(name="bird feeder", kinds=("bird feeder",), brands_unwanted=("Wrenfield",)),), budget=Money.of(60)
    ),
    source="test",
)


def build_shop(folder: Path) -> Path:
    """The shop as a world in ``folder``."""
    build_world(folder, PRODUCTS, ORDERS)
    return folder


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

PICKED = {"invented_product": INVENTED, "over_budget": DEAR, "owned_as_new": OWNED, "unwanted_brand": UNWANTED}
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
