"""Queries that the shop can't meet, each beside a twin that it can: a budget, an absent thing, an order never made.

The twins differ only in an amount of the text, or in a sentence of the same form behind it, so that only the shop tells
which is which. Each query gives one pair, so that pairs are independent. A pair is kept only if one twin is proved
infeasible and the other feasible (``grounding.basket.reference``).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from itertools import islice

from drretail.difficulty.variations import PHRASES, UNMET, UNTYPED, Derived, Variations
from drretail.env.offers import Offers
from drretail.errors import UserError
from drretail.grounding.text.words import singular
from drretail.querygen.reading import check_made_for
from drretail.records.base import sha256_of
from drretail.records.money import Money
from drretail.records.query import Query
from drretail.records.reading import Because
from drretail.records.shop import VOID_STATUSES

KINDS: tuple[Because, ...] = ("too_dear", "not_sold", "no_such_order")
_LEAST_CUT, _MOST_CUT = 5, 20
"""The percentages by which a budget falls short of the cheapest cart."""
_ABOVE = Decimal("1.05")
_TRIED = 40
"""Things of the shop, or orders of the user, that are tried for the feasible twin."""
ABSENT = tuple(PHRASES["absent"])
"""Things that a shop may lack, for a caller that names none; a scan says which of them a world really lacks."""


def spoil(
    queries: Iterable[Query], offers: Offers, kinds: Sequence[str], seed: str, absent: Sequence[str] = ABSENT
) -> Derived:
    """One pair of twins for each query that the shop can meet, in an order that tells nothing; the kinds take turns.

    ``absent`` are names of things; one that the world lacks is asked for. Raises UserError for an unknown kind, and for
    none.
    """
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown or not kinds:
        wrong = f"no kind {unknown[0]!r} of spoiled queries" if unknown else "no kind named"
        raise UserError(f"There is {wrong}: choose among {', '.join(KINDS)}.")
    all_queries = list(queries)
    check_made_for(all_queries, offers.world.manifest.fingerprint)
    made = Derived()
    for query in all_queries:
        cheapest = offers.reference(query).cheapest
        if query.wish is None or cheapest is None or not cheapest.items:
            made.without[UNTYPED if query.wish is None else UNMET] += 1
            continue
        maker = _Maker(Variations(query, query.wish, offers, f"{seed}|{query.query_id}"), cheapest.total, absent)
        for kind in sorted(kinds, key=lambda kind: (made.counts[kind], kinds.index(kind))):
            pair = maker.pair(kind, seed)
            if pair is not None:
                made.queries += pair
                made.counts[kind] += 1
                break
        else:
            made.without["no pair could be proved"] += 1
    made.queries.sort(key=lambda twin: twin.query_id)
    return made


Twins = tuple[Query, Query] | None


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes the twins of one query, of each pair the infeasible one first; None if there are none."""

    variations: Variations
    cheapest: Money
    absent: Sequence[str]

    def pair(self, kind: str, seed: str) -> list[Query] | None:
        """The twins of one kind, with ids that tell nothing; None unless it is proved which of them can be met."""
        twins = {"too_dear": self.too_dear, "not_sold": self.not_sold, "no_such_order": self.no_such_order}[kind]()
        proofs = [self.variations.offers.reference(twin).proof for twin in twins or ()]
        if twins is None or [proof.state if proof else None for proof in proofs] != ["proved", "refuted"]:
            return None
        query_id = self.variations.query.query_id
        return [
            twin.model_copy(
                update={
                    "query_id": f"s{sha256_of([seed, query_id, kind, place])[:10]}",
                    "task_id": f"t{sha256_of([seed, query_id, kind])[:10]}",
                    "infeasible": True if place == 0 else None,
                }
            )
            for place, twin in enumerate(twins)
        ]

    def too_dear(self) -> Twins:
        """A budget below the cost of the cheapest cart, and one above it."""
        cheapest = self.cheapest.value
        if not cheapest:
            return None
        cut = _LEAST_CUT + int(sha256_of(self.variations.seed), 16) % (_MOST_CUT - _LEAST_CUT + 1)
        below, above = cheapest * (100 - cut) / 100, cheapest * _ABOVE
        # Both in whole amounts or, if that is too coarse, both to the cent.
        unit = Decimal(1) if int(below) >= cheapest * (100 - _MOST_CUT) / 100 else Decimal("0.01")
        low = self.variations.bounded(below.quantize(unit, ROUND_FLOOR), self.cheapest.currency)
        high = self.variations.bounded(above.quantize(unit, ROUND_CEILING), self.cheapest.currency)
        return None if low is None or high is None else (low, high)

    def not_sold(self) -> Twins:
        """One more thing that no product or category of the world is, and one more that the shop has."""
        offers = self.variations.offers
        # The names of our own list are nouns already.
        named = ((name, name if name in ABSENT else noun_of(name)) for name in self._shuffled(self.absent))
        absent = ((name, noun) for name, noun in named if noun)
        absent = (noun for name, noun in absent if not offers.could_be(noun) and not offers.has_category(name))
        lacking = next(absent, None)
        kinds = {kind.casefold() for want in self.variations.wish.wants for kind in want.kinds}
        sold = (
            noun
            for name in self._shuffled(offers.world.catalog.categories())
            if (noun := noun_of(name)) and noun not in kinds
        )
        feasible = self._first_feasible(map(self.variations.with_thing, sold))
        return None if lacking is None or feasible is None else (self.variations.with_thing(lacking), feasible)

    def no_such_order(self) -> Twins:
        """Once more the product of an order that the user never made, and of one that the user made."""
        of, user_id = self.variations, self.variations.query.user_id
        orders = {order.order_id: order for order in of.offers.orders(user_id)}
        kept = [order_id for order_id, order in orders.items() if order.order_status not in VOID_STATUSES]
        # Nearly all order ids begin with 0 (their number among orders of equal hash).
        ids = (f"0{int(sha256_of([of.seed, attempt]), 16) % 10**9:09d}" for attempt in range(100))
        unknown = next(order_id for order_id in ids if order_id not in orders)
        again = (of.again(orders[order_id]) for order_id in self._shuffled(kept))
        feasible = self._first_feasible(twin for twin in again if twin is not None)
        return None if feasible is None else (of.with_order(of.wish, unknown), feasible)

    def _first_feasible(self, twins: Iterable[Query]) -> Query | None:
        offers = self.variations.offers
        return next((twin for twin in islice(twins, _TRIED) if offers.reference(twin).best is not None), None)

    def _shuffled(self, names: Sequence[str]) -> list[str]:
        return sorted(names, key=lambda name: sha256_of([self.variations.seed, name]))


def noun_of(name: str) -> str:
    """The singular of a category's name, as in "bird feeder" for "Bird Feeders"; empty if it has none or means several
    things.
    """
    words = name.casefold().split()
    if not words or not all(word.isalpha() for word in words) or "and" in words:
        return ""
    one = singular(words[-1])
    return " ".join([*words[:-1], one]) if one != words[-1] else ""
