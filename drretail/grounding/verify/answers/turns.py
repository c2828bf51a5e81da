"""What an assistant's answers say of a shop's products and orders, compared with the shop's records.

No citation marks are needed. A sentence, list item or cell is about the product or order that it names or links, else
the one that the answer named last, else the one that the question names, that the turn's tools were about, or that the
turns before named. Of several nothing is decided.

product_statements.py reads what a sentence says of a product. Only the record accuses; that the shopper named a number
excuses nothing.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple

from drretail.grounding.report.evidence_ids import product_evidence_id
from drretail.grounding.report.markup import blanked, meet
from drretail.grounding.report.statements import names_status, status_named
from drretail.grounding.text.amounts import find_dates, other_notation
from drretail.grounding.text.languages import answer_words
from drretail.grounding.text.layout import Cell, Layout, label_of, read_layout
from drretail.grounding.text.numerals import find_numerals
from drretail.grounding.text.titles import Named, products_named
from drretail.grounding.text.words import words
from drretail.grounding.verify.answers.product_statements import (
    POLICY,
    Cause,
    Kind,
    ProductSentence,
    Statement,
    is_general,
    policy_statements,
    refers,
    says_sold_out,
)
from drretail.grounding.verify.answers.shop_records import GONE, UNKNOWN, Records
from drretail.grounding.verify.answers.typed import Typed, statement_of
from drretail.grounding.verify.fields import yes_or_no
from drretail.grounding.verify.records import leaves, record_of, with_state
from drretail.records.evidence import Evidence
from drretail.records.reading import OF_CALCULATIONS, Reading, ReadValue, Unread, ValueKind
from drretail.records.run import Step, Turn
from drretail.records.shop import Product

_VALUES: Mapping[Kind, ValueKind] = {
    **{"price": "price", "stock": "stock", "field": "property", "order": "order_status"},
    **{"total": "total", "unknown": "product", "gone": "product", "policy": "policy"},
}
_MOST_OF_TOOLS = 25
UNDECIDED = "its words or the record leave it open"
# What tools call a price and a stock.
_OF_TOOLS = {"price": re.compile("price|cost|preis", re.I), "stock": re.compile("stock|inventory|availab", re.I)}
PRODUCT_ID = re.compile(r"(?<![\w/.:-])(?=[\w-]*\d)(?=[\w-]*[^\W\d])\w[\w-]{2,}(?![\w-])")
"""What may be an id of a product: letters and digits together."""
# The day beside an order is the order's where these words stand before or behind it: "placed on", "1001 vom".
_ORDERED = re.compile(
    r"(?:placed|ordered|bestellt|aufgegeben|commandée?|passée?|realizad[oa]|\A\W{0,3}(?:of|from|dated|vom|du|del))\W{1,3}"
    r"(?:(?:on|am|le|el)\W)?\Z",
    re.IGNORECASE,
)
_WAS_ORDERED = re.compile(r"\W{1,3}(?:placed|ordered|bestellt|aufgegeben)\b", re.IGNORECASE)
_REACH = 40
_MARKS = str.maketrans("✓✔✅☑✗✘✖❌", "jjjjnnnn")
ORDER_ID = re.compile(r"(?<![\w-])#?(?P<id>[A-Za-z]{0,5}-?\d[\w-]{2,})(?![\w-])")


@dataclass(frozen=True, slots=True)
class ReadTurn:
    """``report[start:end]`` answers a question."""

    question: str
    start: int
    end: int
    known: tuple[str, ...]
    """The products and orders ("O:…") that the conversation and this turn's tools have named by its end."""


class Part(NamedTuple):
    """``report[start:end]`` names these products, or refers to them."""

    start: int
    end: int
    products: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReadAnswers:
    """The statements of all answers in text order, and how many of their numerals are about a product or an order."""

    statements: tuple[Statement, ...]
    numerals: int
    unread: tuple[Unread, ...]
    """The numerals that no statement decides."""
    unconfirmed: tuple[Statement, ...] = ()
    """What a model typed and a record would contradict, had the model confirmed it."""
    turns: tuple[ReadTurn, ...] = ()
    parts: tuple[Part, ...] = ()

    def as_read(self, by_form: Reading, text: str) -> Reading:
        """A reading by form, which looks for marks, with these statements in the place of its values but for sums."""
        own = [_value(one, text) for one in self.statements]
        left_open = {"state": "underivable", "is_unconfirmed": True}
        unconfirmed = [_value(one, text).model_copy(update=left_open) for one in self.unconfirmed]
        sums = [one for one in by_form.values if one.kind in ("total", *OF_CALCULATIONS)]
        sums = [one for one in sums if not any(meet(one, other) for other in own)]
        read = self.numerals - len(self.unread)
        update = {"values": (*own, *unconfirmed, *sums), "unread": self.unread, "numerals": self.numerals}
        return by_form.model_copy(update=update | {"seen": self.numerals, "read": read})


def read_answers(
    layout: Layout,
    turns: Sequence[Turn],
    steps: Sequence[Step],
    seen: Mapping[str, Evidence],
    shop: Records,
    typed: Sequence[Typed] = (),
    confirmed: Collection[str] | None = None,
) -> ReadAnswers:
    """Reads every turn of a conversation, with the steps of all and what their tools returned.

    Where a model ``typed`` something, rules are heard only on what it leaves open. Of what records contradict of it,
    only denials that it ``confirmed`` count; None if all do.
    """
    found: list[Statement] = []
    unconfirmed: list[Statement] = []
    numerals = 0
    unread: list[Unread] = []
    before: tuple[str, ...] = ()
    whole = _Text(layout, shop)
    first = 0
    known: dict[str, None] = {}
    read: list[ReadTurn] = []
    parts: list[Part] = []
    calls = any(step.kind == "tool" for step in steps)
    for turn in turns:
        tools, first = _of_tools(steps[first : turn.steps], seen, shop), turn.steps
        question = _Text(read_layout(turn.question, None), shop)
        asked = question.named_in(0, len(turn.question))
        about = next((ids for ids in (asked, tools, before) if ids), ())
        is_sure = (bool(tools) and not asked) or _is_asked_plainly(question, about)
        answer = _Answer(whole, turn.start, turn.end, about, question.text, is_sure=is_sure)
        by_model = [one for one in typed if turn.start <= one.start < turn.end]
        parts += answer.references()
        own = [*answer.statements(), *answer.adopted(question, about)]
        decided = {one: statement_of(one, layout.text, whole.beside(one.start), shop) for one in by_model}
        if confirmed is not None:
            denied = [(one, said) for one, said in decided.items() if said is not None and not said.is_true]
            left_open = [pair for pair in denied if _value(pair[1], layout.text).denial not in confirmed]
            unconfirmed += (said for _, said in left_open)
            decided |= {one: None for one, _ in left_open}
        own = [*_completed(decided, own)]
        told = [seen[name] for step in steps[: turn.steps] for name in step.evidence if name in seen]
        found += (_explained(one, layout.text, shop, told) if calls else _titled(one, shop) for one in own)
        before = answer.about
        known |= dict.fromkeys((*asked, *whole.named_in(turn.start, turn.end)))
        known |= dict.fromkeys(tools[:_MOST_OF_TOOLS])
        read.append(ReadTurn(turn.question, turn.start, turn.end, (*known,)))
        figures = answer.numerals()
        beside = [(one.start, one.end) for one in own if one.kind == "policy"]
        beside += [(one.start, one.end) for one in by_model if re.search(r"\d", layout.text[one.start : one.end])]
        figures += [span for span in beside if not any(span[0] < end and start < span[1] for start, end in figures)]
        numerals += len(figures)
        undecided = (span for span in figures if not any(one.start < span[1] and span[0] < one.end for one in own))
        unread += (Unread(start=start, end=end, why=UNDECIDED) for start, end in undecided)
    found.sort(key=lambda one: (one.start, one.end))
    return ReadAnswers(tuple(found), numerals, tuple(unread), tuple(unconfirmed), tuple(read), tuple(parts))


def _completed(decided: Mapping[Typed, Statement | None], by_rules: Iterable[Statement]) -> Iterator[Statement]:
    """The statements that a model typed, and those by rules where it typed nothing or leaves the same thing open."""
    yield from filter(None, decided.values())
    for one in by_rules:
        meeting = [other for other in decided if meet(one, other)]
        meeting = [other for other in meeting if other.as_kind == one.kind or re.search(r"\d", other.amount)]
        key = one.of.rpartition("-")[0] or one.of
        if not any(decided[other] or not {one.of, key} & {*other.keys, POLICY} for other in meeting):
            yield one


def _value(statement: Statement, text: str) -> ReadValue:
    start, end = statement.start, statement.end
    value = ReadValue(kind=_VALUES[statement.kind], amount=text[start:end], of=(statement.of,), start=start, end=end)
    return with_state(value, "verified" if statement.is_true else "contradicted", statement.record)


def _titled(statement: Statement, shop: Records) -> Statement:
    title = shop.titles.get(statement.of[2:], "") if statement.of[:2] == "P:" else f"Order {statement.of[2:]}"
    title = "Your shop's policy" if statement.of == POLICY else title
    return replace(statement, title=title or statement.of[2:])


def _explained(statement: Statement, text: str, shop: Records, told: Sequence[Evidence]) -> Statement:
    """The statement with what the tools had returned of its product, and the cause if it is false."""
    statement = _titled(statement, shop)
    own = (entry for entry in told if statement.title.casefold() in (entry.title.casefold(), entry.key.casefold()))
    known = [entry for entry in told if f"P:{entry.key}" == statement.of] or [*own]
    shown = (record_of(one.text) or {} for entry in known for one in entry.texts if one.shown)
    name = _OF_TOOLS.get(statement.kind) or re.compile(re.escape(statement.record.partition(":")[0]), re.IGNORECASE)
    values = [f"{value}" for record in shown for key, value in leaves(record) if name.search(key) and value is not None]
    if statement.is_true or statement.kind not in ("price", "stock", "field"):
        return statement
    if not values:
        return replace(statement, cause=None if known else "not_looked")
    said = text[statement.start : statement.end]
    return replace(statement, tool=values[0], cause=_cause(said, statement.record.rpartition(": ")[2], values[0]))


def _cause(said: str, recorded: str, told: str) -> Cause | None:
    """Whether a tool told the false figure or answer too; None if it told neither a figure nor yes or no."""
    figures = [{one.number for one in find_numerals(text)} for text in (said, told)]
    if figures[0]:
        return ("stale" if figures[0] & figures[1] else "ignored") if figures[1] else None
    truths = [_truth(recorded), _truth(told)]
    return None if None in truths else "ignored" if truths[0] == truths[1] else "stale"


def _truth(value: str) -> bool | None:
    """A yes or no, or whether a number of pieces is above zero."""
    answer = yes_or_no(value)
    return next((bool(one.number) for one in find_numerals(value)), None) if answer is None else answer


def _of_tools(steps: Iterable[Step], seen: Mapping[str, Evidence], shop: Records) -> tuple[str, ...]:
    """The shop's products that calls and their results name, by id or by title."""
    by_title = {title.casefold(): key for key, title in shop.titles.items()}
    found: dict[str, None] = {}
    for step in steps:
        entries = (seen[name] for name in step.evidence if name in seen)
        named = [*(step.args or {}).values(), *(name for entry in entries for name in (entry.key, entry.title))]
        keys = (name if name in shop.products else by_title.get(name.casefold()) for name in map(str, named))
        found |= dict.fromkeys(key for key in keys if key is not None)
    return tuple(found)


def statements_of(text: str, about: Sequence[str], products: Mapping[str, Product]) -> list[Statement]:
    """The statements of a single text on products, whose ids are ``about`` where it names none."""
    whole = _Text(read_layout(text, None), Records(products))
    return _Answer(whole, 0, len(text), tuple(about)).statements()


class _Text:
    """A text with the products and orders that it names, in parts."""

    def __init__(self, layout: Layout, shop: Records) -> None:
        self.layout, self.shop = layout, shop
        titles = {key: item.titles for key, item in shop.products.items()} | {**shop.former}
        self.titled = products_named(layout.text, titles, only_whole=shop.former)
        named = [*self.titled]
        for stretch in layout.stretches:
            named += (
                Named(stretch.start, stretch.start, key)
                for source in stretch.cited
                if (key := source.removeprefix("P:")) in {*shop.products, *shop.missing} and source[:2] == "P:"
            )
        named += (
            Named(*match.span(), match[0])
            for match in PRODUCT_ID.finditer(layout.text)
            if (match[0] in shop.products or match[0] in shop.missing)
            and not any(one.start <= match.start() < one.end for one in named)
        )
        named += (
            Named(*match.span(), name)
            for name in (key for key, why in shop.missing.items() if " " in key and why == UNKNOWN)
            for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", layout.text)
        )
        money = [(one.start, one.end) for one in layout.amounts if one.kind == "money"]
        for match in ORDER_ID.finditer(layout.text) if shop.orders else ():
            if shop.lines_of(match["id"]) and not any(
                start < match.end() and match.start() < end for start, end in money
            ):
                named.append(Named(*match.span(), f"O:{match['id']}"))
        self.named = sorted(named, key=lambda one: one.start)
        self.text = blanked(layout.text, ((one.start, one.end) for one in self.named)).translate(_MARKS)
        """Without the names, so that their words and figures say nothing, and with a letter for each mark."""

    def beside(self, place: int) -> tuple[str, ...]:
        """The products that the sentence at a place names."""
        own = next((one for one in self.layout.sentences if one.start <= place < one.end), None)
        return () if own is None else self.named_in(own.start, own.end)

    def named_in(self, start: int, end: int) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.product_id for one in self._names(start, end)))

    def parts(self, start: int, end: int) -> Iterator[tuple[int, int, str, Sequence[Named] | None]]:
        """Sentences, lines and cells: start, end, the label of a cell, and the names of what it is about; None for what
        the answer named last.
        """
        rows: dict[int, list[Cell]] = {}
        for cell in self.layout.cells:
            rows.setdefault(cell.sentence, []).append(cell)
        table: int | None = None
        for index, sentence in enumerate(self.layout.sentences):
            if not start <= sentence.start < end:
                continue
            if index in rows:
                table = sentence.start if table is None else table
                for cell in rows[index]:
                    yield cell.start, cell.end, *self._headed(cell, table, sentence.start, sentence.end)
                continue
            table = None
            for line in re.finditer(r"[^\n]+", self.text[sentence.start : sentence.end]):
                first, last = sentence.start + line.start(), sentence.start + line.end()
                yield first, last, "", self._names(first, last) or None

    def _headed(self, cell: Cell, table: int, start: int, end: int) -> tuple[str, Sequence[Named] | None]:
        """The label of a cell in a row, and the names in it, else in its row and its column's head. A head is about no
        more than it names; so is a cell without names below or beside such as have some.
        """
        of_row = self._names(start, end)
        heads = [head for head in cell.heads if not (of_row and head[0] >= start)]
        label = " ".join(filter(None, (label_of(self.text, *head) for head in heads)))
        names = self._names(cell.start, cell.end)
        if not names and cell.row >= 0:
            names = [*of_row, *(one for head in heads for one in self._names(*head))]
        is_closed = names or cell.row < 0 or self._names(table, cell.start)
        return label, names if is_closed else None

    def _names(self, start: int, end: int) -> list[Named]:
        return [one for one in self.named if start <= one.start < end]


def _is_asked_plainly(question: _Text, about: Sequence[str]) -> bool:
    """True if an answer that names nothing is about what is asked: of "How much is shipping for the mug?" it is not."""
    item = question.shop.products.get(about[0]) if len(about) == 1 else None
    if item is None:
        return bool(about) and about[0][:2] == "O:"
    return ProductSentence(question.layout, question.text, 0, len(question.text), "", item).asks_plainly()


class _Answer:
    """One answer: each part with what it is about; what the question alone names is not ``is_sure`` to be meant."""

    def __init__(
        self, whole: _Text, start: int, end: int, about: tuple[str, ...], asked: str = "", *, is_sure: bool = True
    ) -> None:
        self.whole, self.text, self.shop = whole, whole.text, whole.shop
        self.start, self.answer, self.asked = start, self.text[start:end], asked
        self.about, self.names = about, whole.named_in(start, end)
        self.parts: list[tuple[int, int, str, tuple[str, ...]]] = []
        self.unsure: set[int] = set()
        """The starts of parts of which it is not sure what they are about."""
        for first, last, label, names in whole.parts(start, end):
            inside = names or ()
            ordered = self.shop.ordered(one.product_id for one in inside)
            meant = {key for one in inside for key in ordered.get(one.product_id, ())}
            inside = [
                replace(one, product_id=next(iter(meant))) if one.product_id[:2] == "O:" and len(meant) == 1 else one
                for one in inside
                if one.product_id not in ordered  # its order is what is spoken of
            ]
            ids = tuple(dict.fromkeys(one.product_id for one in inside))
            is_inside = all(first <= one.start < last for one in inside)
            if len(ids) > 1 and is_inside and not re.search(r"\d", self.text[first : inside[0].start]):
                # From each name to the next one.
                edges = [first, *(one.start for one in inside[1:]), last]
                for one, begin, stop in zip(inside, edges, edges[1:], strict=False):
                    self.parts.append((begin, stop, label, (one.product_id,)))
            else:
                self.parts.append((first, last, label, ids or (self.about if names is None else ())))
            self.about, is_sure = ids or self.about, is_sure or bool(ids)
            self.unsure |= set() if is_sure else {first}

    def references(self) -> Iterator[Part]:
        """The parts that name products, refer to them by a word of price or stock or by a variant, or sum them up."""
        named: dict[str, None] = {}
        for start, end, label, about in self.parts:
            text = f"{label} {self.text[start:end]}"
            said, items = {*words(text)}, [self.shop.products[key] for key in about if key in self.shop.products]
            own = [key for key in self.whole.named_in(start, end) if key in self.shop.products]
            named |= dict.fromkeys(own)
            if said & answer_words("total"):
                yield Part(start, end, (*named,))
            elif own or said & answer_words("pronoun") or (start not in self.unsure and refers(text, items)):
                yield Part(start, end, tuple(item.product_id for item in items))

    def statements(self) -> list[Statement]:
        found: list[Statement] = []
        for start, end, label, about in self.parts:
            if self.text[start:end].rstrip().endswith("?"):
                continue
            # What is said of one product or order may be its own.
            if not self.whole.beside(start) and not any(key[:2] == "O:" for key in about):
                policy = self.shop.policy, self.shop.currency
                said = [*policy_statements(self.whole.layout, self.text, start, end, label, *policy)]
                found += said if said and is_general(f"{self.asked}\n{self.text[self.start : start]}") else []
            first = next(iter(words(self.text[start:end])), "")
            is_sure = start not in self.unsure or first in answer_words("pronoun")
            if len(about) != 1 or not is_sure:
                continue
            (key,) = about
            if key[:2] == "O:":
                lines = [f"O:{line}" for line in self.shop.lines_of(key[2:])]
                found += [*self._order(start, end, lines), *self._order_day(start, end, lines[0])]
            elif key in self.shop.missing:
                found += self._missing(start, end, label, key)
            elif (item := self.shop.products.get(key)) is not None:
                part = ProductSentence(self.whole.layout, self.text, start, end, label, item)
                if start not in self.unsure:
                    found += [*part.prices(), *part.stock()]
                found += [*part.answers(), *part.measures()]
        return [one for at, one in enumerate(found) if not any(_is_same(one, other) for other in found[:at])]

    def _missing(self, start: int, end: int, label: str, key: str) -> Iterator[Statement]:
        why = self.shop.missing[key]
        own = [one for one in self.whole.named if one.product_id == key and start <= one.start < end]
        # Who names it by its title may speak of an order: only a price or a stock offers it.
        is_said = any(one not in self.whole.titled for one in own) and " " not in key
        if why == GONE or " " in key:
            item = Product(product_id=key, title=self.shop.titles.get(key, key), category="")
            part = ProductSentence(self.whole.layout, self.text, start, end, label, item)
            is_said = part.is_sold() or (is_said and not says_sold_out(self.text[start:end]))
        if is_said:
            yield Statement(start, end, "gone" if why == GONE else "unknown", False, product_evidence_id(key), why)

    def _order(self, start: int, end: int, lines: Sequence[str]) -> Iterator[Statement]:
        named = status_named(self.text[:end].rstrip("? "), start, end)
        if named is None:
            return
        was, record = self.shop.status_of(lines, named.status)
        is_void = self.shop.status_of(lines, "cancelled")[0] is True
        # Who says of a cancelled order that it was shipped, and not that it was cancelled, says something false.
        if was is None and is_void and not named.is_denied and not names_status(self.answer, "cancelled"):
            was = False
        if was is not None:
            yield Statement(named.start, named.end, "order", was != named.is_denied, lines[0], record)

    def _order_day(self, start: int, end: int, key: str) -> Iterator[Statement]:
        day = f"{self.shop.orders[key[2:]].get('order_date') or ''}"[:10]
        # An answer is too short to tell its language by.
        part = self.text[start:end]
        said = [one for one in {*find_dates(part), *find_dates(part, other_notation())} if one.is_day]
        if not day or len(said) != 1:
            return
        first, last = start + said[0].start, start + said[0].end
        name = max((one.end for one in self.whole.named if start <= one.start < first), default=start)
        if _ORDERED.search(self.text[max(name, first - _REACH) : first]) or _WAS_ORDERED.match(self.text, last):
            is_true = said[0].fits(date.fromisoformat(day))
            yield Statement(first, last, "order", is_true, key, f"order date: {day}")

    def adopted(self, question: _Text, about: tuple[str, ...]) -> Iterator[Statement]:
        """What a "yes" or "no" at the beginning says by the question; a word more on the same thing says it itself."""
        first = next(iter(words(self.answer)), "")
        is_yes, is_no = first in answer_words("yes"), first in answer_words("no")
        if is_yes == is_no or len(about) != 1 or {*self.names} - {*about}:
            return
        place = self.start + self.answer.casefold().find(first)
        said = {(one.kind, one.record) for one in self.statements()}
        asked = _Answer(question, 0, len(question.text), about)
        for start, end, label, ids in asked.parts:
            answers: list[Statement] = []
            if len(ids) == 1 and (item := self.shop.products.get(ids[0])) is not None:
                part = ProductSentence(question.layout, question.text, start, end, label, item)
                prices = (one for one in part.prices() if one.kind == "price")
                answers += [*part.stock(), *part.answers(), *(prices if is_yes else ())]
            elif len(ids) == 1 and (lines := self.shop.lines_of(ids[0][2:])):
                answers += asked._order(start, end, [f"O:{line}" for line in lines])
            for one in answers:
                if (one.kind, one.record) not in said and not any(kind == one.kind == "price" for kind, _ in said):
                    yield replace(one, start=place, end=place + len(first), is_true=one.is_true == is_yes)

    def numerals(self) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        for start, end, _, about in self.parts:
            if about:
                part = self.text[start:end]
                found += ((start + one.start, start + one.stop) for one in find_numerals(part, (), frozenset({0})))
        return found


def _is_same(one: Statement, other: Statement) -> bool:
    return meet(one, other) and (one.kind, one.record) == (other.kind, other.record)
