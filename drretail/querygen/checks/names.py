"""Whether what a query names is in the shop: products, brands, categories, and the things it asks for."""

import re
from collections.abc import Iterator, Sequence

from drretail.grounding.constraints.brands import read_brands
from drretail.grounding.constraints.demand_words import NO_BRANDS, STYLES
from drretail.grounding.text.states import STATES
from drretail.querygen.checks.case import Case, Named, found
from drretail.querygen.checks.shopper import Shopper
from drretail.querygen.rules.phrases import folded_words
from drretail.records.evidence import Finding

CODES = {
    "product_unknown": "a product that the query names is not in the shop",
    "brand_unknown": "a brand that the query names is not in the shop",
    "category_unknown": "a category of the constraints is not in the shop",
    "category_not_wanted": "nothing that the query asks for is in a category of the constraints",
    "owned_not_ordered": "a product that is said to be owned was not ordered, or not kept",
    "misnamed_thing": "the text calls a product of the user's orders what neither its title nor its category bears out",
    "purchase_unknown": "the user ordered no such thing as the text says was bought here",
    "nothing_offered": "the shop has no product of a thing that the query asks for",
}

_NAME = r"(?P<name>[A-ZÀ-ÖØ-Þ][\w&-]+(?:\s+(?:&\s+)?[A-ZÀ-ÖØ-Þ][\w&-]+){0,2})(?:['’]s)?"
_CUES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?:[Bb]rands?|makers?|manufacturers?|company|label)\s+(?:(?:called|named|like)\s+)?{_NAME}",
        # Not where a sentence begins: "Which brand", "Whatever products".
        rf"(?<=[a-z,] ){_NAME}\s+(?:[Bb]rand|products|gear|makes|sells)\b",
        rf"\b[Hh]ow\s+(?:well\s+)?(?:do|does|did|would|will|has|have)\s+{_NAME}\s+(?:[a-z]+\s+){{0,4}}?"
        r"(?:hold|holds|held|compares?|stacks?|fares?|performs?|lasts?|measures?|differs?)\b",
        rf"\b(?:fan\s+of|loyal\s+to|swears?\s+by|reputation\s+of|warranty\s+(?:of|from|by)|versus|vs\.?)\s+{_NAME}",
    )
)
_BEFORE_A_THING = re.compile(
    r"\b(?:[Aa]n?|[Tt]he|[Mm]y|[Oo]ur|[Tt]h(?:is|at|ese|ose)|[Aa]nother|[Aa]ny|[Ss]ome|[Oo]ld|[Nn]ew|[Tt]wo|[Oo]f|[Bb]etter)\s+"
    rf"{_NAME}\s+(?:[a-z-]+\s+)?$"
)
_PETS = frozenset({"dog", "cat", "pet", "bird", "puppy", "kitten", "horse", "litter"})
_FROM_SOMEWHERE = re.compile(r"(?:ian|ean|ese|ish|ican|ern)$")
_REACH = 80


def makers_in(text: str, named: Sequence[Named]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Each such name with its place; ``named`` are the things that the text names."""
    for cue in _CUES:
        for match in cue.finditer(text):
            if _may_be_a_maker(match["name"]):
                yield match["name"], match.span("name")
    for it in named:
        before = max(0, it.start - _REACH)
        match = _BEFORE_A_THING.search(text[before : it.start])
        # A breed often stands before what is bought for it.
        if match and not _PETS & set(folded_words(it.thing.name)) and _may_be_of_a_thing(match["name"]):
            yield match["name"], (before + match.start("name"), before + match.end("name"))


def _may_be_a_maker(name: str) -> bool:
    words = name.casefold().split()
    return not set(words) & NO_BRANDS and name not in STATES.values()


def _may_be_of_a_thing(name: str) -> bool:
    words = name.casefold().split()
    kinds = any(word in STYLES or _FROM_SOMEWHERE.search(word) for word in words)
    return _may_be_a_maker(name) and not kinds and not name.isupper()


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
    """Things that the text says the user has, where no order bears them out.

    Some title may hold the words and sell something else, as squeeze bottles for bar soap do. What is only had may be
    from elsewhere, unless an owned product is typed; what was bought here stands in the record.
    """
    for named in (it for it in case.named if it.role == "had"):
        if shopper.orders_that_may_be(named.thing):
            continue
        text, span = case.query.text[named.start : named.end], (named.start, named.end)
        holder = next((it.product for it in shopper.listings if named.thing.is_in(it.product.title)), None)
        around = case.query.text[max(0, named.start - _BEFORE) : named.end + _BEHIND]
        if holder is not None:
            evidence = f"P:{holder.product_id}"
            yield found("misnamed_thing", text, f"it is: {holder.title[:80]}", span=span, evidence_id=evidence)
        elif _BOUGHT.search(around):
            yield found("purchase_unknown", text, "no order of the user is of it", span=span)
