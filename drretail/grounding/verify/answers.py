"""What an assistant's answers say of a shop's products and orders, compared with the shop's records.

No citation marks are needed. A sentence, list item or cell is about the product or order that it names or links, else
the one that the answer named last, else the one that the question names, that the turn's tools were about, or that the
turns before named. Of several nothing is decided.

Words are never interpreted: a statement is read where nothing but words of answers.toml, of the record and names stand
beside its figure, field or status ("It now costs €50", "- Waterproof: no"). One word more ("in 3 instalments of €37")
leaves it open. Only the record accuses; that the shopper named a number excuses nothing.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cache, cached_property
from typing import Any, Literal

from drretail.grounding.report.evidence_ids import product_evidence_id
from drretail.grounding.report.markup import blanked
from drretail.grounding.report.statements import names_status, status_named
from drretail.grounding.text.amounts import Amount
from drretail.grounding.text.languages import answer_words, labels
from drretail.grounding.text.layout import Layout, read_layout
from drretail.grounding.text.numerals import UNCOUNTED, find_numerals
from drretail.grounding.text.titles import Named, products_named
from drretail.grounding.text.wording import format_money
from drretail.grounding.text.words import stem, words
from drretail.grounding.verify.fields import decided_property, field_statements
from drretail.grounding.verify.records import leaves, read_ledger, record_of, with_state
from drretail.records.evidence import Evidence
from drretail.records.reading import Reading, ReadValue, Unread, ValueKind
from drretail.records.run import Step, Turn
from drretail.records.shop import Offer, Product, has_been, offers_of

AGREES = "agrees with the records"
"""Part of a line about a right statement."""
Kind = Literal["price", "stock", "field", "order", "total", "unknown"]
_STOP = re.compile(r"[.!?;\n](?!\d)")
# "No, it is not waterproof": the first word answers the question, and denies nothing of what follows.
_LEADING = re.compile(r"\s*[^\W\d_]{1,5},")
# Between parts of a sentence; a part that names nothing is read together with the one before.
_SOFT = re.compile(
    r",(?!\d)|\s[–—-]\s|[()|]|\b(?:and|but|or|while|und|aber|oder|sondern|et|mais|ou|y|pero|o|sino)\b", re.IGNORECASE
)
_VALUES: Mapping[Kind, ValueKind] = {
    **{"price": "price", "stock": "stock", "field": "property", "order": "order_status"},
    **{"total": "total", "unknown": "product"},
}
_SUMS: tuple[ValueKind, ...] = ("total", "difference", "left_over", "over_budget", "per_unit", "quantity")
UNDECIDED = "its words or the record leave it open"
Cause = Literal["stale", "ignored", "not_looked"]
"""Its tools say the same as the false statement; they say something else; they were not asked about it."""
# What tools call a price and a stock.
_OF_TOOLS = {"price": re.compile("price|cost|preis", re.I), "stock": re.compile("stock|inventory|availab", re.I)}
ORDER_ID = re.compile(r"(?<![\w-])#?(?P<id>[A-Za-z]{0,5}-?\d[\w-]{2,})(?![\w-])")


@dataclass(frozen=True, slots=True)
class Statement:
    """``report[start:end]`` says something of a product or an order that its record decides."""

    start: int
    end: int
    kind: Kind
    is_true: bool
    of: str
    """The evidence id."""
    record: str
    """What the record says: "€111.00", "Waterproof: No", "order status: Cancelled"."""
    title: str = ""
    """Of the product or order."""
    tool: str = ""
    """What the assistant's own tools had returned of it before; empty if nothing is known."""
    cause: Cause | None = None
    """Why a false statement was made, as far as the assistant's calls tell."""

    def in_words(self, text: str) -> str:
        """For a judge: "price €50.00: the record says €111.00"."""
        found = f"{AGREES} ({self.record})" if self.is_true else f"the record says {self.record}"
        return f"{self.kind} {text[self.start : self.end]}: {found}"


@dataclass(frozen=True)
class Records:
    """The shop's records that answers are compared with."""

    products: Mapping[str, Product]
    orders: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """By order id."""
    missing: Collection[str] = ()
    """Ids that stand in addresses of the shop and lead to no product."""

    @cached_property
    def titles(self) -> dict[str, str]:
        return {key: item.title for key, item in self.products.items()}


def records_in(evidence: Iterable[Evidence]) -> Records:
    """The records among a run's evidence that were looked up in the shop, not those of the assistant's own tools."""
    looked_up = {entry.id: entry for entry in evidence if entry.looked_up}
    ledger = read_ledger({key: entry for key, entry in looked_up.items() if entry.texts})
    orders = {name[2:]: record for name, record in ledger.records.items()}
    missing = {entry.key for entry in looked_up.values() if entry.kind == "product" and not entry.texts}
    return Records(ledger.products, orders, missing)


@dataclass(frozen=True, slots=True)
class ReadAnswers:
    """The statements of all answers in text order, and how many of their numerals are about a product or an order."""

    statements: tuple[Statement, ...]
    numerals: int
    unread: tuple[Unread, ...]
    """The numerals that no statement decides."""

    def as_read(self, by_form: Reading, text: str) -> Reading:
        """A reading by form, which looks for marks, with these statements in the place of its values but for sums."""
        own = [_value(one, text) for one in self.statements]
        sums = [one for one in by_form.values if one.kind in _SUMS]
        sums = [one for one in sums if not any(one.start < other.end and other.start < one.end for other in own)]
        read = self.numerals - len(self.unread)
        update = {"values": (*own, *sums), "unread": self.unread, "numerals": self.numerals}
        return by_form.model_copy(update=update | {"seen": self.numerals, "read": read})


def read_answers(
    layout: Layout, turns: Sequence[Turn], steps: Sequence[Step], seen: Mapping[str, Evidence], shop: Records
) -> ReadAnswers:
    """Reads every turn of a conversation, with the steps of all and what their tools returned."""
    found: list[Statement] = []
    numerals = 0
    unread: list[Unread] = []
    before: tuple[str, ...] = ()
    whole = _Text(layout, shop)
    first = 0
    calls = any(step.kind == "tool" for step in steps)
    for turn in turns:
        tools, first = _of_tools(steps[first : turn.steps], seen, shop), turn.steps
        question = _Text(read_layout(turn.question, None), shop)
        asked = question.named_in(0, len(turn.question))
        about = next((ids for ids in (asked, tools, before) if ids), ())
        answer = _Answer(whole, turn.start, turn.end, about, is_sure=_asks_plainly(question, about))
        own = [*answer.statements(), *answer.adopted(question, about)]
        told = [seen[name] for step in steps[: turn.steps] for name in step.evidence if name in seen]
        found += (_explained(one, layout.text, shop, told) if calls else _titled(one, shop) for one in own)
        before = answer.about
        figures = answer.numerals()
        numerals += len(figures)
        undecided = (span for span in figures if not any(one.start < span[1] and span[0] < one.end for one in own))
        unread += (Unread(start=start, end=end, why=UNDECIDED) for start, end in undecided)
    found.sort(key=lambda one: (one.start, one.end))
    return ReadAnswers(tuple(found), numerals, tuple(unread))


def _value(statement: Statement, text: str) -> ReadValue:
    start, end = statement.start, statement.end
    value = ReadValue(kind=_VALUES[statement.kind], amount=text[start:end], of=(statement.of,), start=start, end=end)
    return with_state(value, "verified" if statement.is_true else "contradicted", statement.record)


def _titled(statement: Statement, shop: Records) -> Statement:
    title = shop.titles.get(statement.of[2:], "") if statement.of[:2] == "P:" else f"Order {statement.of[2:]}"
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
    said = {one.number for one in find_numerals(text[statement.start : statement.end])}
    same = said & {one.number for one in find_numerals(values[0])} or (not said and _answer(values[0]) is not None)
    return replace(statement, tool=values[0], cause="stale" if same else "ignored")


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
        named = list(products_named(layout.text, shop.titles))
        for stretch in layout.stretches:
            named += (
                Named(stretch.start, stretch.start, key)
                for source in stretch.cited
                if (key := source.removeprefix("P:")) in {*shop.products, *shop.missing} and source[:2] == "P:"
            )
        money = [(one.start, one.end) for one in layout.amounts if one.kind == "money"]
        for match in ORDER_ID.finditer(layout.text) if shop.orders else ():
            ids = [key for key in shop.orders if key == match["id"] or key.rpartition("-")[0] == match["id"]]
            statuses = {f"{shop.orders[key].get('order_status')}" for key in ids}
            if not any(start < match.end() and match.start() < end for start, end in money):
                # All lines of an order that have one status are one.
                named += (Named(*match.span(), f"O:{key}") for key in (ids[:1] if len(statuses) == 1 else ids))
        self.named = sorted(named, key=lambda one: one.start)
        self.text = blanked(layout.text, _apart((one.start, one.end) for one in self.named))
        """Without the names, so that their words and figures say nothing."""

    def named_in(self, start: int, end: int) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.product_id for one in self.named if start <= one.start < end))

    def parts(self, start: int, end: int) -> Iterator[tuple[int, int, str]]:
        """Sentences, lines and cells: start, end, and the labels of a cell."""
        cells = {(cell.start, cell.end): cell for cell in self.layout.cells if start <= cell.start < end}
        rows = {cell.sentence for cell in cells.values()}
        for index, sentence in enumerate(self.layout.sentences):
            if not start <= sentence.start < end:
                continue
            if index in rows:
                own = (cell for cell in cells.values() if cell.sentence == index)
                yield from ((cell.start, cell.end, " ".join(cell.labels)) for cell in own)
                continue
            for line in re.finditer(r"[^\n]+", self.text[sentence.start : sentence.end]):
                yield sentence.start + line.start(), sentence.start + line.end(), ""


def _asks_plainly(question: _Text, about: Sequence[str]) -> bool:
    """True if a question holds no words but those of prices, stock, and of the product and its fields.

    An answer that names nothing is about what is asked: in "How much is shipping for the mug?" that is not the mug.
    """
    item = question.shop.products.get(about[0]) if len(about) == 1 else None
    if item is None:
        return bool(about) and about[0][:2] == "O:"
    part = _Part(question.layout, _phrases().sub(" ", question.text), 0, 0, "", item)
    of_fields = frozenset(words(" ".join(item.details)))
    return part.is_plain(part.text, _prices() | of_fields | answer_words("negation"))


class _Answer:
    """One answer: each part with what it is about; what the question alone names is not ``is_sure`` to be meant."""

    def __init__(self, whole: _Text, start: int, end: int, about: tuple[str, ...], *, is_sure: bool = True) -> None:
        self.whole, self.text, self.shop = whole, whole.text, whole.shop
        self.start, self.answer = start, self.text[start:end]
        self.about, self.names = about, whole.named_in(start, end)
        self.parts: list[tuple[int, int, str, tuple[str, ...]]] = []
        self.unsure: set[int] = set()
        """The starts of parts of which it is not sure what they are about."""
        for first, last, label in whole.parts(start, end):
            inside = [one for one in whole.named if first <= one.start < last]
            ids = tuple(dict.fromkeys(one.product_id for one in inside))
            if len(ids) > 1 and not re.search(r"\d", self.text[first : inside[0].start]):
                # From each name to the next one.
                edges = [first, *(one.start for one in inside[1:]), last]
                for one, begin, stop in zip(inside, edges, edges[1:], strict=False):
                    self.parts.append((begin, stop, label, (one.product_id,)))
            else:
                self.parts.append((first, last, label, ids or self.about))
            self.about, is_sure = ids or self.about, is_sure or bool(ids)
            self.unsure |= set() if is_sure else {first}

    def statements(self) -> list[Statement]:
        found: list[Statement] = []
        for start, end, label, about in self.parts:
            if len(about) != 1 or start in self.unsure or self.text[start:end].rstrip().endswith("?"):
                continue
            (key,) = about
            if key[:2] == "O:":
                found += self._order(start, end, key)
            elif key in self.shop.missing and key in self.whole.named_in(start, end):
                found.append(Statement(start, end, "unknown", False, product_evidence_id(key), "no such product"))
            elif (item := self.shop.products.get(key)) is not None:
                part = _Part(self.whole.layout, self.text, start, end, label, item)
                found += [*part.prices(), *part.stock(), *part.answers(), *part.measures()]
        return [one for at, one in enumerate(found) if not any(_is_same(one, other) for other in found[:at])]

    def _order(self, start: int, end: int, key: str) -> Iterator[Statement]:
        record = self.shop.orders[key[2:]]
        recorded = f"{record.get('order_status', '')}"
        named = status_named(self.text, start, end)
        if named is None or not recorded:
            return
        was = has_been(named.status, recorded.casefold())
        # Who says of a cancelled order that it was shipped, and not that it was cancelled, says something false.
        if was is None and not named.is_denied and not names_status(self.answer, recorded.casefold()):
            was = False
        if was is not None:
            is_true = was != named.is_denied
            yield Statement(named.start, named.end, "order", is_true, key, f"order status: {recorded}")

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
            if len(ids) == 1 and (item := self.shop.products.get(ids[0])) is not None:
                part = _Part(question.layout, question.text, start, end, label, item)
                answers = [*part.stock(), *part.answers()]
                if is_yes:
                    answers += [one for one in part.prices() if one.kind == "price"]
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


@dataclass(frozen=True)
class _Part:
    """A sentence, line or cell about one product."""

    layout: Layout
    text: str
    start: int
    end: int
    label: str
    item: Product

    def prices(self) -> Iterator[Statement]:
        """Amounts of money that are its price or its list price, or the price of so many pieces."""
        offers = self._meant()
        prices = [one.price for one in offers if one.price is not None]
        lists = [one.list_price for one in offers if one.list_price is not None]
        if not prices or (self.item.price_from and len(offers_of(self.item)) < 2):
            return
        money = [one for one in self.layout.amounts if self.start <= one.start < self.end and one.kind == "money"]
        has_price = any(_fits(one, prices) for one in money)
        whole = {*words(f"{self.label} {self.text[self.start : self.end]}")}
        record = " or ".join(dict.fromkeys(format_money(one, self.item.currency) for one in prices))
        for amount in money:
            if amount.currency not in (None, self.item.currency):
                continue
            yield_of = (amount.start, amount.end)
            if _fits(amount, prices):
                yield Statement(*yield_of, "price", True, self.id, record)
                continue
            if (
                amount.relation != "is"
                or amount.is_range
                or amount.compound
                or has_price
                or whole & answer_words("apart")
            ):
                continue
            piece = self._piece(*yield_of, anchors=_prices())
            count = self._count(piece, amount)
            if not self._is_plain_piece(piece, _prices() | answer_words("total") if count > 1 else _prices()):
                continue
            if _fits(amount, lists):
                is_former = bool(whole & answer_words("former"))
                yield Statement(*yield_of, "price", is_former, self.id, record)
            elif count > 1:
                totals = [price * count for price in prices]
                shown = " or ".join(f"{count} × {format_money(one, self.item.currency)}" for one in prices)
                made = " or ".join(format_money(one, self.item.currency) for one in totals)
                yield Statement(*yield_of, "total", _fits(amount, totals), self.id, f"{shown} = {made}")
            elif not count:
                yield Statement(*yield_of, "price", False, self.id, record)

    def stock(self) -> Iterator[Statement]:
        """Whether it is in stock, and how many pieces are."""
        offers = self._meant()
        counts = [one.stock for one in offers if one.stock is not None]
        if not counts or len(counts) < len(offers):
            return
        left = sum(counts)
        named = ", ".join(one.name for one in offers) if len(offers) < len(offers_of(self.item)) else ""
        record = f"{left} in stock{f' of {named}' if named else ''}"
        for match in _phrases().finditer(self.text, self.start, self.end):
            start, end = match.span()
            piece = self._piece(start, end)
            rest = self._without(piece, (start, end))
            denials = sum(word in answer_words("negation") for word in words(rest))
            if not self.is_plain(rest, answer_words("negation")) or denials > 1:
                continue
            numbers = re.findall(r"(?<![\d.,])\d{1,6}(?![\d.,])", rest)
            is_in = (match.lastgroup == "in") != bool(denials)
            is_true = any(counts) if is_in else not all(counts)
            if numbers and is_in and len(numbers) == 1:
                is_true = int(numbers[0]) in (left, *counts)
            elif numbers:
                continue
            yield Statement(start, end, "stock", is_true, self.id, record)

    def answers(self) -> Iterator[Statement]:
        """Fields of yes or no: "is not waterproof", "Waterproof: no"."""
        own = _LEADING.sub(lambda found: " " * len(found[0]), self.text[self.start : self.end])
        whole, offset = self._labelled(own)
        for name, value in self.item.details.items():
            recorded = _answer(value)
            if recorded is None:
                continue
            names = r"[\s-]+".join(map(re.escape, re.findall(r"\w+", name)))
            for match in re.finditer(rf"(?<![\w-]){names}(?:e[nrsm]?|s)?(?![\w-])", whole, re.IGNORECASE):
                piece = _piece_of(whole, *match.span(), 0, len(whole), frozenset())
                rest = f"{whole[piece[0] : match.start()]} {whole[match.end() : piece[1]]}"
                others = {*words(whole[: piece[0]] + whole[piece[1] :])} & answer_words("negation")
                denials = [word for word in words(rest) if word in answer_words("negation") | answer_words("no")]
                is_plain = self.is_plain(rest, answer_words("negation") | answer_words("yes") | answer_words("no"))
                if not is_plain or others or len(denials) > 1 or re.search(r"\d", rest):
                    continue
                start = max(self.start, offset + match.start())
                is_true = recorded is not bool(denials)
                yield Statement(start, max(start, offset + match.end()), "field", is_true, self.id, f"{name}: {value}")

    def measures(self) -> Iterator[Statement]:
        """Figures that its record has, and those beside a field's name: "Its weight is 1.4 kg", "Size: 4 x 6 in"."""
        text, offset = self._labelled(self.text[self.start : self.end])
        decided = [
            (one.start, one.end, True, one.field) for one in field_statements(text, self.item, self.layout.notation)
        ]
        numerals: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for one in find_numerals(text):
            piece = _piece_of(text, one.start, one.stop, 0, len(text), frozenset())
            numerals.setdefault(piece, []).append((one.start, one.stop))
        for (first, last), spans in numerals.items():
            start, end = spans[0][0], spans[-1][1]
            rest = blanked(text, spans)[first:last]
            said = [word for word in words(rest) if word not in answer_words("function")]
            found = decided_property(" ".join(said), text[start:end], "is", self.item)
            named = frozenset[str]() if found is None else frozenset(words(found[1].partition(":")[0]))
            if found is not None and named & {*said} and self.is_plain(rest, named):
                decided.append((start, end, found[0] == "confirmed", found[1]))
        for start, end, is_true, line in decided:
            yield Statement(max(self.start, offset + start), offset + end, "field", is_true, self.id, line)

    def _labelled(self, own: str) -> tuple[str, int]:
        """The text behind its labels, and the place in the whole text at which it begins so."""
        text = f"{self.label}: {own}" if self.label else own
        return text, self.start - (len(text) - len(own))

    @property
    def id(self) -> str:
        return product_evidence_id(self.item.product_id)

    def _meant(self) -> list[Offer]:
        return meant_offers(self.text[self.start : self.end], offers_of(self.item))

    def _piece(self, start: int, end: int, anchors: Collection[str] = ()) -> tuple[int, int]:
        return _piece_of(self.text, start, end, self.start, self.end, anchors)

    def _without(self, piece: tuple[int, int], span: tuple[int, int]) -> str:
        return f"{self.label} {self.text[piece[0] : span[0]]} {self.text[span[1] : piece[1]]}"

    def _is_plain_piece(self, piece: tuple[int, int], more: Collection[str]) -> bool:
        money = [one for one in self.layout.amounts if piece[0] <= one.start < piece[1]]
        spans = [(one.start, one.end) for one in money if one.kind == "money"]
        return self.is_plain(f"{self.label} {blanked(self.text, spans)[slice(*piece)]}", more)

    def is_plain(self, text: str, more: Collection[str]) -> bool:
        """True if a text holds no words but function words, those of the record, and ``more``."""
        return all(word in answer_words("function") or word in more or stem(word) in self._own for word in words(text))

    @cached_property
    def _own(self) -> frozenset[str]:
        item = self.item
        options = (f"{name} {value}" for offer in offers_of(item) for name, value in offer.options.items())
        known = f"{item.title} {item.brand or ''} {' '.join(item.categories)} {' '.join(options)}"
        return frozenset(map(stem, words(known)))

    def _count(self, piece: tuple[int, int], amount: Amount) -> int:
        """How many pieces an amount is said of: 0 if no number stands there, 1 if one that is no number of pieces."""
        rest = blanked(self.text, [(amount.start, amount.end)])[slice(*piece)]
        bare = [one for one in find_numerals(rest) if one.unit not in UNCOUNTED]
        if not bare:
            return 0
        number = bare[0].number
        is_whole = len(bare) == 1 and number is not None and number == number.to_integral_value() and 1 < number < 100
        return int(number) if is_whole and number is not None else 1


def meant_offers(text: str, offers: Sequence[Offer]) -> list[Offer]:
    """The variants whose options a text names; all of them if it names none, or none that exist together."""
    named = {
        name: values
        for name in {name for offer in offers for name in offer.options}
        if (values := {o.options[name] for o in offers if name in o.options and option_in(text, o.options[name])})
    }
    return [one for one in offers if all(one.options.get(name) in named[name] for name in named)] or list(offers)


def option_in(text: str, value: str) -> bool:
    """True if a text names a variant's option: "matte black", "250g" for "250 g"; "M" only in capitals."""
    pattern = r"\s*".join(map(re.escape, re.findall(r"\d+(?:[.,]\d+)?|[^\W\d]+|[^\w\s]", value)))
    flags = re.IGNORECASE if len(value) > 2 else re.NOFLAG
    return bool(pattern) and re.search(rf"(?<![\w.])(?:{pattern})(?!\w|[.,]\d)(?! price)", text, flags) is not None


def _piece_of(text: str, start: int, end: int, first: int, last: int, anchors: Collection[str]) -> tuple[int, int]:
    """The part of a sentence around a span; further parts before it while it has none of the ``anchors``."""
    begin = max((match.end() for match in _STOP.finditer(text, first, start)), default=first)
    stops = (_STOP.search(text, end, last), _SOFT.search(text, end, last))
    stop = min((match.start() for match in stops if match is not None), default=last)
    breaks = [begin, *(match.end() for match in _SOFT.finditer(text, begin, start))]
    place = len(breaks) - 1
    while place and anchors and not {*words(text[breaks[place] : stop])} & {*anchors}:
        place -= 1
    return breaks[place], stop


def _is_same(one: Statement, other: Statement) -> bool:
    return one.start < other.end and other.start < one.end and (one.kind, one.record) == (other.kind, other.record)


def _fits(amount: Amount, prices: Iterable[Decimal]) -> bool:
    """True for a price as exactly as it is written; whole units may be rounded by a fiftieth: €120 for €119."""
    return any(
        (how := amount.agreement(price)) is not None and (how != "loose" or abs(amount.low - price) * 50 <= price)
        for price in prices
    )


def _answer(value: object) -> bool | None:
    """A field's yes or no, in any language of answers.toml."""
    said = f"{value}".strip().casefold()
    return True if said in answer_words("yes") else False if said in answer_words("no") else None


def _prices() -> frozenset[str]:
    return labels(english=False)["price"] - {"each", "apiece"}


@cache
def _phrases() -> re.Pattern[str]:
    def pattern(kind: str) -> str:
        return "|".join(re.escape(one) for one in sorted(answer_words(kind), key=len, reverse=True))

    return re.compile(rf"(?<!\w)(?:(?P<out>{pattern('sold_out')})|(?P<in>{pattern('in_stock')}))(?!\w)", re.IGNORECASE)


def _apart(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    last = 0
    for start, end in sorted(spans):
        if end > last:
            yield max(start, last), end
            last = end
