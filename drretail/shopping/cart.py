"""A report's picks compared with the wish: what each pick is for, what is missing, what they cost."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Any

from drretail.records.query import Fit, Reference, WantedThing
from drretail.records.reading import Pick
from drretail.records.shop import Offer, Product
from drretail.records.wish import Want, Wish
from drretail.remembered import remembered_by
from drretail.shopping.constraints import offer_of, priced_in
from drretail.shopping.listing import listing_of

WRONG, OPEN, RIGHT = range(3)
"""What a basket is worth: it breaks a limit; it would keep all if what no record says were so; it keeps all."""


def worth_of(wish: Wish, state: Any, cost: Any, is_priced: Any) -> Any:
    """What a basket is worth, or with arrays each of many: the ``state`` of what is in it, if it keeps the budget.

    Answers, luck and floors are right by this one rule. ``cost`` is in ``units``. Where money counts, a price that is
    not known breaks the limit.
    """
    is_within = wish.budget is None or cost <= units(wish.budget.value)
    return state * (is_within & (is_priced | (not wish.counts_money)))


def units(amount: Decimal) -> int:
    """An amount as a whole number, which arrays add without rounding: in hundredths of a cent."""
    return int(amount * 10_000)


@dataclass(frozen=True, slots=True)
class Taken:
    """Some pieces of an offer that are assigned to a want."""

    fit: Fit
    pieces: int


@dataclass(frozen=True)
class Cart:
    """The picks of one report; of alternatives, the first is bought. ``products`` are the known records, by id."""

    wish: Wish
    reference: Reference
    picks: tuple[Pick, ...]
    products: Mapping[str, Product]

    @property
    def things(self) -> Sequence[WantedThing]:
        return self.reference.things

    @cached_property
    def taken(self) -> Sequence[tuple[Taken, ...]]:
        """For each want, the pieces assigned to it: as many as possible, with required wants before optional ones."""
        return [
            tuple(Taken(self._fits[number][offer_id], count) for offer_id, count in sorted(of_thing.items()) if count)
            for number, of_thing in enumerate(_assigned(self.things, self._fits, self.pieces))
        ]

    def is_covered(self, number: int) -> bool:
        """True if the want of this index has its quantity; for packs, any number is enough."""
        pieces = sum(part.pieces for part in self.taken[number])
        return pieces >= self.things[number].quantity or any(part.fit.is_pack for part in self.taken[number])

    def wanted_for(self, offer_id: str) -> list[Want]:
        """The wants that an offer suits, whether or not it is assigned to one of them."""
        return [want for want, of_thing in zip(self.wish.wants, self._fits, strict=True) if offer_id in of_thing]

    @remembered_by(lambda pick: pick.offer_id)
    def offer_of(self, pick: Pick) -> Offer | None:
        """As ``constraints.offer_of``, by the cart's records."""
        return offer_of(pick, self.products)

    def offer_id(self, pick: Pick) -> str:
        """The id of the offer that a pick means, or else the pick's own."""
        offer = self.offer_of(pick)
        return pick.offer_id if offer is None else offer.offer_id

    @property
    def left_out(self) -> list[str]:
        """The names of the required wants that are not covered."""
        return [
            thing.name for number, thing in enumerate(self.things) if not (thing.optional or self.is_covered(number))
        ]

    @cached_property
    def besides(self) -> Mapping[str, int]:
        """The pieces that are assigned to no want, by offer."""
        left = Counter(self.pieces)
        for part in (part for of_thing in self.taken for part in of_thing):
            left[part.fit.offer_id] -= part.pieces
        return {offer_id: count for offer_id, count in left.items() if count}

    @property
    def unknown(self) -> list[str]:
        """Picks of no known offer that suit no want: as far as is known, the shop does not have them."""
        fits = {offer_id for of_thing in self._fits for offer_id in of_thing}
        return [pick.offer_id for pick in self.picks if self.offer_of(pick) is None and pick.offer_id not in fits]

    @property
    def sold_out(self) -> list[str]:
        """The picked offers of which fewer are left."""
        offers = {self.offer_id(pick): self.offer_of(pick) for pick in self.picks}
        return [key for key, offer in offers.items() if offer is not None and not offer.has(self.pieces[key])]

    @property
    def unpriced(self) -> list[str]:
        """Picks without a known price in the cart's currency."""
        return [pick.offer_id for pick in self.picks if self._price(pick) is None]

    @cached_property
    def known_cost(self) -> Decimal:
        """The total cost of all picks with a known price."""
        prices = ((self._price(pick), pick.quantity) for pick in self.picks)
        return sum((price * quantity for price, quantity in prices if price is not None), Decimal(0))

    @property
    def is_over(self) -> bool:
        """True if the known prices alone exceed the budget."""
        budget = self.wish.budget
        return budget is not None and self.known_cost > budget.value

    @property
    def keeps_to_money(self) -> bool:
        """True if the whole cart is known to cost no more than the wish allows."""
        return bool(worth_of(self.wish, RIGHT, units(self.known_cost), not (self.unpriced or self.unknown)))

    @property
    def is_feasible(self) -> bool:
        """True if every want is covered, every pick is known, left and wanted, and the price limits are kept."""
        can_be_had = not self.unknown and not self.sold_out
        return not self.left_out and can_be_had and (self.wish.room or not self.besides) and self.keeps_to_money

    @property
    def verdict(self) -> int:
        """``RIGHT`` if it is feasible, ``OPEN`` if it would be if what records leave open were so, else ``WRONG``."""
        return RIGHT if self.is_feasible else OPEN if self.with_open().is_feasible else WRONG

    def with_open(self) -> "Cart":
        """The cart as if what records leave open were so."""
        things = tuple(thing.with_undecided() for thing in self.reference.things)
        return replace(self, reference=self.reference.model_copy(update={"things": things}))

    @property
    def share_wanted(self) -> float:
        """The share of all pieces that are wanted; 1 if the wish leaves room for more."""
        pieces = sum(pick.quantity for pick in self.picks)
        return 1.0 if self.wish.room or not pieces else 1 - sum(self.besides.values()) / pieces

    @property
    def worth(self) -> float:
        """The worth of the wanted pieces, each want counted once, in hundredths of a star. Where money counts, a piece
        without a known price has none.
        """
        return sum(
            part.fit.worth * min(1.0, part.pieces / (1 if part.fit.is_pack else thing.quantity))
            for thing, of_thing in zip(self.things, self.taken, strict=True)
            for part in of_thing
            if part.fit.price is not None or not self.wish.counts_money
        )

    @cached_property
    def pieces(self) -> Counter[str]:
        """The number of pieces of each offer, in the order of the picks."""
        bought = Counter[str]()
        for pick in self.picks:
            bought[self.offer_id(pick)] += pick.quantity
        return bought

    @cached_property
    def _fits(self) -> Sequence[Mapping[str, Fit]]:
        return [{fit.offer_id: fit for fit in thing.fits} for thing in self.things]

    def _price(self, pick: Pick) -> Decimal | None:
        """The price by the known record, else by the reference basket."""
        product = self.products.get(pick.product)
        if product is not None:
            currency = self.wish.limits[0].currency if self.wish.limits else None
            return priced_in(listing_of(product), self.offer_of(pick), currency)
        fit = next((of_thing[pick.offer_id] for of_thing in self._fits if pick.offer_id in of_thing), None)
        return None if fit is None or fit.price is None else fit.cost


def _assigned(
    things: Sequence[WantedThing], fits: Sequence[Mapping[str, Fit]], pieces: Mapping[str, int]
) -> list[dict[str, int]]:
    """For each want, the number of pieces of each offer assigned to it: a maximum flow by augmenting paths.

    Earlier offers and earlier wants come first. A want keeps a piece once it has one, so that no optional want takes
    one from a required want. What may be several takes what no other want does.
    """
    free = dict(pieces)
    assigned: list[dict[str, int]] = [dict.fromkeys(of_thing, 0) for of_thing in fits]

    def place(number: int, tried: set[str]) -> bool:
        for offer_id in pieces:
            if offer_id not in fits[number] or offer_id in tried:
                continue
            tried.add(offer_id)
            if free[offer_id]:
                free[offer_id] -= 1
                assigned[number][offer_id] += 1
                return True
            for other in range(len(things)):
                if other != number and assigned[other].get(offer_id) and place(other, tried):
                    assigned[other][offer_id] -= 1
                    assigned[number][offer_id] += 1
                    return True
        return False

    for number in sorted(range(len(things)), key=lambda number: things[number].optional):
        for _ in range(things[number].quantity):
            if not place(number, set()):
                break
    for number in (number for number, thing in enumerate(things) if thing.several):
        for offer_id in (offer_id for offer_id in fits[number] if any(assigned[number].values())):
            assigned[number][offer_id] += free.pop(offer_id, 0)
    return assigned
