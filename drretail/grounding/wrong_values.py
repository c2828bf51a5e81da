"""Prices, ratings and rating counts that are not those of the record."""

from collections.abc import Callable

from drretail.grounding.attached import Attached
from drretail.grounding.case import Case
from drretail.grounding.facts import exact
from drretail.grounding.values import Kind, compare
from drretail.grounding.wording import format_money
from drretail.records.evidence import Finding
from drretail.records.shop import Product


def wrong_values(kind: Kind, code: str, field: str) -> Callable[[Case], list[Finding]]:
    """The check of one kind of value against one field of the record."""

    def find(case: Case) -> list[Finding]:
        findings: list[Finding] = []
        for attached in case.attached:
            if attached.value.kind == kind:
                findings += _wrong(case, attached, code, field)
        return findings

    return find


def _wrong(case: Case, attached: Attached, code: str, field: str) -> list[Finding]:
    """One finding when the value fits none of the products that it may be said of."""
    value = attached.value
    matches: list[str] = []
    for product in (case.products[product_id] for product_id in attached.products):
        truth = getattr(product, field)
        if truth is None or (value.kind == "money" and value.currency != product.currency):
            matches.append("differs")
        elif value.kind == "money" and product.price_from and value.number >= exact(truth):
            matches.append("equal")
        else:
            matches += [compare(value, exact(truth) * times) for times in (1, *attached.times)]
    if "equal" in matches:
        return []
    product = case.products[attached.products[0]]
    return [
        Finding(
            code=code,
            severity="warning" if "rounded" in matches else "error",
            start=value.start,
            end=value.end,
            said=case.report[value.start : value.end],
            found=_found(product, field) if len(attached.products) == 1 else "none of the products named here has it",
            evidence_id=f"P:{product.product_id}" if len(attached.products) == 1 else None,
        )
    ]


def _found(product: Product, field: str) -> str:
    truth = getattr(product, field)
    if truth is None:
        return "the shop does not know it"
    return format_money(truth, product.currency) if field == "price" else f"{truth:,}"
