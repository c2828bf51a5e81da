"""What of the briefing is told to whom: all of it to who divides the question or answers it, a part to a researcher.

Constraints and profile are told as tagged text; what is owned by name, as far as it bears on the words at hand.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from drretail.grounding.constraints.asked import NO_THING
from drretail.grounding.constraints.scope import may_be_named_in
from drretail.grounding.report.evidence_ids import order_evidence_id, product_evidence_id
from drretail.grounding.text.wording import short_title
from drretail.grounding.text.words import content_stems
from drretail.prompts import tagged
from drretail.records.base import canonical_json
from drretail.records.query import Constraints
from drretail.records.score import Statement

MOST_OWNED, MOST_LINES = 8, 8
MOST_CITED = 3
"""Orders that a statement names one by one; one that rests on more cites the list."""
ALWAYS = frozenset({"person", "shopper_type"})
"""Statements that bear on whatever is bought: where the shopper lives, and how they shop."""
OF_NO_THING = frozenset({"history", "recency", "rhythm"})
"""Statements on how often and when, whose words are no thing's."""
_SHORTEST = 3
"""Characters of a word that tells what a product is: "ft" and "oz" stand in titles of all kinds."""
_NO_THING = frozenset(content_stems(" ".join(NO_THING)))
"""Of words like "day", "home" and "year", which join a pill organizer to any question."""
_PRODUCT = re.compile(r"( ?)\[([\w-]+)\]")


@dataclass(frozen=True, slots=True)
class Owned:
    """A product that the shopper has."""

    product_id: str
    title: str
    order_id: str
    """Of the newest order of it, by which it can be cited: the product itself was looked up by nobody."""
    ordered: str
    """The day of that order: in a report, orders go by their dates."""


def constraints_told(constraints: Constraints, owned: Sequence[Owned], question: str) -> str:
    """What a question demands, in its tag, with those of the owned products that it may speak of."""
    told: dict[str, Any] = {
        name: value
        for name, value in constraints.model_dump(mode="json", exclude_none=True, exclude={"owned"}).items()
        if value not in ([], {})
    }
    if constraints.budget is None:
        del told["budget_scope"]
    listed = _bearing_on(question, owned, constraints.owned)
    if listed:
        told["owned"] = [
            {
                "id": it.product_id,
                "title": short_title(it.title, 80),
                "evidence": order_evidence_id(it.order_id),
                "ordered": it.ordered,
            }
            for it in listed
        ]
    if len(listed) < len(owned):
        told["owned_besides"] = len(owned) - len(listed)
    return tagged("constraints", canonical_json(told))


def constraints_on(constraints: Constraints, part: str) -> Constraints:
    """What is demanded of the things that a part of the question names; budget, brands and deadline hold for all."""
    return constraints.model_copy(
        update={
            "must": tuple(it for it in constraints.must if it.of is None or may_be_named_in(it.of, part)),
            "must_not": tuple(it for it in constraints.must_not if it.of is None or may_be_named_in(it.of, part)),
            "quantities": {name: it for name, it in constraints.quantities.items() if may_be_named_in(name, part)},
        }
    )


def profile_told(statements: Iterable[Statement], known: Collection[str]) -> str:
    """The statements in their tag, one a line, each with the evidence that it rests on."""

    lines = (
        f"- {_marked(it.text, known)} {''.join(f'[{source}]' for source in _sources(it, known))}" for it in statements
    )
    return tagged("profile", "\n".join(lines))


def statements_on(statements: Sequence[Statement], part: str) -> list[Statement]:
    """Those that bear on a part of the question: they hold always, or speak of what it names. A few, in their order."""
    shared = {at: _in_common(part, it.text) for at, it in enumerate(statements) if it.code not in OF_NO_THING}
    telling = [at for at in shared if shared[at] or statements[at].code in ALWAYS]
    telling.sort(key=lambda at: (statements[at].code not in ALWAYS, -shared[at], at))
    return [statements[at] for at in sorted(telling[:MOST_LINES])]


def _marked(text: str, known: Collection[str]) -> str:
    """The ids of products as marks that can be cited; none where the run has not been handed the product."""

    def mark(match: re.Match[str]) -> str:
        evidence = product_evidence_id(match[2])
        return f"{match[1]}[{evidence}]" if evidence in known else ""

    return _PRODUCT.sub(mark, text)


def _bearing_on(question: str, owned: Sequence[Owned], named: Collection[str]) -> list[Owned]:
    """What the question names by id, then what shares most words with it; a few, ties in the given order."""
    shared = {it.product_id: _in_common(question, it.title) for it in owned}
    bearing = [it for it in owned if it.product_id in named or shared[it.product_id]]
    return sorted(bearing, key=lambda it: (it.product_id not in named, -shared[it.product_id]))[:MOST_OWNED]


def _in_common(one: str, other: str) -> int:
    """How many words that may name a thing stand in both texts, by their stems."""
    return sum(len(it) >= _SHORTEST for it in {*content_stems(one)} & {*content_stems(other)} - _NO_THING)


def _sources(statement: Statement, known: Collection[str]) -> Sequence[str]:
    if statement.code == "person":
        return ("U:profile",)
    if statement.code == "rhythm":
        return ("U:statistics",)
    named = [order_evidence_id(order) for order in statement.orders]
    return named if 0 < len(named) <= MOST_CITED and set(named) <= set(known) else ("U:orders",)
