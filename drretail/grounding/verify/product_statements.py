"""What a sentence of an answer says of one product: its price, stock and fields, beside the shop's record; and the
records that answers are compared with.

Words are never interpreted: a statement is read where nothing but words of answers.toml, of the record and names stand
beside its figure, field or status ("It now costs €50", "- Waterproof: no"). One word more ("in 3 instalments of €37")
leaves it open.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from functools import cache, cached_property
from typing import Any, Literal, NamedTuple

from drretail.grounding.report.evidence_ids import product_evidence_id
from drretail.grounding.report.page import blanked
from drretail.grounding.text.amounts import Amount
from drretail.grounding.text.layout import Layout
from drretail.grounding.text.numerals import UNCOUNTED, find_numerals
from drretail.grounding.text.wording import format_money
from drretail.grounding.text.words import answer_words, labels, stem, words
from drretail.grounding.verify.fields import counts_in, decided_property, field_statements, yes_or_no
from drretail.grounding.verify.records import Ledger, read_ledger, record_of
from drretail.records.evidence import Evidence
from drretail.records.shop import USD, Offer, Policy, Product, has_been, offers_of

AGREES = "agrees with the records"
"""Part of a line about a right statement."""
Kind = Literal["price", "stock", "field", "order", "total", "unknown", "gone", "policy"]
Cause = Literal["stale", "ignored", "not_looked"]
"""Its tools say the same as the false statement; they say something else; they were not asked about it."""
_STOP = re.compile(r"[.!?;\n](?!\d)")
# "No, it is not waterproof": the first word answers the question, and denies nothing of what follows.
_LEADING = re.compile(r"\A\s*[^\W\d_]{1,5},")
# Between parts of a sentence; a part that names nothing is read together with the one before.
_SOFT = re.compile(
    r",(?!\d)|\s[–—-]\s|[()|]|\b(?:and|but|or|while|und|aber|oder|sondern|et|mais|ou|y|pero|o|sino)\b", re.IGNORECASE
)
_MEASURES = ("height", "width", "length", "depth", "weight", "capacity")
POLICY = "F:policy"
"""The evidence id of the shop's policy."""
_DAYS = re.compile(
    r"(?<![\d.,])(?P<low>\d{1,3})(?:\s?(?:-|–|to|bis|à|a|or|oder)\s?(?P<high>\d{1,3}))?[\s-]?(?:(?:business|working)\s)?"
    r"(?:days?|(?:werk|arbeits)?tagen?|jours?|días?|(?P<weeks>weeks?|wochen?|semaines?|semanas?))\b",
    re.IGNORECASE,
)


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


@dataclass(frozen=True)
class ProductSentence:
    """A sentence, line or cell about one product."""

    layout: Layout
    text: str
    start: int
    end: int
    label: str
    item: Product

    def asks_plainly(self) -> bool:
        """True for a question without words but those of prices, stock, and of the product and its fields."""
        known = _prices() | frozenset(words(" ".join(self.item.details))) | answer_words("negation")
        return self.is_plain(_phrases().sub(" ", self.text[self.start : self.end]), known)

    def prices(self) -> Iterator[Statement]:
        """Amounts of money that are its price or its list price, or the price of so many pieces."""
        offers = self._meant()
        prices = [offer.price for offer in offers if offer.price is not None]
        lists = [offer.list_price for offer in offers if offer.list_price is not None]
        if not prices:
            return
        has_price = any(fits(amount, prices) for amount in self.money)
        whole = {*words(f"{self.label} {self.text[self.start : self.end]}")}
        is_former = bool(whole & answer_words("former"))
        record = " or ".join(dict.fromkeys(format_money(price, self.item.currency) for price in prices))
        for amount in self.money:
            if amount.currency not in (None, self.item.currency):
                continue
            span = (amount.start, amount.end)
            if fits(amount, prices):
                # "You save €18" is no price, whatever costs as much.
                if not self.words_beside(*span, anchors=()) & answer_words("apart"):
                    yield Statement(*span, "price", True, self.id, record)
                continue
            if (
                (amount.relation != "is" and not is_former)
                or amount.is_range
                or amount.compound
                or (has_price and not (lists and is_former))
                or whole & answer_words("apart")
            ):
                continue
            piece = self._piece(*span, anchors=_prices() | answer_words("former"))
            count = self._count(piece, amount)
            known = _prices() | answer_words("total") if count > 1 else _prices() | answer_words("former")
            if not self._is_plain_piece(piece, known):
                continue
            if fits(amount, lists):
                yield Statement(*span, "price", is_former, self.id, record)
            elif is_former and lists and (has_price or not count):
                shown = " or ".join(dict.fromkeys(format_money(price, self.item.currency) for price in lists))
                yield Statement(*span, "price", False, self.id, f"list price: {shown}")
            elif count > 1:
                totals = [price * count for price in prices]
                shown = " or ".join(f"{count} × {format_money(price, self.item.currency)}" for price in prices)
                made = " or ".join(format_money(price, self.item.currency) for price in totals)
                yield Statement(*span, "total", fits(amount, totals), self.id, f"{shown} = {made}")
            elif not count and not is_former and not fits(amount, self._multiples(prices)):
                yield Statement(*span, "price", False, self.id, record)

    def _multiples(self, prices: Sequence[Decimal]) -> list[Decimal]:
        """The prices of as many pieces as its sentence or row counts of anything."""
        whole = next(
            (sentence for sentence in self.layout.sentences if sentence.start <= self.start < sentence.end), self
        )
        return [price * count for price in prices for count in counts_in(self.text[whole.start : whole.end])]

    def stock(self) -> Iterator[Statement]:
        """Whether it is in stock, and how many pieces are."""
        offers = self._meant()
        if (known := availability_of(offers, self.item)) is None:
            return
        for start, end, is_in, numbers in self._availability():
            is_true = known.has_any if is_in else not known.has_all
            if numbers and is_in and len(numbers) == 1 and known.counts:
                is_true = int(numbers[0]) in known.counts
            elif numbers:
                continue
            yield Statement(start, end, "stock", is_true, self.id, known.record)

    def _availability(self) -> Iterator[tuple[int, int, bool, list[str]]]:
        """Where it is plainly said that there are some, or none, with the numbers beside that."""
        text, offset = self._labelled(self.text[self.start : self.end])
        for match in _phrases().finditer(text):
            if (answer := self._answer(text, *match.span())) is not None:
                is_so, rest, _ = answer
                numbers = re.findall(r"(?<![\d.,])\d{1,6}(?![\d.,])", rest.removeprefix(self.label))
                yield *self._place(offset, *match.span()), (match.lastgroup == "in") == is_so, numbers

    def is_sold(self) -> bool:
        """True if it is plainly said to have a price, or to be in stock."""
        whole = {*words(f"{self.label} {self.text[self.start : self.end]}")}
        if says_sold_out(self.text[self.start : self.end]) or whole & (answer_words("former") | answer_words("apart")):
            return False
        pieces = (self._piece(amount.start, amount.end, anchors=_prices()) for amount in self.money)
        has_price = any(self._is_plain_piece(piece, _prices()) for piece in pieces)
        return has_price or any(is_in for _, _, is_in, _ in self._availability())

    def answers(self) -> Iterator[Statement]:
        """Fields of yes or no: "is not waterproof", "Waterproof: no"."""
        own = _LEADING.sub(lambda match: " " * len(match[0]), self.text[self.start : self.end])
        whole, offset = self._labelled(own)
        for name, value in self.item.details.items():
            if yes_or_no(value) is None:
                continue
            names = r"[\s-]+".join(map(re.escape, re.findall(r"\w+", name)))
            for match in re.finditer(rf"(?<![\w-]){names}(?:e[nrsm]?|s)?(?![\w-])", whole, re.IGNORECASE):
                is_so, rest, others = self._answer(whole, *match.span()) or (None, "", set[str]())
                if is_so is None or others & answer_words("negation") or re.search(r"\d", rest):
                    continue
                decision = decided_property(name, "yes" if is_so else "no", "is", self.item)
                if decision is not None:
                    place = self._place(offset, *match.span())
                    yield Statement(*place, "field", decision[0] == "confirmed", self.id, decision[1])

    def measures(self) -> Iterator[Statement]:
        """Figures that its record has, and those beside a field's name: "Its weight is 1.4 kg", "Size: 4 x 6 in"."""
        text, offset = self._labelled(self.text[self.start : self.end])
        stated = field_statements(text, self.item, self.layout.notation)
        decided = [(start, end, True, line) for start, end, line in stated if offset + start >= self.start]
        numerals: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for numeral in find_numerals(text):
            if offset + numeral.start < self.start:
                continue
            piece = _piece_of(text, numeral.start, numeral.stop, 0, len(text), frozenset())
            numerals.setdefault(piece, []).append((numeral.start, numeral.stop))
        for (first, last), spans in numerals.items():
            start, end = spans[0][0], spans[-1][1]
            rest = blanked(text, spans)[first:last]
            besides = [word for word in words(rest) if word not in answer_words("function")]
            field, akin = self._measured(besides)
            decision = decided_property(field, text[start:end], "is", self.item)
            named = akin if decision is None else akin | frozenset(words(decision[1].partition(":")[0]))
            if decision is not None and named & {*besides} and self.is_plain(rest, named):
                decided.append((start, end, decision[0] == "confirmed", decision[1]))
        for start, end, is_true, line in decided:
            yield Statement(offset + start, offset + end, "field", is_true, self.id, line)

    def _measured(self, besides: Sequence[str]) -> tuple[str, frozenset[str]]:
        """The one field that these words name, also by a word for its measure ("tall" for "Height"), and such words."""
        for measure in _MEASURES:
            akin = answer_words(measure)
            # A "Packed length" is another one.
            fields = [name for name in self.item.details if {*words(name)} - {"item", "product"} <= akin]
            if len(fields) == 1 and akin & {*besides} and not {*besides} - akin:
                return fields[0], akin
        return " ".join(besides), frozenset()

    def _labelled(self, own: str) -> tuple[str, int]:
        """The text behind its labels, and the place in the whole text at which it begins so."""
        text = f"{self.label}: {own}" if self.label else own
        return text, self.start - (len(text) - len(own))

    def _place(self, offset: int, start: int, end: int) -> tuple[int, int]:
        """The place of a stretch of the labelled text; for one in the label, that of the cell's words."""
        if offset + end > self.start:
            return max(self.start, offset + start), offset + end
        own = self.text[self.start : self.end]
        return self.start + len(own) - len(own.lstrip()), self.start + len(own.rstrip())

    def _answer(self, text: str, start: int, end: int) -> tuple[bool, str, set[str]] | None:
        """Whether a stretch of the labelled text is affirmed or denied, with the rest of its part and the words of the
        others; None where a word more leaves that open, or the cell below a label says neither yes nor no nor a figure.
        """
        first, last = _piece_of(text, start, end, 0, len(text), frozenset())
        rest = f"{text[first:start]} {text[end:last]}"
        negations = answer_words("negation") | answer_words("no")
        denials = [word for word in words(rest) if word in negations]
        is_said = end > len(self.label) or denials or re.search(r"\d", rest) or answer_words("yes") & {*words(rest)}
        if not is_said or len(denials) > 1 or not self.is_plain(rest, negations):
            return None
        return not denials, rest, {*words(text[:first] + text[last:])}

    @property
    def money(self) -> list[Amount]:
        return [
            amount for amount in self.layout.amounts if self.start <= amount.start < self.end and amount.kind == "money"
        ]

    @property
    def id(self) -> str:
        return product_evidence_id(self.item.product_id)

    def _meant(self) -> list[Offer]:
        return meant_offers(self.text[self.start : self.end], offers_of(self.item))

    def _piece(self, start: int, end: int, anchors: Collection[str] = ()) -> tuple[int, int]:
        return _piece_of(self.text, start, end, self.start, self.end, anchors)

    def words_beside(self, start: int, end: int, anchors: Collection[str]) -> set[str]:
        """The words of the part of the sentence around a span, and of the cell's labels."""
        first, last = self._piece(start, end, anchors)
        return {*words(f"{self.label} {self.text[first:start]} {self.text[end:last]}")}

    def _is_plain_piece(self, piece: tuple[int, int], more: Collection[str]) -> bool:
        money = [amount for amount in self.layout.amounts if piece[0] <= amount.start < piece[1]]
        spans = [(amount.start, amount.end) for amount in money if amount.kind == "money"]
        return self.is_plain(f"{self.label} {blanked(self.text, spans)[slice(*piece)]}", more)

    def is_plain(self, text: str, more: Collection[str]) -> bool:
        """True if a text holds no words but function words, those of the record, and ``more``."""
        known = answer_words("function") | answer_words("yes")
        return all(word in known or word in more or stem(word) in self._own for word in words(text))

    @cached_property
    def _own(self) -> frozenset[str]:
        item = self.item
        options = (f"{name} {value}" for offer in offers_of(item) for name, value in offer.options.items())
        known = f"{item.titles} {item.brand or ''} {' '.join(item.categories)} {' '.join(options)}"
        return frozenset(map(stem, words(known)))

    def _count(self, piece: tuple[int, int], amount: Amount) -> int:
        """How many pieces an amount is said of: 0 if no number stands there, 1 if one that is no number of pieces."""
        rest = blanked(self.text, [(amount.start, amount.end)])[slice(*piece)]
        bare = [numeral for numeral in find_numerals(rest) if numeral.unit not in UNCOUNTED]
        if not bare:
            return 0
        number, unit = bare[0].number, rest[bare[0].end : bare[0].stop].strip()
        is_whole = len(bare) == 1 and number is not None and number == number.to_integral_value() and 1 < number < 100
        is_whole = is_whole and len(unit) not in (1, 2)  # "60 W" is no number of pieces
        return int(number) if is_whole and number is not None else 1


_TOPICS = ("shipping", "delivery", "returns")
_POLICY_WORDS = (*_TOPICS, "free", "within", "policy")


def is_general(text: str) -> bool:
    """True if a text speaks of delivery and returns in general: of those to Austria, the shop's policy says nothing."""
    parts = [[*words(part)] for part in _STOP.split(text)]
    topical = [part for part in parts if any(not answer_words(topic).isdisjoint(part) for topic in _TOPICS)]
    known = frozenset[str]().union(*map(answer_words, ("function", "yes", "no", *_POLICY_WORDS)))
    return all(known.issuperset(part) for part in topical or parts)


def policy_statements(part: ProductSentence, policy: Policy, currency: str) -> Iterator[Statement]:
    """What a part of nothing else says of the shop's shipping, delivery and returns."""
    money, days_in = part.money, [*_DAYS.finditer(part.text, part.start, part.end)]
    spans = [*((amount.start, amount.end) for amount in money), *(match.span() for match in days_in)]
    known = frozenset[str]().union(*map(answer_words, _POLICY_WORDS))
    text = blanked(part.text, spans)[part.start : part.end]
    if not spans or not part.is_plain(f"{part.label} {text}", known):
        return
    for amount in money:
        beside = part.words_beside(amount.start, amount.end, answer_words("shipping"))
        # Sending back may cost something else.
        is_of_shipping = beside & answer_words("shipping") and not beside & answer_words("returns")
        if amount.currency in (None, currency) and is_of_shipping:
            yield from shipping_statement(amount, policy, currency, is_free=bool(beside & answer_words("free")))
    for match in days_in:
        beside = part.words_beside(*match.span(), answer_words("delivery") | answer_words("returns"))
        of_returns = bool(beside & answer_words("returns"))
        if of_returns != bool(beside & answer_words("delivery")):
            is_within = not of_returns and bool(beside & answer_words("within"))
            days = [int(match[name]) * (7 if match["weeks"] else 1) for name in ("low", "high") if match[name]]
            yield from days_statement(match.span(), days, policy, of_returns=of_returns, is_within=is_within)


def shipping_statement(amount: Amount, policy: Policy, currency: str, *, is_free: bool) -> Iterator[Statement]:
    """What shipping costs, or, if ``is_free``, the value of an order from which it costs nothing. That it is free may
    hold of the order at hand.
    """
    recorded = policy.free_from if is_free else policy.shipping
    if recorded is not None and (is_free or amount.high or policy.free_from is None):
        shown = format_money(Decimal(str(recorded)), currency)
        record = f"shipping is free from {shown}" if is_free else f"shipping: {shown}"
        is_true = fits(replace(amount, relation="is"), [Decimal(str(recorded))])
        yield Statement(amount.start, amount.end, "policy", is_true, POLICY, record)


def days_statement(
    span: tuple[int, int], days: Sequence[int], policy: Policy, *, of_returns: bool, is_within: bool
) -> Iterator[Statement]:
    """In how many days an order arrives, or within how many it can be returned."""
    recorded = policy.return_days if of_returns else policy.delivery_days
    if recorded is None:
        return
    fewest, most = recorded if isinstance(recorded, tuple) else (recorded, recorded)
    if is_within and fewest <= days[-1] < most:  # "within 3 days" may hold of 2 to 4
        return
    is_true = days[-1] >= most if is_within else fewest <= days[0] and days[-1] <= most
    topic, least = "returns within" if of_returns else "delivery in", "" if fewest == most else f"{fewest} to "
    yield Statement(*span, "policy", is_true, POLICY, f"{topic} {least}{most} days")


class Availability(NamedTuple):
    """Whether offers can be had."""

    has_any: bool
    has_all: bool
    counts: frozenset[int]
    """The pieces of each and of all together; empty if the shop doesn't count some of them."""
    record: str


def availability_of(offers: Sequence[Offer], item: Product) -> Availability | None:
    """Whether these offers of a product can be had, with the record in words; None if the shop doesn't say."""
    there = [offer.is_available for offer in offers]
    if not there or None in there:
        return None
    counts = [offer.stock for offer in offers if offer.stock is not None]
    is_counted = len(counts) == len(offers)
    named = f" of {', '.join(offer.name for offer in offers)}" if len(offers) < len(offers_of(item)) else ""
    left = f"{sum(counts)} in stock" if is_counted else "in stock" if any(there) else "sold out"
    known = frozenset({sum(counts), *counts}) if is_counted else frozenset[int]()
    return Availability(any(there), all(map(bool, there)), known, f"{left}{named}")


def meant_offers(text: str, offers: Sequence[Offer]) -> list[Offer]:
    """The variants whose options a text names; all of them if it names none, or none that exist together."""
    named = {
        name: values
        for name in {name for offer in offers for name in offer.options}
        if (values := {o.options[name] for o in offers if name in o.options and option_in(text, o.options[name])})
    }
    return [offer for offer in offers if all(offer.options.get(name) in named[name] for name in named)] or list(offers)


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


def fits(amount: Amount, prices: Iterable[Decimal]) -> bool:
    """True for a price as exactly as it is written; whole units may be rounded by a fiftieth: €120 for €119."""
    return any(
        (how := amount.agreement(price)) is not None and (how != "loose" or abs(amount.low - price) * 50 <= price)
        for price in prices
    )


def refers(text: str, items: Iterable[Product]) -> bool:
    """True if a text has a word of prices or of stock, or names a variant of these products."""
    values = (value for item in items for offer in offers_of(item) for value in offer.options.values())
    is_of_offer = _phrases().search(text) or not _prices().isdisjoint(words(text))
    return bool(is_of_offer) or any(option_in(text, value) for value in values)


def says_sold_out(text: str) -> bool:
    """True if a text says of something that there is none, or denies anything."""
    out = any(match.lastgroup == "out" for match in _phrases().finditer(text))
    return out or not answer_words("negation").isdisjoint(words(text))


def _prices() -> frozenset[str]:
    return labels(english=False)["price"] - {"each", "apiece"}


@cache
def _phrases() -> re.Pattern[str]:
    def pattern(kind: str) -> str:
        return "|".join(re.escape(phrase) for phrase in sorted(answer_words(kind), key=len, reverse=True))

    return re.compile(rf"(?<!\w)(?:(?P<out>{pattern('sold_out')})|(?P<in>{pattern('in_stock')}))(?!\w)", re.IGNORECASE)


UNKNOWN, GONE = "no such product", "the shop has it no more"


@dataclass(frozen=True)
class Records:
    """The shop's records that answers are compared with."""

    products: Mapping[str, Product]
    orders: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """By order id."""
    missing: Mapping[str, str] = field(default_factory=dict[str, str])
    """Ids that are named and lead to no product, with why: ``GONE`` or ``UNKNOWN``."""
    former: Mapping[str, str] = field(default_factory=dict[str, str])
    """The titles of those that are gone."""
    policy: Policy = field(default_factory=Policy)
    currency: str = USD

    def ordered(self, names: Iterable[str]) -> dict[str, list[str]]:
        """The products of the orders among these names, each with its lines ("O:1001-2")."""
        products: dict[str, list[str]] = {}
        for line in (key for name in names if name[:2] == "O:" for key in self.lines_of(name[2:])):
            products.setdefault(f"{self.orders[line].get('product_id')}", []).append(f"O:{line}")
        return products

    def status_of(self, lines: Iterable[str], status: str) -> tuple[bool | None, str]:
        """Whether all these lines of orders ("O:…") have or had a status, None where one has and another has not; and
        what the record says.
        """
        recorded = {f"{self.orders[line[2:]].get('order_status') or ''}" for line in lines} - {""}
        held = {has_been(status, own.casefold()) for own in recorded}
        return held.pop() if len(held) == 1 else None, f"order status: {', '.join(sorted(recorded))}"

    def why_missing(self, name: str) -> str | None:
        """Why an id, or the title of a product that is gone, leads to no product; None if it may lead to one."""
        former = (key for key, title in self.former.items() if title.casefold() == name.casefold())
        return self.missing.get(next(former, name))

    def lines_of(self, order: str) -> list[str]:
        """The ids of an order's lines, or its own: an order of several lines has a number behind its id."""
        return [key for key in self.orders if key == order or key.rpartition("-")[0] == order]

    @cached_property
    def ledger(self) -> Ledger:
        """The same records, by evidence ids."""
        dates = {key: f"{record.get('order_date') or ''}"[:10] for key, record in self.orders.items()}
        return Ledger(
            products=self.products,
            order_dates={f"O:{key}": date.fromisoformat(day) for key, day in dates.items() if day},
            ordered={f"O:{key}": f"{record.get('product_id')}" for key, record in self.orders.items()},
            calculations={},
            records={f"O:{key}": record for key, record in self.orders.items()},
        )

    @cached_property
    def titles(self) -> dict[str, str]:
        return {key: item.title for key, item in self.products.items()} | {**self.former}


def records_in(evidence: Iterable[Evidence]) -> Records:
    """The records among a run's evidence that were looked up in the shop, not those of the assistant's own tools."""
    looked_up = [entry for entry in evidence if entry.looked_up]
    # The assistant's own tools may show what the shop does not have.
    lacking = [
        entry
        for entry in looked_up
        if entry.kind == "product" and (not entry.texts or entry.problem in (GONE, UNKNOWN))
    ]
    ledger = read_ledger({entry.id: entry for entry in looked_up if entry.texts and entry not in lacking})
    orders = {name[2:]: record for name, record in ledger.records.items()}
    missing = {entry.key: entry.problem or UNKNOWN for entry in lacking}
    former = {entry.key: entry.title for entry in lacking if entry.problem == GONE}
    policy = next((record_of(text.text) or {} for entry in looked_up for text in entry.texts if entry.id == POLICY), {})
    currency = policy.pop("currency", USD)
    return Records(ledger.products, orders, missing, former, Policy.model_validate(policy), currency)
