"""What several answers to one query put into the cart, product by product: who picks it, and in whose total it is."""

from collections.abc import Sequence
from dataclasses import dataclass

from drretail.grounding.text.wording import format_amount
from drretail.viewer.cart import Cart, CartLine


@dataclass(frozen=True, slots=True)
class PickRow:
    """One product; ``pieces`` has an entry for each answer, 0 where it does not pick it."""

    product: str
    title: str
    price: str
    rating: str
    pieces: tuple[int, ...]

    @property
    def pickers(self) -> int:
        return sum(count > 0 for count in self.pieces)


@dataclass(frozen=True, slots=True)
class PicksTable:
    """Answers whose picks are known, side by side."""

    names: tuple[str, ...]
    rows: tuple[PickRow, ...]
    """What most of them pick first."""
    totals: tuple[str, ...]
    unknown: tuple[str, ...]
    """Answers that do not say what they pick."""


def compare_picks(carts: Sequence[tuple[str, Cart | None]]) -> PicksTable | None:
    """The picks of these answers by name, or what they refuse; None where none of them picks or refuses anything."""
    known = [(name, cart) for name, cart in carts if cart is not None]
    lines = {line.product: line for _, cart in reversed(known) for line in reversed(cart.lines)}
    priced = {line.product: line for _, cart in known for line in cart.lines if line.price is not None}
    rows = [_row(priced.get(product, line), [cart for _, cart in known]) for product, line in lines.items()]
    if not rows and not any(cart.refusal for _, cart in known):
        return None
    rows.sort(key=lambda row: (-row.pickers, [-count for count in row.pieces], row.title))
    return PicksTable(
        names=tuple(name for name, _ in known),
        rows=tuple(rows),
        totals=tuple(_total(cart) for _, cart in known),
        unknown=tuple(name for name, cart in carts if cart is None),
    )


def _row(line: CartLine, carts: Sequence[Cart]) -> PickRow:
    return PickRow(
        product=line.product,
        title=line.title,
        price="not known" if line.price is None else format_amount(line.price),
        rating=_stars(line),
        pieces=tuple(sum(each.quantity for each in cart.lines if each.product == line.product) for cart in carts),
    )


def _stars(line: CartLine) -> str:
    if line.rating is None:
        return "–"
    return f"{line.rating:.1f}" if line.ratings is None else f"{line.rating:.1f} ({line.ratings:,})"


def _total(cart: Cart) -> str:
    """The sum, with "+ ?" where a price is missing from it."""
    if cart.total is None:
        return "not known" if cart.lines else cart.refusal or "nothing"
    said = format_amount(cart.total)
    return f"{said} + ?" if any(line.price is None for line in cart.lines) else said
