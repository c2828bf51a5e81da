"""What is certain by form: one source, one figure of a kind in what its mark owns; tables by plain heads; results of
cited calculations; and what the text writes out.

A figure is verified if the record has it, and contradicted if nothing explains it. It is a price only where signs, or
words of labels.toml or of the product's name, stand directly beside it: "half of $40" and "$40 less" are others.
Everything else is open; of an assistant's answer, what differs from the one price that it may be is contested.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from functools import cached_property
from itertools import chain

from drretail.records.reading import ReadValue, ValueKind
from drretail.records.shop import VARIANTS, product_of
from drretail.remembered import remembered_by
from drretail.reports.layout import Layout
from drretail.reports.text.amounts import Amount, find_dates
from drretail.reports.text.words import NEGATIONS, STOP_WORDS, labels, month_numbers, words
from drretail.shopping.verify.parts import Part
from drretail.shopping.verify.places import (
    Passage,
    amounts_at,
    compared_at,
    compared_figure,
    days_at,
    figure_value,
    own_notation,
)
from drretail.shopping.verify.records import CENTS, Ledger, equals, is_explained, on_record
from drretail.shopping.verify.written import equations, quotations, results

_SCALE = r"\s?(?:/\s?|(?:out of|of|von|van|sur|sobre|de|su|av|af|z|из)\s)5(?:[.,]0)?\b(?![.,]?\d)"
STARS = re.compile(rf"{_SCALE}|\s?[★⭐(（]")
# "4.6 ★ (1,843", "4.3-star average across 512": a rating before the number of its ratings.
_RATED = re.compile(
    rf"(?<![\d.,$€£¥₹])(?P<rating>\d[.,]\d\d?)(?:{_SCALE}|\s?[★⭐])?(?P<called>(?:[\s-][^\W\d_]{{2,20}}){{0,2}}?)"
    r"(?P<joint>\W{1,4}(?:[^\W\d_]{1,6}\s?)?)$"
)
_LEAST, _MOST = Decimal("0.4"), Decimal(3)
"""How far a wrong price may be from the right one: what is further off is of a piece, or of something else."""
_LONGEST_ON_ITS_WAY = 60
"""Days from an order until it came."""
_FEWEST_RATINGS, _MOST_PLACES, _LONGEST_JOINT = 10, 2, 3
"""A smaller number of ratings stands in many places by accident; decimal places of a rating; letters of "of"."""
_LONGEST_LINE = 400
_OF_PRODUCTS: tuple[ValueKind, ...] = ("price", "rating", "rating_count")


def read_by_form(layout: Layout, ledger: Ledger, parts: Sequence[Part], *, with_power: bool = False) -> list[ReadValue]:
    """The values in these parts that form makes certain, ``with_power`` each with how often it is found once it is
    changed, which takes ten times as long.
    """
    reader = _Reader(layout, ledger)
    values = {(value.start, value.kind): value for value in chain(equations(layout), quotations(layout, ledger, parts))}
    written_out = {start for start, _ in values}
    for part in parts:
        place = Passage.of(layout.text, part.start, part.end)
        for value in reader.read(part, place):
            if value.state == "verified" and with_power:
                changed = place.altered(value.kind, value.start - place.first, value.end - place.first)
                read = [[*reader.read(part, wrong, value.kind)] for wrong in changed]
                found = (any((each.start, each.state) == (value.start, "contradicted") for each in of) for of in read)
                value = value.model_copy(update={"caught": sum(found)})
            if value.start not in written_out:
                values.setdefault((value.start, value.kind), value)
    if ledger.policy is not None:  # a shop's assistant
        named = {source[2:] for part in parts for source in part.sources if source[:2] == "P:"}
        places = [(part, Passage.of(layout.text, part.start, part.end)) for part in parts]
        for value in chain.from_iterable(reader.differing(part, place, named) for part, place in places):
            values.setdefault((value.start, value.kind), value)
    return sorted(values.values(), key=lambda value: (value.start, value.kind))


@dataclass(frozen=True)
class _Reader:
    layout: Layout
    ledger: Ledger

    def read(self, part: Part, place: Passage, kind: ValueKind | None = None) -> Iterator[ReadValue]:
        """The values in one part, of all kinds or of one; where nothing is to be denied, only the right ones."""
        may_deny = part.tie == "mark" or (part.tie == "name" and self._is_bare(part, place))
        for value in self._values(part, place, kind):
            if may_deny or value.state == "verified" or (part.tie == "rest" and value.kind in _OF_PRODUCTS):
                yield value

    def differing(self, part: Part, place: Passage, named: Collection[str]) -> Iterator[ReadValue]:
        """Amounts in what is about one product that are as near to its price as a wrong one, and that neither the shop
        nor what else is ``named`` explains: contested, since words may make them another thing's.
        """
        if len(part.sources) != 1 or not (offers := self.ledger.offers(part.sources[0])):
            return
        others, listed = {*named} - {product_of(part.sources[0][2:])}, {offer.list_price for offer in offers}
        prices = [offer.price for offer in offers if offer.price is not None]
        for amount in amounts_at("price", place):
            is_near = any(_LEAST * price <= amount.low <= _MOST * price for price in prices)
            if amount.kind != "money" or amount.relation not in ("is", "about") or amount.compound or not is_near:
                continue
            apart = (abs(amount.low - price) for price in (0, *prices))  # "with shipping"
            if any(equals(amount, price) for price in listed) or any(map(self.ledger.names, apart)):
                continue
            value = figure_value("price", amount, place.first, part.sources[0]).model_copy(update={"bound": "is"})
            value = compared_at(value, replace(place, start=amount.start, end=amount.end), self.ledger)
            is_explained_here = is_explained(amount, self.ledger, others, [product_of(part.sources[0][2:]), *others])
            if value.state == "contradicted" and not is_explained_here:
                yield value.model_copy(update={"state": "underivable", "is_contested": True, "bound": None})

    def _is_bare(self, part: Part, place: Passage) -> bool:
        """True if a part of an assistant's answer has no words but names, options and labels. One word more may make it
        another figure: "with shipping", "at another shop". So may a day beside a product.
        """
        if not any(source[:2] == "O:" for source in part.sources) and find_dates(place.words, self.layout.notation):
            return False
        return self._names(part).union(*self._labels.values(), month_numbers()).issuperset(words(place.words))

    @remembered_by(lambda part: part.sources)
    def _names(self, part: Part) -> set[str]:
        """The words of the names and options of what a part is about, but "with", "less" or "per"."""
        items = filter(None, map(self.ledger.product, part.sources))
        names = (f"{item.titles} {item.brand or ''} {item.details.get(VARIANTS, '')}" for item in items)
        return {*words(" ".join((*names, *part.sources)))} - STOP_WORDS - NEGATIONS

    def _values(self, part: Part, place: Passage, only: ValueKind | None) -> Iterator[ReadValue]:
        products = [source for source in part.sources if source[:2] == "P:"]
        orders = [source for source in part.sources if source in self.ledger.order_dates]
        if len(part.sources) == len(products) == 1:
            yield from filter(None, (self._figure(kind, part, place) for kind in _OF_PRODUCTS if only in (None, kind)))
        if only in (None, "order_date") and len(orders) == 1 and {*products} <= {f"P:{self.ledger.ordered[orders[0]]}"}:
            yield from self._day(part, place, orders[0])
        calculations = [source for source in part.sources if source in self.ledger.calculations]
        if only in (None, "total") and calculations and len(part.sources) == len(products) + len(calculations):
            yield from results(place, calculations, self.ledger, self._cited)

    def _figure(self, kind: ValueKind, part: Part, place: Passage) -> ReadValue | None:
        """The one figure of a kind in a part about one product; None for none, for several, and where it is open."""
        read = (amounts_at(kind, place, notation) for notation in place.notations)
        of_kind = ([amount for amount in amounts if self._is_of_kind(kind, amount, part, place)] for amounts in read)
        amounts = next(filter(None, of_kind), [])
        if len(amounts) != 1:
            return None
        amount, plain = amounts[0], {"", *self._labels["price"], *self._labels["costs"]}
        before, behind = place.beside(amount, self._labels)
        if kind == "price" and not {before, behind} <= plain | self._names(part):
            return None
        value = compared_figure(kind, amount, part.sources[0], place, self.ledger)
        is_denied = value.state == "contradicted" and (kind != "price" or behind in plain)  # "the $51 kettle"
        is_denied = is_denied and self._is_certain(kind, amount, part, place)
        is_denied = is_denied and (part.tie != "rest" or self._is_led_to(kind, amount, part, place))
        return value if is_denied or value.state == "verified" else None

    def _is_led_to(self, kind: ValueKind, amount: Amount, part: Part, place: Passage) -> bool:
        """True behind a mark if names and labels alone lead to a figure, one of its kind among them or behind it, and
        nothing else follows: "The kettle [P:…], which costs $9.50.", but not "Unlike the kettle [P:…], it costs $9.50",
        nor ", and for $9.50 you get a lid".
        """
        own, other = self._labels[kind], self._labels["other_price"]
        first = self.layout.sentences[self.layout.sentence_at(part.start)].start
        led, (_, behind) = {*words(place.text[place.start : amount.start])}, place.beside(amount, self._labels)
        before = {*words(self.layout.text[first : part.start])}
        is_bare = led | before <= self._names(part).union(*self._labels.values()) - other
        return is_bare and (behind in own or (behind == "" and not led.isdisjoint(own)))

    def _is_of_kind(self, kind: ValueKind, amount: Amount, part: Part, place: Passage) -> bool:
        """Whether a sign, or a label beside it, says that a figure is of this kind."""
        called, is_headed = self._labels[kind], self._is_headed(kind, amount, part, place)
        if kind == "price":
            return not amount.compound and (is_headed or amount.kind == "money")
        before, behind = place.beside(amount, self._labels)
        if kind == "rating":
            *_, label, joint = "", "", *words(place.text[place.reach(amount) : amount.start])  # "a rating of 4.6"
            is_called = not called.isdisjoint((before, behind)) or (label in called and len(joint) <= _LONGEST_JOINT)
            is_called = is_called or STARS.match(place.text, amount.end) or self._is_counted(amount, part, place)
            is_alone = not amount.compound or behind in called  # "4.6-star", but "3.8 x 4.6"
            return bool(is_headed or is_called) and is_alone and 0 < amount.places <= _MOST_PLACES
        is_called = behind in called
        if (rated := self._rated_before(amount, place)) is not None:  # "4.6 (1,843", "4.6 from 1,843 buyers"
            is_signed = not rated["called"] and rated["joint"].strip() in tuple("(（·,，")
            is_called = is_called or is_signed or behind in self._labels["beside"]
        return not amount.compound and (is_headed or is_called)

    def _rated_before(self, count: Amount, place: Passage) -> re.Match[str] | None:
        """The rating whose number of ratings a figure may be: what is between says nothing else."""
        rated = _RATED.search(place.text, place.reach(count), count.start) if count.low >= _FEWEST_RATINGS else None
        called = self._labels["rating"] | self._labels["beside"]
        return rated if rated is not None and called.issuperset(words(rated["called"])) else None

    def _is_counted(self, rating: Amount, part: Part, place: Passage) -> bool:
        """True if the number of ratings that the record has stands behind a figure: that is the rating."""
        item, counts = self.ledger.product(part.sources[0]), amounts_at("rating_count", place)
        right = (count for count in counts if item is not None and count.low == item.rating_number)
        rated = filter(None, (self._rated_before(count, place) for count in right))
        return any(match.start("rating") == rating.start for match in rated)

    def _is_headed(self, kind: ValueKind, amount: Amount, part: Part, place: Passage) -> bool:
        """True below or behind a label that says this and nothing else: "price per inch" is not a price."""
        labels, own = self._labels_of(amount, part, place), self._labels[kind]
        is_other = any(label & self._labels["other_price"] for label in labels)
        return not is_other and any(label & own and label <= own | self._labels["beside"] for label in labels)

    def _labels_of(self, amount: Amount, part: Part, place: Passage) -> list[set[str]]:
        """The words of a cell's labels, and of what a colon ends before the figure, without the product's name."""
        before = place.text[place.reach(amount) : amount.start].rstrip(" \t\n*_")  # blanks are a link's address
        written = re.split(r"[:：;|\n]", before[:-1])[-1] if before.endswith((":", "：")) else ""
        label = {*words(written)} - self._names(part)
        return [*({*label.split()} for label in part.labels), *filter(None, [label])]

    def _is_certain(self, kind: ValueKind, amount: Amount, part: Part, place: Passage) -> bool:
        """Whether a figure that the record does not have can be nothing but wrong."""
        item = self.ledger.product(part.sources[0])
        record = None if item is None else on_record(kind, item)
        if record is None or amount.relation not in ("is", "about") or self.ledger.names(amount.low):
            return False
        is_headed = self._is_headed(kind, amount, part, place)
        is_near = (is_headed and bool(part.labels)) or _LEAST * record <= amount.low <= _MOST * record
        is_near = is_near or equals(amount, 10 * record)  # a point that slipped
        if amount.compound and not self._is_counted(amount, part, place):  # "your 4.6-star limit"
            return False
        if kind != "price":
            return is_near or (kind == "rating_count" and self._rated_before(amount, place) is not None)
        key, products = product_of(part.sources[0][2:]), self.ledger.products
        line = {*words(self.layout.text[max(0, part.start - _LONGEST_LINE) : part.end].rpartition("\n")[2])}
        # What the line names besides, by the first word of its title.
        others = [name for name, item in products.items() if name != key and next(words(item.title), "") in line]
        is_bare = not any(label - self._labels["beside"] for label in self._labels_of(amount, part, place))
        is_plain = is_headed or (is_bare and amount.places >= CENTS)
        return is_plain and is_near and not is_explained(amount, self.ledger, others, [key, *self._cited])

    def _day(self, part: Part, place: Passage, order: str) -> Iterator[ReadValue]:
        """The one day beside an order. It may be the day on which that came, unless a label calls it the day of the
        order; in a report, which knows no other, not if it is far from that.
        """
        days = [day for day in days_at(place) if day.is_day]
        if len({day.iso for day in days}) != 1:
            return
        value = compared_figure("order_date", days[0], order, place, self.ledger)
        spoken = {*words(place.words), *(word for label in part.labels for word in label.split())}
        is_called, ordered = not spoken.isdisjoint(self._labels["date"]), self.ledger.order_dates[order]
        is_far = not any(days[0].fits(ordered + timedelta(days=apart)) for apart in range(_LONGEST_ON_ITS_WAY + 1))
        if value.state == "verified" or is_called or (self.ledger.policy is None and is_far):
            yield value

    @cached_property
    def _labels(self) -> dict[str, frozenset[str]]:
        """The words of labels: of a text that is too short to tell its language by, in any language."""
        notation, is_told = own_notation(self.layout.text)
        return {**labels(english=notation.is_english if is_told else None)}

    @cached_property
    def _cited(self) -> tuple[str, ...]:
        cited = (source for stretch in self.layout.stretches for source in stretch.cited)
        return tuple(dict.fromkeys(source[2:].partition("/")[0] for source in cited if source[:2] == "P:"))
