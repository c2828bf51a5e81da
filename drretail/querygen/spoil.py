"""Twins: pairs of queries of which the shop can meet one, and not the other.

The twins differ only in an amount of the text, or in a sentence of the same form behind it, so that only the shop tells
which is which. Each query gives one pair, so that pairs are independent. A pair is kept only if one twin is proved
infeasible and the other feasible (``grounding.basket.reference``).
"""

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from importlib.resources import files
from itertools import islice

from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.grounding.text.amounts import find_amounts
from drretail.grounding.text.wording import format_amount
from drretail.grounding.text.words import singular
from drretail.querygen.kinds import article
from drretail.querygen.reading import check_made_for
from drretail.records.base import sha256_of
from drretail.records.query import Query
from drretail.records.reading import Because
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish

UNTYPED = "it has no wish"
UNMET = "nothing has to be bought, or the shop lacks it"
PHRASES: Mapping[str, Sequence[str]] = tomllib.loads((files("drretail.querygen") / "spoil.toml").read_text("utf-8"))
KINDS: tuple[Because, ...] = ("too_dear", "not_sold")
_LEAST_CUT, _MOST_CUT = 5, 20
"""The percentages by which a budget falls short of the cheapest cart."""
_ABOVE = Decimal("1.05")
_TRIED = 40
"""Things of the shop that are tried for the feasible twin."""
ABSENT = tuple(PHRASES["absent"])
"""Things that a shop may lack."""
Twins = tuple[Query, Query] | None


@dataclass(slots=True)
class Derived:
    """Queries made from others: how many of each kind, and why the other queries gave none."""

    queries: list[Query] = field(default_factory=list[Query])
    counts: Counter[str] = field(default_factory=Counter[str])
    without: Counter[str] = field(default_factory=Counter[str])


def spoil_queries(queries: Sequence[Query], world: World, seed: str) -> Derived:
    """One pair of twins for each query that the shop can meet, in an order that tells nothing; the kinds take turns.

    Raises UserError for queries of another world.
    """
    check_made_for(queries, world.manifest.fingerprint)
    offers, spoiled = Offers(world), Derived()
    for query in queries:
        cheapest = offers.reference(query).cheapest
        if query.wish is None or cheapest is None or not cheapest.items:
            spoiled.without[UNTYPED if query.wish is None else UNMET] += 1
            continue
        maker = _Maker(query, query.wish, offers, f"{seed}|{query.query_id}", cheapest.total)
        for kind in sorted(KINDS, key=lambda kind: spoiled.counts[kind]):
            if pair := maker.pair(kind, seed):
                spoiled.queries += pair
                spoiled.counts[kind] += 1
                break
        else:
            spoiled.without["no pair could be proved"] += 1
    spoiled.queries.sort(key=lambda twin: twin.query_id)
    return spoiled


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes the twins of one query, of each pair the infeasible one first; None if there are none.

    The seed decides the wording of each sentence.
    """

    query: Query
    wish: Wish
    offers: Offers
    seed: str
    cheapest: Money

    def pair(self, kind: str, seed: str) -> list[Query]:
        """The twins of one kind, with ids that tell nothing; none unless it is proved which of them can be met."""
        twins = self.too_dear() if kind == "too_dear" else self.not_sold()
        proofs = [self.offers.reference(twin).proof for twin in twins or ()]
        if twins is None or [proof.state if proof else None for proof in proofs] != ["proved", "refuted"]:
            return []
        of_pair = [seed, self.query.query_id, kind]
        task_id = f"t{sha256_of(of_pair)[:10]}"
        ids = [f"s{sha256_of([*of_pair, place])[:10]}" for place in (0, 1)]
        return [
            twin.model_copy(
                update={
                    "query_id": query_id,
                    "task_id": task_id,
                    "part_of": None,
                    "infeasible": infeasible,
                    "gold": twin.gold and twin.gold.model_copy(update={"query_id": query_id}),
                }
            )
            for twin, query_id, infeasible in zip(twins, ids, (True, None), strict=True)
        ]

    def too_dear(self) -> Twins:
        """A budget below the cost of the cheapest cart, and one above it."""
        cheapest = self.cheapest.value
        if not cheapest:
            return None
        cut = _LEAST_CUT + int(sha256_of(self.seed), 16) % (_MOST_CUT - _LEAST_CUT + 1)
        below, above = cheapest * (100 - cut) / 100, cheapest * _ABOVE
        # Both in whole amounts or, if that is too coarse, both to the cent.
        unit = Decimal(1) if int(below) >= cheapest * (100 - _MOST_CUT) / 100 else Decimal("0.01")
        low = self._bounded(below.quantize(unit, ROUND_FLOOR))
        high = self._bounded(above.quantize(unit, ROUND_CEILING))
        return None if low is None or high is None else (low, high)

    def not_sold(self) -> Twins:
        """One more thing that no product or category of the world is, and one more that the shop has."""
        unknown = (noun for noun in self._shuffled(ABSENT) if not self.offers.could_be(noun))
        lacking = next((noun for noun in unknown if not self.offers.has_category(noun)), None)
        kinds = {kind.casefold() for want in self.wish.wants for kind in want.kinds}
        nouns = map(noun_of, self._shuffled(self.offers.world.catalog.categories()))
        feasible = self._first_feasible(self._with_thing(noun) for noun in nouns if noun and noun not in kinds)
        return None if lacking is None or feasible is None else (self._with_thing(lacking), feasible)

    def _bounded(self, amount: Decimal) -> Query | None:
        """The query with another budget, in place of its own or in a new sentence; None if the place is unclear."""
        text, budget = self.query.text, Money.of(amount, self.cheapest.currency)
        written = format_amount(budget).removesuffix(".00")
        if self.wish.budget is None:
            text = self._behind("budget", amount=written)
        else:
            places = [
                written
                for written in find_amounts(text)
                if written.kind == "money" and self.wish.budget.value in (written.low, written.high)
            ]
            if len(places) != 1 or places[0].low != places[0].high:
                return None
            text = text[: places[0].start] + written + text[places[0].end :]
        return self._with(text, self.wish.model_copy(update={"budget": budget}))

    def _with_thing(self, noun: str) -> Query:
        wants = (*self.wish.wants, Want(name=noun, kinds=(noun,)))
        text = self._behind("also", thing=f"{article(noun)} {noun}")
        return self._with(text, self.wish.model_copy(update={"wants": wants}))

    def _with(self, text: str, wish: Wish) -> Query:
        return self.query.model_copy(update={"text": text, "wish": wish})

    def _behind(self, sort: str, **slots: str) -> str:
        sentence = PHRASES[sort][int(sha256_of(self.seed), 16) % len(PHRASES[sort])]
        return f"{self.query.text.rstrip()} {sentence.format(**slots)}"

    def _first_feasible(self, twins: Iterable[Query]) -> Query | None:
        return next((twin for twin in islice(twins, _TRIED) if self.offers.reference(twin).best is not None), None)

    def _shuffled(self, names: Sequence[str]) -> list[str]:
        return sorted(names, key=lambda name: sha256_of([self.seed, name]))


def noun_of(name: str) -> str:
    """A category's name in the singular ("bird feeder"); empty if it has none or means several things."""
    words = name.casefold().split()
    if not words or not all(word.isalpha() for word in words) or "and" in words:
        return ""
    noun = singular(words[-1])
    return " ".join([*words[:-1], noun]) if noun != words[-1] else ""
