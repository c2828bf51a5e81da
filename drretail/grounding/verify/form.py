"""What is certain by form: one source, one figure of a kind in what its mark owns; tables by plain heads; the result of
a cited calculation; and what the text writes out.

A figure is verified if the record has it, and contradicted if nothing explains it. Both are certain of a price only
where signs, or words of labels.toml, stand directly beside it: "half of $40" and "$40 less" are others. Everything else
is open.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from functools import cached_property
from itertools import chain

from drretail.grounding.text.amounts import Amount, WrittenDate, find_dates
from drretail.grounding.text.layout import Layout
from drretail.grounding.text.words import labels, month_numbers, words
from drretail.grounding.verify.parts import Part
from drretail.grounding.verify.places import Passage, amounts_at, compared_at, days_at, figure_value
from drretail.grounding.verify.records import CENTS, Ledger, derived, equals, on_record
from drretail.grounding.verify.written import equations, quotations
from drretail.records.reading import ReadValue, ValueKind
from drretail.records.shop import VARIANTS

_OF_OFFER: tuple[ValueKind, ...] = ("price", "rating", "rating_count")
_KINDS: tuple[ValueKind, ...] = (*_OF_OFFER, "order_date", "total")
_STARS = re.compile(r"\s?(?:/\s?5\b|[★⭐]|\()")
_RATED = re.compile(r"\d[.,]\d\d?(?:\s?(?:/\s?5|[★⭐]|stars?\b))?\W{0,4}(?:[^\W\d_]{1,6}\s)?$")
_BESIDE_RATING = re.compile(r"\d[.,]\d(?:\s?(?:/\s?5|[★⭐]))?\s?[(·,]\s?$")
_LEAST, _MOST = Decimal("0.4"), Decimal(3)
"""How far a wrong price may be from the right one: what is further off is of a piece, or of something else."""
_LONGEST_ON_ITS_WAY = 60
"""Days from an order until it came."""
_LABEL = re.compile(r"([^:;|\n]{0,60}):[\s*_]*$")
_GAP, _SIGNS, _LONGEST_LINE = " \t*_~", "\n.!?()[]<>|\\,;:–—-·=\"'“”", 400


def read_by_form(layout: Layout, ledger: Ledger, parts: Sequence[Part]) -> list[ReadValue]:
    """The values in these parts that form makes certain, each with whether it would be found if it were wrong."""
    reader = _Reader(layout, ledger)
    values = {(value.start, value.kind): value for value in chain(equations(layout), quotations(layout, ledger, parts))}
    written_out = {start for start, _ in values}
    for part in parts:
        place = Passage.of(layout.text, part.start, part.end)
        for value in reader.read(part, place):
            if value.state == "verified":
                figure = (end - place.first for end in (value.start, value.end))
                wrong = reader.read(part, place.altered(value.kind, *figure), [value.kind])
                denied = {altered.start for altered in wrong if altered.state == "contradicted"}
                value = value.model_copy(update={"is_caught": value.start in denied})
            if value.start not in written_out:
                values.setdefault((value.start, value.kind), value)
    return sorted(values.values(), key=lambda value: (value.start, value.kind))


@dataclass(frozen=True)
class _Reader:
    layout: Layout
    ledger: Ledger

    def read(self, part: Part, place: Passage, kinds: Collection[ValueKind] = _KINDS) -> Iterator[ReadValue]:
        """The values of these kinds in one part; where nothing is to be denied, only the right ones."""
        may_deny = part.is_named and (self.ledger.policy is None or self._is_bare(part, place))
        yield from (value for value in self._values(part, place, kinds) if may_deny or value.state == "verified")

    def _is_bare(self, part: Part, place: Passage) -> bool:
        """True if a part of an assistant's answer has no words but names, options and labels. One word more may make it
        another figure: "with shipping", "at another shop". So may a day beside a product.
        """
        is_of_order = any(source[:2] == "O:" for source in part.sources)
        if not is_of_order and find_dates(place.words, self.layout.notation):
            return False
        return self._names(part).union(*self._labels.values(), month_numbers()).issuperset(words(place.words))

    def _names(self, part: Part) -> set[str]:
        """The words of the names and options of what a part is about."""
        items = filter(None, map(self.ledger.product, part.sources))
        names = (f"{item.titles} {item.brand or ''} {item.details.get(VARIANTS, '')}" for item in items)
        return {*words(" ".join((*names, *part.sources)))}

    def _values(self, part: Part, place: Passage, kinds: Collection[ValueKind]) -> Iterator[ReadValue]:
        products = [source for source in part.sources if source[:2] == "P:"]
        orders = [source for source in part.sources if source in self.ledger.order_dates]
        if len(part.sources) == len(products) == 1:
            figures = (self._figure(kind, part, place, products[0]) for kind in _OF_OFFER if kind in kinds)
            yield from filter(None, figures)
        if "order_date" in kinds and len(orders) == 1 and {*products} <= {f"P:{self.ledger.ordered[orders[0]]}"}:
            yield from self._day(part, place, orders[0])
        calculations = [source for source in part.sources if source in self.ledger.calculations]
        if "total" in kinds and len(calculations) == 1 and len(part.sources) == len(products) + 1:
            yield from self._result(place, calculations[0], products)

    def _value(self, kind: ValueKind, figure: Amount | WrittenDate, of: str, place: Passage) -> ReadValue:
        at_figure = replace(place, start=figure.start, end=figure.end)
        return compared_at(figure_value(kind, figure, place.first, of), at_figure, self.ledger)

    def _figure(self, kind: ValueKind, part: Part, place: Passage, product: str) -> ReadValue | None:
        """The one figure of a kind in a part about one product; None for none, for several, and where it is open."""
        amounts = amounts_at(kind, place, self.layout.notation)
        amounts = [amount for amount in amounts if self._is_of_kind(kind, amount, part, place)]
        if len(amounts) != 1:
            return None
        value = self._value(kind, amounts[0], product, place)
        if kind == "price" and not {*_sides(amounts[0], place)} <= {"", *self._labels["costs"], *self._names(part)}:
            return None
        is_denied = value.state == "contradicted" and self._is_certain(kind, amounts[0], part, place, product)
        return value if is_denied or value.state == "verified" else None

    def _is_of_kind(self, kind: ValueKind, amount: Amount, part: Part, place: Passage) -> bool:
        """Whether a sign, or a label beside it, says that a figure is of this kind."""
        if amount.compound:
            return False
        if kind == "price" and amount.kind == "money":
            return True
        (before, behind), called = _sides(amount, place), self._labels[kind]
        is_headed = self._is_headed(kind, part)
        if kind == "rating":
            is_called = before in called or behind in called or _STARS.match(place.text, amount.end)
            return bool(amount.places and (is_headed or is_called))
        is_beside_rating = _BESIDE_RATING.search(place.text[place.start : amount.start])
        return is_headed or (kind == "rating_count" and bool(behind in called or is_beside_rating))

    def _is_headed(self, kind: ValueKind, part: Part) -> bool:
        """True in a cell whose label says this and nothing else: "price per inch" is not a price."""
        own_labels, neighbours = self._labels[kind], self._labels["beside"]
        labels = [{*label.split()} for label in part.labels]
        is_other = any(label & self._labels["other_price"] for label in labels)
        return not is_other and any(label & own_labels and label <= own_labels | neighbours for label in labels)

    def _is_certain(self, kind: ValueKind, amount: Amount, part: Part, place: Passage, product: str) -> bool:
        """Whether a figure that the record does not have can be nothing but wrong."""
        item = self.ledger.product(product)
        record = None if item is None else on_record(kind, item)
        if item is None or record is None or amount.relation not in ("is", "about") or self.ledger.names(amount.low):
            return False
        is_near, is_headed = _LEAST * record <= amount.low <= _MOST * record, self._is_headed(kind, part)
        before = place.text[place.start : amount.start]
        if kind != "price":
            return is_near or is_headed or (kind == "rating_count" and bool(_RATED.search(before)))
        # But "$4.77 an ounce", or what two of them cost.
        if not {*_sides(amount, place)} <= {"", *self._labels["costs"]} or self._is_explained(amount, part, product):
            return False
        label, names = _LABEL.search(before), {*words(f"{item.titles} {item.brand or ''}")}
        is_plain = label is None or {*words(label[1])} <= self._labels["price"] | self._labels["beside"] | names
        return is_headed or (not part.labels and amount.places >= CENTS and is_near and is_plain)

    def _is_explained(self, amount: Amount, part: Part, product: str) -> bool:
        """True for a figure with cents that follows from others, or that another thing beside it has."""
        records, text, key = self.ledger.products, self.layout.text, product[2:].partition("/")[0]
        line = {*words(text[max(0, part.start - _LONGEST_LINE) : part.end].rpartition("\n")[2])}
        # What the line names, by the first word of its title.
        others = (other for other, item in records.items() if other != key and next(words(item.title), "") in line)
        prices = map(self.ledger.price, others)
        return any(equals(amount, price) for price in prices) or derived(amount, self.ledger, [key, *self._cited])

    def _day(self, part: Part, place: Passage, order: str) -> Iterator[ReadValue]:
        """The one day beside an order. It may be the day on which that came, unless a label calls it the day of the
        order; in a report, which knows no other, not if it is far from that.
        """
        days = [day for day in days_at(place) if day.is_day]
        if len({day.iso for day in days}) != 1:
            return
        value = self._value("order_date", days[0], order, place)
        spoken = {*words(place.words), *(word for label in part.labels for word in label.split())}
        is_called, ordered = not spoken.isdisjoint(self._labels["date"]), self.ledger.order_dates[order]
        way = (ordered + timedelta(days=apart) for apart in range(_LONGEST_ON_ITS_WAY + 1))
        is_far = days[0].iso not in map(date.isoformat, way)
        if value.state == "verified" or is_called or (self.ledger.policy is None and is_far):
            yield value

    def _result(self, place: Passage, key: str, products: Sequence[str]) -> Iterator[ReadValue]:
        """The one amount with cents beside a cited calculation that is no price of the ``products`` beside it."""
        own = [offer.price for product in products for offer in self.ledger.offers(product)]
        amounts = [amount for amount in amounts_at("total", place, self.layout.notation) if amount.places == CENTS]
        amounts = [amount for amount in amounts if not any(equals(amount, price) for price in own)]
        values = [self._value("total", amount, key, place) for amount in amounts]
        right = [value for value in values if value.state == "verified"]
        if right or len(values) != 1:
            yield from right
            return
        (amount,), prices = amounts, map(self.ledger.price, self.ledger.products)
        is_explained = self.ledger.names(amount.low) or any(equals(amount, price) for price in prices)
        is_explained = is_explained or derived(amount, replace(self.ledger, calculations={}), self._cited)
        is_money = amount.kind == "money" and amount.relation == "is"
        if values[0].state == "contradicted" and is_money and not is_explained:
            yield values[0]

    @cached_property
    def _labels(self) -> dict[str, frozenset[str]]:
        return {**labels(english=self.layout.notation.is_english)}

    @cached_property
    def _cited(self) -> tuple[str, ...]:
        cited = (source for stretch in self.layout.stretches for source in stretch.cited)
        return tuple(dict.fromkeys(source[2:].partition("/")[0] for source in cited if source[:2] == "P:"))


def _sides(amount: Amount, place: Passage) -> tuple[str | None, str | None]:
    """The words directly before and behind a figure: blank for the end of a text and for a sign between its parts, None
    for any other sign, such as a minus or "%".
    """
    before, behind = place.text[: amount.start].rstrip(_GAP), place.text[amount.end :].lstrip(_GAP)
    return _at_edge(before, -1), _at_edge(behind, 0)


def _at_edge(text: str, edge: int) -> str | None:
    if not text or text[edge] in _SIGNS:
        return ""
    return next(iter([*words(text)][edge:]), None) if text[edge].isalpha() else None
