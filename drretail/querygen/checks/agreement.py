"""Whether text and wish agree in form: amounts, numbers and names, in both directions.

No English is interpreted. Amounts and numbers are compared as values, everything else as words by their stems. A later
turn of a conversation says what changes, and its wish is whole: the two are not compared.
"""

import re
from collections.abc import Iterator
from decimal import Decimal

from drretail.querygen.checks import contract
from drretail.querygen.checks.case import Code, QueryCase, finding, names_of
from drretail.records.evidence import Finding
from drretail.records.wish import Wish
from drretail.reports.text.amounts import find_amounts
from drretail.reports.text.wording import format_amount
from drretail.reports.text.words import NUMBERS, STOP_WORDS, content_stems, stem
from drretail.shopping.listing import folded

_TYPE_IT = "type it in the wish, or take it out of the text"
_SAY_IT = "say it in the text, or take it out of the wish"
CODES = {
    "amount_not_in_text": Code("a typed amount of money is no amount of the text", _SAY_IT),
    "amount_not_typed": Code("the text names an amount of money that the wish lacks", _TYPE_IT),
    "number_not_in_text": Code("a typed quantity, least rating or number of ratings is not in the text", _SAY_IT),
    "words_not_in_text": Code("a typed name, demand, brand or deadline is not in the words of the text", _SAY_IT),
    "owned_not_in_text": Code("no word of the text is of an owned product", "name it in the text, or drop its id"),
    "placeholder_in_text": Code("a blank of the text was not filled in", "fill it in"),
}

# The currencies that are written "$".
_DOLLARS = frozenset({"USD", "CAD", "AUD"})
# Words by which a text says how many it wants without a number.
_HOW_MANY = dict.fromkeys(("both", "couple", "double", "pair", "pairs", "twice", "twin", "twins"), 2) | {"dozen": 12}
_SPELT_AMOUNT = re.compile(r"\b(?:dollars?|euros?|pounds?|bucks)\b", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"\{[^{}\n]{0,40}\}|<[a-z_ ]{1,40}>|\[[A-Za-z_ ]{3,40}\]|\(insert [^()\n]{1,40}\)|_{3,}|\$(?=[A-Za-z]{2})\w+"
    r"|\b(?:TODO|TBD|X{2,})\b"
)


def check(case: QueryCase) -> Iterator[Finding]:
    wish, text = case.query.wish, case.query.text
    for match in _PLACEHOLDER.finditer(text):
        yield finding("placeholder_in_text", match[0], span=match.span())
    if wish is not None and case.query.after is None:
        stated = wish.without("profile").without("page")
        for compare in (_amounts, _numbers, _owned):
            yield from compare(case, stated)
        yield from _words(case, wish, stated)


def _amounts(case: QueryCase, wish: Wish) -> Iterator[Finding]:
    """Compares amounts in digits only.

    A text with a typed limit may name other amounts, such as a price paid before, but no other upper limit. A text by a
    model may name none.
    """
    money = [amount for amount in find_amounts(case.query.text) if amount.kind == "money"]
    if wish.limits and not money and (contract.binds(case.query) or not _SPELT_AMOUNT.search(case.query.text)):
        yield finding("amount_not_in_text", format_amount(wish.limits[0]), "write it in digits")
    amounts, typed = {amount.high for amount in money}, {limit.value for limit in wish.limits}
    for limit in wish.limits if money else ():
        if limit.value not in amounts:
            shown = ", ".join(dict.fromkeys(case.query.text[amount.start : amount.end] for amount in money))
            yield finding("amount_not_in_text", format_amount(limit), f"the text says {shown}")
    signs = {amount.currency for amount in money if amount.high in typed}
    currencies = {limit.currency for limit in wish.limits}
    if signs and not signs & currencies and not signs | currencies <= _DOLLARS:
        yield finding(
            "amount_not_in_text", ", ".join(sorted(currencies)), f"the text's are in {', '.join(map(str, signs))}"
        )
    for amount in money if wish.wants else ():
        if amount.high not in typed and (not typed or amount.relation == "at_most" or contract.binds(case.query)):
            span = amount.start, amount.end
            limits = ", ".join(map(format_amount, wish.limits)) or "no amount"
            yield finding("amount_not_typed", case.query.text[slice(*span)], f"the wish has {limits}", span=span)


def _numbers(case: QueryCase, wish: Wish) -> Iterator[Finding]:
    text = case.query.text
    words = {word: Decimal(number) for word, number in (*NUMBERS.items(), *_HOW_MANY.items())}
    spoken = set(folded(text).split())
    numbers = {end for amount in find_amounts(text) for end in (amount.low, amount.high)}
    numbers |= {words[word] for word in spoken & words.keys()}
    for want in wish.wants:
        typed = [want.rating_min, want.ratings_min]
        typed += [want.quantity] if want.quantity > 1 else []
        for number in typed:
            if number is not None and Decimal(str(number)) not in numbers:
                yield finding("number_not_in_text", f"{number:g}", f"typed for {want.name}")


def _words(case: QueryCase, wish: Wish, stated: Wish) -> Iterator[Finding]:
    """All typed words but kinds, which are the shop's, must be in the text."""
    spoken = {*map(stem, folded(case.query.text).split())}
    phrases = [wish.deadline or ""]
    for want, of_text in zip(wish.wants, stated.wants, strict=True):
        phrases += (want.name, *map(str, want.demands), *of_text.brands_wanted, *of_text.brands_unwanted)
        phrases += (value for values in of_text.options.values() for value in values)
    for phrase in dict.fromkeys(phrases):
        typed = (word for word in folded(phrase).split() if word not in STOP_WORDS)
        if missing := [word for word in typed if stem(word) not in spoken]:
            yield finding("words_not_in_text", phrase, f"the text lacks {', '.join(missing)}")


def _owned(case: QueryCase, wish: Wish) -> Iterator[Finding]:
    del wish
    spoken = {*content_stems(case.query.text)}
    for listing in case.owned:
        if not spoken & names_of(listing):
            product = listing.product
            yield finding(
                "owned_not_in_text", product.title[:60], product.product_id, evidence_id=f"P:{product.product_id}"
            )
