"""Whether what a query names is in the shop: products, brands, categories, and the things it asks for."""

import re
from collections.abc import Iterator

from drretail.grounding.brands import read_brands
from drretail.grounding.vocabulary import NO_BRANDS
from drretail.querygen.checks.case import Case, found
from drretail.querygen.checks.shopper import Shopper
from drretail.querygen.makers import makers_in
from drretail.querygen.things import titles_name
from drretail.records.evidence import Finding

CODES = {
    "product_unknown": "a product that the query names is not in the shop",
    "brand_unknown": "a brand that the query names is not in the shop",
    "category_unknown": "a category of the constraints is not in the shop",
    "category_not_wanted": "nothing that the query asks for is in a category of the constraints",
    "owned_not_ordered": "a product that is said to be owned was not ordered, or not kept",
    "purchase_unknown": "the user ordered no such thing as the text says was bought here",
    "nothing_offered": "the shop has no product of a thing that the query asks for",
}

_QUOTED = re.compile(r"[“\"](?P<name>[^”\"\n]{8,120})[”\"]")
# A period behind a number ends a sentence: "by October 9. Two of each" names nothing.
_CAPITAL = r"(?:[A-Z][\w'&-]*|\d(?:[\w.]*\w)?)"
# Inside a sentence, three words with capitals or digits are the name of something; behind these words, of a place.
_TITLE = re.compile(
    r"(?<=[a-z,] )(?<! in )(?<! to )(?<! of )(?<!near )(?<!from )(?<!around )"
    rf"(?P<name>[A-Z][\w'&-]*(?:\s+{_CAPITAL}){{2,}})"
)
# What is only had may be from elsewhere; what was bought stands in the record.
_BOUGHT = re.compile(
    r"\b(?:bought|ordered|purchased)\b|\b(?:got|had|have|gotten|comes?|came)\b[^.!?\n]{0,25}\bfrom\s+you\b",
    re.IGNORECASE,
)
# Characters before and behind a thing that can say so.
_BEFORE, _BEHIND = 35, 25


def check(case: Case) -> Iterator[Finding]:
    yield from _products(case)
    yield from _brands(case)
    for category in case.query.constraints.categories:
        if not case.stock.has_category(category):
            yield found("category_unknown", category, "no product is in it")
    yield from _elsewhere(case)
    yield from _owned(case)
    if case.shopper is not None:
        yield from _purchases(case, case.shopper)
    for slot in case.slots:
        if not slot.offers:
            yield found("nothing_offered", slot.name, "no product's title names it")


def _products(case: Case) -> Iterator[Finding]:
    """Names in quotes, and runs of words with capitals that are no brand."""
    text = case.query.text
    for pattern in (_QUOTED, _TITLE):
        for match in pattern.finditer(text):
            words = match["name"].casefold().split()
            named = len(words) > 2 and not set(words) <= NO_BRANDS and not case.stock.has_title(match["name"])
            if named and not case.stock.has_brand(match["name"]):
                yield found("product_unknown", match["name"], "no product's text holds it", span=match.span("name"))


def _brands(case: Case) -> Iterator[Finding]:
    constraints = case.query.constraints
    said = (brand for brands in read_brands(case.query.text) for brand in brands)
    told = dict.fromkeys([*constraints.brands_wanted, *constraints.brands_unwanted, *said])
    for brand in told:
        if not case.stock.has_brand(brand):
            yield found("brand_unknown", brand, "no product is of this brand")
    for name, span in dict(makers_in(case.query.text, case.named)).items():
        # What stands in the shop's texts is a word for something, if not a brand; behind a brand may stand a model.
        if name not in told and not case.stock.has_brand(name) and not case.stock.has_title(name.split()[0]):
            yield found("brand_unknown", name, "no product is of this brand", span=span)


def _elsewhere(case: Case) -> Iterator[Finding]:
    """Categories in which the shop has none of the things that the text asks for, or so much as names.

    With more categories than things, one may be that of a thing which nothing here knows: then it is a warning.
    """
    things = [thing for thing in case.asked.things if case.stock.offers(thing)]
    named = [it.thing for it in case.named]
    categories = [it for it in case.query.constraints.categories if case.stock.has_category(it)]
    unsure = len(case.thing_slots) < len(categories)
    for category in categories if things else ():
        if not any(case.stock.is_in(thing, category) for thing in (*things, *named)):
            names = ", ".join(thing.name for thing in things)
            severity = "warning" if unsure else "error"
            yield found("category_not_wanted", category, f"none of these is in it: {names}", severity=severity)


def _owned(case: Case) -> Iterator[Finding]:
    for product_id in case.query.constraints.owned:
        if not case.stock.has_product(product_id):
            yield found("product_unknown", product_id, "the constraints name it as owned")
        elif case.shopper is not None and product_id not in case.shopper.bought:
            yield found("owned_not_ordered", product_id, "no kept order of the user", evidence_id=f"P:{product_id}")


def _purchases(case: Case, shopper: Shopper) -> Iterator[Finding]:
    """Things that the text says were bought here, of which no title of the user's orders holds the words."""
    titles = [listing.product.title for listing in shopper.products.values()]
    for named in case.named:
        text = case.query.text[named.start : named.end]
        around = case.query.text[max(0, named.start - _BEFORE) : named.end + _BEHIND]
        bought = named.role == "had" and _BOUGHT.search(around)
        if bought and not shopper.orders_of(named.thing) and not titles_name(named.thing, titles):
            yield found("purchase_unknown", text, "no order of the user is of it", span=(named.start, named.end))
