"""An assistant's answers turn by turn, by rules: what each is about, and its statements, joined by those that a
model typed.

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
from itertools import pairwise
from typing import NamedTuple

from drretail.grounding.report.evidence_ids import product_evidence_id
from drretail.grounding.report.page import blanked, meet
from drretail.grounding.report.statements import names_status, status_named
from drretail.grounding.text.amounts import find_dates, other_notation
from drretail.grounding.text.layout import Cell, Layout, label_of, read_layout
from drretail.grounding.text.numerals import find_numerals
from drretail.grounding.text.wording import Named, products_named
from drretail.grounding.text.words import answer_words, words
from drretail.grounding.verify.fields import yes_or_no
from drretail.grounding.verify.product_statements import (
    GONE,
    POLICY,
    Cause,
    Kind,
    ProductSentence,
    Records,
    Statement,
    is_general,
    policy_statements,
    refers,
    says_sold_out,
)
from drretail.grounding.verify.records import decided, leaves, record_of
from drretail.grounding.verify.typed import Typed, statement_of
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
    """``report[start:end]``, a sentence, a line or a cell."""

    start: int
    end: int
    about: tuple[str, ...] = ()
    """The products and orders ("O:…") that it names, or refers to."""
    label: str = ""
    """The words of its column's and its row's heads."""
    is_sure: bool = True
    """False if it names nothing, and what it is about is only guessed by the question."""


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
        own = [_value(statement, text) for statement in self.statements]
        left_open = {"state": "underivable", "is_unconfirmed": True}
        unconfirmed = [_value(statement, text).model_copy(update=left_open) for statement in self.unconfirmed]
        sums = [value for value in by_form.values if value.kind in ("total", *OF_CALCULATIONS)]
        sums = [value for value in sums if not any(meet(value, other) for other in own)]
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
    statements: list[Statement] = []
    unconfirmed: list[Statement] = []
    numerals: list[Unread] = []
    parts: list[Part] = []
    read: list[ReadTurn] = []
    known: dict[str, None] = {}
    before: tuple[str, ...] = ()
    whole, first_step = _Text(layout, shop), 0
    has_calls = any(step.kind == "tool" for step in steps)
    for turn in turns:
        tools, first_step = _of_tools(steps[first_step : turn.steps], seen, shop), turn.steps
        question = _Text(read_layout(turn.question, None), shop)
        asked = question.named_in(0, len(turn.question))
        about = asked or tools or before
        is_sure = (bool(tools) and not asked) or _is_asked_plainly(question, about)
        answer = _Answer(whole, turn.start, turn.end, about, question.text, is_sure=is_sure)
        before = answer.about
        parts += answer.references()
        by_model = [value for value in typed if turn.start <= value.start < turn.end]
        decided = {value: statement_of(value, layout.text, whole.beside(value.start), shop) for value in by_model}
        for value, statement in decided.items():
            if confirmed is None or statement is None or statement.is_true:
                continue
            if _value(statement, layout.text).denial not in confirmed:
                unconfirmed.append(statement)
                decided[value] = None
        own = [*_completed(decided, [*answer.statements(), *answer.adopted(question, about)])]
        shown = [seen[name] for step in steps[: turn.steps] for name in step.evidence if name in seen]
        statements += (_explained(one, layout.text, shop, shown) if has_calls else _titled(one, shop) for one in own)
        known |= dict.fromkeys((*asked, *whole.named_in(turn.start, turn.end), *tools[:_MOST_OF_TOOLS]))
        read.append(ReadTurn(turn.question, turn.start, turn.end, (*known,)))
        figures = [*answer.numerals()]
        policies = (statement for statement in own if statement.kind == "policy")
        beside = (*policies, *(one for one in by_model if re.search(r"\d", layout.text[one.start : one.end])))
        apart = (one for one in beside if not any(meet(one, figure) for figure in figures))
        numerals += [*figures, *(Unread(start=one.start, end=one.end, why=UNDECIDED) for one in apart)]
    statements.sort(key=lambda statement: (statement.start, statement.end))
    unread = tuple(numeral for numeral in numerals if not any(meet(numeral, one) for one in statements))
    return ReadAnswers(tuple(statements), len(numerals), unread, tuple(unconfirmed), tuple(read), tuple(parts))


def _completed(decided: Mapping[Typed, Statement | None], by_rules: Iterable[Statement]) -> Iterator[Statement]:
    """The statements that a model typed, and those by rules where it typed nothing or leaves the same thing open."""
    yield from filter(None, decided.values())
    for statement in by_rules:
        meeting = [typed for typed in decided if meet(statement, typed)]
        meeting = [typed for typed in meeting if typed.as_kind == statement.kind or re.search(r"\d", typed.amount)]
        of = {statement.of, statement.of.rpartition("-")[0] or statement.of}
        if not any(decided[typed] or not of & {*typed.keys, POLICY} for typed in meeting):
            yield statement


def _value(statement: Statement, text: str) -> ReadValue:
    span = statement.start, statement.end
    return decided(text, _VALUES[statement.kind], span, statement.of, statement.is_true, statement.record)


def _titled(statement: Statement, shop: Records) -> Statement:
    title = shop.titles.get(statement.of[2:], "") if statement.of[:2] == "P:" else f"Order {statement.of[2:]}"
    title = "Your shop's policy" if statement.of == POLICY else title
    return replace(statement, title=title or statement.of[2:])


def _explained(statement: Statement, text: str, shop: Records, shown: Sequence[Evidence]) -> Statement:
    """The statement with what the tools had returned of its product, and the cause if it is false."""
    statement = _titled(statement, shop)
    if statement.is_true or statement.kind not in ("price", "stock", "field"):
        return statement
    own = (entry for entry in shown if statement.title.casefold() in (entry.title.casefold(), entry.key.casefold()))
    known = [entry for entry in shown if f"P:{entry.key}" == statement.of] or [*own]
    records = (record_of(text.text) or {} for entry in known for text in entry.texts if text.shown)
    name = _OF_TOOLS.get(statement.kind) or re.compile(re.escape(statement.record.partition(":")[0]), re.IGNORECASE)
    values = [f"{value}" for one in records for key, value in leaves(one) if name.search(key) and value is not None]
    if not values:
        return replace(statement, cause=None if known else "not_looked")
    words = text[statement.start : statement.end]
    return replace(statement, tool=values[0], cause=_cause(words, statement.record.rpartition(": ")[2], values[0]))


def _cause(words: str, recorded: str, by_tool: str) -> Cause | None:
    """Whether a tool told the false figure or answer too; None if it told neither a figure nor yes or no."""
    figures, of_tool = ({numeral.number for numeral in find_numerals(text)} for text in (words, by_tool))
    if figures:
        return ("stale" if figures & of_tool else "ignored") if of_tool else None
    truths = [_truth(recorded), _truth(by_tool)]
    return None if None in truths else "ignored" if truths[0] == truths[1] else "stale"


def _truth(value: str) -> bool | None:
    """A yes or no, or whether a number of pieces is above zero."""
    answer = yes_or_no(value)
    return next((bool(numeral.number) for numeral in find_numerals(value)), None) if answer is None else answer


def _of_tools(steps: Iterable[Step], seen: Mapping[str, Evidence], shop: Records) -> tuple[str, ...]:
    """The shop's products that calls and their results name, by id or by title."""
    by_title = {title.casefold(): key for key, title in shop.titles.items()}
    products: dict[str, None] = {}
    for step in steps:
        entries = (seen[name] for name in step.evidence if name in seen)
        named = [*(step.args or {}).values(), *(name for entry in entries for name in (entry.key, entry.title))]
        keys = (name if name in shop.products else by_title.get(name.casefold()) for name in map(str, named))
        products |= dict.fromkeys(key for key in keys if key is not None)
    return tuple(products)


class _Text:
    """A text with the products and orders that it names, in parts."""

    def __init__(self, layout: Layout, shop: Records) -> None:
        self.layout, self.shop = layout, shop
        titles = {key: item.titles for key, item in shop.products.items()} | {**shop.former}
        self.titled = products_named(layout.text, titles, only_whole=shop.former)
        named, ids = [*self.titled], {*shop.products, *shop.missing}
        cited = ((stretch.start, source) for stretch in layout.stretches for source in stretch.cited)
        named += (Named(at, at, source[2:]) for at, source in cited if source[:2] == "P:" and source[2:] in ids)
        named += (
            Named(*match.span(), match[0])
            for match in PRODUCT_ID.finditer(layout.text)
            if match[0] in ids and not any(name.start <= match.start() < name.end for name in named)
        )
        money = [amount for amount in layout.amounts if amount.kind == "money"]
        orders = (Named(*match.span(), f"O:{match['id']}") for match in ORDER_ID.finditer(layout.text))
        named += (
            order
            for order in (orders if shop.orders else ())
            if shop.lines_of(order.product_id[2:]) and not any(meet(order, amount) for amount in money)
        )
        self.named = sorted(named, key=lambda name: name.start)
        self.text = blanked(layout.text, ((name.start, name.end) for name in self.named)).translate(_MARKS)
        """Without the names, so that their words and figures say nothing, and with a letter for each mark."""

    def sentence(self, part: Part, item: Product) -> ProductSentence:
        return ProductSentence(self.layout, self.text, part.start, part.end, part.label, item)

    def beside(self, place: int) -> tuple[str, ...]:
        """The products that the sentence at a place names."""
        own = [sentence for sentence in self.layout.sentences if sentence.start <= place < sentence.end]
        return self.named_in(own[0].start, own[0].end) if own else ()

    def named_in(self, start: int, end: int) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name.product_id for name in self._names(start, end)))

    def pieces(self, start: int, end: int) -> Iterator[tuple[int, int, str, Sequence[Named] | None]]:
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
                of_row = self._names(sentence.start, sentence.end)
                for cell in rows[index]:
                    heads = [head for head in cell.heads if not (of_row and head[0] >= sentence.start)]
                    label = " ".join(filter(None, (label_of(self.text, *head) for head in heads)))
                    names = self._names(cell.start, cell.end)
                    if not names and cell.row >= 0:
                        names = [*of_row, *(name for head in heads for name in self._names(*head))]
                    # A head is about no more than it names; so is a cell without names below or beside ones with some.
                    is_closed = names or cell.row < 0 or self._names(table, cell.start)
                    yield cell.start, cell.end, label, names if is_closed else None
                continue
            table = None
            for line in re.finditer(r"[^\n]+", self.text[sentence.start : sentence.end]):
                first, last = sentence.start + line.start(), sentence.start + line.end()
                yield first, last, "", self._names(first, last) or None

    def _names(self, start: int, end: int) -> list[Named]:
        return [name for name in self.named if start <= name.start < end]


def _is_asked_plainly(question: _Text, about: Sequence[str]) -> bool:
    """True if an answer that names nothing is about what is asked: of "How much is shipping for the mug?" it is not."""
    item = question.shop.products.get(about[0]) if len(about) == 1 else None
    if item is None:
        return bool(about) and about[0][:2] == "O:"
    return question.sentence(Part(0, len(question.text)), item).asks_plainly()


class _Answer:
    """One answer: each part with what it is about; what the question alone names is not ``is_sure`` to be meant."""

    def __init__(
        self, whole: _Text, start: int, end: int, about: tuple[str, ...], question: str = "", *, is_sure: bool = True
    ) -> None:
        self.whole, self.text, self.shop = whole, whole.text, whole.shop
        self.start, self.answer, self.question = start, self.text[start:end], question
        self.about, self.names = about, whole.named_in(start, end)
        self.parts: list[Part] = []
        for first, last, label, names in whole.pieces(start, end):
            # Without a product whose order is named, and with the product of an order's single line.
            ordered = self.shop.ordered(name.product_id for name in names or ())
            meant = {key for name in names or () for key in ordered.get(name.product_id, ())}
            named = [
                replace(name, product_id=next(iter(meant))) if name.product_id[:2] == "O:" and len(meant) == 1 else name
                for name in names or ()
                if name.product_id not in ordered
            ]
            ids = tuple(dict.fromkeys(name.product_id for name in named))
            is_sure = is_sure or bool(ids)
            is_inside = all(first <= name.start < last for name in named)
            if len(ids) > 1 and is_inside and not re.search(r"\d", self.text[first : named[0].start]):
                # From each name to the next one.
                edges = pairwise([first, *(name.start for name in named[1:]), last])
                self.parts += (Part(*span, (name.product_id,), label) for span, name in zip(edges, named, strict=True))
            else:
                self.parts.append(Part(first, last, ids or (self.about if names is None else ()), label, is_sure))
            self.about = ids or self.about

    def references(self) -> Iterator[Part]:
        """The parts that name products, refer to them by a word of price or stock or by a variant, or sum them up."""
        named: dict[str, None] = {}
        for part in self.parts:
            text = f"{part.label} {self.text[part.start : part.end]}"
            spoken, items = {*words(text)}, [self.shop.products[key] for key in part.about if key in self.shop.products]
            own = [key for key in self.whole.named_in(part.start, part.end) if key in self.shop.products]
            named |= dict.fromkeys(own)
            if spoken & answer_words("total"):
                yield part._replace(about=(*named,))
            elif own or spoken & answer_words("pronoun") or (part.is_sure and refers(text, items)):
                yield part._replace(about=tuple(item.product_id for item in items))

    def statements(self) -> list[Statement]:
        statements = [statement for part in self.parts for statement in self._statements_of(part)]
        return [one for at, one in enumerate(statements) if not any(_is_same(one, other) for other in statements[:at])]

    def _statements_of(self, part: Part) -> Iterator[Statement]:
        text = self.text[part.start : part.end]
        if text.rstrip().endswith("?"):
            return
        # What is said of one product or order may be its own.
        if not self.whole.beside(part.start) and not any(key[:2] == "O:" for key in part.about):
            sentence = self.whole.sentence(part, Product(product_id=POLICY, title="", category=""))
            of_policy = [*policy_statements(sentence, self.shop.policy, self.shop.currency)]
            if of_policy and is_general(f"{self.question}\n{self.text[self.start : part.start]}"):
                yield from of_policy
        is_sure = part.is_sure or next(iter(words(text)), "") in answer_words("pronoun")
        if len(part.about) != 1 or not is_sure:
            return
        (key,) = part.about
        if key[:2] == "O:":
            lines = [f"O:{line}" for line in self.shop.lines_of(key[2:])]
            yield from self._order(part, lines)
            yield from self._order_day(part, lines[0])
        elif key in self.shop.missing:
            yield from self._missing(part, key)
        elif (item := self.shop.products.get(key)) is not None:
            sentence = self.whole.sentence(part, item)
            if part.is_sure:
                yield from sentence.prices()
                yield from sentence.stock()
            yield from sentence.answers()
            yield from sentence.measures()

    def _missing(self, part: Part, key: str) -> Iterator[Statement]:
        why = self.shop.missing[key]
        names = (name for name in self.whole.named if name.product_id == key and part.start <= name.start < part.end)
        # Who names it by its title may speak of an order: only a price or a stock offers it.
        is_offered = any(name not in self.whole.titled for name in names)
        if why == GONE:
            item = Product(product_id=key, title=self.shop.titles.get(key, key), category="")
            is_sold_out = says_sold_out(self.text[part.start : part.end])
            is_offered = self.whole.sentence(part, item).is_sold() or (is_offered and not is_sold_out)
        if is_offered:
            kind = "gone" if why == GONE else "unknown"
            yield Statement(part.start, part.end, kind, False, product_evidence_id(key), why)

    def _order(self, part: Part, lines: Sequence[str]) -> Iterator[Statement]:
        named = status_named(self.text[: part.end].rstrip("? "), part.start, part.end)
        if named is None:
            return
        was, record = self.shop.status_of(lines, named.status)
        is_void = self.shop.status_of(lines, "cancelled")[0] is True
        # Who says of a cancelled order that it was shipped, and not that it was cancelled, says something false.
        if was is None and is_void and not named.is_denied and not names_status(self.answer, "cancelled"):
            was = False
        if was is not None:
            yield Statement(named.start, named.end, "order", was != named.is_denied, lines[0], record)

    def _order_day(self, part: Part, key: str) -> Iterator[Statement]:
        recorded = f"{self.shop.orders[key[2:]].get('order_date') or ''}"[:10]
        # An answer is too short to tell its language by.
        text = self.text[part.start : part.end]
        days = [day for day in {*find_dates(text), *find_dates(text, other_notation())} if day.is_day]
        if not recorded or len(days) != 1:
            return
        first, last = part.start + days[0].start, part.start + days[0].end
        name = max((name.end for name in self.whole.named if part.start <= name.start < first), default=part.start)
        if _ORDERED.search(self.text[max(name, first - _REACH) : first]) or _WAS_ORDERED.match(self.text, last):
            is_true = days[0].fits(date.fromisoformat(recorded))
            yield Statement(first, last, "order", is_true, key, f"order date: {recorded}")

    def adopted(self, question: _Text, about: tuple[str, ...]) -> Iterator[Statement]:
        """What a "yes" or "no" at the beginning says by the question; a word more on the same thing says it itself."""
        first = next(iter(words(self.answer)), "")
        is_yes, is_no = first in answer_words("yes"), first in answer_words("no")
        if is_yes == is_no or len(about) != 1 or {*self.names} - {*about}:
            return
        place = self.start + self.answer.casefold().find(first)
        own = {(statement.kind, statement.record) for statement in self.statements()}
        is_priced = any(kind == "price" for kind, _ in own)
        asked = _Answer(question, 0, len(question.text), about)
        for statement in (statement for part in asked.parts for statement in asked._if_affirmed(part, is_yes=is_yes)):
            if (statement.kind, statement.record) not in own and not (is_priced and statement.kind == "price"):
                is_true = statement.is_true == is_yes
                yield replace(statement, start=place, end=place + len(first), is_true=is_true)

    def _if_affirmed(self, part: Part, *, is_yes: bool) -> Iterator[Statement]:
        """What a part of a question says if the answer is yes; who denies a price may mean any other."""
        if len(part.about) == 1 and (item := self.shop.products.get(part.about[0])) is not None:
            sentence = self.whole.sentence(part, item)
            yield from sentence.stock()
            yield from sentence.answers()
            yield from (price for price in sentence.prices() if price.kind == "price" and is_yes)
        elif len(part.about) == 1 and (lines := self.shop.lines_of(part.about[0][2:])):
            yield from self._order(part, [f"O:{line}" for line in lines])

    def numerals(self) -> Iterator[Unread]:
        for part in (part for part in self.parts if part.about):
            for numeral in find_numerals(self.text[part.start : part.end], (), frozenset({0})):
                yield Unread(start=part.start + numeral.start, end=part.start + numeral.stop, why=UNDECIDED)


def _is_same(one: Statement, other: Statement) -> bool:
    return meet(one, other) and (one.kind, one.record) == (other.kind, other.record)
