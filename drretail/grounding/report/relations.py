"""Relations between two figures that a sentence cites: differences, shares, rests of the budget, comparisons.

"$4.45 more than the pan", "half of your $35", "leaves $9 of your $35", "is rated lower, 4.3 against 4.6". Both sides
are figures of products that the sentence cites, or the budget. Without a clear pair of sides nothing is decided.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import combinations_with_replacement, product

from drretail.grounding.text.amounts import Amount, find_amounts
from drretail.grounding.text.layout import Layout
from drretail.grounding.text.words import NUMBERS
from drretail.grounding.verify.derivation import derivation, title_numbers
from drretail.grounding.verify.records import Ledger, on_record, with_state
from drretail.records.reading import ReadValue, ValueKind
from drretail.records.shop import sold_for

_COMPARED: dict[ValueKind, tuple[str, str]] = {
    "price": (
        r"cheaper|less expensive|costs? less|(?:lower|smaller)[- ]price[ds]?",
        r"dearer|pricier|more expensive|costs? more|higher[- ]price[ds]?",
    ),
    "rating": (
        r"rated (?:\w+ )?(?:lower|worse)|(?:lower|worse)[- ]rat(?:ed|ing)|fewer stars",
        r"rated (?:\w+ )?(?:higher|better)|(?:higher|better)[- ]rat(?:ed|ing)|more stars",
    ),
    "rating_count": (r"fewer (?:ratings|reviews)", r"more (?:ratings|reviews)"),
}
"""For each kind of figure the words for less and for more of it."""
_COMPARISONS: list[tuple[ValueKind, int, re.Pattern[str]]] = [
    (kind, sign, re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE))
    for kind, patterns in _COMPARED.items()
    for sign, pattern in zip((-1, 1), patterns, strict=True)
]
_AGAINST = re.compile(
    r"\$?(?P<a>\d[\d,]*(?:\.\d+)?)(?: stars?| ratings| reviews)?,?\s(?:against|versus|vs\.?|compared (?:to|with))\s"
    r"(?:(?:the|its|a|an) )?(?:[\w-]+['’]s )?\$?(?P<b>\d[\d,]*(?:\.\d+)?)(?![\d%])",
    re.IGNORECASE,
)
_DIFFERENCE = re.compile(
    r"\s(?:(?P<stars>stars?|points?)\s)?(?:more|less|cheaper|dearer|pricier|higher|lower|better|worse|fewer|above|below)\b"
    r"(?: (?P<ratings>ratings|reviews)\b)?(?! (?:or|and) )",
    re.IGNORECASE,
)
_SHARES = {
    "half": "1/2",
    "third": "1/3",
    "quarter": "1/4",
    "fifth": "1/5",
    "two thirds": "2/3",
    "three quarters": "3/4",
}
_SHARE = re.compile(
    r"\b(?P<share>two[- ]thirds|three[- ]quarters|half|third|quarter|fifth|\d{1,3}(?:\.\d)?(?:\s?%| per ?cent))"
    r"(?: (?:of|as)){1,2} (?:your|the|that|a)\b(?: \w+){0,2}(?= ?(?:\$|budget))",
    re.IGNORECASE,
)
_OF_BUDGET = re.compile(
    r"\W*(?:(?:left|over|remaining|to spare|spare|unspent)\W+)?(?:(?P<of>(?:out )?of|from)|under|below|short of)\W+"
    r"(?:\w+\W+){0,2}",
    re.IGNORECASE,
)
_REST = re.compile(r"\b(?:leav\w*|left|remain\w*|spare|keeps?|stays?|unspent|under|below|short of)\b", re.IGNORECASE)
# The figures are of several pieces, carts, or of what no record has.
_OTHER = re.compile(
    r"\b(?:each|per|apiece|both|together|pairs?|packs?|sets?|total|all|(?:two|three|four)(?! dollars)|second|another"
    r"|add\w*|plus|with|also|shipping|tax|coupon|discount|if|unless|whether|was|were|ounce|piece)\b|\?"
    r"|\ba (?:glass|cup|bag|bottle|sheet|serving|dose|pod)\b|\bthan (?:your?|it|its|last|list|usual)\b",
    re.IGNORECASE,
)
_WORDS = re.compile(rf"\b(?P<number>an?|one|{'|'.join(NUMBERS)}) dollars?\b", re.IGNORECASE)
_MOST_TERMS = 12
_NEAR = Decimal("0.2")
"""How far a share in words may be off, of itself."""


def relations_in(layout: Layout, ledger: Ledger) -> Iterator[ReadValue]:
    """The relations that records decide, in text order."""
    for index, cited in layout.cited.items():
        sentence = layout.sentences[index]
        products = [source[2:] for source in cited if source[2:] in ledger.products]
        if products and sentence.kind not in ("row", "table_head") and len(products) == len(cited):
            yield from _Sentence(layout, index, products, ledger).relations()


class _Sentence:
    """A sentence that cites products only, with where their marks stand."""

    def __init__(self, layout: Layout, index: int, products: Sequence[str], ledger: Ledger) -> None:
        self.text, self.products, self.ledger = layout.text, products, ledger
        self.start, self.end = layout.sentences[index].start, layout.sentences[index].end
        self.marks = {key[2:]: one.end for one in layout.stretches if one.sentence == index for key in one.cited}
        self.words = self.text[self.start : self.end]
        self.amounts = find_amounts(self.words)
        self.of_others = ledger.names_another(self.words, products) or bool(_OTHER.search(self.words))
        self.paragraph = (self.text.rfind("\n\n", 0, self.start) + 1, self.text.find("\n\n", self.end))
        inside = (at for at, one in enumerate(layout.sentences) if self._is_near(one.start))
        self.near = {key[2:] for at in inside for key in layout.cited.get(at, ()) if key[2:] in ledger.products}

    def _is_near(self, place: int) -> bool:
        start, end = self.paragraph
        return start <= place and (end < 0 or place < end)

    def relations(self) -> Iterator[ReadValue]:
        yield from self._rests()
        yield from self._shares()
        for kind, sign, pattern in _COMPARISONS:
            for match in pattern.finditer(self.words):
                yield from self._comparison(kind, sign, match.start(), match.end())
        if len(self.products) == 2:
            yield from self._differences()

    def _rests(self) -> Iterator[ReadValue]:
        """ "Leaves $9 of your $35": the budget less what is cited; "$26 of your $35": what is cited."""
        for amount, budget in zip(self.amounts, self.amounts[1:], strict=False):
            joint = _OF_BUDGET.fullmatch(self.words, amount.end, budget.start)
            if joint is None or amount.kind != "money" or budget.low != self.ledger.limit:
                continue
            is_rest = not joint["of"] or _REST.search(self.words[max(0, amount.start - 40) : budget.start]) is not None
            costs, carts = (
                [budget.low - cost if is_rest else cost for cost in of_some]
                for of_some in (self._costs(), self._carts())
            )
            words = f"the budget is {budget.low:f}, and {self._recorded('price')}"
            yield from self._decided("left_over" if is_rest else "total", amount, costs, words, carts)

    def _shares(self) -> Iterator[ReadValue]:
        limit = self.ledger.limit
        if not limit:
            return
        for match in _SHARE.finditer(self.words):
            name = match["share"].casefold().replace("-", " ")
            top, _, bottom = _SHARES.get(name, f"{re.sub(r'[^0-9.]', '', name)}/100").partition("/")
            share = Decimal(top) / Decimal(bottom)
            costs, carts = ([cost / limit for cost in of_some] for of_some in (self._costs(), self._carts()))
            if _REST.search(self.words):
                costs, carts = ([*each, *(1 - one for one in each)] for each in (costs, carts))
            is_right, is_explained = (any(abs(one - share) <= _NEAR * share for one in each) for each in (costs, carts))
            if costs and (is_right or not (self.of_others or is_explained)):
                words = "" if is_right else f"the budget is {limit:f}, and {self._recorded('price')}"
                yield self._value("share", match.start(), match.end(), words, is_right=is_right)

    def _comparison(self, kind: ValueKind, sign: int, start: int, end: int) -> Iterator[ReadValue]:
        """By the figures behind it, else by the products whose marks stand before and behind it."""
        pair = None
        against = _AGAINST.search(self.words, end)
        if against is not None:
            sides = [Decimal(against[side].replace(",", "")) for side in "ab"]
            known = [number for key in self.ledger.products for number in self._figures(kind, [key])]
            named = [key for key in self.products if (self.ledger.products[key].brand or "\n") in self.words[:start]]
            if sides[0] in self._figures(kind, named or self.products) and sides[1] in known:
                pair = sides
        elif len(self.products) == 2 and " than " in self.words[end:] and not self.of_others:
            first, second = (self._figures(kind, [key]) for key in self.products)
            is_between = self.marks[self.products[0]] <= self.start + start < self.marks[self.products[1]]
            pair = [first[0], second[0]] if is_between and len(first) == len(second) == 1 else None
        if pair is not None and pair[0] != pair[1]:
            is_right = (pair[0] - pair[1]) * sign > 0
            words = "" if is_right else f"{self._recorded(kind)}"
            yield self._value("comparison", start, end, words, is_right=is_right)

    def _differences(self) -> Iterator[ReadValue]:
        """ "$4.45 more than the pan", "0.3 stars higher", "two dollars more"."""
        for amount in [*self.amounts, *_in_words(self.words)]:
            behind = _DIFFERENCE.match(self.words, amount.end)
            if behind is None or amount.compound or amount.kind == "percent":
                continue
            is_plain = amount.kind == "number"
            kind: ValueKind | None = "rating" if behind["stars"] else "rating_count" if behind["ratings"] else None
            kind = kind if is_plain else "price"
            if kind is not None:
                sides = (self._figures(kind, [key]) for key in self.products)
                apart = [abs(one - other) for one, other in product(*sides)]
                yield from self._decided("difference", amount, apart, self._recorded(kind))

    def _decided(
        self, kind: ValueKind, amount: Amount, expected: Sequence[Decimal], words: str, besides: Iterable[Decimal] = ()
    ) -> Iterator[ReadValue]:
        """``besides`` are numbers that the amount may be as well."""
        if not expected or amount.relation not in ("is", "about"):
            return
        is_right = any(amount.agreement(number) is not None for number in expected)
        counts = {one.low for one in self.amounts if one.kind == "number"} | title_numbers(self.products, self.ledger)
        is_explained = any(amount.agreement(number) in ("equal", "rounded") for number in besides) or (
            amount.kind == "money"
            and derivation(amount, self.ledger, self.products, counts, is_left=kind == "left_over") is not None
        )
        if is_right or not (self.of_others or is_explained):
            yield self._value(kind, amount.start, amount.end, "" if is_right else words, is_right=is_right)

    def _costs(self) -> list[Decimal]:
        """What the products cost, each alone and all together, and what the picks cost."""
        prices = [self._figures("price", [key]) for key in self.products]
        if not all(prices):
            return []
        total = [] if self.ledger.total is None else [self.ledger.total]
        stated = [one.low for one in self.amounts if one.kind == "money" and one.low != self.ledger.limit]
        return [
            *(price for of_one in prices for price in of_one),
            sum((one[0] for one in prices), Decimal(0)),
            *total,
            *stated[:-1],
        ]

    def _carts(self) -> Iterator[Decimal]:
        """What two or three of the things cost that the paragraph cites or names a price of."""
        prices = [price for key in self.near for price in self._figures("price", [key])]
        stop = self.paragraph[1] if self.paragraph[1] >= 0 else len(self.text)
        named = (one.low for one in find_amounts(self.text[self.paragraph[0] : stop]) if one.kind == "money")
        terms = [*prices, *({*named} - {*prices, self.ledger.limit or Decimal(0)})][:_MOST_TERMS]
        return (sum(some, Decimal(0)) for count in (2, 3) for some in combinations_with_replacement(terms, count))

    def _figures(self, kind: ValueKind, keys: Iterable[str]) -> list[Decimal]:
        items = [self.ledger.products[key] for key in keys]
        if kind == "price":
            return [price for item in items for price in sold_for(item)]
        return [number for item in items if (number := on_record(kind, item)) is not None]

    def _recorded(self, kind: ValueKind) -> str:
        shown = (", ".join(f"{one:f}" for one in self._figures(kind, [key])) for key in self.products)
        return f"the records say {' and '.join(shown)}"

    def _value(self, kind: ValueKind, start: int, end: int, words: str, *, is_right: bool) -> ReadValue:
        start, end = self.start + start, self.start + end
        of = tuple(f"P:{key}" for key in self.products)
        value = ReadValue(kind=kind, amount=self.text[start:end], of=of, start=start, end=end)
        return with_state(value, "verified" if is_right else "contradicted", words)


def _in_words(text: str) -> Iterator[Amount]:
    for match in _WORDS.finditer(text):
        number = Decimal(NUMBERS.get(match["number"].casefold(), 1))
        yield Amount("money", number, number, match.start(), match.end(), "USD")
