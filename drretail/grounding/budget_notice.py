"""What a report must say at its top: that the budget does not hold, or that nothing is left to recommend."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from drretail.grounding.case import Case
from drretail.grounding.constraints_kept import is_over_the_whole
from drretail.grounding.facts import exact
from drretail.grounding.falling import OF_A_SECTION, OF_WHAT_WAS_STRUCK
from drretail.grounding.values import find_values
from drretail.grounding.wording import format_money, short_title
from drretail.records.evidence import Finding
from drretail.records.money import Money
from drretail.records.shop import Product

_OFFERS = frozenset({"not_in_catalog", "recommended_although_owned", "unwanted_brand", "over_budget", "price_wrong"})
_NOTHING_LEFT = (
    "**Nothing is left to recommend.** What was recommended here did not hold against the shop's records, and was taken"
    " out; the end of this report says why."
)
_MISSED = re.compile(
    r"\b(?:over|above|beyond|exceeds?|exceeding|more\s+than|outside|cannot|can['’]?t|won['’]t|does\s+not|doesn['’]t"
    r"|not\s+enough|too\s+(?:small|low|little)|short\s+of)\b",
    re.IGNORECASE,
)


def budget_notice(case: Case, findings: list[Finding]) -> str | None:
    """One paragraph with the figures, from the records; None where the budget holds, or the report says so itself.

    ``findings`` are those on the report as it stands.
    """
    budget = case.constraints.budget
    if budget is None or case.constraints.budget_scope != "total":
        return None
    over = next((finding for finding in findings if is_over_the_whole(finding)), None)
    cost = None if over is None else _cost(over)
    cheapest = _cheapest(case)
    least = None if cheapest is None or cheapest[0] <= budget.value else cheapest
    if (cost is None and least is None) or _says_so(case):
        return None
    told = ["**The budget does not hold.**"]
    if cost is not None:
        told.append(_too_much("What is recommended here comes to", cost, budget))
    if least is not None:
        told.append(_too_much("All that you ask for takes at least", least[0], budget))
        told.append(f"The cheapest that was found: {least[1]}.")
    elif cost is not None:
        told.append("Leave something out, or choose something cheaper, to stay within it.")
    return " ".join(told)


def nothing_left_notice(case: Case, struck: Sequence[Finding]) -> str | None:
    """One sentence for a report that has lost all that it recommended; ``case`` is what is left of it.

    None where something is still recommended, or where nothing that offered a product was struck.
    """
    offered = any(it.code in _OFFERS and it.found not in (OF_WHAT_WAS_STRUCK, OF_A_SECTION) for it in struck)
    return _NOTHING_LEFT if offered and not case.recommended and case.report.strip() else None


def with_notice(report: str, notice: str | None) -> str:
    """The report with the notice below its title, or at its very beginning."""
    if notice is None:
        return report
    title, newline, rest = report.partition("\n")
    if re.match(r"#\s", title):
        return f"{title}\n\n{notice}\n\n{rest.lstrip(chr(10))}" if newline else f"{title}\n\n{notice}\n"
    return f"{notice}\n\n{report}"


def _too_much(words: str, cost: Decimal, budget: Money) -> str:
    currency = budget.currency
    limit, more = format_money(budget.value, currency), format_money(cost - budget.value, currency)
    return f"{words} {format_money(cost, currency)}, which is {more} more than your {limit}."


def _cost(over: Finding) -> Decimal | None:
    """The stated total, or what the recommended things cost together."""
    for text in (over.said, (over.found or "").partition("these cost")[2]):
        amounts = [value for value in find_values(text) if value.kind == "money"]
        if len(amounts) == 1:
            return amounts[0].number
    return None


def _cheapest(case: Case) -> tuple[Decimal, str] | None:
    """What the wanted numbers of things cost at least, by the products that the run was handed, and what these are.

    None where the query names no numbers, or a thing for which no product with a price goes by its words.
    """
    budget = case.constraints.budget
    if budget is None or not case.constraints.quantities:
        return None
    total = Decimal(0)
    chosen: list[str] = []
    for name, number in case.constraints.quantities.items():
        priced = sorted((exact(it.price or 0), it.product_id) for it in _going_by(case, name, budget.currency))
        if not priced:
            return None
        price, product_id = priced[0]
        total += price * number
        title = short_title(case.products[product_id].title, 50)
        chosen.append(f"{number} × {title} at {format_money(price, budget.currency)} [P:{product_id}]")
    return total, ", ".join(chosen)


def _going_by(case: Case, name: str, currency: str) -> Iterator[Product]:
    words = set(_words(name))
    for product in case.products.values():
        if product.price is not None and product.currency == currency and words <= set(_words(product.title)):
            yield product


def _words(text: str) -> list[str]:
    """Lower case, without the s of the plural."""
    return [word.removesuffix("s") for word in re.findall(r"[^\W_]+", text.casefold())]


def _says_so(case: Case) -> bool:
    """True when one sentence of the report speaks of the budget, of missing it, and of an amount."""
    return any(
        re.search(r"\b(?:budget|limit|your\s+\\?[$€£])", text, re.IGNORECASE)
        and _MISSED.search(text)
        and any(value.kind == "money" for value in find_values(text))
        for unit in case.structure.units
        if (text := case.structure.text[unit.start : unit.end]) and case.is_own(unit.start)
    )
