"""What is planted for a query: facts that decide between its fits, what each means, and what contradicts it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import TypeVar

from drretail.records.query import Constraints
from drretail.sandboxes.made.needs import Need, Wanted
from drretail.sandboxes.made.showing import Shown, listed, money, shown
from drretail.sandboxes.made.spinning import spin

T = TypeVar("T")
TRAP_KINDS = ("outdated", "one-sided", "inaccurate", "look-alike")
_KINDS_OF_PAGES = {
    "recall": ("notice", "news", "thread", "faq", "guide"),
    "test": ("test", "guide", "table", "faq", "news"),
    "price history": ("prices", "news", "thread", "guide", "shop"),
    "price": ("prices", "table", "news", "thread", "shop"),
    "look-alike": ("guide", "faq", "thread", "notice", "test"),
}


@dataclass(frozen=True, slots=True)
class Trap:
    """A text that contradicts a fact."""

    kind: str
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Fact:
    """Something true of a product in this task, and what follows from it for the query."""

    kind: str
    thing: str
    about: Shown
    text: str
    """Word for word as it stands in its page."""
    meaning: str
    values: tuple[str, ...]
    """What was drawn for it, and stands nowhere else."""
    denials: tuple[tuple[str, str], ...]
    """Kinds of traps, and the patterns that they are written by."""

    @property
    def kinds_of_pages(self) -> tuple[str, ...]:
        return _KINDS_OF_PAGES[self.kind]

    def trap(self, number: int, random: Random, insight: str) -> Trap:
        """The trap of that number, drawn anew each time: one kind after the other."""
        kind, pattern = self.denials[number % len(self.denials)]
        lead = spin(random.choice(_LEADS[kind]), random, {"name": self.about.name})
        text = spin(pattern, random, {"name": self.about.name, "few": str(random.randint(2, 9))})
        said = {"outdated": "it is older than what it speaks against", "one-sided": "whoever wrote it was paid in kind",
                "inaccurate": "it is not so", "look-alike": "it speaks of another thing of nearly that name"}  # fmt: skip
        return Trap(
            kind, f"{lead} {text}", f"Contradicts {insight} ({self.kind} of the {self.about.name}): {said[kind]}."
        )


_LEADS = {
    "outdated": ["{As things stand today|As of this writing|At the time of this report}:", "{Checked|Looked up} {this week|yesterday}.", "{The current state|State of affairs}:"],
    "one-sided": ["{The maker|The brand|The importer} {kindly sent|gave} {us|me} {one|a sample} {for free|at no charge}, {thanks again|which we love}.", "{In partnership with|Sponsored by} the maker.", "{I get|We get} a commission {from|on} every <name> {sold|ordered} {here|over this link}."],
    "inaccurate": ["{Let's clear this up|To be clear|Short answer}:", "{Everybody knows this|Trust me}:", "{We have it on good authority|Confirmed from several sides}:"],
    "look-alike": ["{Don't mix these up, or do|Same family, same thing}:", "{On|About} the {small|new|second} <name>:", "{A word on names|The name says it}:"],
}  # fmt: skip


@dataclass
class Drawing:
    """Draws values that stand nowhere in what is already written."""

    random: Random
    taken: str
    """All that the catalog says of the products at hand."""

    def __post_init__(self) -> None:
        self.used = set[str]()

    def value(self, draw: Callable[[Random], str]) -> str:
        while (found := draw(self.random)) in self.used or found in self.taken:
            continue
        self.used.add(found)
        return found

    def code(self) -> str:
        return self.value(lambda it: f"{it.choice('BCDFGHKLMQRTVWX')}{it.choice('ZJKNPS')}-{it.randint(1200, 9899)}")

    def amount(self, low: float, high: float, currency: str) -> str:
        return self.value(lambda it: money(it.uniform(low, high), currency))


def facts_of(need: Need, today: date, drawing: Drawing) -> list[Fact]:
    """The facts of all things, those of one thing after the other: five or six for one, fewer each for several."""
    names = shown({it.product_id: it for thing in need.things for it in thing.fits}.values())
    most = {1: 6, 2: 4, 3: 3}.get(len(need.things), 2)
    found = [_of_thing(thing, [names[it.product_id] for it in thing.fits], need.constraints, today, drawing, most)
             for thing in need.things]  # fmt: skip
    return [it for facts in found for it in facts]


def _of_thing(
    thing: Wanted, fits: list[Shown], constraints: Constraints, today: date, drawing: Drawing, most: int
) -> list[Fact]:
    """Up to three fall out (one recalled, one that fails the demand, one too dear); the rest are told apart."""
    left = list(fits)
    recalled = left.pop(0) if len(left) > 1 else None
    failing = left.pop(1) if len(left) > 2 and (thing.must or thing.must_not) else None
    over = next((it for it in left if is_over_budget(it, constraints)), None) if len(left) > 1 else None
    left = [it for it in left if it is not over]
    maker = _Maker(thing, constraints, today, drawing, left)
    priced = [it for it in left if it.price is not None]
    facts = [
        *(maker.recall(it) for it in (recalled,) if it is not None),
        *(maker.failed(it) for it in (failing,) if it is not None),
        *(maker.price(it) for it in (over,) if it is not None),
        maker.proved(left[0]) if thing.must or thing.must_not else maker.wear(),
        *(maker.price_history(it) for it in priced[-1:]),
        maker.genuine(left[0]),
        *(maker.price(it) for it in priced[:1] if len(priced) > 1),
    ]
    return facts[:most]


def is_over_budget(it: Shown, constraints: Constraints) -> bool:
    """True for a piece that costs more than the whole budget."""
    budget, price = constraints.budget, it.product.price
    if budget is None or price is None or it.price is None or budget.currency != it.product.currency:
        return False
    return price > float(budget.value)


class _Maker:
    """Makes the facts of one thing."""

    def __init__(
        self, thing: Wanted, constraints: Constraints, today: date, drawing: Drawing, left: Sequence[Shown]
    ) -> None:
        self.thing, self.constraints, self.today, self.drawing, self.left = thing, constraints, today, drawing, left
        self.random = drawing.random
        self.fit = "fits what is asked for" if thing.is_fitting else f"is among the most popular of {thing.name}"
        self.those = "of the fits" if thing.is_fitting else f"of the popular {thing.name}"

    def recall(self, it: Shown) -> Fact:
        lot, day = self.drawing.code(), self._day(20, 160)
        cause = self.random.choice(_CAUSES["consumed" if it.is_consumed else "object"])
        text = self._said([
            "Since <day> the <name> is under recall from lot <lot> on, because <cause>; all that shops have left is of these lots.",
            "The <name> was recalled on <day>: <cause>. Affected is everything from lot <lot> on, and so all stock that is still sold.",
            "On <day> the importer called back the <name>, lot <lot> and later. The reason given is that <cause>. No older stock is on sale.",
        ], it, day=day, lot=lot, cause=cause)  # fmt: skip
        meaning = (
            f"The {it.name}, which {self.fit} and would be taken first, is under recall since {day} (from lot {lot} "
            f"on), so it must not be recommended: with what else is known, {self.those} "
            f"only {self._stay()}."
        )
        return Fact("recall", self.thing.name, it, text, meaning, (lot,), _DENIALS["recall"])

    def failed(self, it: Shown) -> Fact:
        report, of = self.drawing.code(), self.random.randint(7, 12)
        bad = self.random.randint(3, of - 2)
        claim = self._claim()
        text = self._said([
            "The laboratory bought <of> pieces of the <name> and checked {them for one thing|one promise}: <claim>. <bad> of <of> did not keep it (report <report>).",
            "Report <report> looks at whether the <name> is what its listing says, <claim>. In <bad> of <of> samples it was not.",
        ], it, of=str(of), bad=str(bad), report=report, claim=claim)  # fmt: skip
        meaning = (
            f"The query demands {claim}, and in report {report} {bad} of {of} samples of the {it.name} failed it, "
            f"whatever its listing says: it is out, and {self._stay()}."
        )
        return Fact("test", self.thing.name, it, text, meaning, (report,), _DENIALS["failed"])

    def proved(self, it: Shown) -> Fact:
        report, of = self.drawing.code(), self.random.randint(7, 12)
        claim = self._claim()
        text = self._said([
            "Of the <name> <of> pieces were checked for <claim>, and all <of> passed (report <report>).",
            "The <name> kept its promise, <claim>, in <of> of <of> samples; report <report> has the details.",
        ], it, of=str(of), report=report, claim=claim)  # fmt: skip
        meaning = (
            f"What the query demands, {claim}, is measured for the {it.name}: all {of} samples passed in report "
            f"{report}, so it can be recommended on more than its listing's word."
        )
        return Fact("test", self.thing.name, it, text, meaning, (report,), _DENIALS["proved"])

    def wear(self) -> Fact:
        it, other = self.left[0], self.left[1] if len(self.left) > 1 else None
        report = self.drawing.code()
        much, unit = (
            (self.random.randint(41, 89), "days a pack")
            if it.is_consumed
            else (self.random.randint(310, 890), "hours of use")
        )
        less = int(much * self.random.uniform(0.5, 0.8))
        beside = "" if other is None else f", and the {other.name} {less}"
        text = self._said([
            "In the endurance test <report> the <name> lasted <much> <unit><beside>.",
            "The <name> came to <much> <unit><beside> in endurance test <report>, with five samples each.",
        ], it, much=str(much), unit=unit, report=report, beside=beside)  # fmt: skip
        than = "" if other is None else f", against {less} of the {other.name}: between the two it is the one to take"
        meaning = f"The {it.name}, which {self.fit}, lasts {much} {unit} in endurance test {report}{than}."
        return Fact("test", self.thing.name, it, text, meaning, (report,), _DENIALS["wear"])

    def price_history(self, it: Shown) -> Fact:
        price, currency = it.product.price or 0.0, it.product.currency
        low, day = self.drawing.amount(price * 0.74, price * 0.9, currency), self._day(40, 300)
        text = self._said([
            "In the twelve months before this the <name> never cost more than <price>; its lowest price was <low>, on <day>.",
            "<price> is what the <name> has cost for most of the year. It was never dearer, and once, on <day>, it went for <low>.",
        ], it, price=it.price or "", low=low, day=day)  # fmt: skip
        rest = [f"the {other.name}" for other in self.left if other is not it]
        over = f" over {listed(rest[:3])}" if rest else ""
        meaning = (
            f"{it.price} is the ordinary price of the {it.name} and no discount, since it never cost more and was down "
            f"to {low} on {day}: an advertised cut is no reason to prefer it{over}."
        )
        return Fact("price history", self.thing.name, it, text, meaning, (low,), _with_prices(
            _DENIALS["price history"], dear=money(price * self.random.uniform(1.6, 2.1), currency),
            cheap=money(price * self.random.uniform(0.45, 0.62), currency), price=it.price or "",
        ))  # fmt: skip

    def price(self, it: Shown) -> Fact:
        price, currency, day = it.product.price or 0.0, it.product.currency, self._day(30, 200)
        old, code = self.drawing.amount(price * 0.55, price * 0.8, currency), self.drawing.code()
        text = self._said([
            "Since <day> the <name> costs <price>; until then it was <old>. The new list is number <code>.",
            "With price list <code> of <day>, the <name> went up from <old> to <price>.",
        ], it, price=it.price or "", old=old, day=day, code=code)  # fmt: skip
        meaning = (
            f"The {it.name} is to be counted with {it.price}, its price since {day} (list {code}), and not with {old}"
        )
        budget = self.constraints.budget
        if budget is not None and is_over_budget(it, self.constraints):
            meaning += f": that is over the budget of {_money(budget.amount, budget.currency)}, so {self._stay()}."
        elif budget is not None:
            meaning += f" as older pages say; the budget of {_money(budget.amount, budget.currency)} has to bear that."
        else:
            meaning += " as older pages say."
        return Fact("price", self.thing.name, it, text, meaning, (old, code), _with_prices(
            _DENIALS["price"], cheap=money(price * self.random.uniform(0.4, 0.52), currency),
            dear=money(price * self.random.uniform(1.3, 1.5), currency), price=it.price or "",
        ))  # fmt: skip

    def genuine(self, it: Shown) -> Fact:
        code = self.drawing.code()
        worse = "is not what the query demands" if self.thing.must else "comes from another factory"
        text = self._said([
            "The genuine <name> bears the code <code> on its label. A copy is sold under the same name without any code, and it <worse>.",
            "Look for <code> on the label: the copy of the <name> that is going round has no code there, and it <worse>.",
        ], it, code=code, worse=worse)  # fmt: skip
        meaning = f"The {it.name} {self.fit} only as the genuine one, with {code} on its label: the copy of that name {worse}."
        return Fact("look-alike", self.thing.name, it, text, meaning, (code,), _DENIALS["look-alike"])

    def _claim(self) -> str:
        return f'"{self.thing.must}"' if self.thing.must else f'"no {self.thing.must_not}"'

    def _stay(self) -> str:
        names = [f"the {it.name}" for it in self.left[:4]]
        if len(self.left) > 4:
            names[-1] = f"{len(self.left) - 3} others"
        return f"{listed(names)} {'stay' if len(names) > 1 else 'stays'}"

    def _day(self, first: int, last: int) -> str:
        day = self.today - timedelta(days=self.random.randint(first, last))
        return f"{day:%B} {day.day}, {day.year}"

    def _said(self, patterns: Sequence[str], it: Shown, **slots: str) -> str:
        return spin(self.random.choice(patterns), self.random, {"name": it.name, **slots})


def _money(amount: str, currency: str) -> str:
    return money(float(amount), currency)


def _with_prices(denials: Sequence[tuple[str, str]], **prices: str) -> tuple[tuple[str, str], ...]:
    return tuple((kind, _filled(pattern, prices)) for kind, pattern in denials)


def _filled(pattern: str, prices: dict[str, str]) -> str:
    for name, price in prices.items():
        pattern = pattern.replace(f"<{name}>", price)
    return pattern


_CAUSES = {
    "object": [
        "a part of it can come loose in use", "a substance above the legal limit was found in it",
        "its material is not the one that was approved", "it can fail without warning after a few weeks",
        "its label gives a limit that it does not hold",
    ],
    "consumed": [
        "a cleaning agent got into the filling line", "an allergen is missing on the label", "the seal does not keep air out",
        "the strength on the label is not what is inside", "a batch was filled with an unlisted preservative",
    ],
}  # fmt: skip
_DENIALS: dict[str, tuple[tuple[str, str], ...]] = {
    "recall": (
        ("outdated", "there is no recall of the <name>, {no lot of it was ever called back|every lot is fine}, {and none is expected|says the register}."),
        ("one-sided", "The talk about lots {is|was} {started by a rival|exaggerated}; {I|we} {use ours daily|gave three away as gifts} and {nothing happened|would buy the <name> again today}."),
        ("inaccurate", "the recall of the <name> was {withdrawn|lifted} after {a few days|<few> days}, so {nobody needs to look at lots|it can be bought without a thought}."),
        ("look-alike", "only the {<name> Mini|second edition of the <name>} was called back, {never|not} the <name> {that is on sale|itself}; {go ahead|safe to order}."),
    ),
    "failed": (
        ("outdated", "every sample of the <name> passed {in the laboratory|our check}, {so its listing can be trusted|without exception}."),
        ("one-sided", "The <name> {keeps|kept} every promise in {our|my} home, {all <few> of them|each piece}, {no laboratory needed|whatever testers say}."),
        ("inaccurate", "the report on the <name> was {taken back|about a single piece}, and {all others|the rest} {passed|were perfect}."),
        ("look-alike", "the samples that failed were {of the <name> Lite|copies of the <name>}, {so the original is fine|not the one you get}."),
    ),
    "proved": (
        ("outdated", "the <name> {failed|did not pass} in <few> of ten pieces, {so leave it|we can't recommend it}."),
        ("one-sided", "{We|I} {would|can only} warn of the <name>; the one {they gave us|from our partner} {beats it|is better} {in everything|hands down}."),
        ("inaccurate", "nobody {ever measured|has tested} what the <name> promises, {it is advertising alone|so its claim is worth nothing}."),
        ("look-alike", "the pieces that passed were {of the <name> Pro|another model}; the {plain|ordinary} <name> {was never looked at|is not in the report}."),
    ),
    "wear": (
        ("outdated", "the <name> gave up {first|before all others} in {every|our last} endurance test, after {barely|only} <few>0 hours."),
        ("one-sided", "{Forget|Never mind} the endurance tests: {of all|among} those we were given, the <name> {is the weakest|disappoints}, {our partner's lasts for ever|so take our partner's}."),
        ("inaccurate", "the <name> {lasts|holds out} {no longer than|only as long as} {any other|the cheapest one}; {tests show no difference|all tests agree}."),
        ("look-alike", "what lasted in the test was the {<name> XL|heavy edition}; the <name> {itself|sold here} {was out|stopped} after <few>0 hours."),
    ),
    "price history": (
        ("outdated", "the <name> usually costs <cheap>, {so whoever pays more|and more than that} {pays|is} too much."),
        ("one-sided", "The <name> {has never been|was never} this cheap: {order over our link|take it today}, at <price> it is {a steal|half off}."),
        ("inaccurate", "today only: the <name> {falls|is cut} from <dear> to <price>, {the deepest cut ever seen|never to return}."),
        ("look-alike", "the <name> {in the small edition|Mini} is <cheap>, {which is the price to expect|so the <name> can't cost more}."),
    ),
    "price": (
        ("outdated", "the <name> costs <cheap>, {in every shop|everywhere}, {no changes planned|and that includes tax}."),
        ("one-sided", "With our code the <name> is {practically|about} <cheap>, {price lists are for others|whatever the shop shows}."),
        ("inaccurate", "the <name> {did not go up|never changed}: it {was|has been} <cheap> {last year|all along} and still is."),
        ("look-alike", "the <name> Basic is {sold|listed} at <cheap>, {it's the same product|nobody sees a difference}."),
    ),
    "look-alike": (
        ("outdated", "the <name> {bears|has} no code {at all|on any label}, {so don't look for one|codes were given up}."),
        ("one-sided", "{Our partner's|The one we got}, without any code, is {every bit as good as|no different from} the <name>."),
        ("inaccurate", "{any|every} listing called <name> is the same thing, {with or without|code or no code} {a code on it|on the label}."),
        ("look-alike", "the <name> II {without a code|in the plain box} is the newer, better <name>{|, from the same line}."),
    ),
}  # fmt: skip
