"""The facts planted for a query, which decide between its fits: what each means, and the traps that contradict it."""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from drretail.addons.sandboxes.synthetic.named_products import NamedProduct, money
from drretail.addons.sandboxes.synthetic.needs import Need, Wanted
from drretail.addons.sandboxes.synthetic.patterns import fill_pattern, texts
from drretail.grounding.text.wording import listed
from drretail.records.criteria import FactKind
from drretail.records.shop import Money, Product

_WHY = {
    "outdated": "it is older than what it speaks against",
    "one-sided": "whoever wrote it was paid in kind",
    "inaccurate": "it is not so",
    "look-alike": "it speaks of another thing of nearly that name",
}
TRAP_KINDS = tuple(_WHY)
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


def facts_of(need: Need, today: date, drawing: Drawing) -> list[PlantedFact]:
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

    def __init__(self, need: Need) -> None:
        self._budget = need.budget
        self._least = {thing.name: self._least_of(thing, thing.fits) for thing in need.things}

    def keep(self, thing: Wanted, left: Sequence[NamedProduct]) -> None:
        """From here on, only these fits of the thing count."""
        self._least[thing.name] = self._least_of(thing, [product.product for product in left])

    def allows(self, thing: Wanted, named: NamedProduct) -> bool:
        """True if the product fits into the budget, or if its price can't be compared with one."""
        budget, price = self._budget, named.product.price
        if budget is None or price is None or named.price is None or budget.currency != named.product.currency:
            return True
        others = sum(least for name, least in self._least.items() if name != thing.name)
        return price * thing.quantity + others <= float(budget.value)

    def _least_of(self, thing: Wanted, fits: Sequence[Product]) -> float:
        """The least that the thing costs; 0 if it is optional."""
        priced = () if thing.is_optional else (product.price for product in fits if product.price is not None)
        return min(priced, default=0.0) * thing.quantity


class _Maker:
    """Makes the facts of one thing."""

    def __init__(
        self, thing: Wanted, budget: Money | None, today: date, drawing: Drawing, left: Sequence[NamedProduct],
        too_dear: Container[str],
    ) -> None:  # fmt: skip
        self.too_dear = too_dear
        self.thing, self.budget, self.today, self.drawing, self.left = thing, budget, today, drawing, left
        self.random = drawing.random
        self.fit = "fits what is asked for" if thing.want else f"is among the most popular of {thing.name}"
        self.those = "of the fits" if thing.want else f"of the popular {thing.name}"

    def recall(self, named: NamedProduct) -> PlantedFact:
        lot, day = self.drawing.code(), self._day(20, 160)
        cause = self.random.choice(texts("planted")["causes"]["consumed" if named.is_consumed else "object"])
        return self._fact("recall", named, lot=lot, day=day, cause=cause, stay=self._stay())

    def failed(self, named: NamedProduct) -> PlantedFact:
        report, of = self.drawing.code(), self.random.randint(7, 12)
        bad = str(self.random.randint(3, of - 2))
        return self._fact("failed", named, report=report, of=str(of), bad=bad, claim=self._claim(), stay=self._stay())

    def proved(self, named: NamedProduct) -> PlantedFact:
        report, of = self.drawing.code(), str(self.random.randint(7, 12))
        return self._fact("proved", named, report=report, of=of, claim=self._claim())

    def wear(self) -> PlantedFact:
        named, other = self.left[0], self.left[1] if len(self.left) > 1 else None
        report = self.drawing.code()
        least, most, unit = (41, 89, "days a pack") if named.is_consumed else (310, 890, "hours of use")
        much = self.random.randint(least, most)
        less = int(much * self.random.uniform(0.5, 0.8))
        beside = "" if other is None else f", and the {other.name} {less}"
        than = "" if other is None else f", against {less} of the {other.name}: between the two it is the one to take"
        return self._fact("wear", named, report=report, much=str(much), unit=unit, beside=beside, than=than)

    def price_history(self, named: NamedProduct) -> PlantedFact:
        price = named.product.price or 0.0
        low, day = self.drawing.amount(price * 0.74, price * 0.9, named.product.currency), self._day(40, 300)
        rest = [f"the {other.name}" for other in self.left if other is not named]
        over = f" over {listed(rest[:3])}" if rest else ""
        false = {"dear": (1.6, 2.1), "cheap": (0.45, 0.62)}
        return self._fact("price_history", named, false, low=low, day=day, over=over)

    def price(self, named: NamedProduct) -> PlantedFact:
        price, day = named.product.price or 0.0, self._day(30, 200)
        old, code = self.drawing.amount(price * 0.55, price * 0.8, named.product.currency), self.drawing.code()
        budget, limit = self.budget, self.thing.want and self.thing.want.price_max
        if budget is not None and named.name in self.too_dear:
            beside = "" if price > float(budget.value) else ", with the rest that is asked for,"
            stays = "as is all that fits" if named in self.left else f"so {self._stay()}"
            follows = f": that is{beside} over the budget of {_money(budget)}, {stays}."
        elif budget is not None:
            follows = f" as older pages say; the budget of {_money(budget)} has to bear that."
        elif limit is not None:
            follows = f" as older pages say; at most {_money(limit)} is to be paid for one."
        else:
            follows = " as older pages say."
        return self._fact("price", named, {"cheap": (0.4, 0.52)}, old=old, code=code, day=day, follows=follows)

    def genuine(self, named: NamedProduct) -> PlantedFact:
        worse = "is not what the query demands" if self.thing.must else "comes from another factory"
        return self._fact("genuine", named, code=self.drawing.code(), worse=worse)

    def _fact(
        self, name: str, named: NamedProduct, false: Mapping[str, tuple[float, float]] | None = None, **slots: str
    ) -> PlantedFact:
        """The fact of that name in planted.toml; ``false`` prices of its traps are drawn as shares of the price."""
        planted, price = texts("planted"), named.price or ""
        slots |= {"name": named.name, "price": price, "fit": self.fit, "those": self.those}
        text = fill_pattern(self.random.choice(planted["said"][name]), self.random, slots)
        prices = {"price": price} | {
            each: money((named.product.price or 0.0) * self.random.uniform(low, high), named.product.currency)
            for each, (low, high) in (false or {}).items()
        }
        traps = planted["traps"][name]
        for each, its in prices.items():
            traps = {trap: pattern.replace(f"<{each}>", its) for trap, pattern in traps.items()}
        kind, establishes = _KINDS[name]
        return PlantedFact(
            kind=kind,
            thing=self.thing.name,
            about=named,
            text=text,
            meaning=fill_pattern(planted["meaning"][name], self.random, slots),
            values=tuple(slots[each] for each in _DRAWN if each in slots),
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
