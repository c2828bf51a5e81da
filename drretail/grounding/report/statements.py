"""Statements beside one mark: measures of products, the status of orders, the user's state and where the shopper
lives, and all numerals that a reader must have looked at.

They are the denominator of all that is said of how much was checked (METRICS ``looked_at``).

Countries are those of Unicode's CLDR, as Babel has them; CLDR lacks the states of the USA. States of other countries
are not distinguished.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from drretail.grounding.report.page import read_page
from drretail.grounding.text.layout import Layout, Stretch
from drretail.grounding.text.numerals import Numeral, find_numerals
from drretail.grounding.text.words import answer_words, content_stems, is_negation
from drretail.grounding.text.words import words as words_of
from drretail.grounding.verify.fields import field_statements
from drretail.grounding.verify.records import Ledger, decided, leaves, with_state
from drretail.grounding.verify.values import plain
from drretail.records.reading import ReadValue
from drretail.records.shop import Address, Product, UserProfile, has_been

_FIRST = re.compile(r"[^\W_]")
_PRICED = re.compile(r"[$€£¥₹＄﹩](?=\w|[^\s\x00-\x7f])")
"""A sign of a currency stands before a figure, whatever its digits are: "$l.99", "$①"."""
_RANK = re.compile(r"\W*\d{1,3}\W*")
"""A first cell with nothing but the number of its row."""


def numerals_beside_marks(layout: Layout) -> dict[Numeral, tuple[str, ...]]:
    """The numerals in sentences and cells that a mark owns, with what they are said of; and, of nothing, those in HTML
    that may be seen and is not read.
    """
    of_line = (_FIRST.search(layout.text, sentence.start, sentence.end) for sentence in layout.sentences)
    starts = frozenset(match.start() for match in of_line if match is not None)
    numerals = {numeral.start: numeral for numeral in find_numerals(layout.text, layout.dates, starts)}
    signs = (match.span() for match in _PRICED.finditer(layout.text))
    numerals |= {end: Numeral(start, end + 1, None, stop=end + 1) for start, end in signs if end not in numerals}
    unread = dict.fromkeys(find_numerals(read_page(layout.report).unread_words), ())
    owned: dict[int, tuple[str, ...]] = {}
    for stretch in layout.stretches:
        if cited := stretch.cited or layout.cited.get(stretch.sentence, ()):
            owned |= dict.fromkeys(range(stretch.start, stretch.end), cited)
    for cell in layout.cells:
        is_rank = not cell.column and _RANK.fullmatch(layout.text, cell.start, cell.end)
        if (cited := (*cell.subjects, *cell.orders)) and not is_rank:
            owned |= dict.fromkeys(set(range(cell.start, cell.end)) - owned.keys(), cited)
    return {numeral: owned[start] for start, numeral in numerals.items() if start in owned} | unread


def stands_in_record(numeral: Numeral, sources: Iterable[str], ledger: Ledger) -> bool:
    """True if the title or a field of one of these sources has this number with this unit."""
    if numeral.number is None:
        return False
    for source in sources:
        item = ledger.products.get(ledger.ordered.get(source, source.removeprefix("P:")))
        if item is not None and numeral.unit and (numeral.number, numeral.unit) in _product_measures(item):
            return True
        if any(_is_field(name, value, numeral) for name, value in leaves(ledger.records.get(source, {}))):
            return True
    return False


@lru_cache(maxsize=512)
def _product_measures(item: Product) -> frozenset[tuple[Decimal | None, str]]:
    text = "\n".join([item.title, *(f"{name}: {value}" for name, value in item.details.items())])
    return frozenset((numeral.number, numeral.unit) for numeral in find_numerals(text))


def _is_field(name: str, value: object, numeral: Numeral) -> bool:
    """True for "12 orders" and a field "orders: 12", and for an amount of money that is a field's."""
    if isinstance(value, bool) or not isinstance(value, int | float) or Decimal(str(value)) != numeral.number:
        return False
    return (
        isinstance(value, float) if numeral.unit in "$€£¥₹" else numeral.unit in content_stems(name.replace("_", " "))
    )


STATES = {
    "AL": "Alabama", "AK": "Alaska", "AZ": "Arizona", "AR": "Arkansas", "CA": "California", "CO": "Colorado",
    "CT": "Connecticut", "DE": "Delaware", "DC": "District of Columbia", "FL": "Florida", "GA": "Georgia",
    "HI": "Hawaii", "ID": "Idaho", "IL": "Illinois", "IN": "Indiana", "IA": "Iowa", "KS": "Kansas", "KY": "Kentucky",
    "LA": "Louisiana", "ME": "Maine", "MD": "Maryland", "MA": "Massachusetts", "MI": "Michigan", "MN": "Minnesota",
    "MS": "Mississippi", "MO": "Missouri", "MT": "Montana", "NE": "Nebraska", "NV": "Nevada", "NH": "New Hampshire",
    "NJ": "New Jersey", "NM": "New Mexico", "NY": "New York", "NC": "North Carolina", "ND": "North Dakota",
    "OH": "Ohio", "OK": "Oklahoma", "OR": "Oregon", "PA": "Pennsylvania", "PR": "Puerto Rico", "RI": "Rhode Island",
    "SC": "South Carolina", "SD": "South Dakota", "TN": "Tennessee", "TX": "Texas", "UT": "Utah", "VT": "Vermont",
    "VA": "Virginia", "WA": "Washington", "WV": "West Virginia", "WI": "Wisconsin", "WY": "Wyoming",
}  # fmt: skip
"""The states of the USA, by their postal codes."""
_COLLOQUIAL = {
    **{"united states of america": "US", "america": "US", "states": "US", "u s": "US", "u s a": "US"},
    **{"great britain": "GB", "britain": "GB", "england": "GB", "scotland": "GB", "wales": "GB", "u k": "GB"},
}
"""Names that CLDR does not have, in small letters without dots."""
_NAME = re.compile(r"(?:[A-Z][\w.'’-]*+\s?){1,3}")
_CODE = re.compile(r"(?:^|[\s,])([A-Z]{2,3})(?=\s*(?:,|\d{4,6}\b|$))")
_ZIP = re.compile(r"\b\d{5}\b")
_BESIDE = frozenset("in the of at near around and your home city state zip code".split())  # noqa: SIM905
# A name with one of these words, or "north…", "mid…", is not a city: "Olmsted County", "Twin Cities", "Gulf Coast".
_REGION = re.compile(
    r"\b(?:county|parish|valley|area|region|zone|belt|coast|metro|greater|upper|lower|central|cities|lakes?|bay|plains?"
    r"|hills?|mountains?|rockies|range|peninsula|panhandle|delta|basin|new england|(?:north|south|east|west|mid)\w*)\b"
)


def verify_place(value: ReadValue, profiles: Sequence[UserProfile]) -> ReadValue:
    """A place of the shopper, compared with the one known profile; other values are returned as they are.

    Contradicted by another state, country, city or zip code, if no part of the value is in the address.
    """
    is_of_user = value.kind == "place" and all(source[:2] in ("U:", "O:") for source in value.of)
    if not is_of_user or len(profiles) != 1 or not isinstance(value.amount, str):
        return value
    address = profiles[0].address
    states = STATES if address.country == "US" else {}
    in_state = {address.zip, address.state, *(one for pair in states.items() if address.state in pair for one in pair)}
    country = {name for name, code in country_names().items() if code == address.country and len(name) > 2}
    rest = plain(value.amount)
    is_in_state = False
    names = sorted(country, key=len, reverse=True)
    for part in (address.address1, address.city, *in_state, address.country, *names):
        shorter = rest.replace(plain(part), " ") if part else rest
        is_in_state = is_in_state or (shorter != rest and part in in_state)
        rest = shorter
    if not set(rest.split()) - _BESIDE:
        return with_state(value, "verified", "")
    if _is_elsewhere(value.amount, rest, address, is_in_state=is_in_state):
        return with_state(value, "contradicted", f"the address is in {address.city}, {address.state}")
    return value


def _is_elsewhere(place: str, rest: str, address: Address, *, is_in_state: bool) -> bool:
    """True if the rest of a place names another one, in an exact form."""
    if any(number not in (address.zip[:5], *address.address1.split()) for number in _ZIP.findall(place)):
        return True
    states = STATES if address.country == "US" else {}
    # "Jersey" may be short for New Jersey, or for Jersey City.
    home = plain(f"{address.city} {states.get(address.state, address.state)}")
    names = (plain(name) for name in (*states.values(), *country_names()) if len(name) > 3)
    named = [name for name in names if name not in home]
    others = [code for code in _CODE.findall(place) if code in states and code != address.state]
    if not is_in_state and (others or any(name in rest for name in named)):
        return True
    own = set(plain(f"{address.address1} {address.city}").split())
    name = place.partition(",")[0].strip()
    is_city = bool(_NAME.fullmatch(name)) and not _REGION.search(rest) and not own & set(plain(place).split())
    return is_city and plain(name) in rest and plain(name) not in home


@lru_cache(maxsize=1)
def country_names() -> Mapping[str, str]:
    """Two-letter codes by the names of countries in small letters, and by their codes of two and three letters."""
    from babel import Locale
    from babel.core import get_global

    names = {name.casefold(): code for code, name in Locale("en").territories.items() if code.isalpha()}
    known = get_global("territory_aliases").items()
    aliases = {alias.casefold(): codes[0] for alias, codes in known if alias.isalpha()}
    return {**aliases, **{code.casefold(): code for code in names.values()}, **names, **_COLLOQUIAL}


# In English, German, French and Spanish.
_STATUSES = {
    "delivered": r"delivered|zugestellt|geliefert|livrée?s?|entregad[oa]s?",
    "shipped": r"shipped|versandt|versendet|verschickt|expédiée?s?|enviad[oa]s?",
    "processing": r"processing|being processed|in bearbeitung|en préparation|en proceso",
    "cancelled": r"cancell?ed|storniert|annulée?s?|cancelad[oa]s?",
    "returned": r"returned|zurück(?:geschickt|gesandt|gegeben)|retournée?s?|devuelt[oa]s?",
}
_STATUS = re.compile("|".join(rf"(?P<{name}>\b(?:{words})\b)" for name, words in _STATUSES.items()), re.IGNORECASE)
_OPEN = re.compile(
    r"\b(?:if|unless|whether|when|once|until|pending|will|would|can|may|might|to be|or|nor|none|any|policy|wenn|falls"
    r"|ob|bis|oder|si|non|ou|jusqu\W\w+|no|hasta|o)\b|\?",
    re.IGNORECASE,
)
_CITY = r"[A-Z][\w.’'-]*(?: [A-Z][\w.’'-]*){0,2}"
_STATE_NAMES = "|".join(sorted(STATES.values(), key=len, reverse=True))
_STATE = re.compile(
    rf"(?<=\b(?:in|to|at) )(?P<place>(?:{_CITY}, )?(?:{_STATE_NAMES})\b|{_CITY}, (?:{'|'.join(STATES)})\b)"
)


def statements_in(layout: Layout, ledger: Ledger) -> Iterator[ReadValue]:
    """The statements that a record decides; places are not verified yet."""
    for part in (*layout.stretches, *layout.cells):
        cited = part.cited if isinstance(part, Stretch) else part.subjects
        sources = [source for source in cited if source[:2] != "C:"]
        if len(sources) != 1:
            continue
        (source,) = sources
        if source[:2] == "P:":
            item = ledger.products.get(source[2:])
            text = layout.text[part.start : part.end]
            for start, end, line in field_statements(text, item, layout.notation) if item is not None else ():
                yield decided(layout.text, "measure", (part.start + start, part.start + end), source, True, line)
        elif source in ledger.order_dates and isinstance(part, Stretch):
            status = f"{ledger.records[source].get('order_status', '')}"
            named = status_named(layout.text, part.start, part.end)
            was = None if named is None or not status else has_been(named.status, status.casefold())
            if named is not None and was is not None:
                is_right, line = was != named.is_denied, f"order status: {status}"
                yield decided(layout.text, "order_status", (named.start, named.end), source, is_right, line)
        elif source[:2] == "U:" and layout.notation.is_english:
            for place in _STATE.finditer(layout.text, part.start, part.end):
                start, end = place.span("place")
                yield ReadValue(kind="place", amount=place["place"], of=(source,), start=start, end=end)


_NEAR = 4
"""A negation denies a status that follows within so many words: "has not yet been delivered"."""


class NamedStatus(NamedTuple):
    """``text[start:end]`` names the status of an order."""

    status: str
    is_denied: bool
    start: int
    end: int


def status_named(text: str, start: int, end: int) -> NamedStatus | None:
    """The one status that a stretch names; None for several, and where words leave open whether it is said."""
    named = list(_STATUS.finditer(text, start, end))
    if len(named) != 1 or _OPEN.search(text, start, end):
        return None
    before = [
        is_negation(word) or word in answer_words("negation") for word in words_of(text[start : named[0].start()])
    ]
    is_denied = any(before[-_NEAR:])
    if any(before) and not is_denied:  # what it denies may be something else
        return None
    return NamedStatus(f"{named[0].lastgroup}", is_denied, *named[0].span())


def names_status(text: str, status: str) -> bool:
    return any(match.lastgroup == status for match in _STATUS.finditer(text))
