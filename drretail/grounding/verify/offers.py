"""Sentences on prices and availability, compared with what a shop offers of a product.

An amount is contradicted only if no variant that the sentence may mean has it, and no list price, sum, difference or
multiple explains it. Sums are confirmed, never contradicted.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import partial
from itertools import pairwise, product

from drretail.grounding.text.amounts import Amount, find_amounts
from drretail.grounding.text.wording import format_money
from drretail.grounding.text.words import content_stems, stem
from drretail.grounding.verify.derivation import derivation, small_numbers, title_numbers
from drretail.grounding.verify.records import Ledger
from drretail.records.shop import Offer, Product, is_priced_whole, list_prices, offers_of, sold_for

AGREES = "agrees with the records"
"""Part of a line about a right statement."""
_REACH = 45
_MOST_SUMMED, _MOST_COUNTS = 6, 4
"""The most products of a sum, and the most different numbers of pieces of each."""
# Not today's price: a list price, an amount per piece, a discount, a limit, a fee.
_LIST_BEFORE = re.compile(
    r"\b(?:(?<!limit )(?<!budget )(?:was|were)|instead of|originally|(?:down|reduced|marked down) from|before|rrp|msrp"
    r"|(?:list|regular|normal|usual|original|full|old)(?:ly)?(?: price)?(?: of)?|compared? (?:at|to|with))\W{0,3}$",
    re.IGNORECASE,
)
_OTHER_BEFORE = re.compile(
    r"\b(?:saves?|saving|leaves?|from|than|off|by|your|elsewhere|worth|paid|plus|so|makes|around|go to|of up to|under"
    r"|over|above|below|(?:shipping|delivery|coupon|discount|budget|limit|deposit|fee)(?:\s\w+){0,2})\W{0,3}(?:an?\W)?$",
    re.IGNORECASE,
)
# A former price, a mean, or a remainder: "bought for $41", "Price per serving: $0.38", "short of the $80 cap".
_NO_PRICE = re.compile(
    r"\b(?:bought|paid|ordered|purchased?|took delivery|average|mean|median|sav(?:es?|ings?)|left|remain\w*|per"
    r"|short of|spen[dt]\w*)\b",
    re.IGNORECASE,
)
_OTHER_BEHIND = re.compile(
    r"[^\w:;.]{0,3}(?:/|\b(?:per|more|less|cheaper|dearer|off|left|over|under|below|above|budget|limit|cap|shipping"
    r"|delivery|coupon|discount|or (?:more|less)|and up|(?:with|incl\w*|plus) (?:\w+ )?(?:shipping|delivery|tax|vat))"
    r"\b)",
    re.IGNORECASE,
)
_TOTAL_BEFORE = re.compile(
    r"\b(?:totals?|sum|altogether|together|com(?:es?|ing) to|adds? up to|in all)\b[^.;|\n$€£]{0,30}$|=\s?$"
    r"|[x×] ?[$€£]?\d[\d.,]*\W{0,2}(?:is|are|makes?)\W?$",  # "3 × $19.99 is"
    re.I,
)
_TOTAL_BEHIND = re.compile(r"[^\w.;]{0,3}(?:in total|together|altogether|in all|all in)\b", re.IGNORECASE)
_OTHER_COSTS = re.compile(
    r"\b(?:shipp\w+|deliver\w+|tax|vat|codes?|coupons?|vouchers?|discount\w*|deals?|offers?|bundles?|free|extra|pairs?"
    r"|dozen|few|another|points|first order|newsletter|subscri\w+)\b",
    re.IGNORECASE,
)
"""If one of these is in a sentence, its percentages may be of what no record has."""
_PER_CENT_OFF = re.compile(r"\W{0,3}(?:off|discount|reduc\w+|cheaper|less)\b", re.IGNORECASE)
_SEVERAL = re.compile(r"\b(?:\d+\s?[x×]|[x×]\s?\d+|two|three|four|five|pairs?|each|times|another|more)\b", re.I)
_THING = re.compile(r"\b(?:an?|another) (?:\w+ )?\$ ([a-z]{3,})\b", re.IGNORECASE)
_EACH = re.compile(r"\W{0,3}(?:each|apiece|either way)\b|[^.;]{0,15}\bfor (?:all|each|every)\b", re.IGNORECASE)
_PARTED = re.compile(r"[;.!?](?=\s|$)|\b(?:but|while|whereas)\b", re.IGNORECASE)
_OUT = r"sold out|out of stock|unavailable|(?:not|no longer|isn't|aren't)(?: \w+)? (?:available|in stock)"
_IN = r"in stock|(?:available|ready to ship)(?! (?:in|as|at|from|with|for|on|by|separately|soon|again)\b)|ships? today"
_AVAILABILITY = re.compile(rf"\b(?:(?P<out>{_OUT})|(?P<in>{_IN}))\b", re.IGNORECASE)
_UNSURE = re.compile(r"\b(?:if|when|whether|once|unless|until|soon|again|back|notify|might|may|check)\b|\?", re.I)
_ROW = re.compile(r"; [^;:]{1,40}: ")
_IT = re.compile(r"\b(?:it|it's|this one|that one)\b", re.IGNORECASE)


def price_lines(
    text: str, items: Sequence[Product], ledger: Ledger, report: str = "", *, are_named: bool = True
) -> Iterator[str]:
    """A line for each amount of a sentence that is not a price of these products: "price $139.00: the record says
    $149.00"; for totals only if they agree. A sentence that doesn't name the products may mean prices of others.
    """
    others = () if are_named else [price for item in ledger.products.values() for price in sold_for(item)]
    has_several = _SEVERAL.search(text) is not None
    all_titles = " ".join(f"{item.title} {item.leaf_category}" for item in items)
    amounts = find_amounts(text)
    # A line for a discount that differs from every variant's list price minus its price.
    offers = [offer for item in items for offer in offers_of(item) if offer.price and offer.list_price]
    found = {100 - 100 * offer.price / offer.list_price for offer in offers if offer.price and offer.list_price}
    for amount in amounts if found and not _OTHER_COSTS.search(text) else ():
        is_off = amount.kind == "percent" and amount.relation == "is" and _PER_CENT_OFF.match(text[amount.end :])
        if is_off and not any(abs(share - amount.low) <= 1 for share in found):
            shown = ", ".join(f"{share:.0f}%" for share in sorted(found))
            yield f"discount {amount.low:f}%: the record says {shown}"
    money = [one for one in amounts if one.kind == "money"]
    edges = [0, *(one.end for one in money)]
    stops = [*(one.start for one in money[1:]), len(text)]
    for amount, start, stop in zip(money, edges, stops, strict=False):
        before, behind = text[max(0, amount.start - _REACH) : amount.start], text[amount.end : amount.end + _REACH]
        is_foreign = amount.currency not in (None, items[0].currency)
        if is_foreign or amount.is_range or amount.relation != "is" or amount.compound or ledger.names(amount.low):
            continue
        if _TOTAL_BEFORE.search(before) or _TOTAL_BEHIND.match(behind):
            yield from _total_line(amount, items, text, f"{ledger.query_text}\n{report}")
        elif _LIST_BEFORE.search(before):
            # Only if a product has a list price, and none has this one; former prices are not in the record.
            known = [price for item in items for price in list_prices(item)]
            if known and amount.low not in known and not any(amount.low in sold_for(item) for item in items):
                shown = ", ".join(format_money(price, items[0].currency) for price in known)
                yield f"list price {format_money(amount.low, items[0].currency)}: the record says {shown}"
        elif amount.low in others or _NO_PRICE.search(text[start : amount.start]):
            continue
        elif (thing := _THING.search(f"{before}${behind}")) and stem(thing[1]) not in content_stems(all_titles):
            continue  # "a fresh $2 cell"
        elif not _OTHER_BEFORE.search(before) and not _OTHER_BEHIND.match(behind):
            near = (_PARTED.split(text[start : amount.start])[-1], _PARTED.split(text[amount.end : stop])[0])
            yield from _price_fault(amount, near, items, ledger, behind, has_several=has_several)


def _price_fault(
    amount: Amount, near: tuple[str, str], items: Sequence[Product], ledger: Ledger, behind: str, *, has_several: bool
) -> Iterator[str]:
    """``near`` are the words on either side, which may name the variant."""
    if not all(is_priced_whole(item) and sold_for(item) for item in items):
        return
    is_each = _EACH.match(behind) is not None
    readings, is_named = list[Sequence[Offer]](), False
    for item in items:
        offers = offers_of(item)
        named = [meant for side in near if len(meant := _meant(side, offers)) < len(offers)]
        readings += named or [offers]
        is_named = is_named or bool(named)
    for offers in readings:
        fitting = [offer.price is not None and amount.agreement(offer.price) is not None for offer in offers]
        is_of_all = is_each and sum(option_in(near[0], value) for one in offers for value in one.options.values()) > 1
        if all(fitting) if is_of_all else any(fitting):
            return
    if any(amount.low == offer.list_price for offers in readings for offer in offers):
        return
    ids = [item.product_id for item in items]
    is_free = (has_several or not is_named) and not any(amount.low in sold_for(item) for item in items)
    if is_free and derivation(amount, ledger, ids, title_numbers(ids, ledger)) is not None:
        return
    currency = items[0].currency
    if len(items) > 1:
        shown = "; ".join(f"{item.title}: {_prices_in_words(offers_of(item), currency)}" for item in items)
    else:
        shown = _prices_in_words([offer for offers in readings for offer in offers], currency)
    yield f"price {format_money(amount.low, currency)}: the record says {shown}"


def _prices_in_words(offers: Iterable[Offer], currency: str) -> str:
    by_price: dict[Decimal, list[str]] = {}
    for offer in offers:
        if offer.price is not None and offer.name not in by_price.setdefault(offer.price, []):
            by_price[offer.price].append(offer.name)
    shown = {format_money(price, currency): "; ".join(filter(None, names)) for price, names in by_price.items()}
    return ", ".join(f"{price} ({names})" if names else price for price, names in shown.items())


def _total_line(amount: Amount, items: Sequence[Product], text: str, report: str) -> Iterator[str]:
    """A line for a sum that some choice of these products makes, once each or in a named number."""
    stated = {one.low for one in find_amounts(f"{report}\n{text}") if one.kind == "money"}
    priced = [[price for price in sold_for(item) if price in stated] or sold_for(item) for item in items]
    named = sorted(small_numbers(text) | small_numbers(report))
    if len(items) > _MOST_SUMMED or not all(priced) or not all(map(is_priced_whole, items)):
        return
    money = partial(format_money, currency=items[0].currency)
    counts = [1, *named[: _MOST_COUNTS if len(items) < _MOST_COUNTS else 1]]
    for chosen in product(*([(0, Decimal(0)), *product(counts, prices)] for prices in priced)):
        if sum(count for count, _ in chosen) > 1 and sum(count * price for count, price in chosen) == amount.low:
            parts = (f"{count} × {money(price)}" if count > 1 else money(price) for count, price in chosen if count)
            yield f"total {money(amount.low)}: {AGREES} ({' + '.join(parts)})"
            return


def stock_lines(text: str, item: Product, before: str = "") -> Iterator[str]:
    """A line for each statement on availability that the count denies or confirms; "it" refers to the
    sentence before.
    """
    offers = offers_of(item)
    counts = [offer.stock for offer in offers]
    if None in counts or _UNSURE.search(text):
        return
    places = list(_AVAILABILITY.finditer(text))
    edges = [0, *(place.end() for place in places)]
    for (start, stop), place in zip(pairwise([*edges, len(text)]), places, strict=False):
        side = _PARTED.split(text[start : place.start()])[-1]
        behind = re.split(r"[,;.(]", text[place.end() : max(stop, place.end())])[0]
        meant = _meant(side, offers)
        meant = meant if len(meant) < len(offers) else _meant(behind, offers)
        if len(meant) == len(offers) and _ROW.search(text):
            meant = _meant(text, offers)  # "Ink; Price: $29; Stock: in stock"
        meant = _meant(before, offers) if len(meant) == len(offers) and _IT.search(side) else meant
        left = [offer.stock or 0 for offer in meant]
        named = f" of {', '.join(offer.name for offer in meant)}" if len(meant) < len(offers) else ""
        if place["out"] and all(left):
            shown = ", ".join(map(str, left))
            yield f"“{place[0]}”: the record counts {shown} in stock{named}"
        elif place["in"] and not any(left):
            yield f"“{place[0]}”: the record counts 0 in stock{named}"
        elif any(left) if place["in"] else not any(left):
            yield f"“{place[0]}”: {AGREES}"


def _meant(text: str, offers: Sequence[Offer]) -> list[Offer]:
    """The variants whose options a text names; all of them if it names none, or none that exist together."""
    named = {
        name: values
        for name in {name for offer in offers for name in offer.options}
        if (values := {o.options[name] for o in offers if name in o.options and option_in(text, o.options[name])})
    }
    return [one for one in offers if all(one.options.get(name) in named[name] for name in named)] or list(offers)


def option_in(text: str, value: str) -> bool:
    """True if a text names a variant's option: "matte black", "250g" for "250 g"; "M" only in capitals."""
    pattern = r"\s*".join(map(re.escape, re.findall(r"\d+(?:[.,]\d+)?|[^\W\d]+|[^\w\s]", value)))
    flags = re.IGNORECASE if len(value) > 2 else re.NOFLAG
    return bool(pattern) and re.search(rf"(?<![\w.])(?:{pattern})(?!\w|[.,]\d)(?! price)", text, flags) is not None
