"""Reads a report by its form: which figures are said of which source, as far as layout makes it certain.

A wrong alarm is worse than no check: a value is contradicted only where its stretch has one source, one figure of the
kind, and nothing explains it otherwise. What is left over is counted as unread.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property

from drretail.grounding.citations import Known
from drretail.grounding.report.picks import picks_by_form
from drretail.grounding.text.amounts import Amount, SaidDate, find_amounts, find_dates
from drretail.grounding.text.layout import Cell, Layout, Stretch, read_layout
from drretail.grounding.text.scores import Score, find_scores
from drretail.grounding.verify.ledger import Calculation, Ledger
from drretail.grounding.verify.values import (
    derivation,
    fits,
    on_record,
    plain,
    record_text,
    result_shown,
    verify,
    with_state,
)
from drretail.records.reading import FORM, Reading, ReadValue, Unread, ValueKind

_PRICE_LABELS = frozenset({"price", "cost", "unit price", "price each", "current price", "list price", "item price"})
_SCORE_LABELS = frozenset({"rating", "ratings", "stars", "average rating", "avg rating", "customer rating", "★", "⭐"})
_COUNT_LABELS = frozenset(
    {"ratings", "reviews", "number of ratings", "number of reviews", "rating count", "review count", "# ratings"}
    | {"# reviews", "# of ratings", "# of reviews", "no of ratings", "no of reviews"}
)
_CLAUSE = re.compile(r"[;:](?=\s)")
# Beside an amount that is no price of the whole listing, today, in this shop. It is then left alone, never an error.
_NO_PRICE_BEHIND = re.compile(
    r"\W{0,3}(?:/|\b(?:per|an?|each|apiece|more|less|cheaper|dearer|extra|off|left|over|under|below|above|short|shy|away"
    r"|to spare|saved|unspent|remain\w*|budget|limit|cap|ceiling|shipping|delivery|coupon|discount|rebate|deposit)\b)",
    re.IGNORECASE,
)
_NO_PRICE_BEFORE = re.compile(
    r"\b(?:was|were|sav\w+|from|than|shipping|delivery|coupon|discount|off|your|the|my|elsewhere|once|used to be|instead of"
    r"|worth|above|below|budget|limit|cap|ceiling|leav\w+|paid|another|extra|additional)\W{0,3}(?:an?\W)?$",
    re.IGNORECASE,
)
_SMALL = 12
"""Whole numbers up to this stand in a clause for many things: "the cheaper of the 2"."""


@dataclass
class _Found:
    """What has been read so far; each figure once."""

    values: list[ReadValue] = field(default_factory=list[ReadValue])
    unread: list[Unread] = field(default_factory=list[Unread])
    taken: set[int] = field(default_factory=set[int])
    """Where figures begin that need no further reading."""
    seen: set[int] = field(default_factory=set[int])

    def add(self, value: ReadValue) -> None:
        self.values.append(value)
        self.taken.add(value.start)
        self.seen.add(value.start)

    def free(self, amounts: Iterable[Amount]) -> list[Amount]:
        return [amount for amount in amounts if amount.start not in self.taken]


@dataclass(frozen=True)
class _Text:
    """A report's figures beside its layout."""

    layout: Layout
    amounts: tuple[Amount, ...]
    dates: tuple[SaidDate, ...]
    scores: tuple[Score, ...]
    ledger: Ledger

    @cached_property
    def makers(self) -> frozenset[str]:
        """The names of makers that the shop has, as they are written, without those that are common words."""
        known = {*self.ledger.brands, *(it.brand or "" for it in self.ledger.products.values())}
        return frozenset(it for it in known if len(it) >= 4 and it[0].isupper())

    @cached_property
    def cited(self) -> tuple[str, ...]:
        """The bare ids of all products that the report cites."""
        return tuple(dict.fromkeys(it[2:] for one in self.layout.stretches for it in one.cited if it[:2] == "P:"))

    def within(self, start: int, end: int) -> list[Amount]:
        return [amount for amount in self.amounts if start <= amount.start and amount.end <= end]

    def scores_within(self, start: int, end: int) -> list[Score]:
        return [score for score in self.scores if start <= score.start and score.end <= end]


def read_by_form(report: str, evidence: Known | None, ledger: Ledger) -> Reading:
    """The verified values of a report with its picks by form, and how many figures were seen and read."""
    layout = read_layout(report, evidence)
    amounts = tuple(find_amounts(layout.text))
    text = _Text(layout, amounts, tuple(find_dates(layout.text)), tuple(find_scores(layout.text, amounts)), ledger)
    found = _Found()
    for cell in layout.cells:
        _read_cell(cell, text, found)
    for stretch in layout.stretches:
        _read_stretch(stretch, text, found)
    values = sorted(found.values, key=lambda value: (value.start, value.kind))
    left = [Unread(start=it.start, end=it.end, why="no record explains it") for it in amounts if _is_left(it, found)]
    return Reading(
        reader=FORM,
        picks=picks_by_form(layout, ledger),
        values=tuple(values),
        unread=tuple(left),
        seen=len(found.seen),
        read=len(found.seen & found.taken),
    )


def _is_left(amount: Amount, found: _Found) -> bool:
    return amount.start in found.seen - found.taken


def _read_stretch(stretch: Stretch, text: _Text, found: _Found) -> None:
    """The figures of a stretch, by what it cites."""
    calculations = [it for it in stretch.cited if it in text.ledger.calculations]
    products = [it for it in stretch.cited if it[:2] == "P:"]
    orders = [it for it in stretch.cited if it in text.ledger.order_dates]
    alone = len(stretch.cited) == 1
    if len(calculations) == 1:
        _read_calculation(calculations[0], stretch, text, found, certain=alone)
    if orders:
        _read_dates(orders, stretch, text, found, certain=alone)
    subjects = products or [f"P:{text.ledger.ordered[it]}" for it in orders]
    if subjects:
        _read_scores(subjects, stretch, text, found, certain=alone and bool(products))
        _read_prices(subjects, stretch, text, found, certain=alone and bool(products))
    if alone and products:
        _read_brand(products[0], stretch, text, found)


def _read_calculation(key: str, stretch: Stretch, text: _Text, found: _Found, *, certain: bool) -> None:
    """The result of a calculation in the last clause before its mark; an error where one other figure stands there."""
    cuts = [cut.end() for cut in _CLAUSE.finditer(text.layout.text, stretch.start, stretch.end)]
    clause = text.within(cuts[-1] if cuts else stretch.start, stretch.end)
    amounts = [it for it in found.free(clause) if not it.compound]
    calculation = text.ledger.calculations[key]
    shown = result_shown(reversed(amounts), calculation)
    if shown is not None:
        found.seen.add(shown.start)
        found.taken.add(shown.start)
        if shown.kind == "money":
            found.add(_value(_kind_of(calculation, text.ledger), shown, [key], "verified", calculation.expression))
        return
    left = [it for it in amounts if not _is_explained(it, calculation, stretch, text)]
    if left:
        found.seen.add(left[-1].start)
    if certain and len(left) == 1 and _may_be_result(left[0]):
        value = _value(_kind_of(calculation, text.ledger), left[0], [key])
        found.add(_contradicted(value, f"{calculation.expression} = {calculation.result.normalize():f}"))


def _is_explained(amount: Amount, calculation: Calculation, stretch: Stretch, text: _Text) -> bool:
    """True for operands as written, numbers of the query, and what follows from the records cited around it."""
    operands = [*calculation.operands, *(it * 100 for it in calculation.operands)]
    if any(fits(amount, operand) for operand in operands) or text.ledger.names(amount.low):
        return True
    near = [it.removeprefix("P:") for it in text.layout.cited_in(stretch.sentence) if it[:2] == "P:"]
    prices = [price for it in text.ledger.products if (price := text.ledger.price(it)) is not None]
    if amount.places == 2 and any(amount.low == price for price in prices):
        return True
    return derivation(amount, text.ledger, near, calculation.operands) is not None


def _may_be_result(amount: Amount) -> bool:
    is_small = amount.low == amount.low.to_integral_value() and amount.low <= _SMALL
    return not amount.is_range and amount.relation in ("is", "about") and (amount.kind == "money" or not is_small)


def _kind_of(calculation: Calculation, ledger: Ledger) -> ValueKind:
    expression = calculation.expression
    if "/" in expression:
        return "per_unit"
    if "-" in expression:
        from_budget = bool(calculation.operands) and calculation.operands[0] == ledger.limit
        return "left_over" if from_budget else "difference"
    return "total"


def _read_dates(orders: Sequence[str], stretch: Stretch, text: _Text, found: _Found, *, certain: bool) -> None:
    dates = [it for it in text.dates if stretch.start <= it.start and it.end <= stretch.end]
    asked = {it.iso for it in find_dates(text.ledger.query_text)}
    for said in dates:
        value = ReadValue(kind="date", amount=said.iso, of=tuple(orders), start=said.start, end=said.end)
        checked = verify([value], text.ledger)[0] if len(orders) > 1 or said.iso not in asked else value
        may_be_wrong = certain and len(dates) == 1
        if checked.state == "verified" or (checked.state == "contradicted" and may_be_wrong):
            found.add(checked)


def _read_scores(subjects: Sequence[str], stretch: Stretch, text: _Text, found: _Found, *, certain: bool) -> None:
    """Ratings and numbers of ratings of the products that a stretch cites, or others that its sentence cites."""
    scores = [it for it in text.scores_within(stretch.start, stretch.end) if it.start not in found.taken]
    around = [it for it in text.layout.cited_in(stretch.sentence) if it[:2] == "P:" and it not in subjects]
    for score in scores:
        if score.is_sure:
            found.seen |= {it.start for it in (score.rating, score.count) if it is not None}
        whole = any(_add_agreeing(it, score, text, found, sure=it in subjects) for it in [*subjects, *around])
        if not whole and score.is_sure and certain and len(scores) == 1:
            _add_wrong(subjects[0], score, text, found)
        elif not whole and score.rating is not None and score.count is not None:
            # "4.5 ★ · 240 readings": the second figure may be something else.
            half = Score(score.rating, None)
            any(_add_agreeing(it, half, text, found, sure=True) for it in subjects)


def _add_agreeing(subject: str, score: Score, text: _Text, found: _Found, *, sure: bool) -> bool:
    """True when all of a score is on the record of a product; both halves are needed of one only cited around it."""
    item = text.ledger.products.get(subject[2:])
    if item is None:
        return False
    named = _halves(score)
    agree = [fits(it, on_record(kind, item)) or _is_loose(kind, it, on_record(kind, item)) for kind, it in named]
    if not all(agree) or (not sure and len(named) < 2):
        return False
    if len(named) == 1 and text.ledger.names(named[0][1].low):
        found.taken.add(named[0][1].start)  # "your 4.3-star line" is the query's, whatever the record says
        return True
    for kind, it in named:
        found.add(_value(kind, it, [subject], "verified"))
    return True


def _halves(score: Score) -> list[tuple[ValueKind, Amount]]:
    both: tuple[tuple[ValueKind, Amount | None], ...] = (("rating", score.rating), ("rating_count", score.count))
    return [(kind, it) for kind, it in both if it is not None]


def _is_loose(kind: ValueKind, amount: Amount, record: Decimal | None) -> bool:
    """A number of ratings may be rounded to its trailing zeros."""
    return kind == "rating_count" and record is not None and amount.agreement(record) == "loose"


def _add_wrong(subject: str, score: Score, text: _Text, found: _Found) -> None:
    """One half that the record contradicts: where the other agrees, or where it stands alone with its own sign."""
    item = text.ledger.products.get(subject[2:])
    halves = _halves(score)
    agreeing = [half for half in halves if item and fits(half[1], on_record(half[0], item))]
    wrong = [half for half in halves if half not in agreeing]
    if len(wrong) != 1 or (wrong[0][0] == "rating" and not wrong[0][1].places):
        return
    checked = verify([_value(*wrong[0], [subject])], text.ledger)[0]
    if checked.state == "contradicted":
        found.add(checked)
        for kind, it in agreeing:
            found.add(_value(kind, it, [subject], "verified"))


def _read_prices(subjects: Sequence[str], stretch: Stretch, text: _Text, found: _Found, *, certain: bool) -> None:
    """Amounts of money: the price of a product cited here, of another that the sentence cites, or made of prices."""
    ledger, amounts = text.ledger, text.within(stretch.start, stretch.end)
    money = [it for it in found.free(amounts) if it.kind == "money"]
    found.seen |= {it.start for it in money}
    around = [it for it in text.layout.cited_in(stretch.sentence) if it[:2] == "P:" and it not in subjects]
    counts = {it.low for it in text.within(*_span(stretch, text)) if it.kind == "number" and not it.places}
    open_amounts: list[Amount] = []
    for amount in money:
        owners = [it for it in subjects if fits(amount, ledger.price(it[2:])) and not _is_bound(amount, ledger)]
        owners = owners or [it for it in around if amount.low == ledger.price(it[2:])]
        near = [it[2:] for it in [*subjects, *around]]
        if owners:
            found.add(_value("price", amount, owners[:1], "verified"))
        elif (words := _derivation(amount, near, counts | _pack_sizes(near, ledger), text)) is not None:
            found.taken.add(amount.start)
            if words[:2] == "C:":
                key = words.partition(": ")[0]
                kind = _kind_of(ledger.calculations[key], ledger)
                found.add(_value(kind, amount, [key], "verified", words))
        else:
            open_amounts.append(amount)
    if not certain or len(open_amounts) != 1 or len(money) > 1 or _is_no_price(open_amounts[0], text.layout.text):
        return
    checked = verify([_value("price", open_amounts[0], subjects)], ledger)[0]
    if checked.state == "contradicted" and not _is_of_another(open_amounts[0], subjects, stretch, text):
        found.add(checked)


def _is_no_price(amount: Amount, text: str) -> bool:
    before = text[max(0, amount.start - 30) : amount.start]
    return bool(amount.compound or _NO_PRICE_BEHIND.match(text, amount.end) or _NO_PRICE_BEFORE.search(before))


def _is_bound(amount: Amount, ledger: Ledger) -> bool:
    """True for a limit that the query sets: "at or below $10"."""
    return amount.relation in ("at_least", "at_most") and ledger.names(amount.low)


def _derivation(amount: Amount, near: Sequence[str], counts: set[Decimal], text: _Text) -> str | None:
    """Exact to the cent, an amount may be made of any prices that the report cites."""
    words = derivation(amount, text.ledger, near, counts)
    return words or (derivation(amount, text.ledger, text.cited) if amount.places == 2 else None)


def _pack_sizes(near: Iterable[str], ledger: Ledger) -> set[Decimal]:
    """The whole numbers in titles: by them a price may be divided."""
    titles = " ".join(item.title for it in near if (item := ledger.products.get(it)) is not None)
    return {it.low for it in find_amounts(titles) if not it.places}


def _is_of_another(amount: Amount, subjects: Sequence[str], stretch: Stretch, text: _Text) -> bool:
    """True where the sentence names the maker of another product that has this price."""
    words = text.layout.text[slice(*_span(stretch, text))].casefold()
    own = {(text.ledger.products[it[2:]].brand or "").casefold() for it in subjects if it[2:] in text.ledger.products}
    return any(
        f"P:{key}" not in subjects
        and fits(amount, text.ledger.price(key))
        and (item.brand or "").casefold() not in own | {""}
        and (item.brand or "").casefold() in words
        for key, item in text.ledger.products.items()
    )


def _read_brand(subject: str, stretch: Stretch, text: _Text, found: _Found) -> None:
    """A maker of the shop named as this product's, and it is not: with nothing but words of its record up to its price."""
    item = text.ledger.products.get(subject[2:])
    prices = [it for it in found.values if it.kind == "price" and it.of == (subject,) and it.state == "verified"]
    price = next((it.start for it in prices if stretch.start <= it.start < stretch.end), None)
    if item is None or price is None:
        return
    record = record_text(item)
    own = plain(f"{item.brand} {item.store} {record}")
    said = text.layout.text[stretch.start : price]
    named = [match for brand in text.makers if (match := re.search(rf"(?<!\w){re.escape(brand)}(?!\w)", said))]
    if len(named) != 1 or plain(item.brand or "") in plain(said) or plain(named[0][0]) in own:
        return
    if all(word in own for word in plain(said[named[0].end() :]).split()):
        start = stretch.start + named[0].start()
        value = ReadValue(kind="brand", amount=named[0][0], of=(subject,), start=start, end=start + len(named[0][0]))
        found.values.extend(it for it in verify([value], text.ledger) if it.state == "contradicted")


def _span(stretch: Stretch, text: _Text) -> tuple[int, int]:
    sentence = text.layout.sentences[stretch.sentence]
    return sentence.start, sentence.end


def _read_cell(cell: Cell, text: _Text, found: _Found) -> None:
    """A cell whose labels say what it holds, of the one product that it, its row or its column cites."""
    if len(cell.subjects) != 1 or cell.subjects[0][2:] not in text.ledger.products or cell.subjects[0][:2] != "P:":
        return
    subject, labels = cell.subjects[0], set(cell.labels)
    amounts = [it for it in text.within(cell.start, cell.end) if not it.compound]
    scores = text.scores_within(cell.start, cell.end)
    if labels & _PRICE_LABELS and len(amounts) == 1:
        found.seen.add(amounts[0].start)
        value = _value("price", amounts[0], [subject])
        _keep(value, text, found)
    elif labels & (_SCORE_LABELS | _COUNT_LABELS) and len(scores) == 1 and scores[0].rating and scores[0].count:
        score = scores[0]
        found.seen |= {it.start for it in (score.rating, score.count) if it is not None}
        if not _add_agreeing(subject, score, text, found, sure=True):
            _add_wrong(subject, Score(score.rating, score.count, is_sure=True), text, found)
    elif labels & _COUNT_LABELS and len(amounts) == 1 and not amounts[0].places and amounts[0].low > 5:
        found.seen.add(amounts[0].start)
        _keep(_value("rating_count", amounts[0], [subject]), text, found)
    elif labels & _SCORE_LABELS and len(amounts) == 1 and 0 < amounts[0].low <= 5 and amounts[0].places:
        found.seen.add(amounts[0].start)
        _keep(_value("rating", amounts[0], [subject]), text, found)


def _keep(value: ReadValue, text: _Text, found: _Found) -> None:
    """A labelled value that is verified or contradicted; what could be either stays unread."""
    checked = verify([value], text.ledger)[0]
    if checked.state != "underivable":
        found.add(checked)


def _value(
    kind: ValueKind, amount: Amount, of: Iterable[str], state: str = "underivable", words: str = ""
) -> ReadValue:
    said = (f"{amount.low:f}", f"{amount.high:f}") if amount.is_range else f"{amount.low:f}"
    value = ReadValue(
        kind=kind,
        amount=said,
        currency=amount.currency,
        relation=amount.relation,
        of=tuple(of),
        start=amount.start,
        end=amount.end,
    )
    return with_state(value, state, words)


def _contradicted(value: ReadValue, words: str) -> ReadValue:
    return with_state(value, "contradicted", words)
