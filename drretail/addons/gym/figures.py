"""What of a report its sources say: each figure, quotation and option, by what the citation marks cover.

A figure is whatever has a digit in what a reader sees. What the question says itself, and how many pieces are bought,
is left out. Prose without a figure is not read.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property
from itertools import chain, combinations

from drretail.grounding.text.amounts import Amount, WrittenDate, find_amounts, find_dates
from drretail.grounding.text.numerals import SCALE, UNCOUNTED
from drretail.grounding.text.quotes import has_words
from drretail.grounding.text.words import NUMBERS, labels, stem
from drretail.grounding.verify.checks import Case
from drretail.grounding.verify.form import STARS
from drretail.grounding.verify.places import compare_value, value_at
from drretail.grounding.verify.records import CENTS, Ledger, all_words_of, equals, on_record
from drretail.grounding.verify.written import quoted_in
from drretail.records.reading import Reading, ValueKind
from drretail.records.shop import product_of

_WITH_DIGIT = re.compile(r"\w*\d\w*|[½⅓⅔¼¾⅛⅜⅝⅞]")
_SIDES = re.compile(r"\d[\d.,]*(?:\s?[x×]\s?\d[\d.,]*)+|\d+/\d+|\d+[^\W\d_]\b")
_RANK = re.compile(r"^[\s>#*_-]*\d{1,3}[.)](?=\s)", re.MULTILINE)
_WRITTEN = re.compile(rf"\b(?:{'|'.join(NUMBERS)})\b", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<=\d)[,'’](?=\d{3}(?!\d))")
_OPTION = r"(?<!\w){}[ \t]*[:：][ \t*_]*(?P<value>[^,;.()|\n]{{1,60}})"
_RATED: tuple[ValueKind, ...] = ("rating", "rating_count")
Sources = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Figure:
    start: int
    end: int
    amount: Amount | WrittenDate | None = None
    """None for a word with a digit, such as "USB3"."""


def verified_share(case: Case, reading: Reading) -> float:
    """The share of the picks of which the report states a figure or a quotation that the record has, times the share of
    its figures, quotations and options that sources say; without picks the latter alone. From 0 to 1.
    """
    report = _Report(case, reading)
    said = report.statements().values()
    share = sum(said) / len(said) if said else 1.0
    picked = {pick.product for pick in reading.picks or ()}
    return share * len(picked & report.stated) / len(picked) if picked else share


@dataclass(frozen=True)
class _Report:
    case: Case
    reading: Reading

    @property
    def stated(self) -> set[str]:
        """The products of which it states something; "less than $1,000" states nothing."""
        bounds = {amount.start for amount in self._amounts if amount.relation not in ("is", "about")}
        right = (value for value in self.reading.values if value.state == "verified" and value.start not in bounds)
        return {product_of(value.of.removeprefix("P:")) for value in right}

    def statements(self) -> Mapping[object, bool]:
        """Whether a source says it, for each figure, quotation and option; what is said again counts once."""
        text, decided, said = self.case.layout.text, dict[int, bool](), dict[object, bool]()
        for value in self.reading.values:
            if value.state != "underivable":
                decided |= dict.fromkeys(range(value.start, value.end), value.state == "verified")
        for quote in quoted_in(text, 0, len(text)):
            start, end = quote.span("words")
            if not has_words(self.case.query.text, quote["words"]):
                texts = [*map(self._text_of, self._sources[start])] or self._ledger.all_texts
                is_said = decided.get(start, any(has_words(text, quote["words"]) for text in texts))
                said[quote["words"], self._sources[start]] = is_said
                decided |= dict.fromkeys(range(start, end), is_said)
        for figure in self._figures():
            if figure.start in decided or not self._is_of_task(figure):
                is_said = decided[figure.start] if figure.start in decided else self._is_said(figure)
                said[self._written(figure), is_said, self._sources[figure.start]] = is_said
        return said | dict(self._options())

    def _figures(self) -> Iterator[_Figure]:
        """All that has a digit, but ranks of items and rows; and numbers in words beside a mark."""
        layout, taken = self.case.layout, bytearray(len(self.case.layout.text))
        for match in _RANK.finditer(layout.text):
            taken[match.start() : match.end()] = b"\1" * (match.end() - match.start())
        dates = find_dates(layout.text, layout.notation)
        found = [_Figure(each.start, each.end, each) for each in (*dates, *self._amounts)]
        found += [_Figure(*match.span()) for match in _WITH_DIGIT.finditer(layout.text)]
        found += [_Figure(*word.span()) for word in _WRITTEN.finditer(layout.text) if self._sources[word.start()]]
        cells = {at for cell in layout.cells for at in range(cell.start, cell.end)}
        for figure in found:
            index = layout.sentence_at(figure.start)
            is_row = index >= 0 and layout.sentences[index].kind == "row" and figure.start < layout.sentences[index].end
            is_rank = is_row and figure.start not in cells
            if not (is_rank or any(taken[figure.start : figure.end])):
                taken[figure.start : figure.end] = b"\1" * (figure.end - figure.start)
                yield figure

    def _is_of_task(self, figure: _Figure) -> bool:
        """True for what the question names, for how many are bought, and for the scale of a rating."""
        written, amount = self._written(figure), figure.amount
        if SCALE.search(self.case.layout.text, max(0, figure.start - 4), figure.start) and written in ("5", "10"):
            return True
        if not isinstance(amount, Amount):
            return _stands_in(written, self.case.query.text)
        if self._sources[figure.start] and self._rates(figure) and not amount.compound:  # not "your 4.6-star limit"
            return False
        pieces = [pick.quantity for pick in self.reading.picks or ()]
        is_count = amount.kind == "number" and amount.low in (len(pieces), sum(pieces), *pieces)
        asked = [asked for asked in self._ledger.asked if asked.kind == amount.kind]
        is_asked = any(amount.low in (each.low, each.high) for each in asked)
        is_limit = amount.kind == "money" and amount.low == self._ledger.limit
        return is_asked or is_limit or (is_count and self._unit(figure) not in UNCOUNTED)

    def _is_said(self, figure: _Figure) -> bool:
        sources, amount = self._sources[figure.start], figure.amount
        picks = [f"P:{pick.product}" for pick in self.reading.picks or ()]
        if isinstance(amount, Amount):
            is_term = amount.places == CENTS and not self._unit(figure)  # "30.99 + 17.99"
            numbers = chain(self._sums(sources or picks), *map(self._prices, sources or picks))
            if (amount.kind == "money" or is_term) and any(equals(amount, number) for number in numbers):
                return True
            if amount.kind == "money":  # a product's record says no other amounts
                return any(self._has(source, figure) for source in sources if self._ledger.product(source) is None)
        if not sources:
            return any(_stands_in(self._written(figure), self._ledger.titles.get(pick[2:], "")) for pick in picks)
        return any(self._has(source, figure) for source in sources)

    def _has(self, source: str, figure: _Figure) -> bool:
        """True if one source has a figure that is no money: with its unit, if it is a product's."""
        amount, item = figure.amount, self._ledger.product(source)
        if item is None or not isinstance(amount, Amount) or amount.kind == "percent":
            text, written = self._text_of(source), self._written(figure)
            is_day = isinstance(amount, WrittenDate) and any(date.iso == amount.iso for date in find_dates(text))
            return is_day or _stands_in(written, text) or _stands_in(str(NUMBERS.get(written.casefold(), "")), text)
        text, record = self.case.layout.text, all_words_of(item)
        numbers = [on_record("rating", item)] if amount.places else [on_record(kind, item) for kind in _RATED]
        is_rating = any(equals(amount, number) and (amount.places or amount.low == number) for number in numbers)
        if self._rates(figure):
            return is_rating
        if is_rating and amount.places and self._unit(figure) not in UNCOUNTED:
            return True
        sides = (text[slice(*span)] for span in self._sides if figure.start in range(*span))
        phrases = [*sides, *([self._written(figure)] if amount.is_range else ())]
        measure = value_at("measure", text, figure.start, figure.end, source)
        is_measure = compare_value(measure, text, self._ledger).state == "verified"
        return is_measure or any(has_words(record, phrase) for phrase in phrases)

    def _rates(self, figure: _Figure) -> bool:
        """True if what stands behind a figure says that it is a rating, or the number of ratings."""
        return STARS.match(self.case.layout.text, figure.end) is not None or self._unit(figure) in _rating_words()

    def _unit(self, figure: _Figure) -> str:
        """The unit behind a figure, or the stem of the word there."""
        return value_at("measure", self.case.layout.text, figure.start, figure.end).amount.partition(" ")[2]

    def _text_of(self, source: str) -> str:
        """All that a source says, with its title."""
        item, entry = self._ledger.product(source), self.case.evidence.get(source)
        name = f"{item.brand} {item.store}" if item is not None else "" if entry is None else entry.title
        return f"{name}\n{self._ledger.text_of(source)}"

    def _prices(self, source: str) -> Iterator[Decimal]:
        """What a product's offers cost and have cost, and what was paid for an order."""
        paid = self._ledger.records.get(source, {}).get("price")
        yield from [Decimal(str(paid))] if isinstance(paid, int | float) else ()
        for offer in self._ledger.offers(source):
            yield from filter(None, (offer.price, offer.list_price))

    def _sums(self, sources: Sequence[str]) -> Iterator[Decimal]:
        """What the cart comes to and leaves of the budget, and sums and differences of prices and limits."""
        ledger = self._ledger
        asked = [amount.low for amount in ledger.asked if amount.kind == "money"]
        limits = {*asked, *filter(None, [ledger.limit])}
        if ledger.total is not None:
            yield from (ledger.total, *(abs(limit - ledger.total) for limit in limits))
        prices = [price for source in dict.fromkeys(sources) if (price := ledger.price(product_of(source[2:])))]
        for price, other in combinations([*prices, *limits], 2):
            yield abs(price - other)
        yield from (price + other for price, other in combinations(prices, 2))
        for pick in self.reading.picks or ():
            if f"P:{pick.product}" in sources and (price := ledger.price_of(pick)) is not None:
                yield price * pick.quantity
        yield from (abs(made.result) for key, made in ledger.calculations.items() if key in sources)

    def _options(self) -> Iterator[tuple[object, bool]]:
        """The options that are named by a label, "Size: M", beside the mark of one product that has several."""
        for part in self.case.parts:
            products = {product_of(source[2:]) for source in part.sources if source[:2] == "P:"}
            picks = [pick for pick in self.reading.picks or () if {pick.product} == products]
            offers = [offer for pick in picks if (offer := self._ledger.offer(pick)) is not None]
            text = self.case.layout.text[part.start : part.end]
            for name in dict.fromkeys(name for offer in offers for name in offer.options):
                own = {_folded(offer.options[name]) for offer in offers if name in offer.options}
                values = [match["value"] for match in re.finditer(_OPTION.format(re.escape(name)), text, re.IGNORECASE)]
                values += [text for label in part.labels if label == name.casefold()]
                yield from (((name, value), _folded(value) in own) for value in values)

    def _written(self, figure: _Figure) -> str:
        return self.case.layout.text[figure.start : figure.end]

    @cached_property
    def _amounts(self) -> Sequence[Amount]:
        return find_amounts(self.case.layout.text, self.case.layout.notation)

    @cached_property
    def _sides(self) -> Sequence[tuple[int, int]]:
        """Sizes of several sides, "28 x 52", fractions, and numbers with a letter, "5000K"."""
        return [match.span() for match in _SIDES.finditer(self.case.layout.text)]

    @cached_property
    def _ledger(self) -> Ledger:
        return self.case.ledger(self.reading.picks)

    @cached_property
    def _sources(self) -> Sequence[Sources]:
        """For each character, what the marks that cover it cite."""
        sources: list[Sources] = [()] * len(self.case.layout.text)
        for part in sorted(self.case.parts, key=lambda part: part.start - part.end):
            sources[part.start : part.end] = [part.sources] * (part.end - part.start)
        for citation in self.case.citations:  # a link's words are about what it leads to
            if citation.evidence_id is not None and not any(sources[citation.start : citation.end]):
                sources[citation.start : citation.end] = [(citation.evidence_id,)] * (citation.end - citation.start)
        return sources


@cache
def _rating_words() -> frozenset[str]:
    """The stems of the words that say of a figure that it is a rating, or the number of ratings."""
    of_kind = labels(english=None)
    return frozenset(map(stem, of_kind["rating"] | of_kind["rating_count"]))


def _stands_in(written: str, text: str) -> bool:
    """True if a number or a word stands in a text, however thousands are written."""
    word = _THOUSANDS.sub("", written).strip("$€£¥₹ ")
    whole = re.compile(rf"(?<![\w.,]){re.escape(word)}(?!\w|[.,]\d)", re.IGNORECASE)
    return bool(word) and whole.search(_THOUSANDS.sub("", text)) is not None


def _folded(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
