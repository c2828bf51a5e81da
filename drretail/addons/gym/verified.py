"""What of a report its sources say: each number, date and quotation, by what the citation marks cover.

No number is read for what it means. A source says it if it has the number anywhere; what a record contradicts, code has
found before (``integrity``). So an invented number lowers the share, and a record's number in a wrong place may not.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import chain, combinations, product

from drretail.records.reading import Reading, ReadValue
from drretail.records.shop import product_of
from drretail.remembered import remembered
from drretail.reports.text.amounts import Amount, Notation, find_amounts, find_dates, notation_of, other_notation
from drretail.reports.text.numerals import find_numerals
from drretail.reports.text.quotes import has_words
from drretail.shopping.verify.checks import Case
from drretail.shopping.verify.parts import Part, numerals_in
from drretail.shopping.verify.records import Ledger, on_record
from drretail.shopping.verify.written import quoted_in

_KEPT_TEXTS = 512
"""The size of the cache: the same records are cited in many rollouts."""
_SMALL, _PIECES = 12, 100
"""Whole numbers that claim nothing, and terms of calculations that need no source: pieces, and percent."""
_BEYOND = Decimal("0.25")
"""The share by which a source's number may be beyond a bound that says it."""
_ROUNDS = 3
"""How often what follows is looked for anew: out of what followed before."""
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
    its numbers, dates and quotations that sources say; without picks the latter alone. From 0 to 1.

    What is not said as English is read once more in the notation of other languages, since short texts don't tell
    their language.
    """
    notation = case.layout.notation
    share = _share(_Report(case, reading, notation))
    if share == 1 or not notation.is_english:
        return share
    return max(share, _share(_Report(case, reading, other_notation())))


def _share(report: "_Report") -> float:
    statements = [*report.numbers(), *report.quotations()]
    said = {each.key: each.is_said for each in statements}
    share = sum(said.values()) / len(said) if said else 1.0
    stated = {product_of(source[2:]) for each in statements for source in each.said_by if source[:2] == "P:"}
    picked = {pick.product for pick in report.reading.picks or ()}
    return share * len(picked & stated) / len(picked) if picked else share


@dataclass(frozen=True)
class _Report:
    case: Case
    reading: Reading
    notation: Notation

    def numbers(self) -> Iterator[_Statement]:
        """Each number and date but small whole ones, which most records have, and those that the question names."""
        layout = self.case.layout
        whole = [Part(0, len(layout.text), ())]
        places = [(place.start, place.end) for place in numerals_in(layout, whole, self.notation)]
        stated = [self._stated(start, end) for start, end in places if not self._claims_nothing(start)]
        said = defaultdict[int, list[Decimal]](list)
        for _ in range(_ROUNDS):  # what is worked out of what was worked out
            for number, (each, start) in enumerate(stated):
                amount, sentence = self._amounts.get(start), layout.sentence_at(start)
                if amount is None or amount.low in said[sentence]:
                    continue
                if each.is_said or self._follows(amount, said[sentence], [*chain.from_iterable(said.values())]):
                    stated[number] = replace(each, follows=True), start
                    said[sentence].append(amount.low)
        yield from (each for each, _ in stated)

    def _claims_nothing(self, start: int) -> bool:
        amount, value = self._amounts.get(start), self._values.get(start)
        if amount is None or value is not None:
            return False
        is_small = (amount.kind, amount.places) == ("number", 0) and amount.low in range(_SMALL + 1)
        return is_small or self._ledger.names(amount.low)

    def _stated(self, start: int, end: int) -> tuple[_Statement, int]:
        """What stands at a place, with the sources that say it; by a bound, "less than $1,000", none."""
        value, amount = self._values.get(start), self._amounts.get(start)
        sources, written = self._sources[start], self.case.layout.text[start:end]
        if value is not None:
            is_said = value.of not in self._ledger.calculations or value.of in self._grounded
            return _Statement((written, sources), frozenset({value.of} if is_said else ()), is_said), start
        said_by = frozenset(source for source in sources or self._cited if self._has(source, written, amount))
        is_of_it = bool(sources) and (amount is None or amount.relation in ("is", "about"))
        return _Statement((written, sources), said_by if is_of_it else frozenset(), bool(said_by)), start

    def quotations(self) -> Iterator[_Statement]:
        """All words in quotation marks but the question's own."""
        text = self.case.layout.text
        for quote in quoted_in(text, 0, len(text)):
            sources, words = self._sources[quote.start("words")], quote["words"]
            if not has_words(self.case.query.text, words):
                said_by = {source for source in sources if has_words(self._text_of(source), words)}
                is_read = not sources and any(has_words(each, words) for each in self._ledger.all_texts)
                yield _Statement((words, sources), frozenset(said_by), follows=is_read)

    def _has(self, source: str, written: str, amount: Amount | None) -> bool:
        """True if a source has a number or a date; of money, only the prices of a product."""
        text = self._text_of(source)
        if amount is None:
            days = find_dates(written, self.notation)
            return any(day.fits(other) for day in days for other in _days(text)) or has_words(text, written)
        item, prices = self._ledger.product(source), [*self._prices(source)]
        if item is not None and amount.kind == "money":
            return amount.currency in (None, item.currency) and any(_fits(amount, price) for price in prices)
        if source in self._ledger.calculations and source not in self._grounded:
            return False
        numbers = [*_numbers(text), *prices]
        numbers += [100 * number for number in numbers if number < 1] if amount.kind == "percent" else []
        return any(_fits(amount, number) for number in numbers)

    def _follows(self, amount: Amount, beside: Sequence[Decimal], said: Sequence[Decimal]) -> bool:
        """True for what is worked out of records, sums and differences of what its sentence says ``beside`` it, and
        differences of what is ``said`` and the question names.
        """
        pairs = [*combinations(beside, 2)]
        results = [one + other for one, other in pairs]
        results += [abs(one - other) for one, other in (*pairs, *product([*said, *beside], self._limits))]
        return any(amount.agreement(result) in ("equal", "rounded") for result in (*self._worked_out, *results))

    @cached_property
    def _limits(self) -> Sequence[Decimal]:
        """The numbers that the question names."""
        ledger = self._ledger
        return [limit for limit in (ledger.limit, *(each.low for each in ledger.asked)) if limit is not None]

    @cached_property
    def _worked_out(self) -> Sequence[Decimal]:
        """Results of calculations, what the cart and its lines cost and leave, and sums and differences of prices, of
        ratings, and of these and what the question names.
        """
        ledger, picks, limits = self._ledger, self.reading.picks or (), self._limits
        results = [abs(ledger.calculations[key].result) for key in self._grounded]
        if ledger.total is not None:
            results += [ledger.total, *(abs(limit - ledger.total) for limit in limits)]
        results += [price * pick.quantity for pick in picks if (price := ledger.price_of(pick)) is not None]
        items = [*filter(None, map(ledger.product, self._cited))]
        of_kinds = ([on_record(kind, item) for item in items] for kind in ("price", "rating"))
        known = [[*(number for number in numbers if number is not None), *limits] for numbers in of_kinds]
        results += [abs(one - other) for numbers in known for one, other in combinations(numbers, 2)]
        return results + [one + other for one, other in combinations(known[0], 2)]

    @cached_property
    def _grounded(self) -> frozenset[str]:
        """The calculations of numbers that the run was shown, the question names, or others gave; a number alone is no
        calculation.
        """
        if not self._ledger.calculations:
            return frozenset()
        shown = [source for source, entry in self.case.evidence.items() if entry.kind != "calculation"]
        known = {number for source in shown for number in (*_numbers(self._text_of(source)), *self._prices(source))}
        known |= _numbers(self._ledger.query_text)
        known |= {number for number in (self._ledger.limit, self._ledger.total) if number is not None}
        grounded = dict[str, None]()
        for key, made in self._ledger.calculations.items():  # in the order in which they were made
            if len(made.operands) > 1 and all(term in known or term in range(_PIECES + 1) for term in made.operands):
                grounded[key] = None
                known.add(abs(made.result))
        return frozenset(grounded)

    def _prices(self, source: str) -> Iterator[Decimal]:
        for offer in self._ledger.offers(source):
            yield from filter(None, (offer.price, offer.list_price))

    @remembered
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
        found = layout.amounts if self.notation is layout.notation else find_amounts(layout.text, self.notation)
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


def _fits(amount: Amount, number: Decimal) -> bool:
    """True if an amount says this number; of a bound, "more than 150", also one a little beyond, or rounded to it."""
    if amount.agreement(number) == "bounded":
        whole = f"{amount.low:.0f}"
        place = 10 ** (len(whole) - len(whole.rstrip("0")))
        return abs(number - amount.low) <= max(_BEYOND * abs(amount.low), place) or amount.is_range
    return amount.agreement(number) in ("equal", "rounded")


@lru_cache(_KEPT_TEXTS)
def _numbers(text: str) -> frozenset[Decimal]:
    """All numbers of a source, those within words and dates, too."""
    amounts = find_amounts(text, notation_of(text), years=False)
    numerals = (numeral.number for numeral in find_numerals(text))
    return frozenset((*(each.low for each in amounts), *(each.high for each in amounts), *numerals))


@lru_cache(_KEPT_TEXTS)
def _days(text: str) -> Sequence[date]:
    return [date.fromisoformat(each.iso) for each in find_dates(text, notation_of(text)) if each.is_day]
