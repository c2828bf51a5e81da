"""Conditions on what is known about the shopper: information, memory (also by a function of the user's own),
intent, counterfactual.

PDR-Bench compares memory systems by the reports that agents write with their texts (its Table 3).
"""

import asyncio
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from drretail.conditions.condition import Condition, dropping, with_options
from drretail.env.session import Session
from drretail.env.world import World
from drretail.errors import ModelError, UserError
from drretail.journal import Outcome
from drretail.plugins import Plugins
from drretail.records.base import sha256_of
from drretail.records.query import KINDS, Query, Task
from drretail.records.run import INFORMATION, INTENT, INTENTS, MEMORY, System
from drretail.records.shop import Order, Product, UserProfile

MEMORIES = Plugins("memory", {}, "drretail.memories")


@dataclass(frozen=True, slots=True)
class ShopperRecord:
    """What the shop knows of a shopper on the day of a question."""

    profile: UserProfile
    orders: tuple[Order, ...]
    """The orders placed by that day, the oldest first."""
    products: Mapping[str, Product]
    """The products of the orders, by id, as far as the shop still has them."""
    today: datetime


Recall = Callable[[ShopperRecord, str], object]
"""Returns the text on a shopper who asks this question, or an awaitable of it."""


@dataclass(frozen=True, slots=True)
class Memory:
    """A function by its place, with a hash of its module's source: with another source it is another memory."""

    place: str
    version: str
    recall: Recall

    @property
    def option(self) -> list[str]:
        """Place and version, as its systems record them."""
        return [self.place, self.version]

    async def retrieve(self, session: Session, user_id: str, question: str) -> str:
        """The memory's text on a shopper. It is journalled like the run's other effects, so that a replay does not ask
        for it.

        Raises ModelError if the function returns no text. Its own errors go through.
        """

        def record() -> ShopperRecord:
            store, now = session.settings.world.store, session.settings.now
            placed = [order for order in store.orders(user_id).orders if order.timestamp <= now.timestamp() * 1000]
            orders = tuple(sorted(placed, key=lambda order: (order.timestamp, order.order_id)))
            products = store.products([order.product_id for order in orders])
            return ShopperRecord(session.user(user_id), orders, products, now)

        async def ask() -> Outcome:
            # In a thread: it may wait for a database or a model, and other runs need not.
            answer = await asyncio.to_thread(self.recall, record(), question)
            text = await answer if inspect.isawaitable(answer) else answer
            if not isinstance(text, str):
                raise ModelError("agent", f"the memory {self.place} gave {type(text).__name__} in place of a text")
            return Outcome(text)

        request = {"memory": self.option, "user_id": user_id, "question": question}
        return (await session.journal.scope("memory").aperform("memory", request, ask)).response


def load_memory(place: str) -> Memory:
    """The memory at ``module:attribute``. Raises UserError if it can't be loaded or called."""
    if ":" not in place:
        raise UserError(f"--vary memory={place} names no function: write module:attribute, such as my_memory:recall.")
    _, recall = MEMORIES.load(place)
    if not callable(recall):
        raise MEMORIES.refused(place, recall, "a function of a ShopperRecord and the question that returns a text")
    module = inspect.getmodule(recall)
    try:
        source = inspect.getsource(module or recall)
    except (OSError, TypeError):  # it came without its source
        source = place
    return Memory(place, sha256_of(source)[:8], recall)


INFORMED = "information"


def known_of(information: Literal["context", "persona"], query: Query) -> str:
    """What a query holds of this kind on its user. Raises UserError if it holds none."""
    if not (known := query.persona if information == "persona" else query.context):
        raise UserError(
            f"The query {query.query_id!r} holds no {information} of its user: make queries that do with drretail "
            "queries pair (drretail/addons/personas/README.md)."
        )
    return known


class _Information(Condition):
    """PDR-Bench's settings (Table 2) and drretail's own, "tools". A memory's text belongs to the setting."""

    def put(self, system: System, value: str, world: World) -> System:
        self.check(value)
        if value == self.default:
            return system
        without = sorted({*system.options.get("without", ()), "user"})
        return with_options(system, {INFORMED: value, "without": without})

    def check_queries(self, value: str, queries: Sequence[Query]) -> None:
        for query in queries:
            if value == "memory" and query.user_id is None:
                raise UserError(
                    f"The query {query.query_id!r} has no user, so no memory can tell of them: leave it out."
                )
            if value in ("context", "persona"):
                known_of(value, query)

    def unfit(self, system: System) -> str | None:
        if system.information == "memory" and MEMORY not in system.options:
            return "information=memory tells what a memory makes of records: add --vary memory=MODULE:ATTRIBUTE"
        return None

    def of(self, system: System) -> str:
        return " ".join([system.information, *system.options.get(MEMORY, ())[:1]])

    def without(self, system: System) -> System:
        return dropping(system, INFORMED, MEMORY, tools="" if system.information == "tools" else "user")

    def order(self, value: str) -> tuple[float, str]:
        return self.values.index(value.partition(" ")[0]), value

    def words(self, value: str) -> str:
        known, _, place = value.partition(" ")
        if not place:
            return self.in_words.get(value, value)
        return f"with memory {place}" if known == "memory" else f"{self.in_words[known]} and memory {place}"


class _Memory(Condition):
    """PDR-Bench's memory systems (Table 3): the text of a function of the shopper's records."""

    def unfit(self, system: System) -> str | None:
        if MEMORY in system.options and system.information not in ("memory", "tools"):
            return f"a memory is told with information=tools or information=memory, not {system.information}"
        return None

    def of(self, system: System) -> str:
        return str(system.options.get(MEMORY, [self.default])[0])


class _Intent(Condition):
    """DESIGN's three ways to learn what queries hide. A system on queries that hide nothing has none of them."""

    def put(self, system: System, value: str, world: World) -> System:
        self.check(value)
        return with_options(system, {INTENT: value})

    def check_queries(self, value: str, queries: Sequence[Query]) -> None:
        if not any(query.questions is not None for query in queries):
            raise UserError(
                "--vary intent is for queries that hide limits of their wish: `drretail queries hide` makes them."
            )

    def of(self, system: System) -> str | None:
        return system.intent

    def order(self, value: str) -> tuple[float, str]:
        return INTENTS.index(value), value


class _Counterfactual(Condition):
    def unfit(self, system: System) -> str | None:
        if self.of(system) != self.default and "user" in system.options.get("without", ()):
            return "without the user's tools there is no profile to change"
        return None


def _told(task: Task, query: Query, value: str) -> Task:
    return task.model_copy(update={"text": query.full_text}) if value == "told" else task


INFORMATION_CONDITION = _Information(
    name=INFORMED,
    about="what is known about the shopper",
    values=INFORMATION,
    default="tools",
    is_stepwise=True,
    in_words={"task": "task only", "context": "with context", "persona": "with persona", "tools": "with tools"},
)
MEMORY_CONDITION = _Memory(
    name=MEMORY,
    about="which memory tells of the shopper",
    default="none",
    form="MODULE:ATTRIBUTE",
    option=lambda place: load_memory(place).option,
    is_shown=False,
)
INTENT_CONDITION = _Intent(
    name=INTENT,
    about="how hidden limits are learnt",
    values=INTENTS,
    default="asked",
    task=_told,
    is_stepwise=True,
    headline=("basket", "utility_ratio"),
)
COUNTERFACTUAL = _Counterfactual(
    name="counterfactual", about="whose profile the tools show", values=("own", *KINDS), is_shown=False
)
