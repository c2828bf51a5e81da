"""Reads a report by its form: which figures are said of which source, as far as layout makes it certain.

A wrong alarm is worse than no check: a value is contradicted only where its stretch has one source, one figure of the
kind, and nothing explains it otherwise. What is left over is counted as unread.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise, permutations
from typing import TypeVar

from drretail.grounding.report.citations import Known
from drretail.grounding.report.names import Names, makers_in
from drretail.grounding.report.picks_by_form import picks_by_form
from drretail.grounding.report.price_words import is_another_amount, says_no_price
from drretail.grounding.report.totals import is_made_of, may_be_wrong, share_kind, sums_of, total_kind
from drretail.grounding.text.amounts import Amount, SaidDate, find_amounts, find_dates
from drretail.grounding.text.equations import Equation
from drretail.grounding.text.layout import Cell, Stretch, read_layout
from drretail.grounding.text.scores import Score, find_scores
from drretail.grounding.text.wording import format_money
from drretail.grounding.verify.records import Calculation, Ledger
from drretail.grounding.verify.values import (
    conversions,
    derivation,
    fits,
    on_record,
    plain,
    record_text,
    result_shown,
    title_numbers,
    verify,
    with_state,
)
from drretail.records.reading import FORM, Reading, ReadValue, Unread, ValueKind

# A label says what its column or row holds when it says nothing else: "price per inch" is no price.
_OF_LABELS = frozenset(
    {"number", "no", "of", "how", "many", "average", "avg", "mean", "unit", "current", "list", "item", "today", "now"}
    | {"usd", "eur", "each"}
)
_LABELS: dict[ValueKind, frozenset[str]] = {
    "price": frozenset({"price", "prices", "cost", "costs", "each", "apiece"}),
    "rating_count": frozenset({"ratings", "reviews", "count", "votes", "opinions", "#"}),
    "rating": frozenset({"rating", "ratings", "stars", "score", "★", "⭐"}),
}
_LINE_WORDS = frozenset({*_OF_LABELS, *(word for words in _LABELS.values() for word in words), "from", "out", "at"})
"""What a line consists of that does nothing but say a price or a rating: "Rating: 4.5 out of 5 (353)"."""
_SCORE_WORDS = frozenset({*_OF_LABELS, *_LABELS["rating"], *_LABELS["rating_count"], "customer", "review", "buyers"})
_NEXT_CLAUSE = re.compile(r"[,;]\s+(?:and|but|while|then|whereas)\s")
_CLAUSE = re.compile(r"[;:](?=\s)")
_NO_ORDER_DATE = re.compile(
    r"\b(?:until|till|through|expir\w+|due|before|after|next|valid|by|as of|today)\W+(?:\w+\W+)?$", re.I
)
_OF_PICKS: dict[str, ValueKind] = {
    "the picks together": "total",
    "the budget and the picks together": "left_over",
}
# What sets a heading's figure off from its words: "Best value – $44.95", and not "Why no $29.95 one?".
_SET_OFF = re.compile(r"(?:^|\s[–—-]|[:(|,·*_]|\b(?:at|for))\W*$")
_NEAR, _REACH = 9, 36
_HIGHEST = 5
# Between figures that are said of several products one by one, and behind a rating or a number of ratings.
_TOGETHER = re.compile(r"\W*(?:[^\W\d_]+\W+)?")
_NO_UNIT = re.compile(r"\s*(?:$|[^\w\s\"'”%°]|\w+\s+[\d$€£]|(?:stars?|ratings?|reviews?|people|buyers|customers)\b)")
_SHORTEST_MAKER = 4
_MOST_OPERANDS = 8
_MONEY_LABELS = _LABELS["price"] | {"total", "sum", "left", "difference", "$", "usd"}
_Figure = TypeVar("_Figure", Amount, Score, SaidDate)


def read_by_form(report: str, evidence: Known | None, ledger: Ledger) -> Reading:
    """The verified values of a report with its picks by form, and how many figures were seen and read."""
    return _Reader(report, evidence, ledger).reading()


class _Reader:
    """Goes once over a report's cells and stretches; each figure is read once."""

    def __init__(self, report: str, evidence: Known | None, ledger: Ledger) -> None:
        self.ledger = ledger
        self.layout = read_layout(report, evidence)
        self.text = self.layout.text
        self.amounts = find_amounts(self.text)
        self.dates = find_dates(self.text)
        self.scores = list(find_scores(self.text, self.amounts))
        cited = (it for one in self.layout.stretches for it in one.cited if it[:2] == "P:")
        self.cited = tuple(dict.fromkeys(it[2:] for it in cited))
        known = {it.brand or "" for it in ledger.products.values()}
        self.makers = {it for it in known if len(it) >= _SHORTEST_MAKER and it[0].isupper()}
        picked = (it.product for it in ledger.picks or ())
        self.names = Names({*self.cited, *picked}, ledger.products)
        self.labels = {
            amount.start: frozenset(word for label in cell.labels for word in label.split())
            for cell in self.layout.cells
            for amount in _inside(self.amounts, cell.start, cell.end)
        }
        self.values: list[ReadValue] = []
        self.seen: set[int] = set()
        self.read: set[int] = set()
        """Where the figures begin that were seen, and those that need no further reading."""

    def reading(self) -> Reading:
        for cell in self.layout.cells:
            self._read_cell(cell)
        for stretch in self.layout.stretches:
            self._read_stretch(stretch)
        for equation in self.layout.equations:
            self._read_equation(equation)
        picks = picks_by_form(self.layout, self.values, self.ledger, self._worked_out())
        if self.ledger.picks is None:
            self.ledger = replace(self.ledger, picks=picks)
        self._read_totals()
        missed = self.seen - self.read
        left = [it for it in self.amounts if it.start in missed]
        return Reading(
            reader=FORM,
            picks=picks,
            values=tuple(sorted(self.values, key=lambda value: (value.start, value.kind))),
            unread=tuple(Unread(start=it.start, end=it.end, why="no record explains it") for it in left),
            seen=len(self.seen),
            read=len(self.seen & self.read),
        )

    def _keep(self, kind: ValueKind, amount: Amount, of: Iterable[str], state: str, words: str = "") -> None:
        value = with_state(_value(kind, amount, of), state, words)
        self.values.append(value)
        self.read.add(amount.start)
        self.seen.add(amount.start)

    def _keep_if_settled(
        self, kind: ValueKind, amount: Amount, subject: str, *, only_wrong: bool = False, is_marked: bool = False
    ) -> bool:
        """Adds a value that its record verifies or contradicts; True when it did."""
        (value,) = verify([_value(kind, amount, [subject])], self.ledger)
        is_limit = value.relation not in ("is", "about")
        if value.state == "underivable" or (value.state == "verified" and only_wrong):
            return False
        if value.state == "contradicted" and is_limit:  # "over $30" may be said of what all of them cost
            return False
        index = self._sentence_index(amount)
        if value.state == "contradicted" and not is_marked and index not in self.layout.cited:
            sentence = self.layout.sentences[index]
            before = self.text[sentence.start : amount.start]
            is_dated = bool(_inside(self.dates, sentence.start, sentence.end))
            if sentence.kind == "heading" and not self.names.named(before) and _SET_OFF.search(before):
                before = ""
            if is_dated or not self.names.is_told_of(subject, kind, amount, before):
                return False
        self._keep(kind, amount, [subject], value.state, value.derivation or "")
        return True

    def _within(self, start: int, end: int) -> list[Amount]:
        """The figures of a span that are still to be read."""
        return [it for it in _inside(self.amounts, start, end) if it.start not in self.read]

    def _scores_within(self, start: int, end: int) -> list[Score]:
        return [it for it in _inside(self.scores, start, end) if it.start not in self.read]

    def _read_cell(self, cell: Cell) -> None:
        """A cell whose labels say what it holds, of the one product that it, its row, column or section is about."""
        subjects = [it for it in cell.subjects if it[:2] != "C:"]
        labels = [set(it.split()) for it in cell.labels]
        for start, end in () if subjects else cell.heads:
            subjects = subjects or self.names.named(self.text[start:end])
        if not subjects and cell.column:  # "Price | $42.95" in a section about one product
            subjects, labels = self.layout.around[cell.sentence], labels[-1:]
        if len(subjects) != 1 or subjects[0][2:] not in self.ledger.products:
            return
        subject = subjects[0]
        amounts = [it for it in self._within(cell.start, cell.end) if not it.compound]
        scores = self._scores_within(cell.start, cell.end)
        if len(scores) == 1 and scores[0].rating and scores[0].count:
            self._read_score(scores[0], [subject], [], certain=any(it <= _SCORE_WORDS for it in labels))
        if len(amounts) != 1:
            return
        (amount,) = amounts
        kinds = [
            kind for kind, words in _LABELS.items() if any(it & words and it <= words | _OF_LABELS for it in labels)
        ]
        is_named = (
            amount.kind == "money" and (cell.row < 0 or not cell.column) and not is_another_amount(self.text, amount)
        )
        kind: ValueKind | None = None
        if ("price" in kinds or (is_named and amount.places)) and not self._is_of_another(amount, subject):
            kind = "price"
        elif "rating_count" in kinds and not amount.places and amount.low > 5:
            kind = "rating_count"
        elif "rating" in kinds and amount.places and 0 < amount.low <= 5:
            kind = "rating"
        if kind is not None:
            self.seen.add(amount.start)
            self._keep_if_settled(kind, amount, subject, is_marked=bool(cell.subjects))

    def _read_stretch(self, stretch: Stretch) -> None:
        """The figures of a stretch, by what it cites; behind its last mark a sentence speaks of what it has cited."""
        calculations = [it for it in stretch.cited if it in self.ledger.calculations]
        orders = [it for it in stretch.cited if it in self.ledger.order_dates]
        products = [it for it in stretch.cited if it[:2] == "P:"]
        alone, before = len(stretch.cited) == 1, len(self.values)
        for key in calculations:
            self._read_calculation(key, stretch, certain=alone)
        if orders:
            self._read_dates(orders, stretch, certain=alone)
        sentence = self.layout.sentences[stretch.sentence]
        subjects = products or [f"P:{self.ledger.ordered[it]}" for it in orders]
        around = [it for it in self.layout.cited.get(stretch.sentence, ()) if it[:2] == "P:" and it not in subjects]
        named = self.names.named(self.text[stretch.start : stretch.end])
        is_unmarked = stretch.sentence not in self.layout.cited
        certain = alone and bool(products) and (not named or products[0] in named)
        if is_unmarked:
            around = list(self.layout.around[stretch.sentence])
            words = set(plain(self.text[sentence.start : sentence.end]).split())
            is_heading = sentence.kind == "heading" or {it for it in words if it.isalpha()} <= _LINE_WORDS
            certain = len(named) == 1 or (is_heading and not named and len(around) == 1)
            subjects = named if len(named) == 1 else around if certain else []
        elif not stretch.cited and len(around) == 1:
            subjects, around = around, []
        if len(products) > 1 and len(products) == len(stretch.cited):
            self._read_in_order(products, stretch)
        elif is_unmarked and len(named) > 1:
            self._read_by_names(stretch)
        if subjects or (around and not stretch.cited):
            known = set(self.seen)
            scores = self._scores_within(stretch.start, stretch.end)
            for score in scores:
                self._read_score(score, subjects, around, certain=certain and _are_one(scores))
            self._read_prices(subjects, around, stretch, certain=certain)
            if is_unmarked:
                self.seen = known | (self.seen & {it.start for it in self.values})
        if alone and products:
            self._read_brand(products[0], stretch, self.values[before:])

    def _read_calculation(self, key: str, stretch: Stretch, *, certain: bool) -> None:
        """The result in the last clause before a calculation's mark; an error where one other figure stands there."""
        cuts = [cut.end() for cut in _CLAUSE.finditer(self.text, stretch.start, stretch.end)]
        amounts = [it for it in self._within(cuts[-1] if cuts else stretch.start, stretch.end) if not it.compound]
        calculation = self.ledger.calculations[key]
        shown = result_shown(reversed(amounts), calculation)
        kind = self._kind_of(calculation)
        if shown is not None:
            self.seen.add(shown.start)
            self.read.add(shown.start)
            if shown.kind == "money":
                self._keep(kind, shown, [key], "verified", calculation.expression)
            return
        left = [it for it in amounts if not self._is_explained(it, calculation, stretch)]
        self.seen |= {it.start for it in left[-1:]}
        labels = self.labels.get(left[0].start) if left else None
        is_of_money = labels is None or left[0].kind == "money" or bool(labels & _MONEY_LABELS)
        if certain and len(left) == 1 and is_of_money and _may_be_result(left[0], calculation):
            words = f"{calculation.expression} = {calculation.result.normalize():f}"
            self._keep(kind, left[0], [key], "contradicted", words)

    def _is_explained(self, amount: Amount, calculation: Calculation, stretch: Stretch) -> bool:
        """True for operands as written, numbers of the query, prices, and what follows from the records around."""
        pairs = list(permutations(calculation.operands[:_MOST_OPERANDS], 2))
        steps = [it for one, other in pairs for it in (one + other, one - other, one * other)]
        operands = [*calculation.operands, *(it * 100 for it in calculation.operands)]
        if any(fits(amount, it) for it in (*operands, *steps)) or self.ledger.names(amount.low):
            return True
        if amount.kind != "money" and any(fits(amount, it) for it in conversions(abs(calculation.result))):
            return True
        if amount.places == 2 and any(amount.low == self.ledger.price(it) for it in self.ledger.products):
            return True
        near = [it[2:] for it in self.layout.cited[stretch.sentence] if it[:2] == "P:"]
        return derivation(amount, self.ledger, near, calculation.operands) is not None

    def _read_dates(self, orders: Sequence[str], stretch: Stretch, *, certain: bool) -> None:
        dates = _inside(self.dates, stretch.start, stretch.end)
        asked = {it.iso for it in find_dates(self.ledger.query_text)}
        for said in dates:
            value = ReadValue(kind="date", amount=said.iso, of=tuple(orders), start=said.start, end=said.end)
            (value,) = verify([value], self.ledger)
            is_other = said.iso in asked or _NO_ORDER_DATE.search(self.text[max(0, said.start - 24) : said.start])
            is_other = is_other or _NEXT_CLAUSE.search(self.text, said.end, stretch.end)
            is_sure = certain and len(dates) == 1 and not is_other
            if value.state == "verified" or (value.state == "contradicted" and is_sure):
                self.values.append(value)

    def _read_score(self, score: Score, subjects: Sequence[str], around: Sequence[str], *, certain: bool) -> None:
        """A rating, a number of ratings or both, of a product cited here; both together also of one cited around."""
        halves = _halves(score)
        if score.is_sure:
            self.seen |= {it.start for _, it in halves}
        if len(halves) == 1 and self.ledger.names(halves[0][1].low):
            self.read.add(halves[0][1].start)  # "your 4.3-star line" is the query's, whatever the record says
            return
        for subject in [*subjects, *(around if len(halves) == 2 else ())]:
            if all(self._agrees(kind, it, subject) for kind, it in halves):
                for kind, it in halves:
                    self._keep(kind, it, [subject], "verified")
                return
        if score.is_sure and certain:
            wrong = [half for half in halves if not self._agrees(*half, subjects[0])]
            if len(wrong) == 1:
                settled = self._keep_if_settled(*wrong[0], subjects[0], only_wrong=True)
                for kind, it in halves if settled else ():
                    if (kind, it) not in wrong:
                        self._keep(kind, it, [subjects[0]], "verified")
        elif len(halves) == 2:
            self._read_score(Score(score.rating, None), subjects, [], certain=False)  # "4.5 ★ · 240 readings"

    def _agrees(self, kind: ValueKind, amount: Amount, subject: str) -> bool:
        """True when the record has it; a number of ratings may be rounded to its trailing zeros."""
        item = self.ledger.products.get(subject[2:])
        record = None if item is None else on_record(kind, item)
        loose = record is not None and kind == "rating_count" and amount.agreement(record) == "loose"
        return fits(amount, record) or loose

    def _read_in_order(self, products: Sequence[str], stretch: Stretch) -> None:
        """As many figures of a kind as products, "4.6 against 4.1 [P:…][P:…]": one is wrong where the others fit."""
        numbers = [it for it in self._within(stretch.start, stretch.end) if not it.compound and not it.is_range]
        kinds: dict[ValueKind, list[Amount]] = {
            "price": [it for it in numbers if it.kind == "money"],
            "rating": [it for it in numbers if it.kind == "number" and it.places == 1 and it.low <= _HIGHEST],
            "rating_count": [it for it in numbers if it.kind == "number" and not it.places and it.low > _HIGHEST],
        }
        for kind, amounts in kinds.items():
            if len(amounts) == len(products):
                is_row = all(_TOGETHER.fullmatch(self.text, one.end, other.start) for one, other in pairwise(amounts))
                self._read_pairs(kind, list(zip(amounts, products, strict=True)), can_be_wrong=is_row)

    def _read_by_names(self, stretch: Stretch) -> None:
        """A price behind each of several names: "the Harrowgill is $42.95, the Linnetwick $17.99"."""
        pairs: list[tuple[Amount, str]] = []
        for start, end in self.names.parts(self.text[stretch.start : stretch.end]):
            named = self.names.named(self.text[stretch.start + start : stretch.start + end])
            money = [it for it in self._within(stretch.start + start, stretch.start + end) if it.kind == "money"]
            if len(named) != 1 or len(money) != 1:
                return
            pairs.append((money[0], named[0]))
        if len({product for _, product in pairs}) == len(pairs):
            self._read_pairs("price", pairs, can_be_wrong=True)

    def _read_pairs(self, kind: ValueKind, pairs: Sequence[tuple[Amount, str]], *, can_be_wrong: bool) -> None:
        """Figures of one kind with their products: one is wrong where the others fit."""
        wrong = [it for it in pairs if not self._agrees(kind, *it)]
        if len(wrong) > 1 or len(pairs) < 2:
            return
        for amount, product in pairs:
            if (amount, product) not in wrong:
                self._keep(kind, amount, [product], "verified")
        is_exact = can_be_wrong and all(it.relation == "is" for it, _ in pairs)
        for amount, product in wrong if is_exact else ():
            is_other = (
                self._is_no_price(amount, product) if kind == "price" else not _NO_UNIT.match(self.text, amount.end)
            )
            if not is_other and not any(self._agrees(kind, amount, it) for _, it in pairs):
                self._keep_if_settled(kind, amount, product, only_wrong=True)

    def _read_prices(self, subjects: Sequence[str], around: Sequence[str], stretch: Stretch, *, certain: bool) -> None:
        """Amounts of money: a price of a product cited here, of another in the sentence, or made of prices."""
        money = [it for it in self._within(stretch.start, stretch.end) if it.kind == "money"]
        self.seen |= {it.start for it in money}
        near = [it[2:] for it in [*subjects, *around]]
        sentence = self.layout.sentences[stretch.sentence]
        inside = _inside(self.amounts, sentence.start, sentence.end)
        counts = {it.low for it in inside if it.kind == "number" and not it.places} | title_numbers(near, self.ledger)
        is_unmarked = stretch.sentence not in self.layout.cited
        unexplained: list[Amount] = []
        prices: list[Amount] = []
        for amount in money:
            is_limit = amount.relation in ("at_least", "at_most") and self.ledger.names(amount.low)
            owners = [it for it in subjects if fits(amount, self.ledger.price(it[2:])) and not is_limit]
            is_asked = is_unmarked and self.ledger.names(amount.low)
            owners = owners or [it for it in around if amount.low == self.ledger.price(it[2:]) and not is_asked]
            if self._is_of_then(amount) or (is_unmarked and self._total_kind(amount)):
                owners = [it for it in owners if it[2:] in self.ledger.ordered.values()]
            if owners:
                self._keep("price", amount, owners[:1], "verified")
                prices.append(amount)
            elif (words := self._derivation(amount, near, counts)) is None:
                unexplained.append(amount)
            elif words[:2] == "C:":
                key = words.partition(": ")[0]
                self._keep(self._kind_of(self.ledger.calculations[key]), amount, [key], "verified", words)
            elif words in _OF_PICKS:
                self._keep(_OF_PICKS[words], amount, [], "verified", words)
            else:
                self.read.add(amount.start)
        is_blunt = len(unexplained) == 1 and unexplained[0].places != 2 and (is_unmarked or len(money) > 1)
        # A price, and what follows from the true one: "$44.95, which leaves $32.05".
        is_alone = len(unexplained) == 1 and unexplained == money[:1] and not prices and not is_blunt
        if certain and is_alone and not self._is_no_price(money[0], subjects[0]):
            self._keep_if_settled("price", money[0], subjects[0], only_wrong=True)

    def _read_equation(self, equation: Equation) -> None:
        """A sum that is written out is right or wrong by itself, whatever it is about."""
        said, words = equation.result, f"{equation.expression} = {equation.value.normalize():f}"
        of_it = [it for it in self.values if it.start == said.start]
        is_exact = said.relation == "is" and all(it.relation == "is" for it in equation.operands)
        if equation.holds and not of_it:
            self._keep(self._kind_of(_calculation(equation)), said, [], "verified", words)
        elif not equation.holds and is_exact and all(it.state == "verified" for it in of_it):
            self.values = [it for it in self.values if it not in of_it]
            self._keep(self._kind_of(_calculation(equation)), said, [], "contradicted", words)

    def _kind_of(self, calculation: Calculation) -> ValueKind:
        if "/" in calculation.expression:
            return "per_unit"
        if "-" in calculation.expression:
            return "left_over" if calculation.operands[:1] == (self.ledger.limit,) else "difference"
        return "total"

    def _worked_out(self) -> list[Calculation]:
        """The calculations that the report cites, and the sums that it writes out."""
        named = {it for stretch in self.layout.stretches for it in stretch.cited}
        written = [_calculation(it) for it in self.layout.equations if it.holds]
        return [*(it for key, it in self.ledger.calculations.items() if key in named), *written]

    def _read_totals(self) -> None:
        """Amounts that are called a total or a rest, wrong where no prices that the report speaks of make them."""
        sums = sums_of(self.ledger, self.names)
        for amount in self.amounts if sums else ():
            kind, index = self._total_kind(amount), self._sentence_index(amount)
            sentence = self.layout.sentences[index]
            is_of_others = any(it[:2] not in ("P:", "C:") for it in self.layout.cited.get(index, ()))
            said = self.text[sentence.start : sentence.end]
            if kind is None or amount.start in self.read or is_of_others or not may_be_wrong(amount, said):
                continue
            # "Together they'd cost $107.90" speaks of what the sentence before has priced, a table's total of its rows.
            first = index - 1 if sentence.kind == "text" and index else index
            while first and self.layout.sentences[first].kind == "row":
                first -= 1
            beside = [
                it for it in _inside(self.amounts, self.layout.sentences[first].start, sentence.end) if it is not amount
            ]
            numbers = [it.low for it in beside]
            is_open = any(
                it.kind == "money" and it.start not in self.read and not is_made_of(it.low, sums, (), self.ledger)
                for it in beside
            )
            if is_open or is_made_of(amount.low, sums, numbers, self.ledger):
                continue
            if derivation(amount, self.ledger, self.cited, numbers, is_left=kind == "left_over") is None:
                words = f"the picks cost {format_money(self.ledger.total or 0, self.ledger.currency)} together"
                self._keep(kind, amount, [], "contradicted", words)

    def _total_kind(self, amount: Amount) -> ValueKind | None:
        labels = self.labels.get(amount.start, frozenset())
        if amount.kind != "money" and not labels:
            return None
        behind = _inside(self.amounts, amount.end, amount.end + _REACH)
        said_of_budget = (
            bool(behind) and behind[0].low == self.ledger.limit and share_kind(self.text, amount, behind[0])
        )
        return total_kind(self.text, amount, labels) or said_of_budget or None

    def _sentence_index(self, amount: Amount) -> int:
        return bisect_right(self.layout.sentences, amount.start, key=lambda it: it.start) - 1

    def _derivation(self, amount: Amount, near: Sequence[str], counts: Collection[Decimal]) -> str | None:
        """Exact to the cent, an amount may be made of any prices that the report cites."""
        is_left = self._total_kind(amount) == "left_over"
        words = derivation(amount, self.ledger, near, counts, is_left=is_left)
        return words or (derivation(amount, self.ledger, self.cited, is_left=is_left) if amount.places == 2 else None)

    def _is_no_price(self, amount: Amount, subject: str) -> bool:
        said = amount.compound or self._total_kind(amount) or says_no_price(self.text, amount)
        return bool(said) or self._is_of_then(amount) or self._is_of_another(amount, subject)

    def _is_of_then(self, amount: Amount) -> bool:
        """True for what was paid on a date that is said with it: "for $30.95 in July 2022"."""
        return any(0 <= it.start - amount.end <= _NEAR for it in self.dates)

    def _is_of_another(self, amount: Amount, subject: str) -> bool:
        """True where the sentence or row names another product that has this price."""
        around = self.layout.sentences[self._sentence_index(amount)]
        named = self.names.named(self.text[around.start : around.end])
        return any(it != subject and fits(amount, self.ledger.price(it[2:])) for it in named)

    def _read_brand(self, subject: str, stretch: Stretch, read: Sequence[ReadValue]) -> None:
        """A maker of the shop named in place of a product's own, and only words of its record up to its price."""
        item = self.ledger.products.get(subject[2:])
        price = next((it for it in read if (it.kind, it.of, it.state) == ("price", (subject,), "verified")), None)
        if item is None or price is None:
            return
        said, own = self.text[stretch.start : price.start], plain(f"{item.brand} {item.store} {record_text(item)}")
        named = list(makers_in(said, self.makers))
        if len(named) != 1 or plain(named[0][1]) in own or plain(item.brand or "") in plain(said):
            return
        start, name = named[0]
        if all(word in own for word in plain(said[start + len(name) :]).split()):
            start += stretch.start
            value = ReadValue(kind="brand", amount=name, of=(subject,), start=start, end=start + len(name))
            self.values += [it for it in verify([value], self.ledger) if it.state == "contradicted"]


def _inside(found: Sequence[_Figure], start: int, end: int) -> list[_Figure]:
    """Those of a text's figures, in text order, that lie within a span."""
    first = bisect_left(found, start, key=lambda it: it.start)
    last = bisect_left(found, end, key=lambda it: it.start)
    return [it for it in found[first:last] if it.end <= end]


def _calculation(equation: Equation) -> Calculation:
    return Calculation(equation.expression, tuple(it.low for it in equation.operands), equation.value)


def _may_be_result(amount: Amount, calculation: Calculation) -> bool:
    """False for counts beside an amount of money whose result stands there in words, and for limits and ranges."""
    of_money = any(int(it.as_tuple().exponent) == -2 for it in calculation.operands)
    is_money = amount.kind == "money" or amount.places == 2
    return amount.relation in ("is", "about") and (is_money or not of_money) and (is_money or amount.low > 12)


def _halves(score: Score) -> list[tuple[ValueKind, Amount]]:
    both: tuple[tuple[ValueKind, Amount | None], ...] = (("rating", score.rating), ("rating_count", score.count))
    return [(kind, it) for kind, it in both if it is not None]


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


def _are_one(scores: Sequence[Score]) -> bool:
    """True for at most one rating and one number of ratings: "27 buyers gave it 4.7 stars" says them of one thing."""
    return sum(it.rating is not None for it in scores) <= 1 >= sum(it.count is not None for it in scores)
