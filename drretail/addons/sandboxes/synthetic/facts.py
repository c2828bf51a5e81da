"""The facts planted for a query, which decide between its fits, the traps that contradict them, and the user's own
files: orders as a table, a note and a manual. Each but the orders states a fact.
"""

import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from random import Random

from drretail.addons.sandboxes.synthetic.needs import NamedProduct, SandboxNeed, SandboxWant, money
from drretail.addons.sandboxes.synthetic.patterns import fill_pattern, texts
from drretail.env.store.base import Store
from drretail.grounding.text.wording import listed
from drretail.records.criteria import FactKind
from drretail.records.shop import Money, Product
from drretail.viewer.drawing.sheets import as_csv

_WHY = {
    "outdated": "it is older than what it speaks against",
    "one-sided": "whoever wrote it was paid in kind",
    "inaccurate": "it is not so",
    "look-alike": "it speaks of another thing of nearly that name",
}
KINDS_OF_PAGES = {
    "recall": ("notice", "news", "thread", "faq", "guide"),
    "test": ("test", "guide", "table", "faq", "news"),
    "price history": ("prices", "news", "thread", "guide", "shop"),
    "price": ("prices", "table", "news", "thread", "shop"),
    "look-alike": ("guide", "faq", "thread", "notice", "test"),
}
"""The pages that a fact may stand in, by its kind."""
_KINDS: dict[str, tuple[str, FactKind | None]] = {
    **{
        "recall": ("recall", "recalled"),
        "failed": ("test", "failed"),
        "proved": ("test", None),
        "wear": ("test", None),
    },
    **{"price_history": ("price history", None), "price": ("price", "dearer"), "genuine": ("look-alike", None)},
}
"""The kind of each fact, and what it establishes."""
_DRAWN = ("lot", "report", "low", "old", "code")
"""The slots with values that occur nowhere else."""
_DRAWS = 200
"""Tries for a new value. They may all fail: for a product of one dollar, every lower price already occurs somewhere."""


@dataclass(frozen=True, slots=True)
class Trap:
    """A text that contradicts a fact."""

    kind: str
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class PlantedFact:
    """A fact about a product that holds in this task, and what follows from it for the query."""

    kind: str
    thing: str
    about: NamedProduct
    text: str
    """Verbatim as in its page."""
    meaning: str
    values: tuple[str, ...]
    """The values drawn for it, which occur nowhere else."""
    denials: tuple[tuple[str, str], ...]
    """The kinds of traps against it, with their patterns."""
    establishes: FactKind | None = None
    """What it adds to the truth of the query; None if it rules out nothing and changes no price."""

    def trap(self, number: int, random: Random, insight: str) -> Trap:
        """The trap with that number; kinds take turns, and the wording is drawn anew each time."""
        kind, pattern = self.denials[number % len(self.denials)]
        lead = fill_pattern(random.choice(texts("planted")["leads"][kind]), random, {"name": self.about.name})
        text = fill_pattern(pattern, random, {"name": self.about.name, "few": str(random.randint(2, 9))})
        text = text if lead.endswith(":") else text[:1].upper() + text[1:]
        why = f"Contradicts {insight} ({self.kind} of the {self.about.name}): {_WHY[kind]}."
        return Trap(kind, f"{lead} {text}", why)


@dataclass
class Drawing:
    """Draws values that do not occur in any text so far."""

    random: Random
    taken: str
    """All that the catalog says about the products in use."""

    def __post_init__(self) -> None:
        self.used = set[str]()

    def value(self, draw: Callable[[Random], str]) -> str:
        value = draw(self.random)
        for _ in range(_DRAWS):
            if value not in self.used and value not in self.taken:
                break
            value = draw(self.random)
        self.used.add(value)
        return value

    def code(self) -> str:
        return self.value(
            lambda lots: f"{lots.choice('BCDFGHKLMQRTVWX')}{lots.choice('ZJKNPS')}-{lots.randint(1200, 9899)}"
        )

    def amount(self, low: float, high: float, currency: str) -> str:
        return self.value(lambda lots: money(lots.uniform(low, high), currency))


def planted_facts(need: SandboxNeed, today: date, drawing: Drawing) -> list[PlantedFact]:
    """The facts of all things, thing by thing: five or six for a single thing, fewer per thing for several.

    Up to three fits of a thing are ruled out: one is recalled, one fails the demand, one is too expensive. The others
    are told apart. The fits that remain are within the budget, unless none is, and a query that the shop can meet can
    still be met.
    """
    names, allowed = need.names, Allowed(need)
    most = {1: 6, 2: 4, 3: 3}.get(len(need.things), 2)
    facts: list[PlantedFact] = []
    lost: list[NamedProduct] = []
    for thing in need.things:
        fits = [names[fit.product_id] for fit in thing.fits]
        is_demanding = bool(thing.must or thing.must_not)
        left = [product for product in fits if allowed.allows(thing, product)]
        over = next((product for product in fits if product not in left), None)
        recalled = left[0] if len(left) > 1 and need.can_lose([*lost, left[0]]) else None
        ruled_out = [] if recalled is None else [left.pop(0)]
        # left[0] stays: the facts that support a product are about it.
        may_fail = len(left) > 2 and is_demanding and need.can_lose([*lost, *ruled_out, left[1]])
        failing = left.pop(1) if may_fail else None
        lost += [product for product in (recalled, failing) if product is not None]
        left = left or list(fits)
        allowed.keep(thing, left)
        too_dear = {product.name for product in fits if not allowed.allows(thing, product)}
        maker = _Maker(thing, need.budget, today, drawing, left, too_dear)
        priced = [product for product in left if product.price is not None]
        of_thing = [
            *(maker.recall(product) for product in (recalled,) if product is not None),
            *(maker.failed(product) for product in (failing,) if product is not None),
            *(maker.price(product) for product in (over,) if product is not None),
            maker.proved(left[0]) if is_demanding else maker.wear(),
            *(maker.price_history(product) for product in priced[-1:]),
            maker.genuine(left[0]),
            *(maker.price(product) for product in priced[:1] if len(priced) > 1 and product is not over),
        ]
        facts += of_thing[:most]
    return facts


class Allowed:
    """What the budget leaves for each thing if the others cost the least they can."""

    def __init__(self, need: SandboxNeed) -> None:
        self._budget = need.budget
        self._least = {thing.name: self._least_of(thing, thing.fits) for thing in need.things}

    def keep(self, thing: SandboxWant, left: Sequence[NamedProduct]) -> None:
        """From here on, only these fits of the thing count."""
        self._least[thing.name] = self._least_of(thing, [product.product for product in left])

    def allows(self, thing: SandboxWant, item: NamedProduct) -> bool:
        """True if the product fits into the budget, or if its price can't be compared with one."""
        budget, price = self._budget, item.product.price
        if budget is None or price is None or item.price is None or budget.currency != item.product.currency:
            return True
        others = sum(least for name, least in self._least.items() if name != thing.name)
        return price * thing.quantity + others <= float(budget.value)

    def _least_of(self, thing: SandboxWant, fits: Sequence[Product]) -> float:
        """The least that the thing costs; 0 if it is optional."""
        priced = () if thing.is_optional else (product.price for product in fits if product.price is not None)
        return min(priced, default=0.0) * thing.quantity


class _Maker:
    def __init__(
        self, thing: SandboxWant, budget: Money | None, today: date, drawing: Drawing, left: Sequence[NamedProduct],
        too_dear: Container[str],
    ) -> None:  # fmt: skip
        self.too_dear = too_dear
        self.thing, self.budget, self.today, self.drawing, self.left = thing, budget, today, drawing, left
        self.random = drawing.random
        self.fit = "fits what is asked for" if thing.want else f"is among the most popular of {thing.name}"
        self.those = "of the fits" if thing.want else f"of the popular {thing.name}"

    def recall(self, item: NamedProduct) -> PlantedFact:
        lot, day = self.drawing.code(), self._day(20, 160)
        cause = self.random.choice(texts("planted")["causes"]["consumed" if item.is_consumed else "object"])
        return self._fact("recall", item, lot=lot, day=day, cause=cause, stay=self._stay())

    def failed(self, item: NamedProduct) -> PlantedFact:
        report, of = self.drawing.code(), self.random.randint(7, 12)
        bad = str(self.random.randint(3, of - 2))
        return self._fact("failed", item, report=report, of=str(of), bad=bad, claim=self._claim(), stay=self._stay())

    def proved(self, item: NamedProduct) -> PlantedFact:
        report, of = self.drawing.code(), str(self.random.randint(7, 12))
        return self._fact("proved", item, report=report, of=of, claim=self._claim())

    def wear(self) -> PlantedFact:
        item, other = self.left[0], self.left[1] if len(self.left) > 1 else None
        report = self.drawing.code()
        least, most, unit = (41, 89, "days a pack") if item.is_consumed else (310, 890, "hours of use")
        much = self.random.randint(least, most)
        less = int(much * self.random.uniform(0.5, 0.8))
        besides = "" if other is None else f", and the {other.name} {less}"
        than = "" if other is None else f", against {less} of the {other.name}: between the two it is the one to take"
        return self._fact("wear", item, report=report, much=str(much), unit=unit, beside=besides, than=than)

    def price_history(self, item: NamedProduct) -> PlantedFact:
        price = item.product.price or 0.0
        low, day = self.drawing.amount(price * 0.74, price * 0.9, item.product.currency), self._day(40, 300)
        rest = [f"the {other.name}" for other in self.left if other is not item]
        over = f" over {listed(rest[:3])}" if rest else ""
        false = {"dear": (1.6, 2.1), "cheap": (0.45, 0.62)}
        return self._fact("price_history", item, false, low=low, day=day, over=over)

    def price(self, item: NamedProduct) -> PlantedFact:
        price, day = item.product.price or 0.0, self._day(30, 200)
        old, code = self.drawing.amount(price * 0.55, price * 0.8, item.product.currency), self.drawing.code()
        budget, limit = self.budget, self.thing.want and self.thing.want.price_max
        if budget is not None and item.name in self.too_dear:
            together = "" if price > float(budget.value) else ", with the rest that is asked for,"
            stays = "as is all that fits" if item in self.left else f"so {self._stay()}"
            follows = f": that is{together} over the budget of {_money(budget)}, {stays}."
        elif budget is not None:
            follows = f" as older pages say; the budget of {_money(budget)} has to bear that."
        elif limit is not None:
            follows = f" as older pages say; at most {_money(limit)} is to be paid for one."
        else:
            follows = " as older pages say."
        return self._fact("price", item, {"cheap": (0.4, 0.52)}, old=old, code=code, day=day, follows=follows)

    def genuine(self, item: NamedProduct) -> PlantedFact:
        worse = "is not what the query demands" if self.thing.must else "comes from another factory"
        return self._fact("genuine", item, code=self.drawing.code(), worse=worse)

    def _fact(
        self, name: str, item: NamedProduct, false: Mapping[str, tuple[float, float]] | None = None, **slots: str
    ) -> PlantedFact:
        """The fact of that name in planted.toml; ``false`` prices of its traps are drawn as shares of the price."""
        planted, price = texts("planted"), item.price or ""
        slots |= {"name": item.name, "price": price, "fit": self.fit, "those": self.those}
        text = fill_pattern(self.random.choice(planted["said"][name]), self.random, slots)
        prices = {"price": price} | {
            slot: money((item.product.price or 0.0) * self.random.uniform(low, high), item.product.currency)
            for slot, (low, high) in (false or {}).items()
        }
        traps = planted["traps"][name]
        for slot, its in prices.items():
            traps = {trap: pattern.replace(f"<{slot}>", its) for trap, pattern in traps.items()}
        kind, establishes = _KINDS[name]
        return PlantedFact(
            kind=kind,
            thing=self.thing.name,
            about=item,
            text=text,
            meaning=fill_pattern(planted["meaning"][name], self.random, slots),
            values=tuple(slots[slot] for slot in _DRAWN if slot in slots),
            denials=tuple(traps.items()),
            establishes=establishes,
        )

    def _claim(self) -> str:
        return f'"{self.thing.must}"' if self.thing.must else f'"no {self.thing.must_not}"'

    def _stay(self) -> str:
        names = [f"the {product.name}" for product in self.left[:4]]
        if len(self.left) > 4:
            names[-1] = f"{len(self.left) - 3} others"
        return f"{listed(names)} {'stay' if len(names) > 1 else 'stays'}"

    def _day(self, first: int, last: int) -> str:
        day = self.today - timedelta(days=self.random.randint(first, last))
        return f"{day:%B} {day.day}, {day.year}"


def _money(amount: Money) -> str:
    return money(float(amount.amount), amount.currency)


ORDERS = 40
_MOST_OF_A_MANUAL = 12
_MARKS = re.compile(r"^\W+")


@dataclass(frozen=True, slots=True)
class PlantedFile:
    """One of the user's files; ``statement`` occurs in it verbatim, and ``meaning`` says what follows for the query."""

    name: str
    content: bytes
    statement: str = ""
    meaning: str = ""


def user_files(need: SandboxNeed, store: Store, drawing: Drawing) -> list[PlantedFile]:
    """Two or three files: no orders if the query names no user."""
    subject = need.names[(need.owned[0] if need.owned else need.things[0].fits[0]).product_id]
    files = [_note(need.things[0].name, drawing), _manual(subject, drawing)]
    if need.query.user_id is not None:
        files.insert(0, PlantedFile("orders.csv", _orders(store, need.query.user_id)))
    return files


def _note(thing: str, drawing: Drawing) -> PlantedFile:
    random, files = drawing.random, texts("planted")["files"]
    statement, follows = _planted(files["reminders"], drawing, thing)
    lines = [fill_pattern(pattern, random, {}) for pattern in random.sample(files["chores"], 5)]
    lines.insert(random.randint(1, 4), statement)
    heading = random.choice(("To remember", "List", "Before ordering", "For the weekend"))
    text = f"# {heading}\n\n" + "".join(f"- {line}\n" for line in lines)
    return PlantedFile("note.md", text.encode(), statement, f"The user's note says: {statement} {follows}")


def _manual(item: NamedProduct, drawing: Drawing) -> PlantedFile:
    random, files = drawing.random, texts("planted")["files"]
    statement, follows = _planted(files["rules"], drawing, item.name)
    meaning = f"The user's manual of the {item.name} says: {statement} {follows}"
    # A description speaks of the listing, and marks before a feature are a web page's.
    features = replace(item, product=item.product.model_copy(update={"description": ()})).lines
    chapters = [f"{_MARKS.sub('', line)}." for line in features[:_MOST_OF_A_MANUAL]]
    chapters += [fill_pattern(chapter, random, {}) for chapter in files["manual"]]
    chapters.insert(len(chapters) // 2, statement)
    body = "\n\n".join(f"{number}  {line}" for number, line in enumerate(chapters, 1))
    text = f"{item.product.title}\nProduct information\n\n{body}\n"
    return PlantedFile("manual.txt", text.encode(), statement, meaning)


def _planted(rules: Sequence[tuple[str, str]], drawing: Drawing, thing: str) -> tuple[str, str]:
    """A sentence with a value that nobody can guess, and what follows from it."""
    pattern, follows = drawing.random.choice(rules)

    def drawn(lots: Random) -> str:
        slots = {
            "thing": thing,
            "code": drawing.code,
            "days": str(lots.choice((10, 14, 20, 21, 28, 30, 45, 60, 90))),
            "percent": str(lots.randint(3, 9)),
            "amount": f"${lots.randint(3, 14)}.{lots.choice((25, 40, 50, 75, 80))}",
            "room": str(lots.randint(102, 489)),
        }
        return fill_pattern(pattern, lots, slots)

    return drawing.value(drawn), follows


def _orders(store: Store, user_id: str) -> bytes:
    orders = store.orders(user_id, limit=ORDERS).orders
    products = store.products([order.product_id for order in orders])
    rows: list[Sequence[str]] = [("date", "order", "product", "quantity", "status")]
    for order in orders:
        product = products.get(order.product_id)
        title = order.product_id if product is None else product.title
        rows.append((order.order_date[:10], order.order_id, title, str(order.quantity), order.order_status))
    return as_csv(rows)
