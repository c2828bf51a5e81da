"""What is certain by form: one source, one figure of a kind in what its mark owns; tables by plain heads; the result of
a cited calculation; and what the text writes out.

A figure is verified if the record has it, and contradicted if nothing explains it, but only where no word stands beside
it that may change it: "does not cost $40" and "$40 less" say something else. Everything else is open.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from functools import cached_property
from itertools import chain

from drretail.grounding.text.amounts import Amount, WrittenDate
from drretail.grounding.text.layout import Layout
from drretail.grounding.text.words import labels, month_numbers, words
from drretail.grounding.verify.parts import Part
from drretail.grounding.verify.places import Place, amounts_at, compared_at, days_at, value_of
from drretail.grounding.verify.records import CENTS, Ledger, derived, fits, on_record
from drretail.grounding.verify.written import equations, quotations
from drretail.records.reading import ReadValue, ValueKind
from drretail.records.shop import VARIANTS, product_of

_OF_OFFER: tuple[ValueKind, ...] = ("price", "rating", "rating_count")
_KINDS: tuple[ValueKind, ...] = (*_OF_OFFER, "order_date", "total")
_STARS = re.compile(r"\s?(?:/\s?5\b|[★⭐]|\()")
_RATED = re.compile(r"\d[.,]\d\d?(?:\s?(?:/\s?5|[★⭐]|stars?\b))?\W{0,4}(?:[^\W\d_]{1,6}\s)?$")
_BESIDE_RATING = re.compile(r"\d[.,]\d(?:\s?(?:/\s?5|[★⭐]))?\s?[(·,]\s?$")
# What is further off the right price than this is the price of a piece, or of something else.
_LEAST, _MOST = Decimal("0.4"), Decimal(3)
_LONGEST_ON_ITS_WAY = 60  # days from an order until it came
_LABEL = re.compile(r"([^:;|\n]{0,60}):[\s*_]*$")
_GAP, _SIGNS = " \t*_~=`", "\n.!?()[]<>|\\,;:–—-·"


def read_by_form(layout: Layout, ledger: Ledger, parts: Sequence[Part]) -> list[ReadValue]:
    """The values in these parts that form makes certain, each with whether it would be found if it were wrong."""
    reader = _Reader(layout, ledger)
    values = {(value.start, value.kind): value for value in chain(equations(layout), quotations(layout, ledger, parts))}
    for part in parts:
        place = Place.of(layout.text, part.start, part.end)
        for value in reader.read(part, place):
            if value.state == "verified":
                figure = (end - place.first for end in (value.start, value.end))
                wrong = reader.read(part, place.altered(value.kind, *figure), [value.kind])
                is_caught = any(other.start == value.start and other.state == "contradicted" for other in wrong)
                value = value.model_copy(update={"is_caught": is_caught})
            values.setdefault((value.start, value.kind), value)
    return sorted(values.values(), key=lambda value: (value.start, value.kind))


@dataclass(frozen=True)
class _Reader:
    layout: Layout
    ledger: Ledger

    def read(self, part: Part, place: Place, kinds: Collection[ValueKind] = _KINDS) -> Iterator[ReadValue]:
        """The values of these kinds in one part; where nothing is to be denied, only the right ones."""
        may_deny = part.is_named and (self.ledger.policy is None or self._is_bare(part))
        yield from (value for value in self._values(part, place, kinds) if may_deny or value.state == "verified")

    def _is_bare(self, part: Part) -> bool:
        """True if the sentence of a part has no words but names, options and labels, and beside an order months. One
        more may make its figure another: "does not cost", "with shipping", "at another shop".
        """
        sentence = self.layout.sentences[self.layout.sentence_at(part.start)]
        spoken = words(self.layout.text[min(sentence.start, part.start) : max(sentence.end, part.end)])
        is_of_order = any(source[:2] == "O:" for source in part.sources)
        of_dates = (*month_numbers(), *self._labels["beside"]) if is_of_order else ()
        plain = (self._labels[kind] for kind in self._labels.keys() - {"beside", "other_price"})
        return self._names(part).union(*plain, of_dates).issuperset(spoken)

    def _names(self, part: Part) -> set[str]:
        """The words of the names and options of what a part is about, or its report cites."""
        items = filter(None, map(self.ledger.product, (*part.sources, *(f"P:{key}" for key in self._cited))))
        names = (f"{item.titles} {item.brand or ''} {item.details.get(VARIANTS, '')}" for item in items)
        return {*words(" ".join((*names, *part.sources)))}

    def _values(self, part: Part, place: Place, kinds: Collection[ValueKind]) -> Iterator[ReadValue]:
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

    def _value(self, kind: ValueKind, figure: Amount | WrittenDate, of: str, place: Place) -> ReadValue:
        at_figure = replace(place, start=figure.start, end=figure.end)
        return compared_at(value_of(kind, figure, place.first, of), at_figure, self.ledger)

    def _figure(self, kind: ValueKind, part: Part, place: Place, product: str) -> ReadValue | None:
        """The one figure of a kind in a part about one product; None for none, for several, and where it is open."""
        amounts = amounts_at(kind, place, self.layout.notation)
        amounts = [one for one in amounts if not one.compound and self._is_of_kind(kind, one, part, place)]
        if len(amounts) != 1 or not self._is_plain(kind, amounts[0], part, place):
            return None
        value = self._value(kind, amounts[0], product, place)
        is_denied = value.state == "contradicted" and self._is_certain(kind, amounts[0], part, place, product)
        return value if is_denied or value.state == "verified" else None

    def _is_of_kind(self, kind: ValueKind, amount: Amount, part: Part, place: Place) -> bool:
        """Whether a sign, or a label beside it, says that a figure is of this kind."""
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
        called, labels = self._labels[kind], [{*label.split()} for label in part.labels]
        is_other = any(label & self._labels["other_price"] for label in labels)
        return not is_other and any(label & called and label <= called | self._labels["beside"] for label in labels)

    def _is_certain(self, kind: ValueKind, amount: Amount, part: Part, place: Place, product: str) -> bool:
        """Whether a figure that the record does not have can be nothing but wrong."""
        item = self.ledger.product(product)
        record = item and on_record(kind, item)
        if record is None or amount.relation not in ("is", "about") or self.ledger.names(amount.low):
            return False
        is_near, is_headed = _LEAST * record <= amount.low <= _MOST * record, self._is_headed(kind, part)
        is_open = not (is_headed or (amount.places >= CENTS and not part.labels))
        if kind == "price" and (is_open or self._is_explained(amount, self.ledger, [product_of(product[2:])])):
            return False
        is_rated = kind == "rating_count" and _RATED.search(place.text[place.start : amount.start])
        return bool(is_near or is_headed or is_rated)

    def _is_plain(self, kind: ValueKind, amount: Amount, part: Part, place: Place) -> bool:
        """Whether no label calls a figure something else, and no word but a name stands before it, nor behind a price;
        beside others it is plain in a sentence of names and labels alone.
        """
        names, label = self._names(part), _LABEL.search(place.text[place.start : amount.start])
        is_called = label is None or {*words(label[1])} <= self._labels[kind] | self._labels["beside"] | names
        before, behind = _sides(amount, place)
        beside = {before, behind} if kind == "price" else {before or ""}
        return is_called and (beside <= {"", *names} or (None not in beside and self._is_bare(part)))

    def _is_explained(self, amount: Amount, ledger: Ledger, near: Collection[str] = ()) -> bool:
        """True for a figure that the question names, that something cited or ``near`` costs, or that follows."""
        is_price = any(fits(amount, ledger.price(key)) for key in self._cited if key not in near)
        return is_price or ledger.names(amount.low) or derived(amount, ledger, (*near, *self._cited))

    def _day(self, part: Part, place: Place, order: str) -> Iterator[ReadValue]:
        """The one day beside an order. Unless a label calls it the day of the order, or it is far from that, it may be
        the one on which the order came; in an assistant's answer any other one, too.
        """
        days = [day for day in days_at(place) if day.is_day]
        if len({day.iso for day in days}) != 1:
            return
        value = self._value("order_date", days[0], order, place)
        spoken = {*words(place.words), *(word for label in part.labels for word in label.split())}
        is_called, ordered = not spoken.isdisjoint(self._labels["date"]), self.ledger.order_dates[order]
        way = ((ordered + timedelta(days=apart)).isoformat() for apart in range(_LONGEST_ON_ITS_WAY + 1))
        if value.state == "verified" or is_called or (self.ledger.policy is None and days[0].iso not in way):
            yield value

    def _result(self, place: Place, key: str, products: Sequence[str]) -> Iterator[ReadValue]:
        """The one amount with cents beside a cited calculation that is no price of the ``products`` beside it."""
        own = [offer.price for product in products for offer in self.ledger.offers(product)]
        amounts = amounts_at("total", place, self.layout.notation)
        amounts = [one for one in amounts if one.places == CENTS and not any(fits(one, price) for price in own)]
        values = [self._value("total", amount, key, place) for amount in amounts]
        yield from (value for value in values if value.state == "verified")
        if [value.state for value in values] != ["contradicted"]:
            return
        (amount,), prices = amounts, map(self.ledger.price, self.ledger.products)
        is_total = amount.kind == "money" and amount.relation == "is" and not any(fits(amount, one) for one in prices)
        if is_total and not self._is_explained(amount, replace(self.ledger, calculations={})):
            yield values[0]

    @cached_property
    def _labels(self) -> dict[str, frozenset[str]]:
        return {**labels(english=self.layout.notation.is_english)}

    @cached_property
    def _cited(self) -> tuple[str, ...]:
        cited = (source for stretch in self.layout.stretches for source in stretch.cited)
        return tuple(dict.fromkeys(source[2:].partition("/")[0] for source in cited if source[:2] == "P:"))


def _sides(amount: Amount, place: Place) -> tuple[str | None, str | None]:
    """The words directly before and behind a figure: blank for an end or a sign between parts, None for a "%"."""
    before, behind = place.text[: amount.start].rstrip(_GAP), place.text[amount.end :].lstrip(_GAP)
    return _at_edge(before, -1), _at_edge(behind, 0)


def _at_edge(text: str, edge: int) -> str | None:
    if not text or text[edge] in _SIGNS:
        return ""
    return next(iter([*words(text)][edge:]), None) if text[edge].isalpha() else None
