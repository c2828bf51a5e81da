"""What each role is shown of the briefing: every role the wish, a researcher only some lines of the profile."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from drretail.grounding.constraints.kinds import is_of_kind
from drretail.grounding.profile.naming import ShareOfProducts, bearing, may_be_shown, nouns_of
from drretail.grounding.report.evidence_ids import order_evidence_id, product_evidence_id
from drretail.grounding.text.harmless import harmless
from drretail.grounding.text.serialisation import compact_json
from drretail.grounding.text.wording import short_title
from drretail.llm.prompts.prompt import tagged
from drretail.records.score import Statement
from drretail.records.shop import Product
from drretail.records.wish import Wish

MOST_ORDERED, MOST_OWNED, MOST_LINES = 100, 8, 8
MOST_CITED = 3
"""The most orders that a statement cites one by one. A statement that rests on more cites the list of orders."""
ALWAYS = frozenset({"person", "shopper_type"})
"""Statements that bear on any purchase: where the shopper lives, and how they shop."""
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
    lines = [_line(product) for product in shown[:MOST_ORDERED]]
    if len(shown) > MOST_ORDERED:
        lines.append(f"and {len(shown) - MOST_ORDERED:,} more, ordered before these")
    return tagged("owned", "\n".join(lines))


def _line(product: Owned) -> str:
    path = () if product.record is None else product.record.categories
    category = f"  ({path[-1]})" if path else ""
    return harmless(f"{product.product_id}  {product.ordered}  {short_title(product.title, _TITLE)}{category}")


def wish_block(wish: Wish, owned: Sequence[Owned]) -> str:
    """The wish in its tag, as JSON without empty fields.

    ``owned`` lists a few products: those that the wish names, then those of the kinds that it wants. ``owned_besides``
    counts the others.
    """
    kinds = {kind for want in wish.wants for kind in want.kinds}
    named = [product for product in owned if product.product_id in wish.owned]
    alike = [
        product
        for product in owned
        if product not in named and (record := product.record) and any(is_of_kind(record, kind) for kind in kinds)
    ]
    listed = [*named, *alike][:MOST_OWNED]
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


def profile_block(statements: Iterable[Statement], known: Collection[str]) -> str:
    """The statements in their tag, one per line, each with the evidence that it rests on."""

    lines = (
        f"- {_marked(statement.text, known)} {''.join(f'[{source}]' for source in _sources(statement, known))}"
        for statement in statements
    )
    return tagged("profile", "\n".join(lines))


def statements_on(statements: Sequence[Statement], part: str, share_of: ShareOfProducts) -> list[Statement]:
    """A few statements, in their order, that bear on a part of the question: on any purchase, or on what the part
    names.
    """
    words = nouns_of(part)
    weights = {at: bearing(statement, words, share_of) for at, statement in enumerate(statements)}
    places = [at for at, weight in weights.items() if weight or statements[at].code in ALWAYS]
    places.sort(key=lambda at: (statements[at].code not in ALWAYS, -weights[at], at))
    return [statements[at] for at in sorted(places[:MOST_LINES])]


def _marked(text: str, known: Collection[str]) -> str:
    """The text with product ids turned into marks that can be cited. Ids that the run was not handed are removed."""

    def mark(match: re.Match[str]) -> str:
        evidence = product_evidence_id(match[2])
        return f"{match[1]}[{evidence}]" if evidence in known else ""

    return _PRODUCT.sub(mark, text)


def _sources(statement: Statement, known: Collection[str]) -> Sequence[str]:
    if statement.code == "person":
        return ("U:profile",)
    if statement.code == "rhythm":
        return ("U:statistics",)
    named = [order_evidence_id(order) for order in statement.orders]
    return named if 0 < len(named) <= MOST_CITED and set(named) <= set(known) else ("U:orders",)
