"""Whether the shop can meet the wish, by the same baskets and proof by which answers are measured."""

from collections import Counter
from collections.abc import Iterator

from drretail.querygen.checks.case import Code, QueryCase, finding
from drretail.querygen.decisions import how_far_decided
from drretail.records.evidence import Finding
from drretail.records.figures import counted
from drretail.records.query import FoundBasket, Reference, lack_in_words
from drretail.records.wish import Wish
from drretail.reports.text.wording import format_amount, format_money
from drretail.shopping.listing import folded

CODES = {
    "currency_foreign": Code("nothing wanted is sold in the currency of an amount", "name it in the shop's currency"),
    "budget_unreachable": Code("what would do costs more than may be spent", "raise the amount in text and wish"),
    "cannot_be_met": Code("no product would do", "drop the demand in the way, or set `infeasible` if that is meant"),
    "price_unknown": Code("the shop has prices, but names none of what would do", "want what has a price"),
    "infeasible_not_proved": Code("that the shop can't meet it is not proved", "drop `infeasible`, or change the wish"),
    "demand_undecided": Code(
        "no product is known to keep a demand", "have records read: `drretail queries decide FILE`"
    ),
    "demand_unheard_of": Code("no record of the kind says so, as readers decided", "demand what records speak of"),
    "field_unknown": Code("no product of the kind has a demand's field", "name a field that its records have"),
    "value_unknown": Code("no product of the kind has a demand's value", "name it as the field has it"),
}

# Fields or values of the kind that a finding shows.
_SHOWN = 5


def check(case: QueryCase) -> Iterator[Finding]:
    """Finds nothing if the shop lacks a wanted kind, which names.py reports."""
    wish = case.query.wish
    if wish is None or not wish.wants or not all(offered or want.optional for want, offered in case.offered):
        return
    currencies = {currency for _, candidates in case.offered for currency in candidates.currencies}
    foreign = {limit.currency for limit in wish.limits} - currencies
    reference = case.reference
    is_proved = reference.proof is not None and reference.proof.state == "proved"
    if not case.query.infeasible:  # a twin may be made to demand what nothing has
        yield from _unknown(case)
    if currencies and foreign:
        yield finding(
            "currency_foreign", ", ".join(sorted(foreign)), f"the offers are in {', '.join(sorted(currencies))}"
        )
    elif case.query.infeasible:
        if not is_proved:
            yield finding("infeasible_not_proved", case.query.query_id, cheapest_line(reference))
    elif reference.cheapest is None and not wish.declined:
        yield from list(_not_said(case)) or _lacking(case, wish, is_proved=is_proved)


def _unknown(case: QueryCase) -> Iterator[Finding]:
    """The demands whose field no product of the kind has, or whose value it has of none of them; options likewise."""
    for want, candidates in case.offered:
        for name, values in want.options.items() if candidates else ():
            options = candidates.values_of(name)
            if not options:
                names = _most(
                    Counter(name for listing in candidates for offer in listing.offers for name in offer.options)
                )
                yield finding("field_unknown", name, f"no {want.name} has the option {name}; there are {names}")
            yield from (
                finding("value_unknown", value, f"of {want.name} the {name} is {_most(options)}")
                for value in values
                if folded(value) not in map(folded, options)
            )
        for demand in (demand for demand in want.demands if demand.field is not None and candidates):
            rulings = candidates.rulings(demand)
            states = {ruling.state for ruling in rulings if ruling.quote}
            if not states:
                names = _most(Counter(name for listing in candidates for name in listing.product.details))
                yield finding("field_unknown", str(demand), f"no {want.name} has {demand.field}; records have {names}")
            elif states == {"open"} or ("met" not in states and not demand.is_measure):
                values = _most(Counter({ruling.quote: times for ruling, times in rulings.items() if ruling.quote}))
                yield finding("value_unknown", str(demand), f"of {want.name} the records say {values}")


def _most(counts: Counter[str]) -> str:
    return ", ".join(text for text, _ in counts.most_common(_SHOWN)) or "no fields"


def _not_said(case: QueryCase) -> Iterator[Finding]:
    """The demands that records leave open in the cart that is nearest to one, by whether all records are read."""
    reference = case.reference
    nearest = None if reference.proof is None or reference.lack != "not_said" else reference.proof.nearest
    picked = {(item.thing, item.offer_id) for item in nearest.items} if nearest else set[tuple[str, str]]()
    open_demands = {
        (thing.name, demand)
        for thing in reference.things
        for fit in thing.undecided
        if (thing.name, fit.offer_id) in picked
        for demand in fit.open
    }
    for decided in how_far_decided([case.query], case.stock.offers):
        demand = decided.demand.partition(": ")[2] or decided.demand
        if (decided.want, demand) not in open_demands:
            continue
        products = f"{counted(sum(decided.states.values()), 'product')} of {decided.want}"
        if decided.undecided:
            yield finding(
                "demand_undecided", demand, f"nobody has read the records of {decided.undecided} of {products}"
            )
        elif "met" not in decided.states:
            yield finding("demand_unheard_of", demand, f"the records of {products} were read, and none says so")


def basket_line(basket: FoundBasket) -> str:
    """A basket in one line: "$43.97: $24.99 bird feeder [B0…] + 2 × $9.49 birdhouse [B0…]"."""
    items = [
        f"{f'{item.quantity} × ' if item.quantity > 1 else ''}{format_money(item.price, basket.total.currency)} "
        f"{item.thing} [{item.offer_id}]"
        for item in basket.items
    ]
    return f"{format_amount(basket.total)}: {' + '.join(items) or 'nothing has to be bought'}"


def cheapest_line(reference: Reference) -> str:
    """The cheapest basket; without one, the reason and the state of its proof, as in "none: too_dear (proved)"."""
    if reference.cheapest is not None:
        return basket_line(reference.cheapest)
    proof = reference.proof
    why = (None if proof is None else proof.lack) or reference.lack
    return f"none: {why}" + ("" if proof is None else f" ({proof.state})")


def _lacking(case: QueryCase, wish: Wish, *, is_proved: bool) -> Iterator[Finding]:
    """Findings on a wish that no basket meets; none in a shop without prices, where money says nothing."""
    lack, proof = case.reference.lack, case.reference.proof
    wants = ", ".join(want.name for want in wish.wants)
    if lack == "too_dear" and proof is not None and proof.nearest is not None:
        total = () if wish.budget is None else (f"{format_amount(wish.budget)} in total",)
        pieces = (f"{format_amount(want.price_max)} a piece" for want in wish.wants if want.price_max is not None)
        limits = ", ".join(dict.fromkeys((*total, *pieces)))
        cheapest = basket_line(proof.nearest)
        yield finding("budget_unreachable", limits, f"the cheapest basket costs {cheapest}")
    elif lack == "no_price" and case.stock.has_prices:
        yield finding("price_unknown", wants, "no cart of them can be measured")
    elif lack not in ("too_dear", "no_price", None):
        yield finding("cannot_be_met", wants, f"{lack_in_words(lack, wish)}{' (proved)' if is_proved else ''}")
