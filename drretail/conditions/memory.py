"""A memory of the shopper: a user's own function that turns a shopper's records into a text for systems.

PDR-Bench compares memory systems by the reports that agents write with their texts (its Table 3).
"""

import asyncio
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from drretail.env.session import Session
from drretail.errors import ModelError, UserError
from drretail.journal import Outcome
from drretail.plugins import Plugins
from drretail.records.base import sha256_of
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
    module, colon, attribute = place.partition(":")
    if not colon:
        raise UserError(f"--vary memory={place} names no function: write module:attribute, such as my_memory:recall.")
    if module.endswith(".py"):
        file = Path(module)
        where = f" in {file.parent}" if file.parent.name else ""
        raise UserError(f"--vary memory={place} names a file: call drretail{where} with {file.stem}:{attribute}.")
    _, recall = MEMORIES.load(place)
    if not callable(recall):
        raise MEMORIES.refused(place, recall, "a function of a ShopperRecord and the question that returns a text")
    module = inspect.getmodule(recall)
    try:
        source = inspect.getsource(module or recall)
    except (OSError, TypeError):  # it came without its source
        source = place
    return Memory(place, sha256_of(source)[:8], recall)
