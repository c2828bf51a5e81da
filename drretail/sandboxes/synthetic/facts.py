"""The facts planted for a query, which decide between its fits: what each means, and the traps that contradict it."""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from drretail.grounding.text.wording import listed
from drretail.records.criteria import FactKind
from drretail.records.money import Money
from drretail.records.shop import Product
from drretail.sandboxes.synthetic.named_products import NamedProduct, money
from drretail.sandboxes.synthetic.needs import Need, Wanted
from drretail.sandboxes.synthetic.patterns import fill_pattern, texts

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
        found = draw(self.random)
        for _ in range(_DRAWS):
            if found not in self.used and found not in self.taken:
                break
            found = draw(self.random)
        self.used.add(found)
        return found

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
        text = self._text("recall", named, day=day, lot=lot, cause=cause)
        meaning = (
            f"The {named.name}, which {self.fit} and would be taken first, has been under recall since {day} (from lot "
            f"{lot} on), so it must not be recommended: with what else is known, {self.those} "
            f"only {self._stay()}."
        )
        return PlantedFact("recall", self.thing.name, named, text, meaning, (lot,), _traps("recall"), "recalled")

    def failed(self, named: NamedProduct) -> PlantedFact:
        report, of = self.drawing.code(), self.random.randint(7, 12)
        bad = self.random.randint(3, of - 2)
        claim = self._claim()
        text = self._text("failed", named, of=str(of), bad=str(bad), report=report, claim=claim)
        meaning = (
            f"The query demands {claim}, and in report {report} {bad} of {of} samples of the {named.name} failed it, "
            f"whatever its listing says: it is out, and {self._stay()}."
        )
        return PlantedFact("test", self.thing.name, named, text, meaning, (report,), _traps("failed"), "failed")

    def proved(self, named: NamedProduct) -> PlantedFact:
        report, of = self.drawing.code(), self.random.randint(7, 12)
        claim = self._claim()
        text = self._text("proved", named, of=str(of), report=report, claim=claim)
        meaning = (
            f"What the query demands, {claim}, is measured for the {named.name}: all {of} samples passed in report "
            f"{report}, so it can be recommended on more than its listing's word."
        )
        return PlantedFact("test", self.thing.name, named, text, meaning, (report,), _traps("proved"))

    def wear(self) -> PlantedFact:
        named, other = self.left[0], self.left[1] if len(self.left) > 1 else None
        report = self.drawing.code()
        least, most, unit = (41, 89, "days a pack") if named.is_consumed else (310, 890, "hours of use")
        much = self.random.randint(least, most)
        less = int(much * self.random.uniform(0.5, 0.8))
        beside = "" if other is None else f", and the {other.name} {less}"
        text = self._text("wear", named, much=str(much), unit=unit, report=report, beside=beside)
        than = "" if other is None else f", against {less} of the {other.name}: between the two it is the one to take"
        meaning = f"The {named.name}, which {self.fit}, lasts {much} {unit} in endurance test {report}{than}."
        return PlantedFact("test", self.thing.name, named, text, meaning, (report,), _traps("wear"))

    def price_history(self, named: NamedProduct) -> PlantedFact:
        price, currency = named.product.price or 0.0, named.product.currency
        low, day = self.drawing.amount(price * 0.74, price * 0.9, currency), self._day(40, 300)
        text = self._text("price_history", named, price=named.price or "", low=low, day=day)
        rest = [f"the {other.name}" for other in self.left if other is not named]
        over = f" over {listed(rest[:3])}" if rest else ""
        meaning = (
            f"{named.price} is the ordinary price of the {named.name} and no discount, since it never cost more and "
            f"was down to {low} on {day}: an advertised cut is no reason to prefer it{over}."
        )
        false = {
            "dear": money(price * self.random.uniform(1.6, 2.1), currency),
            "cheap": money(price * self.random.uniform(0.45, 0.62), currency),
            "price": named.price or "",
        }
        traps = _traps("price_history", **false)
        return PlantedFact("price history", self.thing.name, named, text, meaning, (low,), traps)

    def price(self, named: NamedProduct) -> PlantedFact:
        price, currency, day = named.product.price or 0.0, named.product.currency, self._day(30, 200)
        old, code = self.drawing.amount(price * 0.55, price * 0.8, currency), self.drawing.code()
        text = self._text("price", named, price=named.price or "", old=old, day=day, code=code)
        meaning = (
            f"The {named.name} is to be counted with {named.price}, its price since {day} (list {code}), "
            f"and not with {old}"
        )
        budget, limit = self.budget, self.thing.want and self.thing.want.price_max
        if budget is not None and named.name in self.too_dear:
            beside = "" if price > float(budget.value) else ", with the rest that is asked for,"
            follows = "as is all that fits" if named in self.left else f"so {self._stay()}"
            meaning += f": that is{beside} over the budget of {_money(budget.amount, budget.currency)}, {follows}."
        elif budget is not None:
            meaning += f" as older pages say; the budget of {_money(budget.amount, budget.currency)} has to bear that."
        elif limit is not None:
            meaning += f" as older pages say; at most {_money(limit.amount, limit.currency)} is to be paid for one."
        else:
            meaning += " as older pages say."
        cheap = money(price * self.random.uniform(0.4, 0.52), currency)
        return PlantedFact(
            "price", self.thing.name, named, text, meaning, (old, code), _traps("price", cheap=cheap), "dearer"
        )

    def genuine(self, named: NamedProduct) -> PlantedFact:
        code = self.drawing.code()
        worse = "is not what the query demands" if self.thing.must else "comes from another factory"
        text = self._text("genuine", named, code=code, worse=worse)
        meaning = f"The {named.name} {self.fit} only as the genuine one, with {code} on its label: the copy {worse}."
        return PlantedFact("look-alike", self.thing.name, named, text, meaning, (code,), _traps("genuine"))

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

    def _text(self, fact: str, named: NamedProduct, **slots: str) -> str:
        pattern = self.random.choice(texts("planted")["said"][fact])
        return fill_pattern(pattern, self.random, {"name": named.name, **slots})


def _money(amount: str, currency: str) -> str:
    return money(float(amount), currency)


def _traps(fact: str, **prices: str) -> tuple[tuple[str, str], ...]:
    """The trap patterns against a fact, by kind, with the false prices that all traps of one fact share."""
    found = []
    for kind, pattern in texts("planted")["traps"][fact].items():
        for name, price in prices.items():
            pattern = pattern.replace(f"<{name}>", price)
        found.append((kind, pattern))
    return tuple(found)
