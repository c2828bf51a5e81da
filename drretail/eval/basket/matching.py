"""Which of the products that a report recommends stands for which of the things that the query asks for."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from drretail.records.basket import Fit, WantedThing


@dataclass(frozen=True, slots=True)
class Chosen:
    """A wanted thing, and the recommended product that would do for it."""

    thing: WantedThing
    fit: Fit

    @property
    def price(self) -> Decimal | None:
        """Of one piece."""
        return None if self.fit.price is None else Decimal(self.fit.price)

    @property
    def cost(self) -> Decimal | None:
        """Of all pieces that are wanted."""
        return None if self.price is None else self.price * self.thing.quantity


def chosen_for(things: Sequence[WantedThing], recommended: Sequence[str]) -> list[Chosen]:
    """For as many things as can be, the product that is recommended first and would do, none for two of them.

    In the order of the things. A thing gives way to an earlier product for another one only where both can be had.
    """
    places = {product_id: place for place, product_id in reversed(list(enumerate(recommended)))}
    wanted = [
        sorted((places[fit.product_id], fit.product_id) for fit in it.fits if fit.product_id in places) for it in things
    ]
    taken: dict[str, int] = {}
    """By product, the number of the thing that it stands for."""

    def place(number: int, tried: set[str]) -> bool:
        for _, product_id in wanted[number]:
            if product_id not in tried:
                tried.add(product_id)
                if product_id not in taken or place(taken[product_id], tried):
                    taken[product_id] = number
                    return True
        return False

    for number in range(len(things)):
        place(number, set())
    by_thing = {number: product_id for product_id, number in taken.items()}
    return [_chosen(things[number], by_thing[number]) for number in sorted(by_thing)]


def _chosen(thing: WantedThing, product_id: str) -> Chosen:
    return Chosen(thing, next(fit for fit in thing.fits if fit.product_id == product_id))
