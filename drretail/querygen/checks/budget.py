"""Whether the shop can sell what a query wants at the prices that it sets, and whether these are the text's."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from drretail.grounding.basket.choice import cheapest_choice, total_of
from drretail.grounding.constraints.fits import priced_in
from drretail.grounding.constraints.listing import Listing
from drretail.grounding.text.amounts import find_money
from drretail.grounding.text.wording import format_amount, format_money
from drretail.querygen.checks.case import Case, found
from drretail.records.evidence import Finding
from drretail.records.money import Money
from drretail.records.query import Fit, FoundBasket, Reference, WantedThing
from drretail.records.wish import Want, Wish

CODES = {
    "budget_not_in_text": "a typed amount of money is no amount of the text",
    "budget_not_typed": "the text names an amount of money, and the wish holds none",
    "budget_unreachable": "the cheapest products of the wanted things cost more than may be spent",
    "currency_foreign": "a typed amount is in a currency in which the shop sells nothing that is wanted",
}


def check(case: Case) -> Iterator[Finding]:
    """Each trouble is reported once."""
    wish = case.query.wish
    if wish is None or not wish.wants:
        return
    limits = wish.limits
    yield from _amounts(limits, case.query.text)
    offered = {listing.product.currency for _, listings in case.offered for listing in listings}
    foreign = [currency for currency in dict.fromkeys(limit.currency for limit in limits) if currency not in offered]
    if offered and foreign:
        yield found("currency_foreign", ", ".join(foreign), f"the offers are in {', '.join(sorted(offered))}")
    elif limits:
        yield from _prices(case, wish)


def told(basket: FoundBasket) -> str:
    """ "$43.97: $24.99 bird feeder [B0…] + 2 × $9.49 birdhouse [B0…]"."""
    currency = basket.total.currency
    items = [_in_words(item.thing, item.quantity, item.product_id, item.price, currency) for item in basket.items]
    return f"{format_amount(basket.total)}: {' + '.join(items) or 'nothing has to be bought'}"


def told_cheapest(reference: Reference) -> str:
    """The cheapest basket as ``told`` has it; else why not, and whether that is proved: "none: too_dear (proved)"."""
    if reference.cheapest is not None:
        return told(reference.cheapest)
    proof = reference.proof
    why = (None if proof is None else proof.lack) or reference.lack
    return f"none: {why}" + ("" if proof is None else f" ({proof.state})")


def _amounts(limits: Sequence[Money], text: str) -> Iterator[Finding]:
    """The typed amounts against those that the text has in digits; one in words is found by nobody."""
    amounts = sorted({amount.high for amount in find_money(text)})
    if amounts and not limits:
        shown = ", ".join(format_money(amount) for amount in amounts)
        yield found("budget_not_typed", shown, "the wish holds no amount", severity="warning")
    for limit in limits if amounts else ():
        if limit.value not in amounts:
            shown = ", ".join(format_money(amount, limit.currency) for amount in amounts)
            yield found("budget_not_in_text", format_amount(limit), f"the text says {shown}")


def _prices(case: Case, wish: Wish) -> Iterator[Finding]:
    """Only prices count: what a product must be its texts may say in other words, and what is owned may be wanted
    again. Nothing where no price is known: then nobody can say what the money buys."""
    needed = [(want, listings) for want, listings in case.offered if not want.optional]
    currency = wish.limits[0].currency
    things = [_cheapest_of(want, listings, currency, len(needed)) for want, listings in needed]
    chosen = cheapest_choice(things)
    if not chosen:
        return
    total = total_of(things, chosen)
    too_dear = wish.budget is not None and total > wish.budget.value
    for (want, _), fit in zip(needed, chosen, strict=True):
        too_dear |= want.price_max is not None and fit.cost > want.price_max.value
    if too_dear:
        pairs = zip(things, chosen, strict=True)
        items = [_in_words(thing.name, thing.quantity, fit.product_id, fit.cost, currency) for thing, fit in pairs]
        cheapest = f"{format_money(total, currency)}: {' + '.join(items)}"
        yield found("budget_unreachable", _limits_in_words(wish), f"the cheapest basket costs {cheapest}")


def _cheapest_of(want: Want, listings: Iterable[Listing], currency: str, count: int) -> WantedThing:
    """A want with the cheapest products of its kinds, as many as may have to be chosen from."""
    prices = {listing.product.product_id: priced_in(listing, currency) for listing in listings}
    known = sorted((price, product_id) for product_id, price in prices.items() if price is not None)
    fits = tuple(Fit(product_id=product_id, price=str(price), worth=0) for price, product_id in known[:count])
    return WantedThing(name=want.name, quantity=want.quantity, fits=fits)


def _in_words(thing: str, quantity: int, product_id: str, price: Decimal | str, currency: str) -> str:
    count = f"{quantity} × " if quantity > 1 else ""
    return f"{count}{format_money(price, currency)} {thing} [{product_id}]"


def _limits_in_words(wish: Wish) -> str:
    total = () if wish.budget is None else (f"{format_amount(wish.budget)} in total",)
    pieces = (f"{format_amount(want.price_max)} a piece" for want in wish.wants if want.price_max is not None)
    return ", ".join(dict.fromkeys((*total, *pieces)))
