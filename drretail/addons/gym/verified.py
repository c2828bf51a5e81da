"""What of a report its sources say: each number, date, quotation and option, by what the citation marks cover.

No number is read for what it means. A source says it if it has the number anywhere; what a record contradicts, code has
found before (``integrity``). So an invented number lowers the share, and a record's number in a wrong place may not.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import combinations

from drretail.grounding.text.amounts import Amount, find_amounts, find_dates, notation_of
from drretail.grounding.text.numerals import find_numerals
from drretail.grounding.text.quotes import has_words
from drretail.grounding.verify.checks import Case
from drretail.grounding.verify.parts import Part, numerals_in
from drretail.grounding.verify.records import Ledger, equals, on_record
from drretail.grounding.verify.written import quoted_in
from drretail.records.reading import Reading, ReadValue
from drretail.records.shop import product_of

_OPTION = r"(?<!\w){}[ \t]*[:：][ \t*_]*(?P<value>[^,;.()|\n]{{1,60}})"
_KEPT_TEXTS = 512
"""The size of the cache: the same records are cited in many rollouts."""
Sources = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Statement:
    """Something that sources say or don't."""

    key: object
    """What is said again has the same and counts once."""
    said_by: frozenset[str] = frozenset()
    follows: bool = False
    """True if it is worked out of what sources say."""

    @property
    def is_said(self) -> bool:
        return self.follows or bool(self.said_by)


def verified_share(case: Case, reading: Reading) -> float:
    """The share of the picks of which the report states a number or a quotation that the record has, times the share of
    its numbers, dates, quotations and options that sources say; without picks the latter alone. From 0 to 1.
    """
    report = _Report(case, reading)
    statements = [*report.numbers(), *report.quotations(), *report.options()]
    said = {each.key: each.is_said for each in statements}
    share = sum(said.values()) / len(said) if said else 1.0
    stated = {product_of(source[2:]) for each in statements for source in each.said_by if source[:2] == "P:"}
    picked = {pick.product for pick in reading.picks or ()}
    return share * len(picked & stated) / len(picked) if picked else share


@dataclass(frozen=True)
class _Report:
    case: Case
    reading: Reading

    def numbers(self) -> Iterator[_Statement]:
        """Each number and date that the question does not name, and that is not how many pieces are bought."""
        pieces = [pick.quantity for pick in self.reading.picks or ()]
        of_task = {Decimal(count) for count in (len(pieces), sum(pieces), *pieces)}
        layout = self.case.layout
        for place in numerals_in(layout, [Part(0, len(layout.text), ())]):
            value, amount = self._values.get(place.start), self._amounts.get(place.start)
            sources, written = self._sources[place.start], layout.text[place.start : place.end]
            if value is not None:
                yield _Statement((written, sources), frozenset({value.of}), follows=True)
            elif amount is None or not (amount.low in of_task or self._ledger.names(amount.low)):
                said_by = (source for source in sources or self._cited if self._has(source, written, amount))
                follows = amount is not None and self._follows(amount, sources)
                # A bound, "less than $1,000", states nothing of a product.
                is_bound = amount is not None and amount.relation not in ("is", "about")
                by = frozenset(said_by)
                yield _Statement(
                    (written, sources), by if sources and not is_bound else frozenset(), follows or bool(by)
                )

    def quotations(self) -> Iterator[_Statement]:
        """All words in quotation marks but the question's own."""
        text = self.case.layout.text
        for quote in quoted_in(text, 0, len(text)):
            sources, words = self._sources[quote.start("words")], quote["words"]
            if not has_words(self.case.query.text, words):
                said_by = {source for source in sources if has_words(self._text_of(source), words)}
                is_read = not sources and any(has_words(each, words) for each in self._ledger.all_texts)
                yield _Statement((words, sources), frozenset(said_by), follows=is_read)

    def options(self) -> Iterator[_Statement]:
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
                yield from (_Statement((name, value), follows=_folded(value) in own) for value in values)

    def _has(self, source: str, written: str, amount: Amount | None) -> bool:
        text = self._text_of(source)
        if amount is None:
            days = find_dates(written, self.case.layout.notation)
            return any(day.fits(other) for day in days for other in _days(text)) or has_words(text, written)
        item, prices = self._ledger.product(source), [*self._prices(source)]
        if item is not None and amount.kind == "money":
            return amount.currency in (None, item.currency) and any(equals(amount, price) for price in prices)
        return any(equals(amount, number) for number in (*_numbers(text), *prices))

    def _follows(self, amount: Amount, sources: Sources) -> bool:
        """True for results of calculations, what the cart and its lines cost and leave, and sums and differences of
        prices or of ratings.
        """
        ledger, picks = self._ledger, self.reading.picks or ()
        limits = [limit for limit in (ledger.limit, *(each.low for each in ledger.asked)) if limit is not None]
        results = [abs(made.result) for made in ledger.calculations.values()]
        if ledger.total is not None:
            results += [ledger.total, *(abs(limit - ledger.total) for limit in limits)]
        results += [price * pick.quantity for pick in picks if (price := ledger.price_of(pick)) is not None]
        items = [*filter(None, map(ledger.product, self._cited))]
        for kind in ("price", "rating"):
            numbers = [number for item in items if (number := on_record(kind, item)) is not None]
            results += [abs(one - other) for one, other in combinations(numbers, 2)]
            results += [one + other for one, other in combinations(numbers, 2) if kind == "price"]
        return any(amount.agreement(result) in ("equal", "rounded") for result in results)

    def _prices(self, source: str) -> Iterator[Decimal]:
        for offer in self._ledger.offers(source):
            yield from filter(None, (offer.price, offer.list_price))

    def _text_of(self, source: str) -> str:
        """All that a source says, with its title and its figures."""
        item, entry = self._ledger.product(source), self.case.evidence.get(source)
        if item is not None:
            return (
                f"{item.brand} {item.store} {item.average_rating} {item.rating_number}\n{self._ledger.text_of(source)}"
            )
        if entry is None:
            return ""
        return "\n".join((entry.title, entry.date or "", *(text.text for text in entry.texts)))  # a page's snippet, too

    @cached_property
    def _values(self) -> Mapping[int, ReadValue]:
        """For each character of a verified value that value."""
        verified = (value for value in self.reading.values if value.state == "verified")
        return {at: value for value in verified for at in range(value.start, value.end)}

    @cached_property
    def _amounts(self) -> Mapping[int, Amount]:
        """The amounts of the report by each of their characters."""
        layout = self.case.layout
        found = find_amounts(layout.text, layout.notation)
        return {at: amount for amount in found for at in range(amount.start, amount.end)}

    @cached_property
    def _ledger(self) -> Ledger:
        return self.case.ledger(self.reading.picks)

    @cached_property
    def _cited(self) -> Sources:
        return tuple(dict.fromkeys(source for part in self.case.parts for source in part.sources))

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


@lru_cache(_KEPT_TEXTS)
def _numbers(text: str) -> frozenset[Decimal]:
    """All numbers of a source, those within words and dates, too."""
    amounts = find_amounts(text, notation_of(text), years=False)
    numerals = (numeral.number for numeral in find_numerals(text))
    return frozenset((*(each.low for each in amounts), *(each.high for each in amounts), *numerals))


@lru_cache(_KEPT_TEXTS)
def _days(text: str) -> Sequence[date]:
    return [date.fromisoformat(each.iso) for each in find_dates(text, notation_of(text)) if each.is_day]


def _folded(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
