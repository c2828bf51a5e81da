"""Reads a report by its form: which figures belong to which source, as far as the layout makes it certain.

A false alarm is worse than no check: a value is contradicted only if its stretch has one source, one figure of the
kind, and no other explanation. Other figures count as unread.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TypeVar

from drretail.grounding.report.page import blanked, meet
from drretail.grounding.report.picks import picks_by_form
from drretail.grounding.report.statements import numerals_beside_marks, stands_in_record, statements_in
from drretail.grounding.text.amounts import Amount, WrittenDate, find_dates, find_days
from drretail.grounding.text.layout import Cell, Layout, Stretch
from drretail.grounding.text.numerals import Equation, Score, find_scores, is_scale
from drretail.grounding.text.words import labels
from drretail.grounding.verify.records import (
    CENTS,
    Calculation,
    Ledger,
    derivation,
    fits,
    on_record,
    result_shown,
    title_numbers,
    with_state,
)
from drretail.grounding.verify.values import acquitted, verify
from drretail.records.reading import FORM, Reading, ReadValue, Unread, ValueKind, ValueState
from drretail.records.shop import Product, has_offers, list_prices, sold_for

_WORD = re.compile(r"[^\W\d_]+")
_OUT_OF = frozenset({"from", "out", "at"})
"""Words, besides those of labels, in a line that only states a rating: "Rating: 4.5 out of 5 (353)"."""
_CLAUSE = re.compile(r"[;:](?=\s)")
# A heading's figure after a separator: "Best value – $44.95", but not "Why no $29.95 one?".
_SET_OFF = re.compile(r"(?:^|\s[–—-]|[:(|,·*_])\W*$")
# "Grand total $76.94", and not past the end of a sentence.
_TOTAL = re.compile(r"\b(?:totals?|sum|altogether|together|com(?:es?|ing) to)\b[^.;|\n$€£]{0,25}$", re.IGNORECASE)
_TOTAL_LABELS = frozenset({"total", "sum", "subtotal"})
# "$24.06 of your $70", "$6.51 under your $20".
_OF_BUDGET = re.compile(
    r"[^\w.!?]*(?:(?P<of>(?:out )?of)|(?:left|spare) (?:out )?of|under|below)\W+(?:\w+\W+){0,2}", re.I
)
# The amount is not today's price of the whole product in this shop: "$3 a towel", "$5 less", "was $59.99".
_NO_PRICE_BEHIND = re.compile(
    r"[^\w:;.]{0,3}(?:/|\b(?:per|an?|each|apiece|more|less|cheaper|dearer|off|left|over|under|below|above|budget"
    r"|limit|shipping|coupon|discount)\b)",
    re.IGNORECASE,
)
_NO_PRICE_BEFORE = re.compile(
    r"\b(?:was|were|saves?|leaves?|from|than|off|your|elsewhere|once|instead of|worth|paid"
    r"|(?:shipping|coupon|discount|budget|limit)(?:\s\w+)?)\W{0,3}(?:an?\W)?$",
    re.IGNORECASE,
)
# What a line or a cell calls the figure behind it: "Price per 100 mg: $0.11".
_LABEL = re.compile(r"([^]:;|\n]{0,60}):[\s*_]{0,4}$")
# A day of another event, which no order's record has: "it came on 17 March", "bis zum 3. Mai".
_OTHER_DAY = re.compile(
    r"\b(?:until|till|by|before|after|since|from|came|arrived|delivered|received|shipped|sent|returned"
    r"|bis|vor|nach|seit|ab|kam|geliefert|zugestellt|versandt|jusqu\W|avant|après|depuis|arrivée?|livrée?|reçue?"
    r"|hasta|antes|después|desde|llegó|entregad[oa]|recibid[oa])\W(?:(?:the|on|dem|den|zum|am|au|le|de|el|del)\W)?$",
    re.IGNORECASE,
)
UNEXPLAINED = "no record explains it"
"""Why a figure of a kind that is read is not decided."""
UNDECIDED = "no field of its name and unit has it"
_REACH_BEFORE, _REACH_BEHIND = 40, 36
_HIGHEST_RATING = 5
_OF_PICKS: dict[str, ValueKind] = {"the picks together": "total", "the budget and the picks together": "left_over"}
_Figure = TypeVar("_Figure", Amount, Score, WrittenDate)


def read_by_form(layout: Layout, ledger: Ledger) -> Reading:
    """The verified values of a report with its picks by form, and how many figures were seen and read.

    The words around a figure are understood in English only: elsewhere "unter 40 €" looks like the price itself. In
    other languages, a figure is contradicted only if it is separated from all words but those of labels.toml.
    """
    return _Reader(layout, ledger).reading()


class _Reader:
    """Reads a report's cells and stretches in one pass; each figure is read once."""

    def __init__(self, layout: Layout, ledger: Ledger) -> None:
        self.ledger = ledger
        self.layout = layout
        self.text = self.layout.text
        self.amounts, self.dates = self.layout.amounts, self.layout.dates
        self.is_english = self.layout.notation.is_english
        self.label_words = labels(english=self.is_english)
        self.other_price = self.label_words.get("other_price", frozenset())
        self.without_figures = blanked(self.text, ((one.start, one.end) for one in (*self.amounts, *self.dates)))
        self.scores = list(find_scores(self.text, self.amounts, is_english=self.is_english))
        self.sources = dict.fromkeys(source for stretch in self.layout.stretches for source in stretch.cited)
        self.cited = tuple(source[2:] for source in self.sources if source[:2] == "P:")
        self.labels = {
            amount.start: frozenset(word for label in cell.labels for word in label.split())
            for cell in self.layout.cells
            for amount in _inside(self.amounts, cell.start, cell.end)
        }
        self.values: list[ReadValue] = []
        self.seen: set[int] = set()
        self.read: set[int] = set()
        """The starts of the figures that were seen, and of those that need no further reading."""

    def reading(self) -> Reading:
        for cell in self.layout.cells:
            self._read_cell(cell)
        for stretch in self.layout.stretches:
            self._read_stretch(stretch)
        for equation in self.layout.equations:
            result, words = equation.result, f"{equation.expression} = {equation.value.normalize():f}"
            kind = self._kind_of(_calculation(equation))
            others = [value for value in self.values if value.start == result.start]
            is_exact = all(amount.relation == "is" for amount in (result, *equation.operands))
            if equation.holds and not others:
                self._keep(kind, result, [], "verified", words)
            elif not equation.holds and is_exact and all(value.state == "verified" for value in others):
                self.values = [value for value in self.values if value not in others]
                self._keep(kind, result, [], "contradicted", words)
        cited = [one for key, one in self.ledger.calculations.items() if key in self.sources]
        written = [_calculation(equation) for equation in self.layout.equations if equation.holds]
        picks = picks_by_form(self.layout, self.values, self.ledger, [*cited, *written])
        if self.is_english and self.ledger.picks:
            self._read_totals({f"P:{pick.product}" for pick in self.ledger.picks})
        for value in statements_in(self.layout, self.ledger):
            starts = {amount.start for amount in _inside(self.amounts, value.start, value.end)}
            if not starts & self.read and not any(meet(value, other) for other in self.values):
                self.values.append(value)
        wrong = {equation.result.start for equation in self.layout.equations if not equation.holds}
        records = self.ledger, self.text, self.layout.cited_at
        self.values = [value if value.start in wrong else acquitted(value, *records) for value in self.values]
        unread = {amount.start: amount for amount in self.amounts if amount.start in self.seen - self.read}
        numerals = numerals_beside_marks(self.layout)
        decided = [value for value in self.values if value.state != "underivable"]
        told = (*decided, *(amount for amount in self.amounts if amount.start in self.read), *unread.values())
        left = {one: sources for one, sources in numerals.items() if not any(meet(one, each) for each in told)}
        others = [one for one, sources in left.items() if not stands_in_record(one, sources, self.ledger)]
        return Reading(
            reader=FORM,
            picks=picks,
            values=tuple(sorted(self.values, key=lambda value: (value.start, value.kind))),
            unread=(
                *(Unread(start=amount.start, end=amount.end, why=UNEXPLAINED) for amount in unread.values()),
                *(Unread(start=numeral.start, end=numeral.end, why=UNDECIDED) for numeral in others),
            ),
            numerals=len(numerals),
            seen=len(self.seen),
            read=len(self.seen & self.read),
        )

    def _keep(self, kind: ValueKind, amount: Amount, of: Iterable[str], state: ValueState, words: str = "") -> None:
        self.values.append(with_state(_value(kind, amount, of), state, words))
        self.read.add(amount.start)
        self.seen.add(amount.start)

    def _keep_if_settled(self, kind: ValueKind, amount: Amount, subject: str, states: Collection[ValueState]) -> bool:
        """Adds a value whose state, by its record, is among ``states``; returns whether it did."""
        (value,) = verify([_value(kind, amount, [subject])], self.ledger)
        # "Over $30" may be about the cost of all of them.
        is_limit = value.state == "contradicted" and value.relation not in ("is", "about")
        if value.state not in states or is_limit:
            return False
        self._keep(kind, amount, [subject], value.state, value.derivation or "")
        return True

    def _within(self, start: int, end: int) -> list[Amount]:
        """The figures of a span that are not yet read."""
        return [amount for amount in _inside(self.amounts, start, end) if amount.start not in self.read]

    def _scores_within(self, start: int, end: int) -> list[Score]:
        return [score for score in _inside(self.scores, start, end) if score.start not in self.read]

    def _read_cell(self, cell: Cell) -> None:
        """Reads a cell whose labels name its content, for the one product of the cell, its row, column or section."""
        subjects = [source for source in cell.subjects if source[:2] != "C:"]
        labels = [set(label.split()) for label in cell.labels]
        is_clear = self.is_english or self._is_bare(cell.start, cell.end)
        if len(cell.orders) == 1:
            self._read_dates(cell.orders, cell, certain=self._are_called("date", labels))
        is_around = not subjects and bool(cell.column)
        if is_around:  # "Price | $42.95" in a section about one product
            subjects, labels = self.layout.around[cell.sentence], labels[-1:]
        if len(subjects) != 1 or subjects[0][2:] not in self.ledger.products:
            return
        figures = self._within(cell.start, cell.end)
        amounts = [amount for amount in figures if not (amount.compound or is_scale(self.text, amount))]
        scores = self._scores_within(cell.start, cell.end)
        if len(scores) == 1 and scores[0].rating and scores[0].count:
            score_words = self.label_words["rating"] | self.label_words["rating_count"] | self.label_words["beside"]
            is_of_scores = any(words <= score_words for words in labels)
            self._read_score(scores[0], subjects, [], certain=is_clear and is_of_scores)
        if len(amounts) == 1 and (kind := self._kind_in(cell, labels, amounts[0], subjects[0])):
            self.seen.add(amounts[0].start)
            is_other = any(words & self.other_price for words in labels)
            is_other = is_other or (kind == "price" and self._is_no_price(amounts[0], subjects[0]))
            # A table may have a product in each column, and their marks in the line below it.
            others = (f"P:{key}" for key in self.cited) if is_around else ()
            is_other = is_other or any(self._agrees(kind, amounts[0], other) for other in others)
            states: list[ValueState] = ["verified", "contradicted"]
            self._keep_if_settled(kind, amounts[0], subjects[0], states if is_clear and not is_other else states[:1])

    def _are_called(self, kind: str, labels: Iterable[set[str]]) -> bool:
        """True if a label says this and nothing else: "price per inch" is not a price."""
        words, beside = self.label_words[kind], self.label_words["beside"]
        if kind == "price":
            words, beside = words | self.other_price, beside | self.other_price
        return any(label & words and label <= words | beside for label in labels)

    def _is_bare(self, start: int, end: int) -> bool:
        """True if a span has only figures and words of labels, and no figure is a change: "+5 €"."""
        spelt = (word.casefold() for word in _WORD.findall(self.without_figures, start, end))
        changes = (self.text[amount.start - 1 : amount.start] in ("+", "-", "−") for amount in self._within(start, end))
        words = _OUT_OF.union(*self.label_words.values()) - self.other_price
        return words.issuperset(spelt) and not any(changes)

    def _is_set_off(self, stretch: Stretch) -> bool:
        """True if a stretch is one figure on a line of labels only: "- Preis: 12,99 € [P:…]"."""
        start = self.text.rfind("\n", 0, stretch.start) + 1
        end = self.text.find("\n", stretch.end)
        end = len(self.text) if end < 0 else end
        return self._is_bare(start, end) and len(self._within(start, end)) <= 1

    def _kind_in(self, cell: Cell, labels: Sequence[set[str]], amount: Amount, subject: str) -> ValueKind | None:
        """The kind of a cell's one figure, by its labels; money in a head or a first column is a price."""
        kinds = [kind for kind in ("price", "rating_count", "rating") if self._are_called(kind, labels)]
        is_beside_name = amount.kind == "money" and amount.places and (cell.row < 0 or not cell.column)
        if "price" in kinds or (is_beside_name and not self._is_no_price(amount, subject)):
            return "price"
        if "rating_count" in kinds and not amount.places and amount.low > _HIGHEST_RATING:
            return "rating_count"
        return "rating" if "rating" in kinds and amount.places and 0 < amount.low <= _HIGHEST_RATING else None

    def _read_stretch(self, stretch: Stretch) -> None:
        """Reads the figures of a stretch by what it cites; those after a sentence's last mark, by what it has cited."""
        calculations = [source for source in stretch.cited if source in self.ledger.calculations]
        orders = [source for source in stretch.cited if source in self.ledger.order_dates]
        products = [source for source in stretch.cited if source[:2] == "P:"]
        is_alone = len(stretch.cited) == 1
        is_clear = is_alone and (self.is_english or self._is_set_off(stretch))
        for key in calculations:
            self._read_calculation(key, stretch, certain=is_alone)
        if orders:
            known = {*orders, *(f"P:{self.ledger.ordered[order]}" for order in orders)}
            self._read_dates(orders, stretch, certain=known.issuperset(stretch.cited))
        elif is_clear and products:
            self._read_day_of(products[0], stretch)
        subjects = products or [f"P:{self.ledger.ordered[order]}" for order in orders]
        in_sentence = self.layout.cited.get(stretch.sentence, ())
        around = [source for source in in_sentence if source[:2] == "P:" and source not in subjects]
        certain, is_unmarked = is_clear and bool(products), not in_sentence
        if is_unmarked:
            around = list(self.layout.around[stretch.sentence])
            certain = len(around) == 1 and self._says_nothing_else(stretch)
            subjects = around if certain else []
        elif not stretch.cited and len(around) == 1:
            subjects, around = around, []
        if len(products) > 1 and len(products) == len(stretch.cited):
            numbers = [one for one in self._within(stretch.start, stretch.end) if not (one.compound or one.is_range)]
            counts = [number for number in numbers if number.kind == "number"]
            kinds: dict[ValueKind, list[Amount]] = {
                "price": [number for number in numbers if number.kind == "money"],
                "rating": [number for number in counts if number.places == 1 and number.low <= _HIGHEST_RATING],
                "rating_count": [number for number in counts if not number.places and number.low > _HIGHEST_RATING],
            }
            for kind, amounts in kinds.items():
                pairs = zip(amounts, products, strict=False)
                right = [(amount, product) for amount, product in pairs if self._agrees(kind, amount, product)]
                if len(amounts) == len(products) <= len(right) + 1:
                    for amount, product in right:
                        self._keep(kind, amount, [product], "verified")
        if subjects or (around and not stretch.cited):
            known = set(self.seen)
            scores = self._scores_within(stretch.start, stretch.end)
            # "27 buyers gave it 4.7 stars" states both of one product.
            are_one = sum(score.rating is not None for score in scores) <= 1
            are_one = are_one and sum(score.count is not None for score in scores) <= 1
            for score in scores:
                # In any language: one half that is the record's shows what the other one is.
                is_whole = is_alone and bool(products) and score.rating is not None and score.count is not None
                self._read_score(score, subjects, around, certain=(certain or is_whole) and are_one)
            self._read_prices(subjects, around, stretch, certain=certain)
            if is_unmarked:
                self.seen = known | (self.seen & {value.start for value in self.values})

    def _says_nothing_else(self, stretch: Stretch) -> bool:
        """True for a heading whose figure is separated from its words, and for a line of labels only."""
        sentence = self.layout.sentences[stretch.sentence]
        if sentence.kind != "heading" or not self.is_english:
            return self._is_bare(sentence.start, sentence.end)
        money = (one for one in _inside(self.amounts, stretch.start, stretch.end) if one.kind == "money")
        return all(_SET_OFF.search(self.text[sentence.start : amount.start]) for amount in money)

    def _read_calculation(self, key: str, stretch: Stretch, *, certain: bool) -> None:
        """Reads the result in the last clause before a calculation's mark; another single figure there is an error."""
        cuts = [cut.end() for cut in _CLAUSE.finditer(self.text, stretch.start, stretch.end)]
        start = cuts[-1] if cuts else stretch.start
        amounts = [amount for amount in self._within(start, stretch.end) if not amount.compound]
        calculation = self.ledger.calculations[key]
        kind, shown = self._kind_of(calculation), result_shown(reversed(amounts), calculation)
        if shown is not None:
            self.seen.add(shown.start)
            self.read.add(shown.start)
            if shown.kind == "money":
                self._keep(kind, shown, [key], "verified", calculation.expression)
            return
        near = [source for source in self.layout.cited[stretch.sentence] if self.ledger.price(source[2:]) is not None]
        values = verify([_value(kind, amount, [key, *near]) for amount in amounts], self.ledger, self.text)
        prices = {self.ledger.price(product) for product in self.ledger.products}
        unexplained = (one for one, value in zip(amounts, values, strict=True) if value.state == "contradicted")
        left = [amount for amount in unexplained if amount.low not in prices]
        self.seen |= {amount.start for amount in left[-1:]}
        # Counts may be beside a result in words, and a cell of numbers may hold something else.
        in_cents = [amount for amount in left if amount.places == CENTS and amount.start not in self.labels]
        if certain and len(left) == 1 and (in_cents or left[0].kind == "money"):
            words = f"{calculation.expression} = {calculation.result.normalize():f}"
            self._keep(kind, left[0], [key], "contradicted", words)

    def _read_dates(self, orders: Sequence[str], part: Stretch | Cell, *, certain: bool) -> None:
        """Reads dates beside marks of orders. A day is wrong if it alone, of as many dates as orders, is of none of
        them, and not the query's.
        """
        read = {value.start for value in self.values if value.kind == "date"}
        notation = self.layout.notation
        inside = [*_inside(self.dates, part.start, part.end), *find_days(self.text, notation, part.start, part.end)]
        dates = [date for date in inside if date.start not in read]
        query = self.ledger.query_text
        in_query = {date.iso for date in (*find_dates(query), *find_days(query, notation))}
        days = [self.ledger.order_dates[order] for order in orders]
        wrong = [date for date in dates if not any(map(date.fits, days))]
        for date in dates:
            value = ReadValue(kind="date", amount=date.iso, of=tuple(orders), start=date.start, end=date.end)
            is_sure = certain and len(wrong) == 1 and len(dates) == len(orders) and date.iso not in in_query
            is_other = _OTHER_DAY.search(self.text, max(part.start, date.start - _REACH_BEFORE), date.start)
            if date not in wrong:
                self.values.append(with_state(value, "verified", ""))
            elif is_sure and date.is_day and not is_other:
                words = f"the order is of {' or '.join(day.isoformat() for day in days)}"
                self.values.append(with_state(value, "contradicted", words))

    def _read_day_of(self, subject: str, stretch: Stretch) -> None:
        """Reads the one day beside a product whose fields have one day ("Date First Available").

        It is wrong if two of year, month and day are the field's, so that no other day is meant, and no order has it.
        """
        item, written = self.ledger.products.get(subject[2:]), _inside(self.dates, stretch.start, stretch.end)
        if item is None or len(written) != 1 or not written[0].is_day:
            return
        own = [(name, day.iso) for name, value in item.details.items() for day in find_dates(f"{value}") if day.is_day]
        if len(own) != 1:
            return
        ((name, day),), (date,) = own, written
        value = ReadValue(kind="date", amount=date.iso, of=(subject,), start=date.start, end=date.end)
        shared = sum(map(str.__eq__, date.iso.split("-"), day.split("-")))
        if date.iso == day:
            self.values.append(with_state(value, "verified", f"{name}: {day}"))
        elif shared == 2 and not any(map(date.fits, self.ledger.order_dates.values())):
            self.values.append(with_state(value, "contradicted", f"the record says {name}: {day}"))

    def _read_score(self, score: Score, subjects: Sequence[str], around: Sequence[str], *, certain: bool) -> None:
        """Reads a rating, a number of ratings or both, of a product cited here; both together also of one nearby."""
        named: tuple[tuple[ValueKind, Amount | None], ...] = (("rating", score.rating), ("rating_count", score.count))
        halves: list[tuple[ValueKind, Amount]] = [(kind, half) for kind, half in named if half is not None]
        if score.is_sure:
            self.seen |= {amount.start for _, amount in halves}
        if len(halves) == 1 and self.ledger.names(halves[0][1].low):
            self.read.add(halves[0][1].start)  # "your 4.3-star line" is the query's, whatever the record says
            return
        for subject in [*subjects, *(around if len(halves) == 2 else ())]:
            if all(self._agrees(kind, amount, subject) for kind, amount in halves):
                for kind, amount in halves:
                    self._keep(kind, amount, [subject], "verified")
                return
        if score.is_sure and certain:
            wrong = [half for half in halves if not self._agrees(*half, subjects[0])]
            if len(wrong) == 1 and self._keep_if_settled(*wrong[0], subjects[0], ["contradicted"]):
                for kind, amount in halves:
                    if (kind, amount) not in wrong:
                        self._keep(kind, amount, [subjects[0]], "verified")
        elif len(halves) == 2:
            self._read_score(Score(score.rating, None), subjects, [], certain=False)  # "4.5 ★ · 240 readings"

    def _agrees(self, kind: ValueKind, amount: Amount, subject: str) -> bool:
        """True if the record agrees; a number of ratings may be rounded to its trailing zeros."""
        item = self.ledger.products.get(subject[2:])
        record = None if item is None else on_record(kind, item)
        is_loose = record is not None and kind == "rating_count" and amount.agreement(record) == "loose"
        return fits(amount, record) or is_loose

    def _read_prices(self, subjects: Sequence[str], around: Sequence[str], stretch: Stretch, *, certain: bool) -> None:
        """Reads amounts of money: the price of a product cited here or in the sentence, or a result of prices."""
        money = [amount for amount in self._within(stretch.start, stretch.end) if amount.kind == "money"]
        self.seen |= {amount.start for amount in money}
        near = [subject[2:] for subject in [*subjects, *around]]
        sentence = self.layout.sentences[stretch.sentence]
        beside = _inside(self.amounts, sentence.start, sentence.end)
        counts = {one.low for one in beside if one.kind == "number" and not one.places}
        counts |= title_numbers(near, self.ledger)
        is_unmarked = stretch.sentence not in self.layout.cited
        unexplained: list[Amount] = []
        prices: list[Amount] = []
        for amount in money:
            is_limit = amount.relation in ("at_least", "at_most")
            in_query = self.ledger.names(amount.low) and (is_limit or is_unmarked)
            owners = [key for key in subjects if fits(amount, self.ledger.price(key[2:]))]
            owners = owners or [key for key in around if amount.low == self.ledger.price(key[2:])]
            owners = owners or [key for key in (*subjects, *around) if amount.low in self._offered(key[2:], sold_for)]
            if owners and not in_query and not (is_unmarked and self._total_kind(amount)):
                # The same number of another currency is wrong.
                if not self._keep_if_settled("price", amount, owners[0], ["contradicted"]):
                    self._keep("price", amount, owners[:1], "verified")
                prices.append(amount)
                continue
            is_left = self._total_kind(amount) == "left_over"
            words = derivation(amount, self.ledger, near, counts, is_left=is_left)
            if words is None and amount.places == CENTS:  # made of any prices that the report cites
                words = derivation(amount, self.ledger, self.cited, is_left=is_left)
            offered = (amount.low in self._offered(key, of) for key in self.cited for of in (sold_for, list_prices))
            if words is None and any(offered):
                self.read.add(amount.start)  # "The bigger one is $24, next to the box [P:…]"
            elif words is None:
                unexplained.append(amount)
            elif words[:2] == "C:":
                key = words.partition(": ")[0]
                self._keep(self._kind_of(self.ledger.calculations[key]), amount, [key], "verified", words)
            elif words in _OF_PICKS:
                self._keep(_OF_PICKS[words], amount, [], "verified", words)
            else:
                self.read.add(amount.start)
        # A price, and an amount that follows from the true one: "$44.95, which leaves $32.05".
        is_alone = len(unexplained) == 1 and unexplained == money[:1] and not prices
        is_blunt = is_alone and money[0].places != CENTS and (is_unmarked or len(money) > 1)
        if certain and is_alone and not is_blunt and not self._is_no_price(money[0], subjects[0]):
            self._keep_if_settled("price", money[0], subjects[0], ["contradicted"])

    def _offered(self, key: str, prices: Callable[[Product], list[Decimal]]) -> list[Decimal]:
        item = self.ledger.products.get(key)
        return prices(item) if item is not None and has_offers(item) else []

    def _kind_of(self, calculation: Calculation) -> ValueKind:
        if "/" in calculation.expression:
            return "per_unit"
        if "-" in calculation.expression:
            return "left_over" if calculation.operands[:1] == (self.ledger.limit,) else "difference"
        return "total"

    def _read_totals(self, cart: set[str]) -> None:
        """Reads amounts called a total or compared with the budget; wrong where the declared cart comes to another one.

        A total counts where its sentence or table cites the whole cart and nothing else, an amount beside the budget
        also where nothing is cited; neither if any prices or calculations of the report come to it.
        """
        priced = [f"P:{key}" for key in self.cited if self.ledger.price(key) is not None]
        sentences = self.layout.sentences
        for amount in self.amounts:
            # What its sentence, or the table of its row, cites.
            first = last = max(self.layout.sentence_at(amount.start), 0)
            while sentences[last].kind == "row" and sentences[first - 1].kind == "row" and first:
                first -= 1
            while (
                sentences[first].kind == "row" and sentences[last + 1 : last + 2] and sentences[last + 1].kind == "row"
            ):
                last += 1
            sources = (source for index in range(first, last + 1) for source in self.layout.cited.get(index, ()))
            kind, cited = self._total_kind(amount), {source for source in sources if source[:2] != "C:"}
            is_of_cart = cited == cart or (cited < cart and self._beside_budget(amount) is not None)
            if kind is None or not is_of_cart or amount.start in self.read or amount.relation != "is":
                continue
            amount = replace(amount, currency=self.ledger.currency)
            of = (sorted(cart), [*priced, *self.ledger.calculations])
            by_cart, by_all = verify([_value(kind, amount, ids) for ids in of], self.ledger, self.text)
            if by_cart.state == "contradicted" and by_all.state != "verified":
                self._keep(kind, amount, [], "contradicted", by_cart.derivation or "")

    def _total_kind(self, amount: Amount) -> ValueKind | None:
        """The kind of total that an amount is called by its cell's labels, the word before or the budget after it."""
        if amount.places != CENTS:
            return None
        if self.labels.get(amount.start, frozenset()) & _TOTAL_LABELS:
            return "total"
        before = self.text[max(0, amount.start - _REACH_BEFORE) : amount.start]
        is_called = amount.kind == "money" and _TOTAL.search(before)
        return self._beside_budget(amount) or ("total" if is_called else None)

    def _beside_budget(self, amount: Amount) -> ValueKind | None:
        behind = _inside(self.amounts, amount.end, amount.end + _REACH_BEHIND)[:1]
        if amount.kind != "money" or not behind or behind[0].low != self.ledger.limit:
            return None
        joint = _OF_BUDGET.fullmatch(self.text, amount.end, behind[0].start)
        return None if joint is None else "total" if joint["of"] else "left_over"

    def _is_no_price(self, amount: Amount, subject: str) -> bool:
        """True for an amount called something else, or if the sentence names another product's maker and price."""
        before = self.text[max(0, amount.start - _REACH_BEFORE) : amount.start]
        sentence = self.layout.sentences[self.layout.sentence_at(amount.start)]
        words = self.text[sentence.start : sentence.end]
        label = _LABEL.search(self.layout.report[sentence.start : amount.start])
        item = self.ledger.products.get(subject[2:])
        names = "" if item is None else f"{item.title} {item.brand} {item.store}".casefold()
        known = self.label_words["price"].union(self.label_words["beside"], _WORD.findall(names))
        is_other = (
            (label and not known.issuperset(_WORD.findall(label[1].casefold())))
            or _NO_PRICE_BEHIND.match(self.text, amount.end)
            or _NO_PRICE_BEFORE.search(before)
        )
        return bool(is_other or amount.compound or self._total_kind(amount)) or any(
            item.brand in words
            for key, item in self.ledger.products.items()
            if item.brand and key != subject[2:] and fits(amount, self.ledger.price(key))
        )


def _inside(figures: Sequence[_Figure], start: int, end: int) -> list[_Figure]:
    """The figures, given in text order, that lie within a span."""
    first = bisect_left(figures, start, key=lambda figure: figure.start)
    last = bisect_left(figures, end, key=lambda figure: figure.start)
    return [figure for figure in figures[first:last] if figure.end <= end]


def _calculation(equation: Equation) -> Calculation:
    return Calculation(equation.expression, tuple(operand.low for operand in equation.operands), equation.value)


def _value(kind: ValueKind, amount: Amount, of: Iterable[str]) -> ReadValue:
    return ReadValue(
        kind=kind,
        amount=(f"{amount.low:f}", f"{amount.high:f}") if amount.is_range else f"{amount.low:f}",
        currency=amount.currency,
        relation=amount.relation,
        of=tuple(of),
        start=amount.start,
        end=amount.end,
    )
