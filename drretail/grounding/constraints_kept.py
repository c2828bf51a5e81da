"""Whether a report keeps to what the query demands: the budget, unwanted brands, and what is owned already."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal

from drretail.grounding.facts import exact
from drretail.grounding.recommendations import Recommendation
from drretail.grounding.structure import Section, Structure
from drretail.grounding.totals import Total
from drretail.grounding.values import Value, find_values
from drretail.grounding.wording import format_money
from drretail.records.evidence import Finding
from drretail.records.money import Money
from drretail.records.query import Constraints
from drretail.records.shop import Product

_PHASE = re.compile(
    r"\b(?:phase|stage|step|month|week|day|year|tier|part|room|zone|area|budget|spend|under|up\s+to|allocation"
    r"|category)\b",
    re.IGNORECASE,
)
_ADMITTED = re.compile(
    r"\b(?:over|above|beyond|exceeds?|exceeding|more\s+than|outside)\s+(?:your|the|this"
    r"|that)?\s*(?:\w+\s+)?(?:budget|limit|cap|price|\\?[$€£])"
    r"|\b(?:stretch|splurge|slightly\s+over|a\s+little\s+over)\b",
    re.IGNORECASE,
)
# In a sentence about the product: the report knows that it is owned, or means it to be bought again.
_AGAIN = re.compile(
    r"\b(?:re-?order\w*|again|replac\w+|refill\w*|re-?stock\w*|repurchas\w+|re-?buy\w*|replenish\w*|successor"
    r"|another\s+(?:one|of|pack)|a\s+second\s+(?:one|of|pack)|spare|stock\s+up|consumable\w*|subscri\w+"
    r"|r[au]ns?\s+(?:out|low)|running\s+(?:out|low)|us(?:e|ed|ing)\s+up|worn|wears?\s+out"
    r"|(?:you|your\s+household)(?:['’]ve)?\s+(?:already\s+|still\s+|have\s+)*"
    r"(?:own|have|bought|ordered|purchased|use)"
    r"|already\s+(?:own|have|bought|ordered|use)\w*|your\s+(?:current|existing|last|previous|usual))\b",
    re.IGNORECASE,
)
# In the query: what is owned is wanted once more.
_ASKED_AGAIN = re.compile(
    r"\b(?:re-?order\w*|re-?stock\w*|refill\w*|replenish\w*|stock\s+up|r[au]n(?:s|ning)?\s+(?:out|low)|us(?:ed"
    r"|ing)\s+(?:it\s+|them\s+)?up"
    r"|(?:order|buy|get)\s+(?:\w+\s+){0,4}?again|the\s+same\s+(?:one|thing|product)\s+again)\b",
    re.IGNORECASE,
)
# In the query: what is owned is not wanted at all, whatever the report calls it.
_NOT_AGAIN = re.compile(
    r"\b(?:don['’]t|do\s+not|not|never|no|nothing|none)\b[^.!?\n]{0,50}\b(?:same\s+(?:one|thing|product)"
    r"|what\s+i\s+(?:already\s+)?(?:own|have)"
    r"|already\s+(?:own|have)|duplicates?)\b"
    r"|\bleave\s+(?:it\s+|out\s+|off\s+|them\s+)*[^.!?\n]{0,30}\b(?:own|bought|have|off\s+the\s+list)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(r"(?:n['’]t|\bnot|\bnever|\bwithout)\s+(?:[\w']+\s+){0,4}$", re.IGNORECASE)
_OF_THE_WHOLE = "the budget is "
_ONE_OF_SEVERAL = re.compile(r"\b(?:or|either|alternatively|otherwise|instead|if\s+you)\b", re.IGNORECASE)


def over_budget(
    structure: Structure,
    constraints: Constraints,
    totals: Sequence[Total],
    recommended: Sequence[Recommendation],
    products: Mapping[str, Product],
) -> list[Finding]:
    """Where the recommended things cost more than the query allows, or a phase more than its own heading says."""
    findings = list(_phases(structure, totals))
    if constraints.budget is not None:
        if constraints.budget_scope == "per_item":
            findings += _items(structure, constraints.budget, recommended, products)
        else:
            findings += _whole(structure, constraints.budget, totals, recommended, products)
    return sorted(findings, key=lambda finding: finding.start or 0)


def is_over_the_whole(finding: Finding) -> bool:
    """True when a finding says that everything together costs more than the query's budget."""
    return finding.code == "over_budget" and (finding.found or "").startswith(_OF_THE_WHOLE)


def has_phases(structure: Structure) -> bool:
    """True when a heading names an amount that its section is to keep."""
    return any(_allowance(structure, section) is not None for section in structure.sections)


def owned_again(
    structure: Structure,
    asked: str,
    owned: Collection[str],
    recommended: Sequence[Recommendation],
    about: Mapping[str, Collection[int]],
) -> list[Finding]:
    """Recommended products that the user has; not where a sentence about one, or the query, means it to be had again.

    ``about`` are the numbers of the units that speak of a product. A query that rules out what is owned leaves no
    excuse.
    """
    unwanted = _NOT_AGAIN.search(asked)
    if asks_again(asked):
        return []
    found = "the user has it, and the query wants nothing twice" if unwanted else "the user has ordered it before"
    return [
        _finding("recommended_although_owned", structure, spot.start, spot.end, found, product_id)
        for product_id, spot in _first_of_each(recommended)
        if product_id in owned and (unwanted or not _is_said_to_be_owned(structure, about.get(product_id, ())))
    ]


def asks_again(asked: str) -> bool:
    """True when a query wants more of what the user has, and does not rule out what is owned."""
    meant = any(not _DENIED.search(asked, 0, match.start()) for match in _ASKED_AGAIN.finditer(asked))
    return meant and not _NOT_AGAIN.search(asked)


def _is_said_to_be_owned(structure: Structure, about: Collection[int]) -> bool:
    units = structure.units
    # The next sentence of the same paragraph speaks of it, too: "It is the one that you ordered in May."
    behind = {index + 1 for index in about if index + 1 < len(units) and units[index + 1].line == units[index].line}
    return any(_AGAIN.search(structure.text, units[index].start, units[index].end) for index in {*about, *behind})


def unwanted_brands(
    structure: Structure,
    unwanted: Collection[str],
    recommended: Sequence[Recommendation],
    products: Mapping[str, Product],
) -> list[Finding]:
    """Recommended products of a brand that the query rules out."""
    names = {_plain(brand) for brand in unwanted}
    return [
        _finding(
            "unwanted_brand", structure, spot.start, spot.end, f"the brand is {products[product_id].brand}", product_id
        )
        for product_id, spot in _first_of_each(recommended)
        if {_plain(products[product_id].brand or ""), _plain(products[product_id].store or "")} & names - {""}
    ]


def _phases(structure: Structure, totals: Sequence[Total]) -> Iterator[Finding]:
    for index, section in enumerate(structure.sections):
        allowed = _allowance(structure, section)
        if allowed is None:
            continue
        below = {number for number, _ in enumerate(structure.sections) if _is_below(structure, number, index)}
        inside = [
            total
            for total in totals
            if total.section in below and total.value.start > section.body and not total.beyond
        ]
        if inside and _exceeds(inside[-1].value, allowed.number, allowed.bound == "about"):
            value = inside[-1].value
            found = f"{format_money(allowed.number)} for “{section.title}”"
            yield _finding("over_budget", structure, value.start, value.end, found)


def _allowance(structure: Structure, section: Section) -> Value | None:
    """The amount that a heading such as "Phase 1: Feeders ($120)" sets for what stands below it."""
    if section.level < 2:
        return None
    title = structure.text[section.start : section.body]
    amounts = [value for value in find_values(title) if value.kind == "money"]
    named = re.search(r"\btotal\b", title, re.IGNORECASE)
    return amounts[0] if len(amounts) == 1 and amounts[0].low is None and _PHASE.search(title) and not named else None


def _is_below(structure: Structure, number: int, index: int) -> bool:
    """True for the section itself, those within it, and lines in bold under it."""
    return structure.sections[index] in list(structure.path(number))


def _exceeds(value: Value, allowed: Decimal, about: bool) -> bool:
    if value.low is not None or value.bound not in ("exact", "about"):
        return False
    if about or value.bound == "about":
        return value.number > allowed * Decimal("1.1")
    whole = value.number == value.number.to_integral_value() or allowed != allowed.to_integral_value()
    return value.number > allowed if whole else value.number.quantize(Decimal(1)) > allowed


def _whole(
    structure: Structure,
    budget: Money,
    totals: Sequence[Total],
    recommended: Sequence[Recommendation],
    products: Mapping[str, Product],
) -> Iterator[Finding]:
    """The smallest total that is called the whole; else what one sentence recommends together, or one product."""
    whole = [total.value for total in totals if total.whole]
    limit = f"{_OF_THE_WHOLE}{format_money(budget.value, budget.currency)}"
    if whole:
        least = min(whole, key=lambda value: value.number)
        slack = Decimal("1.1") if least.bound == "about" else Decimal(1)
        if least.number > budget.value * slack and least.currency == budget.currency:
            yield _finding("over_budget", structure, least.start, least.end, limit)
        return
    for spots in _together(structure, recommended):
        prices = [_price(products[spot.product_id], budget.currency) for spot in spots]
        known = sum((price for price in prices if price is not None), Decimal(0))
        unit = spots[0].unit
        if known > budget.value and not _ADMITTED.search(structure.text, unit.start, unit.end):
            found = f"{limit}, and these cost {format_money(known, budget.currency)}"
            yield _finding("over_budget", structure, spots[0].start, spots[-1].end, found)


def _together(structure: Structure, recommended: Sequence[Recommendation]) -> Iterator[list[Recommendation]]:
    """What one sentence recommends, unless it leaves a choice: then each product alone."""
    by_unit: dict[int, list[Recommendation]] = {}
    for spot in recommended:
        by_unit.setdefault(spot.unit.start, []).append(spot)
    for spots in by_unit.values():
        distinct = list({spot.product_id: spot for spot in reversed(spots)}.values())[::-1]
        unit = distinct[0].unit
        if unit.kind == "row" or _ONE_OF_SEVERAL.search(structure.text, unit.start, unit.end):
            continue
        yield distinct


def _items(
    structure: Structure, budget: Money, recommended: Sequence[Recommendation], products: Mapping[str, Product]
) -> Iterator[Finding]:
    for product_id, spot in _first_of_each(recommended):
        price = _price(products[product_id], budget.currency)
        if price is not None and price > budget.value:
            admitted = any(
                _ADMITTED.search(structure.text, unit.start, unit.end)
                for unit in structure.units
                if unit.section == spot.unit.section
            )
            found = (
                f"it costs {format_money(price)}, and the budget is {format_money(budget.value, budget.currency)} each"
            )
            finding = _finding("over_budget", structure, spot.start, spot.end, found, product_id)
            yield finding.model_copy(update={"severity": "warning"}) if admitted else finding


def _price(product: Product, currency: str) -> Decimal | None:
    return exact(product.price) if product.price is not None and product.currency == currency else None


def _first_of_each(recommended: Sequence[Recommendation]) -> Iterator[tuple[str, Recommendation]]:
    yield from {spot.product_id: spot for spot in reversed(recommended)}.items()


def _finding(
    code: str, structure: Structure, start: int, end: int, found: str, product_id: str | None = None
) -> Finding:
    return Finding(
        code=code,
        severity="error",
        start=start,
        end=end,
        said=structure.report[start:end],
        found=found,
        evidence_id=None if product_id is None else f"P:{product_id}",
    )


def _plain(name: str) -> str:
    return " ".join(re.findall(r"\w+", name.casefold()))
