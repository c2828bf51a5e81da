"""What is certain by form: one source, one figure of a kind in what its mark owns; tables by plain heads; sums that are
written out; the result of a cited calculation; words in quotation marks before a mark.

A figure is verified if the record has it. It is contradicted only where signs, or words of labels.toml, directly beside
it say what it is, and nothing explains it. Everything else is open.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import cached_property

from drretail.grounding.text.amounts import Amount, WrittenDate
from drretail.grounding.text.layout import Layout, Stretch
from drretail.grounding.text.numerals import find_numerals
from drretail.grounding.text.quotes import has_words
from drretail.grounding.text.words import is_english, labels, month_numbers
from drretail.grounding.text.words import words as words_of
from drretail.grounding.verify.places import altered, amounts_at, compared, days_at, place_of
from drretail.grounding.verify.records import (
    CENTS,
    Ledger,
    all_words_of,
    amounts_in,
    derived,
    fits,
    on_record,
    with_state,
)
from drretail.records.reading import ReadValue, Unread, ValueKind
from drretail.records.shop import VARIANTS

_PRODUCT, _ORDER, _CALCULATION = "P:", "O:", "C:"
_KINDS: tuple[ValueKind, ...] = ("price", "rating", "rating_count")
# The " of "3.9\" thick" opens no quotation.
_QUOTED = re.compile(r"(?<!\w)[“„«「\"](?P<words>[^“”„«»「」\"\n]{12,400})[”“»」\"](?=[^\w\n]*$)")
_INSERTED = re.compile(r"\[[^\[\]]{0,40}\]")
"""What a quotation adds to the words that it quotes."""
_FEWEST_WORDS = 4
_OFFER = re.compile(r"\[P:([\w-]+/[\w-]+)\]")
_FIRST = re.compile(r"[^\W_]")
_STARS = re.compile(r"\s?(?:/\s?5\b|[★⭐])|\s?\(")
_RATED = re.compile(r"\d[.,]\d\d?(?:\s?(?:/\s?5|[★⭐]|stars?\b))?\W{0,4}(?:[^\W\d_]{1,6}\s)?$")
_BESIDE_RATING = re.compile(r"\d[.,]\d(?:\s?(?:/\s?5|[★⭐]))?\s?[(·,]\s?$")
_LEAST, _MOST = Decimal("0.4"), Decimal(3)
"""How far a wrong price may be from the right one: what is further off is of a piece, or of something else."""
_LONGEST_ON_ITS_WAY = 60
"""Days from an order until it came."""
_LABEL = re.compile(r"([^:;|\n]{0,60}):[\s*_]*$")
_GAP, _SIGNS = " \t*_~", "\n.!?(|,;:–—-·=\"'“”"


@dataclass(frozen=True, slots=True)
class Owned:
    """``text[start:end]`` is about these sources; ``labels`` are a cell's."""

    start: int
    end: int
    sources: tuple[str, ...]
    labels: tuple[str, ...] = ()
    is_named: bool = True
    """False if it names nothing, so that what it is about is inherited: then nothing in it is denied."""


def owned_by_marks(layout: Layout) -> list[Owned]:
    """What the marks of a report own: the cells of tables, and stretches of text."""
    cells = [
        Owned(cell.start, cell.end, cell.subjects or cell.orders, cell.labels)
        for cell in layout.cells
        if (cell.subjects or cell.orders) and cell.row >= 0
    ]
    starts = {cell.start for cell in cells}
    stretches = (Owned(one.start, one.end, _offers_marked(layout, one)) for one in layout.stretches if one.cited)
    return [*cells, *(stretch for stretch in stretches if stretch.start not in starts)]


def _offers_marked(layout: Layout, stretch: Stretch) -> tuple[str, ...]:
    """What a stretch cites; of one product the variant that its mark names: "[P:T/T-M]"."""
    marked = {*_OFFER.findall(layout.report, stretch.start, stretch.end)}
    (variant,) = marked if len(marked) == 1 else ("",)
    is_of_it = variant and stretch.cited == (f"{_PRODUCT}{variant.partition('/')[0]}",)
    return (f"{_PRODUCT}{variant}",) if is_of_it else stretch.cited


def read_by_form(layout: Layout, ledger: Ledger, owned: Iterable[Owned]) -> list[ReadValue]:
    """The values in what is ``owned`` that form makes certain, each with whether it would be found if it were wrong."""
    reader = _Reader(layout, ledger)
    values = {(value.start, value.kind): value for value in reader.equations()}
    for span in owned:
        for value in reader.read(span, layout.text):
            if value.state == "verified" and value.kind != "quotation":
                wrong = reader.read(span, altered(layout.text, value))
                is_caught = any(one.start == value.start and one.state == "contradicted" for one in wrong)
                value = value.model_copy(update={"is_caught": is_caught})
            values.setdefault((value.start, value.kind), value)
    return sorted(values.values(), key=lambda value: (value.start, value.kind))


def numerals_in(layout: Layout, owned: Iterable[Owned]) -> list[Unread]:
    """All numerals in what is owned, whatever they say: they are what could be looked at."""
    of_line = (_FIRST.search(layout.text, one.start, one.end) for one in layout.sentences)
    starts = frozenset(match.start() for match in of_line if match is not None)
    inside = {at for span in owned for at in range(span.start, span.end)}
    numerals = find_numerals(layout.text, layout.dates, starts)
    return [Unread(start=one.start, end=one.end) for one in numerals if one.start in inside]


@dataclass(frozen=True)
class _Reader:
    layout: Layout
    ledger: Ledger

    def read(self, span: Owned, text: str) -> Iterator[ReadValue]:
        """The values in one span of a text, which may differ from the report in a digit. Where nothing is to be denied,
        only the right ones.
        """
        yield from (one for one in self._values(span, text) if one.state == "verified" or self._may_deny(span, text))

    def _may_deny(self, span: Owned, text: str) -> bool:
        return span.is_named and (self.ledger.policy is None or self._is_bare(span, text))

    def _is_bare(self, span: Owned, text: str) -> bool:
        """True if a part of an assistant's answer has no words but names, options and those of labels.toml. Without a
        mark one word more may make it another figure: "with shipping", "last year", "at another shop". So may a day
        beside a product.
        """
        is_dated = any(span.start <= one.start < span.end for one in self.layout.dates)
        if is_dated and not any(one[:2] == _ORDER for one in span.sources):
            return False
        items = filter(None, map(self.ledger.product, span.sources))
        names = (f"{item.titles} {item.brand or ''} {item.details.get(VARIANTS, '')}" for item in items)
        own = {*words_of(" ".join((*names, *span.sources)))}
        return all(word in own or word in self.plain_words for word in words_of(text[span.start : span.end]))

    def _values(self, span: Owned, text: str) -> Iterator[ReadValue]:
        products = [one for one in span.sources if one[:2] == _PRODUCT]
        orders = [one for one in span.sources if one in self.ledger.order_dates]
        if len(span.sources) == len(products) == 1:
            yield from filter(None, (self._figure(kind, span, text, products[0]) for kind in _KINDS))
        if len(orders) == 1 and set(products) <= {f"{_PRODUCT}{self.ledger.ordered[orders[0]]}"}:
            yield from self._day(span, text, orders[0])
        if len(span.sources) == 1 and span.sources[0] in self.ledger.calculations:
            yield from self._result(span, text)
        if not span.labels:
            yield from self._quotation(span, text)

    def _figure(self, kind: ValueKind, span: Owned, text: str, product: str) -> ReadValue | None:
        """The one figure of a kind in a span about one product; None for none, for several, and where it is open."""
        amounts = [
            one
            for one in amounts_at(kind, text, span.start, span.end, self.layout.notation)
            if self._is_of_kind(kind, one, span, text)
        ]
        if len(amounts) != 1:
            return None
        (amount,) = amounts
        value = compared(place_of(kind, text, amount.start, amount.end, product), text, self.ledger)
        if value.state == "contradicted" and not self._is_certain(kind, amount, span, text, product):
            return None
        return None if value.state == "underivable" else value

    def _is_of_kind(self, kind: ValueKind, amount: Amount, span: Owned, text: str) -> bool:
        """Whether a sign, or a label beside it, says that a figure is of this kind."""
        if amount.compound:
            return False
        if kind == "price":
            return amount.kind == "money" or self._is_headed(kind, span)
        called = self.labels[kind]
        before, behind = _word_before(text, amount.start), _word_behind(text, amount.end)
        if kind == "rating":
            is_named = bool(_STARS.match(text, amount.end)) or behind in called or before in called
            return bool(amount.places) and (is_named or self._is_headed(kind, span))
        is_beside_rating = _BESIDE_RATING.search(text[span.start : amount.start]) is not None
        return behind in called or is_beside_rating or self._is_headed(kind, span)

    def _is_headed(self, kind: ValueKind, span: Owned) -> bool:
        """True in a cell whose label says this and nothing else: "price per inch" is not a price."""
        named, beside = self.labels[kind], self.labels["beside"]
        own = [{*label.split()} for label in span.labels]
        return any(label & named and label <= named | beside for label in own) and not any(
            label & self.labels["other_price"] for label in own
        )

    def _is_certain(self, kind: ValueKind, amount: Amount, span: Owned, text: str, product: str) -> bool:
        """Whether a figure that the record does not have can be nothing but wrong."""
        item = self.ledger.product(product)
        record = None if item is None else on_record(kind, item)
        if item is None or record is None or amount.relation not in ("is", "about") or self.ledger.names(amount.low):
            return False
        is_near = _LEAST * record <= amount.low <= _MOST * record
        if kind != "price":
            is_rated = kind == "rating_count" and bool(_RATED.search(text[span.start : amount.start]))
            return is_near or is_rated or self._is_headed(kind, span)
        before, behind = _word_before(text, amount.start), _word_behind(text, amount.end)
        if self._is_headed(kind, span):  # but "$4.77 an ounce", or what two of them cost
            is_alone = {before, behind} <= {"", *self.labels["costs"]}
            return is_alone and not self._is_explained(amount, span, text, item.product_id)
        if span.labels:
            return False
        label = _LABEL.search(text[span.start : amount.start])
        names = {*words_of(f"{item.titles} {item.brand or ''}")}
        return (
            amount.places >= CENTS
            and is_near
            and (before == "" or before in self.labels["costs"])
            and (behind == "" or behind in self.labels["costs"])
            and (label is None or {*words_of(label[1])} <= self.labels["price"] | self.labels["beside"] | names)
            and not self._is_explained(amount, span, text, item.product_id)
        )

    def _is_explained(self, amount: Amount, span: Owned, text: str, product_id: str) -> bool:
        """True for a figure with cents that follows from others, or that another thing beside it has."""
        records = self.ledger.products
        line = {*words_of(text[text.rfind("\n", 0, span.start) + 1 : span.end])}
        # What the line names, by the first word of its title.
        beside = (key for key, item in records.items() if key != product_id and next(words_of(item.title), "") in line)
        if any(fits(amount, self.ledger.price(key)) for key in beside):
            return True
        written = (one for one in amounts_in(all_words_of(records[product_id])) if one.kind == "money")
        return derived(amount, self.ledger, [product_id, *self.cited]) or any(fits(amount, one.low) for one in written)

    def _day(self, span: Owned, text: str, order: str) -> Iterator[ReadValue]:
        """The one day beside an order. It may be the day on which the order came, unless a word of labels.toml calls it
        the day of the order; in a report, which knows no other, not if it is far from that.
        """
        days = [one for one in days_at(text, span.start, span.end) if one.is_day]
        if len({one.iso for one in days}) != 1:
            return
        value = compared(place_of("order_date", text, days[0].start, days[0].end, order), text, self.ledger)
        spoken = {*words_of(text[span.start : span.end]), *(word for one in span.labels for word in one.split())}
        is_called = bool(spoken & self.labels["date"])
        if value.state == "verified" or is_called or (self.ledger.policy is None and self._is_far(days[0], order)):
            yield value

    def _is_far(self, day: WrittenDate, order: str) -> bool:
        try:
            apart = (date.fromisoformat(day.iso) - self.ledger.order_dates[order]).days
        except ValueError:  # a day that no calendar has
            return False
        return not 0 <= apart <= _LONGEST_ON_ITS_WAY

    def _result(self, span: Owned, text: str) -> Iterator[ReadValue]:
        """The one amount with cents beside a cited calculation."""
        key = span.sources[0]
        amounts = amounts_at("total", text, span.start, span.end, self.layout.notation)
        amounts = [amount for amount in amounts if amount.places == CENTS]
        shown = [compared(place_of("total", text, one.start, one.end, key), text, self.ledger) for one in amounts]
        right = [value for value in shown if value.state == "verified"]
        if right or len(shown) != 1:
            yield from right
            return
        prices = (self.ledger.price(product) for product in self.ledger.products)
        is_named = self.ledger.names(amounts[0].low) or any(fits(amounts[0], price) for price in prices)
        is_term = derived(amounts[0], replace(self.ledger, calculations={}), self.cited)
        is_money = amounts[0].kind == "money" and amounts[0].relation == "is"
        if shown[0].state == "contradicted" and is_money and not is_named and not is_term:
            yield shown[0]

    def _quotation(self, span: Owned, text: str) -> Iterator[ReadValue]:
        """Words in quotation marks directly before a mark: they stand in what it cites, or nowhere."""
        match = _QUOTED.search(text[span.start : span.end].rstrip())
        if match is None or len([*words_of(match["words"])]) < _FEWEST_WORDS:
            return
        value = ReadValue(
            kind="quotation",
            amount=match["words"],
            of=span.sources[0],
            start=span.start + match.start("words"),
            end=span.start + match.end("words"),
        )
        texts = [*map(self.ledger.text_of, span.sources)]
        if any(stands_in(match["words"], text) for text in texts):
            yield with_state(value, "verified", "")
            return
        is_elsewhere = any(stands_in(match["words"], text) for text in self.ledger.all_texts)
        may_be_translated = self.layout.notation.is_english != is_english("\n".join(texts))
        if all(texts) and not is_elsewhere and not may_be_translated:
            yield with_state(value, "contradicted", "these words stand in nothing that it cites")

    def equations(self) -> Iterator[ReadValue]:
        """The results of sums that the report writes out."""
        for equation in self.layout.equations:
            result, record = equation.result, f"{equation.expression} = {equation.value.normalize():f}"
            value = place_of("equation", self.layout.text, result.start, result.end)
            is_exact = all(one.relation == "is" for one in (result, *equation.operands))
            if equation.holds or is_exact:
                yield with_state(value, "verified" if equation.holds else "contradicted", record)

    @cached_property
    def labels(self) -> dict[str, frozenset[str]]:
        return {**labels(english=self.layout.notation.is_english)}

    @cached_property
    def plain_words(self) -> frozenset[str]:
        """The words of all labels, and the names of months."""
        return frozenset[str]().union(*self.labels.values(), month_numbers())

    @cached_property
    def cited(self) -> tuple[str, ...]:
        cited = (source for stretch in self.layout.stretches for source in stretch.cited)
        return tuple(dict.fromkeys(one[2:].partition("/")[0] for one in cited if one[:2] == _PRODUCT))


def stands_in(quoted: str, text: str) -> bool:
    """True if a text has the quoted words, letter by letter, without what stands between brackets."""
    return has_words(text, _INSERTED.sub("…", quoted))


def _word_before(text: str, start: int) -> str | None:
    """The word directly before a place; blank if a sign or a line's beginning is there."""
    before = text[max(0, start - 30) : start].rstrip(_GAP)
    if not before or before[-1] in _SIGNS:
        return ""
    return next(iter([*words_of(before)][-1:]), None)


def _word_behind(text: str, end: int) -> str | None:
    """The word directly behind a place; blank if a sign or the end is there."""
    behind = text[end : end + 30].lstrip(_GAP)
    if not behind or not behind[0].isalnum():
        return "" if not behind.startswith(("/", "%", "+")) else None
    return next(words_of(behind), None)
