"""How well products fit a need, what is out of the question, and the best set that keeps to the budget."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from drretail.grounding.constraints.demands import stance, stance_against
from drretail.offline.shopper.candidates import Candidate, name_stems
from drretail.offline.shopper.conversation import Situation
from drretail.offline.shopper.needs import Need, PastOrder, Study, core_words
from drretail.offline.shopper.reading.question import said_of
from drretail.records.money import USD

CONSIDERED = 8
"""Options of a need that may come into the set."""
_LEFT_OUT = 100.0
"""What a set loses by each need that it leaves out: more than any choice within a need gains."""
_MOST_SETS = 400


@dataclass(frozen=True, eq=False, slots=True)
class Option:
    """A product for a need, how well it fits, and what it keeps or leaves unsaid of what is demanded."""

    candidate: Candidate
    fit: float
    kept: tuple[str, ...] = ()
    unsaid: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """A product that goes by the name, and why it is out of the question."""

    candidate: Candidate
    why: str


@dataclass(frozen=True)
class Shelf:
    """All that goes by the name of a need: what would do, best first, and what would not."""

    need: Need
    options: tuple[Option, ...]
    refused: tuple[Refused, ...]


@dataclass(frozen=True)
class Choice:
    """What is recommended: for each need the pick, None where nothing would do."""

    study: Study

    @property
    def situation(self) -> Situation:
        return self.study.situation

    @cached_property
    def currency(self) -> str:
        """Of the shop, which has one; notes on products without a price don't say it."""
        candidates = (option.candidate for shelf in self.shelves for option in shelf.options)
        found = (it.product.currency for it in candidates if it.price is not None)
        return next(found, USD)

    @cached_property
    def shelves(self) -> tuple[Shelf, ...]:
        return tuple(self._shelf(need) for need in self.study.needs)

    @cached_property
    def picks(self) -> tuple[Option | None, ...]:
        """One option of each shelf: the best set that keeps to the budget, as many needs as it holds."""
        budget = self.study.budget
        total = budget[0] if budget is not None and budget[1] == "total" else None
        if self.one_of:
            return tuple(_best_within(shelf, total) for shelf in self.shelves)
        sets: list[tuple[Decimal, float, tuple[Option | None, ...]]] = [(Decimal(0), 0.0, ())]
        for shelf in self.shelves:
            ways: list[tuple[Decimal, float, Option | None]] = [(Decimal(0), -_LEFT_OUT, None)]
            for option in _considered(shelf.options):
                ways.append(((option.candidate.price or Decimal(0)) * shelf.need.quantity, option.fit, option))
            grown = [
                (cost + more, fit + gain, (*chosen, option))
                for cost, fit, chosen in sets
                for more, gain, option in ways
                if total is None or cost + more <= total
            ]
            sets = _undominated(grown)
        return max(sets, key=lambda it: (it[1], -it[0]))[2]

    @cached_property
    def chosen(self) -> tuple[tuple[Shelf, Option], ...]:
        """The picks that are made; of things weighed against each other, the first is the one to buy."""
        pairs = [(shelf, pick) for shelf, pick in zip(self.shelves, self.picks, strict=True) if pick is not None]
        if self.one_of:
            pairs.sort(key=lambda pair: -pair[1].fit)
        return tuple(pairs)

    @property
    def one_of(self) -> bool:
        """True where several things are weighed to buy one of them."""
        return self.study.question.weighs([need.phrase for need in self.study.needs if need.phrase is not None])

    @property
    def bought(self) -> tuple[tuple[Shelf, Option], ...]:
        """What goes into the cart."""
        return self.chosen[:1] if self.one_of else self.chosen

    def runner_up(self, shelf: Shelf, pick: Option) -> Option | None:
        return next((it for it in shelf.options if it is not pick), None)

    def total_expression(self) -> str | None:
        """The sum of what is bought and has a price; None where there is none."""
        terms: list[str] = []
        for shelf, option in self.bought:
            if option.candidate.price is not None:
                many = f"{shelf.need.quantity} * " if shelf.need.quantity > 1 else ""
                terms.append(f"{many}{option.candidate.price}")
        return " + ".join(terms) or None

    def left_expression(self) -> str | None:
        total, budget = self.total_expression(), self.study.budget
        if total is None or budget is None or budget[1] != "total":
            return None
        return f"{budget[0]} - ({total})" if " " in total else f"{budget[0]} - {total}"

    def related_orders(self, need: Need) -> tuple[PastOrder, ...]:
        """The shopper's own orders of such a thing, newest first."""
        stems = need.stems
        return tuple(it for it in self.study.orders if len(set(name_stems(it.title)) & set(stems)) == len(set(stems)))

    def _shelf(self, need: Need) -> Shelf:
        refused: list[Refused] = []
        options: list[Option] = []
        for candidate in need.options:
            why = self._refusal(need, candidate)
            if why is not None:
                refused.append(Refused(candidate, why))
            else:
                options.append(self._option(need, candidate))
        ranked = sorted(options, key=lambda it: (-it.fit, it.candidate.place, it.candidate.product_id))
        return Shelf(need, tuple(ranked), tuple(refused))

    def _refusal(self, need: Need, candidate: Candidate) -> str | None:
        """Why the product is out of the question; None when it would do."""
        study, product = self.study, candidate.product
        again = need.phrase is not None and study.question.wants_again(need.phrase)
        if not again and candidate.product_id in self._owned:
            return "you have it already"
        if candidate.product_id in self.situation.ruled_out:
            return "the shop's records speak against it"
        makers = {name.casefold() for name in (product.brand, product.store) if name}
        for brand in study.question.brands_unwanted:
            if brand.casefold() in makers or brand.casefold() in product.title.casefold().split():
                return f"it is by {brand}"
        for words in self._ruled_out:
            stems = name_stems(words)
            if {*stems} <= {*need.stems}:
                continue
            is_so = stance_against(candidate.listing.words, words) == "broken"
            if words.casefold() in makers or candidate.named(stems) >= 1 or is_so:
                return f"you ruled out “{words}”"
        stars, ratings = study.asked.least_stars, study.asked.least_ratings
        if stars is not None and (product.average_rating or stars) < stars:
            return f"its rating is {product.average_rating:g}"
        if ratings is not None and (product.rating_number if product.rating_number is not None else ratings) < ratings:
            return f"only {product.rating_number} have rated it"
        most = study.budget[0] if study.budget is not None else None
        if most is not None and candidate.price is not None and candidate.price > most:
            return "it costs more than your limit"
        return None

    @cached_property
    def _owned(self) -> frozenset[str]:
        return frozenset(it.product_id for it in self.study.orders)

    @cached_property
    def _ruled_out(self) -> tuple[str, ...]:
        said = [" ".join(core_words(it.words)) for it in self.study.asked.of("ruled_out")]
        return tuple(dict.fromkeys([*said, *(it.property for it in self.study.question.must_not)]))

    def _option(self, need: Need, candidate: Candidate) -> Option:
        demands = said_of(self.study.question.must, need.name, [other.name for other in self.study.needs])
        kept = tuple(demand for demand in demands if stance(candidate.listing.words, demand) == "kept")
        unsaid = tuple(it for it in demands if it not in kept)
        fit = 3 * candidate.named(need.stems) + 3 * candidate.share(need.stems) - 0.05 * min(candidate.place, 20)
        fit += 1.5 * _share(need.wishes, candidate)
        fit += 2 * len(kept) / len(demands) if demands else 0
        fit += 0.8 * (candidate.believed_rating - 4)
        fit += 0.3 if candidate.opened else 0
        if candidate.price is None:
            fit -= 1 if self.study.budget is not None else 0.3
        brands = {it.casefold() for it in self.study.question.brands_wanted}
        maker = (candidate.product.brand or "").casefold()
        return Option(candidate, fit + (1 if maker in brands else 0), kept, unsaid)


def _share(wishes: frozenset[str], candidate: Candidate) -> float:
    return len(wishes & candidate.stems) / len(wishes) if wishes else 0.0


def _best_within(shelf: Shelf, most: Decimal | None) -> Option | None:
    """The best of a shelf that the whole budget holds, for nothing else is bought with it."""
    many = shelf.need.quantity
    held = (it for it in shelf.options if most is None or (it.candidate.price or Decimal(0)) * many <= most)
    return next(held, None)


def _considered(options: Sequence[Option]) -> list[Option]:
    """The best, and the cheapest, which may have to do."""
    priced = [it for it in options if it.candidate.price is not None]
    cheap = sorted(priced, key=lambda it: (it.candidate.price or 0, it.candidate.product_id))[:2]
    return list(dict.fromkeys([*options[:CONSIDERED], *cheap]))


def _undominated(
    sets: list[tuple[Decimal, float, tuple[Option | None, ...]]],
) -> list[tuple[Decimal, float, tuple[Option | None, ...]]]:
    """Those that no cheaper one equals in fit, the best of them."""
    kept: list[tuple[Decimal, float, tuple[Option | None, ...]]] = []
    best = float("-inf")
    for one in sorted(sets, key=lambda it: (it[0], -it[1])):
        if one[1] > best:
            best = one[1]
            kept.append(one)
    return kept[-_MOST_SETS:]
