"""Pages of nine kinds about products: what listings and people say, with the planted statement in the middle."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import exp
from random import Random
from typing import Any

from drretail.addons.sandboxes.synthetic.needs import NamedProduct
from drretail.addons.sandboxes.synthetic.patterns import fill_pattern, texts
from drretail.env.web.sandbox import SandboxPage

KINDS = ("test", "guide", "table", "thread", "notice", "prices", "faq", "shop", "news")
SHORTEST, LONGEST = 420, 10_800
"""The range of drawn lengths in characters; a page may exceed it by the length of its last paragraph."""
_TYPICAL, _SPREAD = 3900, 0.75
_NAMING = ("feature", "detail", "price", "rating")
_SENTENCES_OF_A_BLOCK = {"thread": (1, 4), "faq": (1, 3), "shop": (2, 3), "notice": (2, 4)}
_FRAME = {"faq": 110, "thread": 12}
"""Characters that a paragraph takes besides its sentences: a question, or the poster's name."""
_FRUITLESS = 25
"""After this many paragraphs without a new sentence, no more are tried."""


@dataclass(frozen=True, slots=True)
class Cast:
    """What a page is about: a theme, one product in focus, and others beside it."""

    theme: str
    focus: NamedProduct
    others: tuple[NamedProduct, ...]
    angle: str | None = None

    @property
    def all(self) -> tuple[NamedProduct, ...]:
        return self.focus, *self.others


def drawn_length(random: Random) -> int:
    """The length of a page in characters: mostly around ``_TYPICAL``, from ``SHORTEST`` to ``LONGEST``."""
    return int(min(LONGEST, max(SHORTEST, _TYPICAL * exp(random.gauss(0, _SPREAD)))))


def others_for(
    length: int, of: Sequence[NamedProduct], focus: NamedProduct, random: Random
) -> tuple[NamedProduct, ...]:
    """Random products to stand beside the page's own, one more for each 700 characters."""
    rest = [product for product in of if product is not focus]
    return tuple(random.sample(rest, min(len(rest), 1 + length // 700)))


def sandbox_page(kind: str, cast: Cast, length: int, written: date, random: Random, statement: str = "") -> SandboxPage:
    """A page of about ``length`` characters, with ``statement`` verbatim in its middle."""
    writer = _Writer(kind, cast, written, random)
    title = writer.line(("title", kind))
    text = writer.text(length, statement)
    words = re.sub(r"[^a-z0-9]+", "-", title.casefold())[:60].strip("-")
    site = random.choice(texts("sentences")["sites"][kind])
    return SandboxPage(
        url=f"https://{site}.example/{words}-{random.getrandbits(32):08x}", title=title, text=text,
        date=written.isoformat(),
    )  # fmt: skip


class _Writer:
    """Writes one page, in which no pattern occurs twice, except those that only quote a listing."""

    def __init__(self, kind: str, cast: Cast, written: date, random: Random) -> None:
        self.kind, self.cast, self.written, self.random = kind, cast, written, random
        self.bank = texts("sentences")
        self.used = set[object]()

    def text(self, length: int, statement: str) -> str:
        head = [self.line(("opening", self.kind)), *filter(None, ["\n".join(self._exhibit(length))])]
        closing = self.line(("closing", self.kind))
        left = length - len(statement) - sum(map(len, head)) - len(closing)
        blocks = list(self._blocks(left))
        of_focus = [number for number, (about, _) in enumerate(blocks) if about is self.cast.focus]
        if statement and of_focus:  # into the paragraph on the page's own product that is nearest to the middle
            middle = len(blocks) / 2
            block = blocks[min(of_focus, key=lambda number: abs(number - middle))][1]
            block.insert(self.random.randint(1, len(block)), statement)
        elif statement:  # the product's listing has nothing to quote
            blocks.insert(len(blocks) // 2, (self.cast.focus, [statement]))
        # Advice fills the page if listings say next to nothing.
        least = SHORTEST - sum(map(len, head)) - len(closing)
        left = least - sum(len(sentence) for _, block in blocks for sentence in block)
        while left > 0 and (advice := self._pattern(("advice", "any"), self.cast.focus)) is not None:
            blocks.append((self.cast.focus, [advice]))
            left -= len(advice)
        rendered = [self._rendered(about, block) for about, block in blocks]
        if self.kind == "thread":
            head, closing = [self._post(head)], self._post([closing])
        return "\n\n".join(filter(None, [*head, *rendered, closing]))

    def _blocks(self, left: int) -> Iterator[tuple[NamedProduct, list[str]]]:
        """Paragraphs on one product each: the first and about half of the others on the page's own product."""
        fewest, most = _SENTENCES_OF_A_BLOCK.get(self.kind, (3, 6))
        number, fruitless = 0, 0
        while (left > 60 or number == 0) and fruitless < _FRUITLESS:
            is_focus = number == 0 or not self.cast.others or self.random.random() < 0.45
            about = self.cast.focus if is_focus else self.random.choice(self.cast.others)
            block = self._block(about, self.random.randint(fewest, most))
            if block:
                yield about, block
                left -= sum(len(sentence) + 2 for sentence in block) + _FRAME.get(self.kind, 0)
                number += 1
            else:
                fruitless += 1

    def _block(self, about: NamedProduct, sentences_: int) -> list[str]:
        """Sentences on one product, the first with its name; empty if no new sentence is left."""
        first = self._sentence(self.random.choices(_NAMING, (6, 1, 1, 1))[0], about, "first")
        if first is None:
            return []
        chances = self.bank["chances"][self.kind]
        drawn = self.random.choices(list(chances), list(chances.values()), k=sentences_ - 1)
        # General sentences close a paragraph.
        drawn.sort(key=lambda kind: kind in ("advice", "angle", "news", "notice", "compare"))
        return [first, *filter(None, (self._sentence(kind, about, "next") for kind in drawn))]

    def _sentence(self, kind: str, item: NamedProduct, place: str) -> str | None:
        if kind == "feature":
            feature = self._once(item.lines)
            return None if feature is None else self._quoted((kind, place), item, feature=str(feature))
        if kind == "detail":
            detail = self._once([(item.name, *pair) for pair in item.details])
            return None if detail is None else self._quoted((kind, place), item, key=detail[1], value=detail[2])
        if kind == "price":
            return self._quoted((kind, place), item) if item.price and self._is_new(("price", item.name)) else None
        if kind == "rating":
            rated = item.product.average_rating is not None and item.product.rating_number
            return self._quoted((kind, place), item) if rated and self._is_new(("rating", item.name)) else None
        if kind == "use":
            pool = "any" if self.random.random() < 0.4 else "consumed" if item.is_consumed else "object"
            return self._pattern((kind, pool), item)
        if kind == "compare" and not self.cast.others:
            return None
        if kind == "angle":
            return None if self.cast.angle is None else self._pattern((kind, self.cast.angle), item)
        return self._pattern((kind, "any"), item)

    def _once(self, of: Sequence[Any]) -> Any:
        left = [member for member in of if member not in self.used]
        if not left:
            return None
        chosen = self.random.choice(left)
        self.used.add(chosen)
        return chosen

    def _is_new(self, fact: object) -> bool:
        return fact not in self.used and not self.used.add(fact)

    def _pattern(self, place: tuple[str, str], item: NamedProduct) -> str | None:
        pattern = self._once(self.bank[place[0]][place[1]])
        return None if pattern is None else self._spun(pattern, item)

    def _quoted(self, place: tuple[str, str], item: NamedProduct, **slots: str) -> str:
        return self._spun(self.random.choice(self.bank[place[0]][place[1]]), item, **slots)

    def line(self, place: tuple[str, str]) -> str:
        return self._quoted(place, self.cast.focus)

    def _spun(self, pattern: str, item: NamedProduct, **slots: str) -> str:
        product, choice = item.product, self.random.choice
        text = fill_pattern(pattern, self.random, {
            "name": item.name, "theme": self.cast.theme, "brand": product.brand or item.name,
            "price": item.price or "", "stars": str(product.average_rating), "ratings": str(product.rating_number),
            "count": self.bank["counts"][min(len(self.cast.others), len(self.bank["counts"]) - 1)],
            "other": lambda: choice([o.name for o in self.cast.all if o is not item] or [item.name]),
            "month": lambda: choice(self.bank["months"]), "person": lambda: choice(self.bank["people"]),
            "place": lambda: choice(self.bank["places"]), "number": lambda: str(self.random.randint(100, 999)),
        } | slots)  # fmt: skip
        return text[:1].upper() + text[1:]

    def _exhibit(self, length: int) -> Iterator[str]:
        """The lines that some kinds of pages have besides sentences: a table, rows of prices, or a list."""
        focus = self.cast.focus
        if self.kind == "table":
            yield "| product | price | stars | ratings |"
            yield "| --- | --- | --- | --- |"
            for item in self.cast.all:
                stars, ratings = item.product.average_rating or "-", item.product.rating_number or "-"
                yield f"| {item.name} | {item.price or '-'} | {stars} | {ratings} |"
        elif self.kind == "prices" and focus.price is not None:
            # A row for each month, backwards from the page's date; the newest row has the catalog's price.
            price, month = focus.product.price or 0.0, self.written.replace(day=1)
            sign = "$" if focus.product.currency == "USD" else ""
            for number in range(self.random.randint(4, max(5, min(30, length // 60)))):
                change = self.random.choice((1, 1, 0.95, 1.05, self.random.uniform(0.86, 1.1))) if number else 1
                yield f"{month:%B %Y}: {sign}{price * change:,.2f}"
                month = (month - timedelta(days=1)).replace(day=1)
        elif self.kind == "shop":
            if focus.price is not None:
                yield f"{focus.name}: {focus.price}"
            for _ in range(min(6, length // 250)):
                feature = self._once(focus.lines)
                if isinstance(feature, str):
                    yield f"* {feature}"

    def _rendered(self, about: NamedProduct, block: Sequence[str]) -> str:
        if self.kind == "thread":
            return self._post(block)
        if self.kind == "faq":
            pattern = self._once(self.bank["question"]["any"]) or self.random.choice(self.bank["question"]["any"])
            question, _, answer = self._spun(pattern, about).partition(" # ")
            return f"Q: {question}\nA: {answer} {' '.join(block)}"
        return " ".join(block)

    def _post(self, block: Sequence[str]) -> str:
        name, mark = self.random.choice(self.bank["people"]).lower(), self.random.choice(("", "_", "."))
        return f"{name}{mark}{self.random.randint(2, 99)}: {' '.join(block)}"
