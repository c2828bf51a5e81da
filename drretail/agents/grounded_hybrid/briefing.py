"""What is known before the research begins: how the question is understood, and what the shop knows of the shopper.

The first answer of the agent's model is a typed wish. Researchers, writer and verifier use it, and readers of the
report are shown it. The wish that the query's own maker typed is never seen here.

The shopper's records are fetched by code, through the tools, so that they are in the run's ledger and can be cited like
anything that a researcher finds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import Field

from drretail.agents.base import task_message
from drretail.agents.grounded_hybrid.telling import Owned, owned_block, profile_block, statements_on, wish_block
from drretail.agents.prompt_blocks import agent_prompt
from drretail.env.catalog.base import CatalogQuery
from drretail.env.session import Session
from drretail.env.summaries import Summaries
from drretail.errors import ModelError
from drretail.grounding.profile.naming import ShareOfProducts
from drretail.grounding.text.serialisation import whole_items
from drretail.llm.models import Models
from drretail.records.query import Task
from drretail.records.score import Statement
from drretail.records.shop import VOID_STATUSES, Money
from drretail.records.wish import MOST_PIECES, Want, Wish
from drretail.tools.toolkit import Toolkit

PATH = "0"
ROLE = "profile"
"""The role of steps that code takes for all researchers."""
PROFILE, STATISTICS, ORDERS = "get_user_profile", "get_user_statistics", "get_user_orders"
PAGE = 100
MOST_PAGES = 20
REPAIRS = 1
"""How often a wish that does not fit is asked for again."""
understanding_prompt = partial(agent_prompt, __file__, "understanding")


class Amount(Money):
    """Money whose currency is named."""

    currency: str = Field(description="Its ISO 4217 code, such as USD.")


class UnderstoodWant(Want):
    """A want of which every field is answered."""

    quantity: int = Field(ge=1, le=MOST_PIECES, description="How many of it are to be bought; 1 where none is named.")
    optional: bool = Field(description="True where the shopper asks whether to buy it at all.")
    again: bool = Field(description="True where a product that the shopper has may be bought once more.")
    must: tuple[str, ...] = Field(  # pyright: ignore[reportIncompatibleVariableOverride] -- records are frozen
        description="What the product must be or have, each in a few words."
    )
    must_not: tuple[str, ...] = Field(  # pyright: ignore[reportIncompatibleVariableOverride]
        description="What it must not be or have, each in a few words."
    )
    rating_min: float | None = Field(ge=0, le=5, description="The least average rating, in stars.")
    ratings_min: int | None = Field(ge=0, description="The least number of ratings or reviews.")
    price_max: Amount | None = Field(  # pyright: ignore[reportIncompatibleVariableOverride] -- records are frozen
        description="The most that one piece may cost."
    )
    brands_wanted: tuple[str, ...] = Field(description="One of these brands, where any is named.")
    brands_unwanted: tuple[str, ...] = Field(description="None of these brands.")


class Understood(Wish):
    """All that the question wants bought; a model's answer, of which every field is answered."""

    wants: tuple[UnderstoodWant, ...] = Field(  # pyright: ignore[reportIncompatibleVariableOverride] -- as above
        description="One for each thing to be bought; empty where none is."
    )
    budget: Amount | None = Field(  # pyright: ignore[reportIncompatibleVariableOverride] -- as above
        description="The most that everything together may cost."
    )
    room: bool = Field(description="True where more may be added than what is named.")
    deadline: str | None = Field(description="Until when it has to arrive, in the question's words.")
    owned: tuple[str, ...] = Field(description="Product ids, from the orders, of what the question says is owned.")
    orders: tuple[str, ...] = Field(description="Order ids that the question names.")


async def _understand(
    task: Task, session: Session, models: Models, owned: Sequence[Owned]
) -> tuple[Wish | None, tuple[str, ...]]:
    """What the question wants according to the supervisor's model, and notes. None if the model gives no usable answer.

    ``owned`` are the products of the shopper's orders. Owned products of the answer that are not among them are left
    out.
    """
    parts = [task_message(task, session).text, *([owned_block(owned, task.text)] if owned else [])]
    messages = [SystemMessage(understanding_prompt().render()), HumanMessage("\n".join(parts))]
    try:
        answer = await models.ask("supervisor", messages, Understood, repairs=REPAIRS)
    except ModelError as failure:
        return None, (f"not known how the question was understood: {failure.kind}: {failure.message}",)
    ordered = {product.product_id for product in owned}
    wish = Wish.model_validate(answer.model_dump())
    unknown = [product_id for product_id in wish.owned if product_id not in ordered]
    known = tuple(product_id for product_id in wish.owned if product_id in ordered)
    notes = (f"named as owned, but in no order: {', '.join(unknown)}",) if unknown else ()
    return wish.model_copy(update={"owned": known}), notes


@dataclass(frozen=True, slots=True)
class Briefing:
    """What is known of a task. ``context`` and ``context_for`` are the tagged texts that roles get of it."""

    wish: Wish | None = None
    """What the question wants, as the agent understood it; None if that is unknown."""
    statements: tuple[Statement, ...] | None = None
    """None if nothing is known of the shopper."""
    owned: tuple[Owned, ...] = ()
    """Each product that was ordered and kept, once, the newest first."""
    evidence: tuple[str, ...] = ()
    """The ids of the records that all this is from."""
    notes: tuple[str, ...] = ()
    share_of: ShareOfProducts = lambda _: 1.0
    """The share of the shop's products that have a word. Rare words tell statements apart."""

    @property
    def context(self) -> tuple[str, ...]:
        """What the supervisor and the writer of the report are told."""
        return self._with_wish(self.statements)

    def context_for(self, part: str) -> tuple[str, ...]:
        """What the researcher of this sub-problem is told: the whole wish, and the profile's lines that bear on the
        sub-problem.
        """
        return self._with_wish(None if self.statements is None else statements_on(self.statements, part, self.share_of))

    def _with_wish(self, statements: Sequence[Statement] | None) -> tuple[str, ...]:
        profile = () if statements is None else (profile_block(statements, self.evidence),)
        return profile if self.wish is None else (*profile, wish_block(self.wish, self.owned))

    async def with_answers(self, task: Task, session: Session, models: Models) -> "Briefing":
        """The briefing with the wish as it is after the shopper's answers, or with the old wish if the model gives
        none.
        """
        wish, notes = await _understand(task, session, models, self.owned)
        return replace(self, wish=wish or self.wish, notes=(*self.notes, *notes))


async def write_briefing(task: Task, session: Session, toolkit: Toolkit, models: Models) -> Briefing:
    """The shopper's products and profile if the tools give them, then the wish of the question.

    Raises ModelError only if a replayed journal lacks a tool's answer.
    """
    return await (await _shopper(task, session, toolkit)).with_answers(task, session, models)


async def _shopper(task: Task, session: Session, toolkit: Toolkit) -> Briefing:
    """What the records say of the shopper; empty without a user, or if the run has no tools for it."""
    if task.user_id is None or not {PROFILE, STATISTICS, ORDERS} <= set(toolkit.tools):
        return Briefing()
    user = {"user_id": task.user_id}
    replies = await toolkit.acall_all([(PROFILE, user), (STATISTICS, user)], path=PATH, role=ROLE)
    evidence = [evidence for reply in replies for evidence in reply.evidence]
    orders, cited, failed = await _all_orders(user, toolkit)
    failed = next((reply.text for reply in replies if reply.error is not None), failed)
    if failed is not None:
        return Briefing(notes=(f"no profile briefing: {failed}",))
    catalog = session.settings.world.catalog
    products = max(catalog.search(CatalogQuery("", limit=1)).total, 1)
    return Briefing(
        statements=Summaries(session.settings.world).of(task.user_id, task.text).statements,
        owned=tuple(_owned(orders, session)),
        evidence=tuple(dict.fromkeys([*evidence, *cited])),
        # The share of the catalog's products that have a word; each word is looked up once.
        share_of=cache(lambda word: catalog.search(CatalogQuery(word, limit=1)).total / products),
    )


def _owned(orders: Sequence[dict[str, Any]], session: Session) -> Iterator[Owned]:
    """The products of orders that were kept, each with the first of its orders in this order."""
    newest: dict[str, dict[str, Any]] = {}
    for order in orders:
        if order["order_status"] not in VOID_STATUSES:
            newest.setdefault(str(order["product_id"]), order)
    records = session.settings.world.store.products(list(newest))
    for key, order in newest.items():
        title, ordered = str(order.get("product_title") or key), str(order["order_date"])[:10]
        yield Owned(key, title, str(order["order_id"]), ordered, records.get(key))


async def _all_orders(user: dict[str, Any], toolkit: Toolkit) -> tuple[list[dict[str, Any]], list[str], str | None]:
    """All orders, newest first, their evidence, and what went wrong; at most the newest 2,000."""
    orders: list[dict[str, Any]] = []
    evidence: list[str] = []
    for page in range(MOST_PAGES):
        arguments = user | {"limit": PAGE, "offset": page * PAGE} if page else user | {"limit": PAGE}
        (reply,) = await toolkit.acall_all([(ORDERS, arguments)], path=PATH, role=ROLE)
        if reply.error is not None:
            return orders, evidence, reply.text
        orders += whole_items(reply.value, "orders")
        evidence += reply.evidence
        if len(orders) >= reply.value["total"] or not reply.value["orders"]:
            break
    return orders, evidence, None
