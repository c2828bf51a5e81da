"""A made-up shop for the shopper: enough to choose from, with every kind of trap, and the loop that plays its tools."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from drretail.env.session import Session
from drretail.env.web.sandbox import SandboxPage, SandboxWeb
from drretail.env.world import OrderRow, World, default_pool, open_world, write_world
from drretail.llm.offline.shopper.policy import shop
from drretail.prompts import tagged
from drretail.records.shop import Product
from drretail.tools.toolkit import Toolkit

USER, STRANGER = "AE" + "X" * 26, "AF" + "Y" * 26
DAY = 86_400_000
JANUARY = 1_672_531_200_000  # 2023-01-01


def product(
    number: int, title: str, price: float | None, rating: float | None, ratings: int | None, **more: Any
) -> Product:
    given: dict[str, Any] = {"category": "Patio_Lawn_and_Garden", "categories": ("Patio, Lawn & Garden",)}
    return Product(
        product_id=f"B0SHOP{number:04}",
        title=title,
        price=price,
        average_rating=rating,
        rating_number=ratings,
        store=title.split()[0],
        **(given | more),
    )


COPPER, CEDAR, WINDOW, PERCHES, HOUSE, CRAFT, SEEDS, BULK_SEEDS, BATH, FOAM, DONUT, SOFA, COT, LABELS, POOR = (
    f"B0SHOP{number:04}" for number in range(1, 16)
)
PRODUCTS = [
    product(
        1,
        "Tanagrove Copper Bird Feeder, Squirrel Proof Hanging Wild Bird Feeder for Outside, 3 lb Capacity",
        34.99,
        4.6,
        2067,
        features=(
            "【SQUIRREL PROOF】The spring-loaded perch closes the seed ports when a squirrel climbs on it.",
            "WEATHER RESISTANT - Powder-coated metal that is rust-resistant and withstands rain and snow.",
            "We stand behind our products, contact our customer service any time.",
        ),
        details={"Material": "Metal", "Capacity": "3 Pounds", "Brand": "Tanagrove"},
    ),
    product(2, "Wrenhollow Cedar Hopper Bird Feeder with Two Suet Cages | Large | Brown", 27.5, 4.4, 810),
    product(3, "Plumecraft Window Bird Feeder with Strong Suction Cups", 16.99, 4.2, 5300, features=("Clear acrylic",)),
    product(4, "Replacement Perches for Tanagrove Bird Feeder, Pack of 4", 6.99, 4.9, 950),
    product(5, "Wrenhollow Cedar Birdhouse for Bluebirds, Nesting Box with Guard", 29.95, 4.7, 640),
    product(6, "Plumecraft Painted Wooden Birdhouse, 3 Pack, Kids Craft", 18.49, 3.9, 210),
    product(7, "Meadowlark Wildflower Seeds Mix, 80,000 Seeds, Attracts Birds", 12.95, 4.3, 1800),
    product(8, "Bloomwise Wildflower Seeds for Pollinators - Bulk 1 oz", 8.99, 4.1, 320),
    product(9, "Tanagrove Deck Mounted Bird Bath, Detachable Bowl", 39.0, 4.4, 300),
    product(
        10, "Snugpaw Orthopedic Dog Bed, Memory Foam, Machine Washable Cover", 64.99, 4.6, 9200, category="Pet_Supplies"
    ),
    product(11, "Barkley Donut Dog Bed Calming Faux Fur", 39.99, 4.5, 15000, category="Pet_Supplies"),
    product(12, "Loafwell Orthopedic Dog Bed Sofa, Washable", 49.99, 4.5, 40000, category="Pet_Supplies"),
    product(13, "Oakridge Dog Bed Elevated Cot", None, 4.1, 400, category="Pet_Supplies"),
    product(14, "Inkwell Label Maker", None, 4.5, 12, category="Office_Products"),
    product(15, "Glumly Label Maker", None, 2.1, 400, category="Office_Products"),
]
ORDERS = [
    OrderRow("0000000001", USER, BATH, JANUARY),
    OrderRow("0000000002", USER, BULK_SEEDS, JANUARY + 30 * DAY),
    OrderRow("0000000003", USER, DONUT, JANUARY + 60 * DAY),
]
PAGES = [
    SandboxPage(
        url="https://birds.example/place",
        title="Where to put a bird feeder",
        text="Hang a bird feeder 5 feet above the ground. Clean a bird feeder every two weeks with hot water.",
        date="2022-05-01",
    ),
    SandboxPage(
        url="https://feed.example/clean",
        title="How often to clean a bird feeder",
        text="Clean a bird feeder every four weeks with hot water and soap.",
        date="2018-03-01",
    ),
]


def build_world(folder: Path) -> World:
    write_world(folder, products=PRODUCTS, orders=ORDERS, seed="42", pool=default_pool())
    return open_world(folder, web=SandboxWeb(PAGES))


@dataclass
class Talk:
    """One finished conversation with the shopper."""

    report: str
    turns: list[AIMessage]
    evidence: frozenset[str]
    messages: list[BaseMessage] = field(default_factory=list[BaseMessage])

    @property
    def called(self) -> list[tuple[str, dict[str, Any]]]:
        return [(call["name"], call["args"]) for turn in self.turns for call in turn.tool_calls]


def opening(query: str, user_id: str | None, today: str, words: Sequence[str] = ("", "")) -> list[BaseMessage]:
    """The messages with which an agent begins, with ``words`` of a prompt around the tags."""
    user = [tagged("user_id", user_id)] if user_id else []
    task = "\n".join([words[1], tagged("query", query), *user, tagged("today", today)])
    return [SystemMessage(words[0] or "You shop."), HumanMessage(task)]


def talk(
    world: World,
    query: str,
    user_id: str | None = None,
    *,
    without: Sequence[str] = (),
    turns: int = 10,
    words: Sequence[str] = ("", ""),
) -> Talk:
    """Plays the loop of a ReAct agent: tools until the shopper writes, or until it is told to stop."""
    session = Session(world, user_id=user_id)
    messages = opening(query, user_id, session.now.date().isoformat(), words)
    taken: list[AIMessage] = []
    with Toolkit(session) as toolkit:
        tools = [tool for tool in toolkit.openai_schemas() if tool["function"]["name"] not in without]
        while True:
            stopped = len(taken) >= turns
            if stopped:
                messages.append(HumanMessage(tagged("stop", "The limit of turns is reached.")))
            answer = shop(messages, tools, "none" if stopped else None)
            messages.append(answer)
            if not answer.tool_calls:
                return Talk(answer.text, taken, frozenset(e.id for e in session.ledger.evidence()), messages)
            taken.append(answer)
            calls = [call | {"id": f"{len(taken)}.{place}"} for place, call in enumerate(answer.tool_calls)]
            messages[-1] = AIMessage("", tool_calls=calls)
            replies = toolkit.call_all([(call["name"], call["args"]) for call in answer.tool_calls])
            messages += [
                ToolMessage(reply.text, tool_call_id=call["id"]) for call, reply in zip(calls, replies, strict=True)
            ]
            assert all(json.loads(reply.text) for reply in replies)
