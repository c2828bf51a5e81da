"""What is wrong with a report: contradicted values, sources that do not exist, picks that should not be."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import takewhile

from drretail.grounding.report.citations import Known, find_citations
from drretail.grounding.text.wording import format_money
from drretail.grounding.verify.records import Ledger
from drretail.grounding.verify.values import plain
from drretail.records.evidence import Finding
from drretail.records.query import Constraints
from drretail.records.reading import Pick, ReadValue, ValueKind
from drretail.records.shop import SHOP_URL, Product

CODES: dict[ValueKind, str] = {
    "price": "price_wrong",
    "rating": "rating_wrong",
    "rating_count": "rating_count_wrong",
    "total": "total_wrong",
    "difference": "calculation_wrong",
    "left_over": "calculation_wrong",
    "per_unit": "calculation_wrong",
    "date": "order_date_wrong",
    "brand": "brand_wrong",
    "place": "place_wrong",
    "quantity": "calculation_wrong",
}
"""The finding of a contradicted value, by its kind."""
_PACK = re.compile(
    r"\b(\d{1,3})[ -]?(?:packs?|counts?|ct|pcs?|pieces?|pairs?|sets?)\b|\b(?:packs?|sets?|box|boxes) of (\d{1,3})\b",
    re.I,
)
_AVAILABILITY = re.compile(r"availab|in stock|stock status", re.IGNORECASE)
_UNAVAILABLE = re.compile(
    r"\b(?:unavailable|out of stock|sold out|discontinued|no longer|not available)\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\W_]+")
_SHORTEST_STEM = 3
_NO_THING = frozenset(
    {"the", "for", "and", "with", "from", "set", "new", "pack", "some", "any", "good", "best", "your"}
)


def value_findings(report: str, values: Sequence[ReadValue]) -> list[Finding]:
    """One error for each contradicted value."""
    return [
        Finding(
            code=CODES[value.kind],
            severity="error",
            start=value.start,
            end=value.end,
            said=report[value.start : value.end],
            found=value.derivation,
            evidence_id=value.of[0] if value.of else None,
        )
        for value in values
        if value.state == "contradicted"
    ]


def source_findings(report: str, evidence: Known | None, catalog: Collection[str] | None) -> list[Finding]:
    """Citations that the run was never handed, and products that the shop does not have.

    ``catalog`` holds those of the cited product ids that exist; None where the world is not at hand.
    """
    findings: list[Finding] = []
    for it in find_citations(report, evidence):
        codes = [("unresolved_citation", "the run was handed no such source")] if it.type == "unresolved" else []
        named = _product_named(it.evidence_id or it.url or it.marker.strip("[]【】"))
        if catalog is not None and named and named not in catalog:
            codes.append(("not_in_catalog", f"the shop has no product {named}"))
        findings += [
            Finding(code=code, severity="error", start=it.start, end=it.end, said=it.marker, found=found)
            for code, found in codes
        ]
    return findings


def _product_named(said: str) -> str | None:
    if said.startswith("P:"):
        return said[2:]
    return said.removeprefix(SHOP_URL + "/").strip("/") or None if said.startswith(SHOP_URL + "/") else None


@dataclass(frozen=True, slots=True)
class Asked:
    """What a query wants of the picks."""

    constraints: Constraints
    things: tuple[str, ...] = ()
    """The things asked for, in the query's words ("diaper bag"); empty where that is not known."""
    owned: frozenset[str] = frozenset()
    """Products that the user has, beside those that the constraints name."""
    again: bool = False
    """True where the query wants what the user has once more."""


def pick_findings(
    picks: Sequence[Pick],
    *,
    report: str,
    cited: Collection[str],
    asked: Asked,
    ledger: Ledger,
    catalog: Collection[str] | None = None,
    quantities_known: bool = True,
) -> list[Finding]:
    """What is wrong with the picks of a report, in their order; the budget comes last.

    ``cited`` are the evidence ids that the report cites; ``catalog`` those of the picks' ids that the shop has;
    ``ledger`` holds the products of the picks. Of alternatives the first counts. Picks by form say no quantities.
    """
    findings = [it for pick in picks for it in _of_pick(pick, report, cited, asked, ledger, catalog)]
    if quantities_known:
        findings += _quantities(picks, report, asked, ledger)
    return [*findings, *_budget(picks, report, asked, ledger)]


def _of_pick(
    pick: Pick,
    report: str,
    cited: Collection[str],
    asked: Asked,
    ledger: Ledger,
    catalog: Collection[str] | None,
) -> Iterator[Finding]:
    if catalog is not None and pick.product not in catalog:
        yield _finding("not_in_catalog", report, pick, f"the shop has no product {pick.product}")
        return
    if not any(f"P:{it}" in cited or it in cited for it in (pick.product, *pick.alternatives)):
        yield _finding("pick_not_argued", report, pick, "the report cites nothing of it")
    if not asked.again:
        yield from _owned(pick, report, asked)
    item = ledger.products.get(pick.product)
    if item is None:
        return
    unwanted = {plain(brand) for brand in asked.constraints.brands_unwanted}
    if unwanted & {plain(item.brand or ""), plain(item.store or "")} - {plain("")}:
        yield _finding("unwanted_brand", report, pick, f"the brand is {item.brand or item.store}")
    if asked.things and not is_one_of(item, asked.things):
        found = f"“{item.title}” shares no word with {', '.join(asked.things)}"
        yield _finding("wrong_thing", report, pick, found, severity="warning")
    for name, value in item.details.items():
        if _AVAILABILITY.search(name) and _UNAVAILABLE.search(str(value)):
            yield _finding("unavailable", report, pick, f"{name}: {value}")


def _owned(pick: Pick, report: str, asked: Asked) -> Iterator[Finding]:
    """An error where the query rules anything out for being owned; else it may be just what is to be bought again."""
    if pick.product in asked.owned | set(asked.constraints.owned):
        severity = "error" if asked.constraints.owned else "warning"
        yield _finding("recommended_although_owned", report, pick, "the user has it", severity=severity)


def is_one_of(item: Product, things: Iterable[str]) -> bool:
    """True when a product's title or category path shares a stem with one of the things."""
    path = " ".join((item.title, *item.categories, item.category))
    return any(_shares_a_stem(path, thing) for thing in things)


def _quantities(picks: Sequence[Pick], report: str, asked: Asked, ledger: Ledger) -> Iterator[Finding]:
    """A thing that is asked for several times, and picked less often, in whatever packs; or more often, one by one."""
    for thing, wanted in asked.constraints.quantities.items():
        of_thing = [it for it in picks if (item := ledger.products.get(it.product)) and _is_named(item, thing)]
        packs = [_pack(ledger.products[it.product]) for it in of_thing]
        declared = sum(it.quantity for it in of_thing)
        units = sum(it.quantity * pack for it, pack in zip(of_thing, packs, strict=True))
        found = f"asked for are {wanted}, declared {declared}"
        if of_thing and units < wanted:
            yield _finding("quantity_wrong", report, of_thing[0], found)
        elif of_thing and declared > wanted and set(packs) == {1}:
            yield _finding("quantity_wrong", report, of_thing[0], found, severity="warning")


def _is_named(item: Product, thing: str) -> bool:
    """True when a title has all words of a thing, by their stems."""
    return all(_shares_a_stem(item.title, word) for word in _WORD.findall(thing))


def _pack(item: Product) -> int:
    return max((int(one or other) for one, other in _PACK.findall(item.title)), default=1) or 1


def _budget(picks: Sequence[Pick], report: str, asked: Asked, ledger: Ledger) -> Iterator[Finding]:
    """Prices above the budget; a pick without a known price counts nothing."""
    budget = asked.constraints.budget
    if budget is None:
        return
    priced = [
        (pick, price)
        for pick in picks
        if (item := ledger.products.get(pick.product)) is not None
        and item.currency == budget.currency
        and (price := ledger.price(pick.product)) is not None
    ]
    limit = format_money(budget.value, budget.currency)
    if asked.constraints.budget_scope == "per_item":
        for pick, price in priced:
            if price > budget.value:
                found = f"it costs {format_money(price, budget.currency)}, and the budget is {limit} each"
                yield _finding("over_budget", report, pick, found)
        return
    together = sum((price * pick.quantity for pick, price in priced), Decimal(0))
    if together > budget.value:
        found = f"the budget is {limit}, and the picks cost {format_money(together, budget.currency)}"
        yield Finding(
            code="over_budget", severity="error", said=", ".join(_words(it, report) for it, _ in priced), found=found
        )


def _shares_a_stem(text: str, thing: str) -> bool:
    """True when a word of one begins as a word of the other, over most of the shorter, or stands within the other.

    Lenient on purpose: "pruners" and "pruning", "night light" and "nightlight" are one.
    """
    words, wanted = (
        [it for it in _WORD.findall(text.casefold()) if len(it) >= _SHORTEST_STEM and it not in _NO_THING]
        for text in (text, thing)
    )
    together = "".join(words)
    return any(len(it) > _SHORTEST_STEM and it in together for it in wanted) or any(
        _is_alike(one, other) for one in words for other in wanted
    )


def _is_alike(one: str, other: str) -> bool:
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    shorter, longer = sorted((len(one), len(other)))
    begins_alike = shared == shorter or (shared > _SHORTEST_STEM and shared * 2 >= shorter)
    return begins_alike and shared + 4 >= longer


def _finding(code: str, report: str, pick: Pick, found: str, *, severity: str = "error") -> Finding:
    return Finding.model_validate(
        {
            "code": code,
            "severity": severity,
            "start": pick.start,
            "end": pick.end,
            "said": _words(pick, report),
            "found": found,
            "evidence_id": f"P:{pick.product}",
        }
    )


def _words(pick: Pick, report: str) -> str:
    """What the report says of a pick, or the pick as it is declared."""
    if pick.start is None or pick.end is None:
        return f"P:{pick.product} x {pick.quantity}"
    return report[pick.start : pick.end].strip()
