"""What a report says beside a single mark: measures of a product, the status of an order, the shopper's state."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from drretail.grounding.text.languages import answer_words
from drretail.grounding.text.layout import Cell, Layout, Stretch
from drretail.grounding.text.words import is_negation
from drretail.grounding.text.words import words as words_of
from drretail.grounding.verify.fields import field_statements
from drretail.grounding.verify.places import STATES
from drretail.grounding.verify.records import Ledger, with_state
from drretail.records.reading import ReadValue, ValueKind
from drretail.records.shop import has_been

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
        if sources[0][:2] == "P:":
            yield from _measures(layout, part, sources[0], ledger)
        elif sources[0] in ledger.order_dates and isinstance(part, Stretch):
            yield from _statuses(layout, part, sources[0], ledger.records[sources[0]])
        elif sources[0][:2] == "U:" and layout.notation.is_english:
            for place in _STATE.finditer(layout.text, part.start, part.end):
                start, end = place.span("place")
                yield ReadValue(kind="place", amount=place["place"], of=tuple(sources), start=start, end=end)


def _measures(layout: Layout, part: Stretch | Cell, source: str, ledger: Ledger) -> Iterator[ReadValue]:
    text, item = layout.text[part.start : part.end], ledger.products.get(source[2:])
    for start, end, line in field_statements(text, item, layout.notation) if item is not None else ():
        yield _value(layout, "measure", part.start + start, part.start + end, source, line, is_right=True)


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


def _statuses(layout: Layout, part: Stretch, order: str, record: Mapping[str, Any]) -> Iterator[ReadValue]:
    """The one status that a stretch names of its order."""
    named = status_named(layout.text, part.start, part.end)
    recorded = f"{record.get('order_status', '')}".casefold()
    was = None if named is None or not recorded else has_been(named.status, recorded)
    if named is not None and was is not None:
        line = f"order status: {record['order_status']}"
        is_right = was != named.is_denied
        yield _value(layout, "order_status", named.start, named.end, order, line, is_right=is_right)


def _value(
    layout: Layout, kind: ValueKind, start: int, end: int, source: str, line: str, *, is_right: bool
) -> ReadValue:
    value = ReadValue(kind=kind, amount=layout.text[start:end], of=(source,), start=start, end=end)
    return with_state(value, "verified" if is_right else "contradicted", line)
