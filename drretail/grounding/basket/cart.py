"""A whole cart beside a wish: what each pick is for, what is left out, what is besides, and what it all costs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from drretail.grounding.constraints.listing import listing_of
from drretail.records.query import Fit, Reference, WantedThing
from drretail.records.reading import Pick
from drretail.records.shop import Product
from drretail.records.wish import Want, Wish


@dataclass(frozen=True, slots=True)
class Taken:
    """So many pieces of a product that stand for a want."""

    fit: Fit
    pieces: int


@dataclass(frozen=True)
class Cart:
    """The picks of one report; of alternatives the first is bought. ``products`` are the records at hand, by id."""

    wish: Wish
    reference: Reference
    picks: tuple[Pick, ...]
    products: Mapping[str, Product]

    @property
    def things(self) -> Sequence[WantedThing]:
        return self.reference.things

    @cached_property
    def taken(self) -> Sequence[tuple[Taken, ...]]:
        """For each want the pieces that stand for it: as many as can be, those of wants that are not optional first."""
        return [
            tuple(Taken(self._fits[number][product], count) for product, count in sorted(of_thing.items()) if count)
            for number, of_thing in enumerate(_assigned(self.things, self._fits, self._pieces))
        ]

    def is_covered(self, number: int) -> bool:
        """True when the want of this number has its quantity; of packs any number does."""
        pieces = sum(part.pieces for part in self.taken[number])
        return pieces == self.things[number].quantity or any(part.fit.is_pack for part in self.taken[number])

    def wanted_for(self, product_id: str) -> list[Want]:
        """The wants for which a product would do, whether it is taken for one of them or not."""
        return [want for want, of_thing in zip(self.wish.wants, self._fits, strict=True) if product_id in of_thing]

    @property
    def left_out(self) -> list[str]:
        """The names of the wants that are not covered, the optional ones aside."""
        return [one.name for number, one in enumerate(self.things) if not (one.optional or self.is_covered(number))]

    @cached_property
    def besides(self) -> Mapping[str, int]:
        """The pieces that stand for no want, by product."""
        left = Counter(self._pieces)
        for part in (part for of_thing in self.taken for part in of_thing):
            left[part.fit.product_id] -= part.pieces
        return {product: count for product, count in left.items() if count}

    @property
    def unknown(self) -> list[str]:
        """Picks of which no record is at hand and that are no fit: the shop does not have them, as far as is known."""
        fits = {product for of_thing in self._fits for product in of_thing}
        return [pick.product for pick in self.picks if pick.product not in fits and pick.product not in self.products]

    @property
    def unpriced(self) -> list[str]:
        """Picks without a known price in the currency of the cart."""
        return [pick.product for pick in self.picks if self._price(pick.product) is None]

    @cached_property
    def known_cost(self) -> Decimal:
        """What all picks of known price cost together."""
        prices = ((self._price(pick.product), pick.quantity) for pick in self.picks)
        return sum((price * quantity for price, quantity in prices if price is not None), Decimal(0))

    @property
    def total(self) -> Decimal | None:
        """What the whole cart costs; None where a price is unknown."""
        return None if self.unpriced else self.known_cost

    @property
    def is_over(self) -> bool:
        """True where the known prices alone break the budget."""
        budget = self.wish.budget
        return budget is not None and self.known_cost > budget.value

    @property
    def keeps_to_money(self) -> bool:
        """True when the whole cart is known to cost no more than the wish allows."""
        return not self.is_over and not (self.wish.counts_money and (self.unpriced or self.unknown))

    @property
    def is_feasible(self) -> bool:
        """True when every want is covered, every pick is in the shop, nothing is besides, and the money suffices."""
        return not self.left_out and not self.unknown and (self.wish.room or not self.besides) and self.keeps_to_money

    @property
    def share_wanted(self) -> float:
        """Of all pieces, those that are wanted; 1 where the wish leaves room for more."""
        pieces = sum(pick.quantity for pick in self.picks)
        return 1.0 if self.wish.room or not pieces else 1 - sum(self.besides.values()) / pieces

    @property
    def worth(self) -> float:
        """Of the wanted pieces of known price, each want counted once, in hundredths of a star."""
        return sum(
            part.fit.worth * min(1.0, part.pieces / (1 if part.fit.is_pack else thing.quantity))
            for thing, of_thing in zip(self.things, self.taken, strict=True)
            for part in of_thing
            if part.fit.price is not None
        )

    @cached_property
    def _pieces(self) -> Mapping[str, int]:
        """How many of each product are bought, in the order of the picks."""
        bought = Counter[str]()
        for pick in self.picks:
            bought[pick.product] += pick.quantity
        return bought

    @cached_property
    def _fits(self) -> Sequence[Mapping[str, Fit]]:
        return [{fit.product_id: fit for fit in thing.fits} for thing in self.things]

    def _price(self, product_id: str) -> Decimal | None:
        """By the record at hand, else as the basket was found with."""
        product = self.products.get(product_id)
        if product is not None:
            currency = self.wish.limits[0].currency if self.wish.limits else product.currency
            return listing_of(product).price if currency == product.currency else None
        fit = next((of_thing[product_id] for of_thing in self._fits if product_id in of_thing), None)
        return None if fit is None or fit.price is None else fit.cost


def _assigned(
    things: Sequence[WantedThing], fits: Sequence[Mapping[str, Fit]], pieces: Mapping[str, int]
) -> list[dict[str, int]]:
    """For each want how many pieces of which product it is given: a largest flow by augmenting paths.

    Earlier products and earlier wants come first; a want that has a piece keeps one, so that no optional want takes
    from one that is not.
    """
    free = dict(pieces)
    given: list[dict[str, int]] = [dict.fromkeys(of_thing, 0) for of_thing in fits]

    def place(number: int, tried: set[str]) -> bool:
        for product in pieces:
            if product not in fits[number] or product in tried:
                continue
            tried.add(product)
            if free[product]:
                free[product] -= 1
                given[number][product] += 1
                return True
            for other in range(len(things)):
                if other != number and given[other].get(product) and place(other, tried):
                    given[other][product] -= 1
                    given[number][product] += 1
                    return True
        return False

    for number in sorted(range(len(things)), key=lambda number: things[number].optional):
        for _ in range(things[number].quantity):
            if not place(number, set()):
                break
    return given
