"""The picks of a report that declares none, if its calculations or its layout make them certain."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal

from drretail.grounding.text.layout import Layout
from drretail.grounding.text.words import is_negation, words
from drretail.grounding.verify.records import Calculation, Ledger
from drretail.records.reading import Pick, ReadValue

_TERM = re.compile(r"(?:(?P<times>\d{1,2})\*)?(?P<price>\d+(?:\.\d+)?)(?:\*(?P<after>\d{1,2}))?")


def picks_by_form(
    layout: Layout, values: Sequence[ReadValue], ledger: Ledger, calculations: Sequence[Calculation]
) -> tuple[Pick, ...] | None:
    """The picks that a report's calculations or its first statement make certain; None in case of doubt.

    ``calculations`` are those that it cites or writes out. Products that the user has ordered are never picks.
    """
    places = {
        source[2:]: stretch for stretch in reversed(layout.stretches) for source in stretch.cited if source[:2] == "P:"
    }
    named = _named_first(layout, values, ledger) if layout.notation.is_english else None
    carts = [one for one in (_reckoned(places.keys(), calculations, ledger), named) if one]
    if not carts or any(cart.keys() != carts[0].keys() for cart in carts):
        return None
    ordered = sorted(carts[0], key=lambda one: places[one].start)
    return tuple(
        Pick(product=product, quantity=carts[0][product], start=places[product].start, end=places[product].end)
        for product in ordered
    )


def _reckoned(cited: Collection[str], calculations: Sequence[Calculation], ledger: Ledger) -> Mapping[str, int] | None:
    """The cart that calculations subtract from the budget, else the one that they add up, if it is unique.

    A writer who computes what is left of a budget does so for what is to be bought.
    """
    products: dict[Decimal, list[str]] = {}
    for product in cited:
        if (price := ledger.price(product)) is not None and product not in ledger.ordered.values():
            products.setdefault(price, []).append(product)
    known = {price: {of[0]: 1} for price, of in products.items() if len(of) == 1}
    sums = [
        (calculation.result, cart)
        for calculation in calculations
        if len(calculation.operands) > 1 and (cart := _added(calculation.expression, known))
    ]
    known = dict(sums) | known
    # The price of a cart that a calculation takes from the budget, or from an amount of the query.
    amounts = {amount.low for amount in ledger.asked if amount.kind == "money"} | {ledger.limit}
    left: list[Mapping[str, int]] = []
    for calculation in calculations:
        limit, minus, rest = calculation.expression.partition("-")
        if minus and re.fullmatch(r"\d+(?:\.\d+)?", limit) and Decimal(limit) in amounts:
            cart = _added(rest if rest.startswith("(") else rest.replace("-", "+"), known)
            left += [cart] if cart else []
    carts = left or [cart for result, cart in sums if ledger.limit is None or result <= ledger.limit]
    return carts[0] if carts and all(one == carts[0] for one in carts) else None


def _added(expression: str, known: Mapping[Decimal, Mapping[str, int]]) -> Mapping[str, int] | None:
    """The cart behind a sum of prices, of their multiples and of known sums; None if a term is none of these."""
    cart: Counter[str] = Counter()
    for part in expression.replace("(", "").replace(")", "").split("+"):
        term = _TERM.fullmatch(part)
        of_term = known.get(Decimal(term["price"])) if term else None
        if term is None or of_term is None:
            return None
        for product, quantity in of_term.items():
            cart[product] += quantity * int(term["times"] or term["after"] or 1)
    return cart


def _named_first(layout: Layout, values: Sequence[ReadValue], ledger: Ledger) -> Mapping[str, int] | None:
    """The products of the first sentence, list or table that cites any, each with its price.

    A single product must be the most cited one; the sum of several must be in the report. Negated statements do not
    count.
    """
    first = next((stretch for stretch in layout.stretches if any(cited[:2] == "P:" for cited in stretch.cited)), None)
    if first is None:
        return None
    kind, last = layout.sentences[first.sentence].kind, first.sentence
    while kind in ("item", "row") and last + 1 < len(layout.sentences) and layout.sentences[last + 1].kind == kind:
        last += 1
    inside = [stretch for stretch in layout.stretches if first.sentence <= stretch.sentence <= last]
    start, end = layout.sentences[first.sentence].start, layout.sentences[last].end
    priced = {
        value.of[0][2:]
        for value in values
        if value.kind == "price" and value.state == "verified" and start <= value.start < end
    }
    owned = set(ledger.ordered.values())
    cited = {source[2:] for stretch in inside for source in stretch.cited if source[:2] == "P:"}
    has_order = any(source[:2] == "O:" for stretch in inside for source in stretch.cited)
    together = sum((ledger.price(source) or Decimal(0) for source in cited), start=Decimal(0))
    is_above = ledger.limit is not None and together > ledger.limit
    is_denied = any(map(is_negation, words(layout.text[first.start : first.end])))
    if cited != priced or cited & owned or has_order or is_above or is_denied:
        return None
    everywhere = (source[2:] for stretch in layout.stretches for source in stretch.cited if source[:2] == "P:")
    times = Counter(product for product in everywhere if product not in owned)
    if len(cited) == 1:
        is_certain = times[min(cited)] == max(times.values())
    else:
        is_certain = any(amount.low == together for amount in layout.amounts)
    return dict.fromkeys(cited, 1) if is_certain else None
