"""A memory of the shopper: somebody's function that makes a text of their records, which a system is told.

PDR-Bench compares memory systems by the reports that agents write on what they tell (its Table 3).
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
    """Placed by that day, the oldest first."""
    products: Mapping[str, Product]
    """Those of the orders, by id, as far as the shop still has them."""
    today: datetime


Recall = Callable[[ShopperRecord, str], object]
"""Gives the text that is told of a shopper who asks this question, or what is awaited for one."""


@dataclass(frozen=True, slots=True)
class Memory:
    """A function by its place, with a hash of the module that holds it: another text is another memory."""

    place: str
    version: str
    recall: Recall

    @property
    def option(self) -> list[str]:
        """As its systems record it."""
        return [self.place, self.version]

    async def retrieve(self, session: Session, user_id: str, question: str) -> str:
        """The memory's text on a shopper, journalled as the run's other effects are, so that a replay doesn't ask it.

        Raises ModelError where it gives no text; what the function raises goes through.
        """

        async def ask() -> Outcome:
            # In a thread: it may wait for a database or a model, and other runs need not.
            answer = await asyncio.to_thread(self.recall, shopper_record(session, user_id), question)
            text = await answer if inspect.isawaitable(answer) else answer
            if not isinstance(text, str):
                raise ModelError("agent", f"the memory {self.place} gave {type(text).__name__} in place of a text")
            return Outcome(text)

        request = {"memory": self.option, "user_id": user_id, "question": question}
        return (await session.journal.scope("memory").aperform("memory", request, ask)).response


def load_memory(place: str) -> Memory:
    """The memory of that name, ``module:attribute``. Raises UserError for one that can't be loaded or called."""
    module, colon, attribute = place.partition(":")
    if not colon:
        raise UserError(f"--memory {place} names no function: write it as module:attribute, such as my_memory:recall.")
    if module.endswith(".py"):
        file = Path(module)
        where = f" in {file.parent}" if file.parent.name else ""
        raise UserError(f"--memory {place} names a file: call drretail{where} with --memory {file.stem}:{attribute}.")
    _, found = MEMORIES.load(place)
    if not callable(found):
        raise MEMORIES.refused(place, found, "a function of a ShopperRecord and the question that returns a text")
    module = inspect.getmodule(found)
    try:
        source = inspect.getsource(module or found)
    except (OSError, TypeError):  # it came without its source
        source = place
    return Memory(place, sha256_of(source)[:8], found)


def shopper_record(session: Session, user_id: str) -> ShopperRecord:
    """A user's record as the session's world shows it. Raises NotFound for an unknown user."""
    store, now = session.world.store, session.now
    placed = [order for order in store.orders(user_id).orders if order.timestamp <= now.timestamp() * 1000]
    orders = tuple(sorted(placed, key=lambda order: (order.timestamp, order.order_id)))
    return ShopperRecord(session.user(user_id), orders, store.products([each.product_id for each in orders]), now)
