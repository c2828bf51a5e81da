"""What several answers to one query put into the cart, product by product: who picks it, and in whose total it is."""

from collections.abc import Sequence

from drretail.grounding.text.wording import format_amount
from drretail.tables.figures import NOTHING
from drretail.tables.table import Cell, Column, Row, Table
from drretail.viewer.cart import Cart, CartLine

TOTAL = "Total of what it picks"


def compare_picks(carts: Sequence[tuple[str, Cart | None]]) -> Table | None:
    """The picks of these answers by name, what most of them pick first, and their totals in the last row.

    Answers that do not say what they pick are named in a note. None where nobody picks or refuses anything.
    """
    known = [(name, cart) for name, cart in carts if cart is not None]
    lines = {line.product: line for _, cart in reversed(known) for line in reversed(cart.lines)}
    if not lines and not any(cart.refusal for _, cart in known):
        return None
    priced = {line.product: line for _, cart in known for line in cart.lines if line.price is not None}
    pieces = {
        product: [sum(line.quantity for line in cart.lines if line.product == product) for _, cart in known]
        for product in lines
    }
    order = sorted(lines, key=lambda key: (-sum(map(bool, pieces[key])), [-n for n in pieces[key]], lines[key].title))
    unknown = [name for name, cart in carts if cart is None]
    return Table(
        "Picks",
        tuple(map(Column, ("Id", "Price", "Rating", *(name for name, _ in known)))),
        (
            *(_row(priced.get(product, lines[product]), pieces[product]) for product in order),
            Row(TOTAL, (*[Cell("")] * 3, *(Cell(_total(cart)) for _, cart in known))),
        ),
        heading="Product",
        notes=(f"Not known what these pick: {', '.join(unknown)}.",) if unknown else (),
    )


def _row(line: CartLine, pieces: Sequence[int]) -> Row:
    rating = NOTHING if line.rating is None else f"{line.rating:.1f}"
    counted = "" if line.rating is None or line.ratings is None else f" ({line.ratings:,})"
    price = "not known" if line.price is None else format_amount(line.price)
    picks = (Cell(NOTHING if not n else "✓" if n == 1 else f"✓ × {n}") for n in pieces)
    return Row(line.title, (Cell(line.product), Cell(price), Cell(f"{rating}{counted}"), *picks))


def _total(cart: Cart) -> str:
    """The sum, with "+ ?" where a price is missing from it."""
    if cart.total is None:
        return "not known" if cart.lines else cart.refusal or "nothing"
    return format_amount(cart.total) + " + ?" * any(line.price is None for line in cart.lines)
