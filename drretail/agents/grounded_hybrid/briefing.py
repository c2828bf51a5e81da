"""What is known before the research begins: how the question is understood, and what the shop knows of the shopper.

The first answer of the agent's model is a typed wish. Researchers, writer and verifier use it, and readers of the
report are shown it. The wish that the query's own maker typed is never seen here.

The shopper's records are fetched by code, through the tools, so that they are in the run's ledger and can be cited like
anything that a researcher finds.
"""

import asyncio
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from drretail.agents.base import messages_before, task_message
from drretail.agents.information import agent_prompt
from drretail.env.profile import may_be_shown
from drretail.env.session import Session
from drretail.env.summaries import Summaries
from drretail.errors import ModelError
from drretail.llm.models import Models
from drretail.llm.prompt import tagged
from drretail.records.query import Task
from drretail.records.shop import VOID_STATUSES, Money, Product, ProfileFact
from drretail.records.wish import MOST_PIECES, Bound, Sources, Want, Wish
from drretail.reports.text.evidence_ids import order_evidence_id, product_evidence_id
from drretail.reports.text.serialisation import compact_json, whole_items
from drretail.reports.text.untrusted import harmless
from drretail.reports.text.wording import short_title
from drretail.shopping.listing import could_be_of_kind
from drretail.tools.toolkit import Toolkit

MOST_ORDERED, MOST_OWNED = 100, 8
MOST_CITED = 3
"""The most orders that a statement cites one by one. A statement that rests on more cites the list of orders."""
_TITLE = 80
_PRODUCT = re.compile(r"( ?)\[([\w-]+)\]")


@dataclass(frozen=True, slots=True)
class Owned:
    """A product that the shopper has."""

    product_id: str
    title: str
    order_id: str
    """Its newest order, by which it is cited: nobody looked up the product itself."""
    ordered: str
    """The day of that order. Reports name orders by their dates."""
    record: Product | None = None
    """The shop's record of it; None if the shop no longer has the product."""


def owned_block(owned: Sequence[Owned], question: str) -> str:
    """The newest owned products in their tag, one per line with id, day, title and leaf category.

    Intimate ones are shown only if the question names them.
    """
    shown = [product for product in owned if product.record is None or may_be_shown(product.record, question)]
    lines = list[str]()
    for product in shown[:MOST_ORDERED]:
        path = () if product.record is None else product.record.categories
        category = f"  ({path[-1]})" if path else ""
        title = short_title(product.title, _TITLE)
        lines.append(harmless(f"{product.product_id}  {product.ordered}  {title}{category}"))
    if len(shown) > MOST_ORDERED:
        lines.append(f"and {len(shown) - MOST_ORDERED:,} more, ordered before these")
    return tagged("owned", "\n".join(lines))


def wish_block(wish: Wish, owned: Sequence[Owned]) -> str:
    """The wish in its tag, as JSON without empty fields.

    ``owned`` lists a few products: those that the wish names, then those of the kinds that it wants. ``owned_besides``
    counts the others.
    """
    kinds = {kind for want in wish.wants for kind in want.kinds}
    owned_products = [product for product in owned if product.product_id in wish.owned]
    alike = [
        product
        for product in owned
        if product not in owned_products
        and (record := product.record)
        and any(could_be_of_kind(record, kind) for kind in kinds)
    ]
    listed = [*owned_products, *alike][:MOST_OWNED]
    entries = [
        {
            "id": product.product_id,
            "title": harmless(short_title(product.title, _TITLE)),
            "evidence": order_evidence_id(product.order_id),
            "ordered": product.ordered,
        }
        for product in listed
    ]
    fields = wish.model_dump(mode="json") | {"owned": entries, "owned_besides": len(owned) - len(listed)}
    return tagged("wish", compact_json(_without_empty(fields)))


def _without_empty(value: Any) -> Any:
    """The value without absent values, empty lists, False and 0, at every depth."""
    if isinstance(value, list):
        return [_without_empty(entry) for entry in value]
    return {name: _without_empty(entry) for name, entry in value.items() if entry} if isinstance(value, dict) else value


def _profile_block(statements: Iterable[ProfileFact], ids: Collection[str]) -> str:
    """The statements in their tag, one per line, each with the evidence that it rests on."""

    def mark(match: re.Match[str]) -> str:
        """The mark by which a product is cited; nothing for an id that the run was not handed."""
        evidence = product_evidence_id(match[2])
        return f"{match[1]}[{evidence}]" if evidence in ids else ""

    lines = list[str]()
    for statement in statements:
        orders = [order_evidence_id(order) for order in statement.orders]
        sources = orders if 0 < len(orders) <= MOST_CITED and set(orders) <= set(ids) else ["U:orders"]
        sources = {"person": ["U:profile"], "rhythm": ["U:statistics"]}.get(statement.code, sources)
        lines.append(f"- {_PRODUCT.sub(mark, statement.text)} {''.join(f'[{source}]' for source in sources)}")
    return tagged("profile", "\n".join(lines))


ROLE = "profile"
"""The role of steps that code takes for all researchers."""
PROFILE, STATISTICS, ORDERS = "get_user_profile", "get_user_statistics", "get_user_orders"
PAGE = 100
MOST_PAGES = 20
REPAIRS = 1
"""How often a wish that does not fit is asked for again."""
understanding_prompt = partial(agent_prompt, __file__, "understanding")


class _Amount(Money):
    """Money whose currency is named."""

    currency: str = Field(description="Its ISO 4217 code, such as USD.")


class UnderstoodWant(Want):
    """A want of which every field is answered."""

    quantity: int = Field(ge=1, le=MOST_PIECES, description="How many of it are to be bought; 1 where none is named.")
    optional: bool = Field(description="True where the shopper asks whether to buy it at all.")
    several: bool = Field(description="True where the question leaves open how many different ones are bought.")
    not_owned: bool = Field(description="True where it is to be another than what the shopper has.")
    must: tuple[str, ...] = Field(  # pyright: ignore[reportIncompatibleVariableOverride] -- records are frozen
        description="What the product must be or have, each in a few words."
    )
    must_not: tuple[str, ...] = Field(  # pyright: ignore[reportIncompatibleVariableOverride]
        description="What it must not be or have, each in a few words."
    )
    rating_min: float | None = Field(ge=0, le=5, description="The least average rating, in stars.")
    ratings_min: int | None = Field(ge=0, description="The least number of ratings or reviews.")
    price_max: _Amount | None = Field(  # pyright: ignore[reportIncompatibleVariableOverride] -- records are frozen
        description="The most that one piece may cost."
    )
    options: SkipJsonSchema[dict[str, tuple[str, ...]]] = Field(default_factory=dict[str, tuple[str, ...]])
    """Not asked for: most shops have no variants, and a demand says the size as well."""
    brands_wanted: tuple[str, ...] = Field(description="One of these brands, where any is named.")
    brands_unwanted: tuple[str, ...] = Field(description="None of these brands.")
    sources: SkipJsonSchema[dict[Bound, Sources]] = Field(default_factory=dict[Bound, Sources])


class Understood(Wish):
    """All that the question wants bought; a model's answer, of which every field is answered."""

    wants: tuple[UnderstoodWant, ...] = Field(  # pyright: ignore[reportIncompatibleVariableOverride] -- as above
        description="One for each thing to be bought; empty where none is."
    )
    budget: _Amount | None = Field(  # pyright: ignore[reportIncompatibleVariableOverride] -- as above
        description="The most that everything together may cost."
    )
    room: bool = Field(description="True where more may be added than what is named.")
    deadline: str | None = Field(description="Until when it has to arrive, in the question's words.")
    owned: tuple[str, ...] = Field(description="Product ids, from the orders, of what the question says is owned.")
    sources: SkipJsonSchema[Sources] = ()
    declined: SkipJsonSchema[Sources] = ()


@dataclass(frozen=True, slots=True)
class Briefing:
    """What is known of a task. ``told`` is the tagged texts that roles get of it."""

    wish: Wish | None = None
    """What the question wants, as the agent understood it; None if that is unknown."""
    statements: tuple[ProfileFact, ...] | None = None
    """None if nothing is known of the shopper."""
    owned: tuple[Owned, ...] = ()
    """Each product that was ordered and kept, once, the newest first."""
    evidence: tuple[str, ...] = ()
    """The ids of the records that all this is from."""
    notes: tuple[str, ...] = ()

    @property
    def told(self) -> tuple[str, ...]:
        """What every role but the synthesis is told: the profile, and the wish."""
        profile = () if self.statements is None else (_profile_block(self.statements, self.evidence),)
        return profile if self.wish is None else (*profile, wish_block(self.wish, self.owned))

    async def with_wish(self, task: Task, session: Session, models: Models) -> "Briefing":
        """The briefing with the question's wish, or as it is if the supervisor's model gives no usable one. Owned
        products of the wish that are in none of the orders are left out.
        """
        parts = [task_message(task, session).text, *([owned_block(self.owned, task.text)] if self.owned else [])]
        question = HumanMessage("\n".join(parts))
        messages = [SystemMessage(understanding_prompt().render()), *messages_before(task), question]
        try:
            answer = await models.ask("supervisor", messages, Understood, repairs=REPAIRS)
        except ModelError as failure:
            note = f"not known how the question was understood: {failure.kind}: {failure.message}"
            return replace(self, notes=(*self.notes, note))
        ordered = {product.product_id for product in self.owned}
        wish = Wish.model_validate(answer.model_dump())
        unknown = [product_id for product_id in wish.owned if product_id not in ordered]
        owned_ids = tuple(product_id for product_id in wish.owned if product_id in ordered)
        notes = (f"named as owned, but in no order: {', '.join(unknown)}",) if unknown else ()
        return replace(self, wish=wish.model_copy(update={"owned": owned_ids}), notes=(*self.notes, *notes))


async def records_of_shopper(task: Task, session: Session, toolkit: Toolkit) -> Briefing:
    """The shopper's products and profile; empty without a user, or if the run has no tools for them.

    Raises ModelError only if a replayed journal lacks a tool's answer.
    """
    if task.user_id is None or not {PROFILE, STATISTICS, ORDERS} <= set(toolkit.tools):
        return Briefing()
    user = {"user_id": task.user_id}
    replies = await toolkit.acall_all([(PROFILE, user), (STATISTICS, user)], role=ROLE)
    evidence = [evidence for reply in replies for evidence in reply.evidence]
    orders, cited, failed = await _all_orders(user, toolkit)
    failed = next((reply.text for reply in replies if reply.error is not None), failed)
    if failed is not None:
        return Briefing(notes=(f"no profile briefing: {failed}",))
    summary = await asyncio.to_thread(Summaries(session.settings.world).of, task.user_id, task.text)
    return Briefing(
        statements=summary.statements,
        owned=await asyncio.to_thread(lambda: tuple(_owned(orders, session))),
        evidence=tuple(dict.fromkeys([*evidence, *cited])),
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
        (reply,) = await toolkit.acall_all([(ORDERS, arguments)], role=ROLE)
        if reply.error is not None:
            return orders, evidence, reply.text
        orders += whole_items(reply.value, "orders")
        evidence += reply.evidence
        if len(orders) >= reply.value["total"] or not reply.value["orders"]:
            break
    return orders, evidence, None
