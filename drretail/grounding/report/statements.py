"""What a report says of its sources besides figures of money and ratings: fields of products, days, and states by name.

Each is read in the stretch or cell of one mark and compared with the record of that name; in English only.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from drretail.grounding.text.amounts import find_days
from drretail.grounding.text.layout import Cell, Layout, Stretch
from drretail.grounding.text.sentences import Sentence
from drretail.grounding.text.words import is_negation
from drretail.grounding.text.words import words as words_of
from drretail.grounding.verify.fields import FieldStatement, field_statements
from drretail.grounding.verify.places import STATES
from drretail.grounding.verify.records import Ledger, with_state
from drretail.records.reading import ReadValue, ValueKind
from drretail.records.shop import Product

# Days of other events than the order, which the record doesn't have.
_OTHER_DAY = re.compile(
    r"\b(?:deliver|arriv|ship|return|refund|cancel|expir|end|receiv|land|reach)\w*|\b(?:came|comes?|got|until|till|by|before|after|since|due|today|now|from|to)\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"\b(?P<status>delivered|shipped|processing|cancell?ed|returned)\b(?! (?:to|from|by) )(?!\s\w+ing\b)", re.IGNORECASE
)
_ACCOUNT = re.compile(
    r"\baccount\b[^.;,]{0,20}?\b(?P<status>active|inactive|suspended|closed|locked|blocked)\b", re.IGNORECASE
)
_PASSED = {"delivered": ("delivered", "shipped"), "returned": ("returned", "delivered", "shipped")}
"""The statuses that an order of this one has had as well."""
_OPEN = re.compile(
    r"\b(?:if|unless|whether|when|once|until|will|would|can|may|might|to be|or|nor|none|any|policy)\b|\?", re.IGNORECASE
)
_STATE_NAMES = "|".join(sorted(STATES.values(), key=len, reverse=True))
_CITY = r"[A-Z][\w.’'-]*(?: [A-Z][\w.’'-]*){0,2}"
_STATE = re.compile(
    rf"(?<=\b(?:in|to|at) )(?P<place>(?:{_CITY}, )?(?:{_STATE_NAMES})\b|{_CITY}, (?:{'|'.join(STATES)})\b)"
)


def statements_in(layout: Layout, ledger: Ledger) -> Iterator[ReadValue]:
    """The statements that a record decides, in the order of the text; places are not verified yet."""
    for stretch in layout.stretches:
        cited = stretch.cited or layout.cited.get(stretch.sentence, ())
        products = [ledger.products.get(source[2:]) for source in cited if source[:2] == "P:"]
        if len(cited) == 1 and products and products[0] is not None:
            yield from _of_product(layout, stretch, products[0], ledger)
        if stretch.cited and all(source[:2] in ("O:", "U:") for source in stretch.cited):
            yield from _of_account(layout, stretch, ledger)
    for cell in layout.cells:
        subjects = [source for source in cell.subjects if source[:2] == "P:"]
        if len(cell.subjects) == 1 and subjects and subjects[0][2:] in ledger.products:
            yield from _of_cell(layout, cell, ledger.products[subjects[0][2:]])


def _of_product(layout: Layout, stretch: Stretch, item: Product, ledger: Ledger) -> Iterator[ReadValue]:
    sentence = layout.sentences[stretch.sentence]
    words = layout.text[sentence.start : sentence.end]
    if sentence.kind in ("row", "table_head") or ledger.names_another(words, [item.product_id]):
        return
    for one in field_statements(words, item):
        value = _of_field(layout, sentence, one, one.start, one.end, item)
        if stretch.start <= value.start and value.end <= stretch.end:
            yield value


def _of_cell(layout: Layout, cell: Cell, item: Product) -> Iterator[ReadValue]:
    """A cell with its label, as a sentence: "dishwasher safe: yes"."""
    for label in cell.labels:
        before = f"{label.strip(' ?:')}: "
        for one in field_statements(before + layout.text[cell.start : cell.end], item):
            inside = layout.text[cell.start : cell.end]
            first = len(inside) - len(inside.lstrip())
            start, end = max(first, one.start - len(before)), one.end - len(before)
            if start < end:
                yield _of_field(layout, cell, one, start, end, item)


def _of_field(
    layout: Layout, part: Cell | Sentence, one: FieldStatement, start: int, end: int, item: Product
) -> ReadValue:
    is_right = one.state == "confirmed"
    found = one.field if is_right else f"the record says {one.field}"
    return _value(layout, part, one.kind, start, end, [f"P:{item.product_id}"], found, is_right=is_right)


def _of_account(layout: Layout, stretch: Stretch, ledger: Ledger) -> Iterator[ReadValue]:
    """Days, statuses and places beside marks of orders and of the shopper's data."""
    text = layout.text[stretch.start : stretch.end]
    orders = [source for source in stretch.cited if source in ledger.order_dates]
    dates, days = [ledger.order_dates[order].isoformat() for order in orders], list(find_days(text))
    asked = {day.iso for day in find_days(ledger.query_text)}
    for day in days if orders else ():
        is_right = any(date.endswith(day.iso[2:]) for date in dates)
        is_sure = len(days) == len(stretch.cited) == 1 and not _OTHER_DAY.search(text) and day.iso not in asked
        if is_right or is_sure:
            found = "" if is_right else f"the order is of {dates[0]}"
            yield _value(layout, stretch, "date", day.start, day.end, orders, found, day.iso, is_right=is_right)
    if len(stretch.cited) == 1:
        yield from _statuses(layout, stretch, ledger.records.get(stretch.cited[0], {}))
    for place in _STATE.finditer(text) if any(source[:2] == "U:" for source in stretch.cited) else ():
        start, end = (stretch.start + at for at in place.span("place"))
        yield ReadValue(kind="place", amount=place["place"], of=stretch.cited, start=start, end=end)


def _statuses(layout: Layout, stretch: Stretch, record: Mapping[str, Any]) -> Iterator[ReadValue]:
    """The one status that a stretch names of an order or an account."""
    text = layout.text[stretch.start : stretch.end]
    for name, pattern in (("order_status", _ORDER), ("account_status", _ACCOUNT)):
        recorded, named = f"{record.get(name, '')}".casefold(), list(pattern.finditer(text))
        if not recorded or len(named) != 1 or _OPEN.search(text):
            continue
        status = named[0]["status"].casefold().replace("canceled", "cancelled")
        is_denied = any(map(is_negation, words_of(text[: named[0].start("status")])))
        is_right = (status in _PASSED.get(recorded, (recorded,))) != is_denied
        if is_right or not (status == "shipped" and recorded == "cancelled"):
            found = f"{name.replace('_', ' ')}: {record[name]}"
            yield _value(
                layout, stretch, "order_status", *named[0].span("status"), stretch.cited, found, is_right=is_right
            )


def _value(
    layout: Layout,
    stretch: Stretch | Cell | Sentence,
    kind: ValueKind,
    start: int,
    end: int,
    of: Sequence[str],
    found: str,
    amount: str = "",
    *,
    is_right: bool,
) -> ReadValue:
    """A decided value at a place within a part of the text; its amount is its words, if no other is given."""
    start, end = stretch.start + start, stretch.start + end
    value = ReadValue(kind=kind, amount=amount or layout.text[start:end], of=tuple(of), start=start, end=end)
    return with_state(value, "verified" if is_right else "contradicted", found)
