"""What is known before the research begins: how the question is understood, and what the shop knows of the shopper.

The records of the shopper are fetched through the tools, by code, so that they stand in the run's ledger and can be
cited like anything that a researcher finds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from drretail.agents.grounded_hybrid.telling import Owned, profile_block, statements_on, wish_block
from drretail.agents.grounded_hybrid.understanding import understand
from drretail.agents.running.new_experiment import profile_summary
from drretail.env.catalog.base import Catalog, CatalogQuery
from drretail.env.session import Session
from drretail.grounding.profile.naming import ShareOfProducts
from drretail.grounding.text.serialisation import whole_items
from drretail.llm.models import Models
from drretail.records.query import Task
from drretail.records.score import Statement
from drretail.records.shop import VOID_STATUSES
from drretail.records.wish import Wish
from drretail.tools.toolkit import Toolkit

PATH = "0"
ROLE = "profile"
"""Of the steps that code takes for all researchers."""
PROFILE, STATISTICS, ORDERS = "get_user_profile", "get_user_statistics", "get_user_orders"
PAGE = 100
MOST_PAGES = 20


@dataclass(frozen=True, slots=True)
class Briefing:
    """What is known of a task; ``context`` and ``context_for`` are the tagged texts that roles get of it."""

    wish: Wish | None = None
    """What the question wants, as the agent understood it; None where that is not known."""
    statements: tuple[Statement, ...] | None = None
    """None where nothing is known of the shopper."""
    owned: tuple[Owned, ...] = ()
    """Each product once that was ordered and kept, the newest first."""
    of_kind: frozenset[str] = frozenset()
    """Those of them that are of a kind that the wish names."""
    evidence: tuple[str, ...] = ()
    """The ids of the records that all this comes from."""
    notes: tuple[str, ...] = ()
    share_of: ShareOfProducts = lambda _: 1.0
    """By which words that few of the shop's products have are told from others."""

    @property
    def context(self) -> tuple[str, ...]:
        """What the supervisor is told, and who writes the report."""
        return self._with_wish(self.statements)

    def context_for(self, part: str) -> tuple[str, ...]:
        """What a researcher is told of it whose sub-problem this is: the whole wish, and the lines that bear on it."""
        return self._with_wish(None if self.statements is None else statements_on(self.statements, part, self.share_of))

    def _with_wish(self, statements: Sequence[Statement] | None) -> tuple[str, ...]:
        profile = () if statements is None else (profile_block(statements, self.evidence),)
        return profile if self.wish is None else (*profile, wish_block(self.wish, self.owned))

    async def with_answers(self, task: Task, session: Session, models: Models) -> "Briefing":
        """The same with the wish as it is once the shopper has answered; as it was where the model gives none."""
        wish, notes = await understand(task, session, models, self.owned)
        return replace(self, wish=wish or self.wish, notes=(*self.notes, *notes))


async def write_briefing(task: Task, session: Session, toolkit: Toolkit, models: Models) -> Briefing:
    """The shopper's products and profile where the tools give them, then the wish of the question.

    Raises ModelError only where a replayed journal lacks a tool's answer.
    """
    return await (await _shopper(task, session, toolkit)).with_answers(task, session, models)


async def _shopper(task: Task, session: Session, toolkit: Toolkit) -> Briefing:
    """What the records say of the shopper; nothing without one, and where the run has no tools for it."""
    if task.user_id is None or not {PROFILE, STATISTICS, ORDERS} <= set(toolkit.tools):
        return Briefing()
    user = {"user_id": task.user_id}
    replies = await toolkit.acall_all([(PROFILE, user), (STATISTICS, user)], path=PATH, role=ROLE)
    evidence = [evidence for reply in replies for evidence in reply.evidence]
    orders, cited, failed = await _all_orders(user, toolkit)
    failed = next((reply.text for reply in replies if reply.error is not None), failed)
    if failed is not None:
        return Briefing(notes=(f"no profile briefing: {failed}",))
    return Briefing(
        statements=profile_summary(session.world, task.user_id, task.text).statements,
        owned=tuple(_owned(orders, session)),
        evidence=tuple(dict.fromkeys([*evidence, *cited])),
        share_of=_share_of_products(session.world.catalog),
    )


def _share_of_products(catalog: Catalog) -> ShareOfProducts:
    """Which part of a catalog's products has a word; each is looked up once."""
    products = catalog.search(CatalogQuery("", limit=1)).total
    return cache(lambda word: catalog.search(CatalogQuery(word, limit=1)).total / max(products, 1))


def _owned(orders: Sequence[dict[str, Any]], session: Session) -> Iterator[Owned]:
    """The products of orders that were kept, each by its first order here."""
    kept: dict[str, dict[str, Any]] = {}
    for order in orders:
        if order["order_status"] not in VOID_STATUSES:
            kept.setdefault(str(order["product_id"]), order)
    records = session.world.store.products(list(kept))
    for key, order in kept.items():
        title, ordered = str(order.get("product_title") or key), str(order["order_date"])[:10]
        yield Owned(key, title, str(order["order_id"]), ordered, records.get(key))


async def _all_orders(user: dict[str, Any], toolkit: Toolkit) -> tuple[list[dict[str, Any]], list[str], str | None]:
    """All orders, newest first, their evidence, and what went wrong; at most the newest 2,000."""
    orders: list[dict[str, Any]] = []
    evidence: list[str] = []
    for page in range(MOST_PAGES):
        asked = user | {"limit": PAGE, "offset": page * PAGE} if page else user | {"limit": PAGE}
        (reply,) = await toolkit.acall_all([(ORDERS, asked)], path=PATH, role=ROLE)
        if reply.error is not None:
            return orders, evidence, reply.text
        orders += whole_items(reply.value, "orders")
        evidence += reply.evidence
        if len(orders) >= reply.value["total"] or not reply.value["orders"]:
            break
    return orders, evidence, None
