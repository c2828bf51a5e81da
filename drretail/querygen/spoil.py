"""Twins: pairs of queries of which the shop can meet one, and not the other, whose budget is too low.

The twins differ only in an amount of the text, so that only the shop tells which is which. Each query gives one pair,
so that pairs are independent. A pair is kept only if one twin is proved infeasible and the other feasible
(``shopping.basket.reference``).
"""

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from importlib.resources import files

from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.querygen.reading import check_made_for
from drretail.records.base import sha256_of
from drretail.records.query import Query
from drretail.records.shop import Money
from drretail.reports.text.amounts import find_amounts
from drretail.reports.text.wording import format_amount

UNTYPED = "it has no wish"
UNMET = "nothing has to be bought, or the shop lacks it"
_PHRASES: Mapping[str, Sequence[str]] = tomllib.loads((files("drretail.querygen") / "spoil.toml").read_text("utf-8"))
_LEAST_CUT, _MOST_CUT = 5, 20
"""The percentages by which a budget falls short of the cheapest cart."""
_ABOVE = Decimal("1.05")


@dataclass(slots=True)
class Derived:
    """Queries made from others: how many of each kind, and why the other queries gave none."""

    queries: list[Query] = field(default_factory=list[Query])
    counts: Counter[str] = field(default_factory=Counter[str])
    without: Counter[str] = field(default_factory=Counter[str])


def spoil_queries(queries: Sequence[Query], world: World, seed: str) -> Derived:
    """One pair of twins for each query that the shop can meet, in an order that tells nothing.

    Raises UserError for queries of another world.
    """
    check_made_for(queries, world.manifest.fingerprint)
    offers, spoiled = Offers(world), Derived()
    for query in queries:
        cheapest = offers.reference(query).cheapest
        if query.wish is None or cheapest is None or not cheapest.items:
            spoiled.without[UNTYPED if query.wish is None else UNMET] += 1
        elif pair := _pair(query, offers, cheapest.total, seed):
            spoiled.queries += pair
            spoiled.counts["too_dear"] += 1
        else:
            spoiled.without["no pair could be proved"] += 1
    spoiled.queries.sort(key=lambda twin: twin.query_id)
    return spoiled


def _pair(query: Query, offers: Offers, cheapest: Money, seed: str) -> list[Query]:
    """The infeasible twin and the other, with ids that tell nothing; none unless both are proved."""
    digest = int(sha256_of(f"{seed}|{query.query_id}"), 16)
    cut = _LEAST_CUT + digest % (_MOST_CUT - _LEAST_CUT + 1)
    below, above = cheapest.value * (100 - cut) / 100, cheapest.value * _ABOVE
    # Both in whole amounts or, if that is too coarse, both to the cent.
    unit = Decimal(1) if int(below) >= cheapest.value * (100 - _MOST_CUT) / 100 else Decimal("0.01")
    budgets = below.quantize(unit, ROUND_FLOOR), above.quantize(unit, ROUND_CEILING)
    twins = [_bounded(query, Money.of(budget, cheapest.currency), digest) for budget in budgets if cheapest.value]
    made = [twin for twin in twins if twin is not None]
    proofs = [offers.reference(twin).proof for twin in made]
    if [proof.state if proof else None for proof in proofs] != ["proved", "refuted"]:
        return []
    of_pair = [seed, query.query_id, "too_dear"]
    shared = {"task_id": f"t{sha256_of(of_pair)[:10]}", "part_of": None}
    ids = [f"s{sha256_of([*of_pair, place])[:10]}" for place in (0, 1)]
    return [
        twin.model_copy(
            update={
                **shared,
                "query_id": query_id,
                "infeasible": infeasible,
                "gold": twin.gold and twin.gold.model_copy(update={"query_id": query_id}),
            }
        )
        for twin, query_id, infeasible in zip(made, ids, (True, None), strict=True)
    ]


def _bounded(query: Query, budget: Money, digest: int) -> Query | None:
    """The query with another budget, in place of its own or in a new sentence; None if the place is unclear."""
    text, before = query.text, query.wish and query.wish.budget
    written = format_amount(budget).removesuffix(".00")
    if before is None:
        sentences = _PHRASES["budget"]
        text = f"{text.rstrip()} {sentences[digest % len(sentences)].format(amount=written)}"
    else:
        amounts = (amount for amount in find_amounts(text) if amount.kind == "money")
        places = [amount for amount in amounts if before.value in (amount.low, amount.high)]
        if len(places) != 1 or places[0].low != places[0].high:
            return None
        text = text[: places[0].start] + written + text[places[0].end :]
    wish = query.wish and query.wish.model_copy(update={"budget": budget})
    return query.model_copy(update={"text": text, "wish": wish})
