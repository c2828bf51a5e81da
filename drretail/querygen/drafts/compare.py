"""Two kinds of things for one need; where no such choice is known, whether other offers of a kind are any better."""

from drretail.querygen.drafts.case import SHOP_TOOLS, USER_TOOLS, Case, Draft, orders_of
from drretail.querygen.history import Purchase
from drretail.querygen.knowledge import Choice, choices, projects_with
from drretail.querygen.occasions import when
from drretail.querygen.phrases import listed, sentence
from drretail.querygen.shelf import Wish, budget_for
from drretail.querygen.speech import budget_sentence, told
from drretail.querygen.things import Thing, thing_named
from drretail.records.query import Constraints

_STARS = 4.0
_RATED = "rated at least 4 stars"
# A rating says little when few have rated; the highest of these that the offers allow is asked for.
_REVIEWS = (100, 50, 20, 10)
_REVIEWS_ASKED = 0.6


def draft(case: Case) -> Draft | None:
    known = [(purchase, choice) for purchase in case.history.purchases for choice in _choices_near(case, purchase)]
    if not known:
        return _worth(case)
    purchase, choice = case.rng.choice(known)
    first, second = (thing_named(name) for name in choice.kinds)
    if second.name == purchase.thing.name:
        first, second = second, first
    opening = (
        _owned_opening(case, purchase, choice, second)
        if first.name == purchase.thing.name and purchase.lasts(case.history.today)
        else _open_opening(case, purchase, choice, first, second)
    )
    return _draft(case, purchase, [first, second], told(opening, _question(case, first, second)))


def _worth(case: Case) -> Draft | None:
    """Whether others of a kind are better than the owned one: the question that can be asked of everything."""
    purchase = case.pick([it for it in case.history.purchases if case.shelf.has(it.thing)])
    if purchase is None:
        return None
    phrase, talk = purchase.thing.phrase, purchase.thing.talk
    weighed, ask = listed(case.two(talk.compare)), phrase.fill(case.rng.choice(talk.ask))
    bought = when(purchase.day, case.history.today)
    opening = case.rng.choice(
        (
            f"I bought {_mine(purchase)} {bought} without comparing much, and I wonder what I'm missing. Do the better "
            f"rated ones really differ in {weighed}? Please explain {ask}, too.",
            f"Are the popular {'ones' if phrase.plural else 'choices'} any better than the {phrase.text} I got "
            f"{bought}? I'd like a comparison that covers {weighed}, and an explanation of {ask}.",
        )
    )
    return _draft(case, purchase, [purchase.thing], opening)


def _draft(case: Case, purchase: Purchase, things: list[Thing], beginning: str) -> Draft:
    demand, reviews, wishes = _demand(case, things)
    budget = budget_for(case.shelf, wishes, case.level, per_item=True)
    ending = case.rng.choice(
        (
            "What I've ordered so far should help you judge what suits me.",
            "Please take into account what I already have from you.",
            "Base it on what you can see of my purchases, not on what suits everybody.",
        )
    )
    return Draft(
        kind="compare",
        about=frozenset(thing.name for thing in things),
        text=told(
            beginning,
            _demand_sentence(case, demand, reviews),
            budget_sentence(case.rng, budget, "single"),
            ending,
        ),
        rationale=(
            f"The record shows {orders_of(purchase)}. What serves the need better is a question for the web; which "
            "product to buy then is one for the catalog, under the demands of the text."
        ),
        expected_tools=(*USER_TOOLS, *SHOP_TOOLS),
        constraints=Constraints(
            budget=budget,
            categories=case.shelf.categories(things),
            must=(demand,) if demand else (),
            must_not=(_few(reviews),) if reviews else (),
            owned=case.owned(purchase),
        ),
    )


def _demand(case: Case, things: list[Thing]) -> tuple[str, int, list[Wish]]:
    """A demand and a least number of reviews that offers of every thing reach, and the wishes with them.

    "" and 0 where the shop's offers allow no demand, as in a shop without ratings.
    """
    shared = [must for must in things[0].talk.must if all(must in thing.talk.must for thing in things)]
    for reviews in _REVIEWS if case.rng.random() < _REVIEWS_ASKED else (0,):
        for must in [*case.rng.sample(shared, len(shared)), _RATED]:
            spoken, stars = ("", _STARS) if must == _RATED else (must, None)
            wishes = [Wish(thing, spoken, stars=stars, reviews=reviews) for thing in things]
            if all(case.shelf.offers_for(wish) for wish in wishes):
                return must, reviews, wishes
    return "", 0, [Wish(thing) for thing in things]


def _demand_sentence(case: Case, demand: str, reviews: int) -> str:
    if not demand:
        return ""
    if not reviews:
        return case.rng.choice((f"Whatever it is, it should be {demand}.", f"It must be {demand} in any case."))
    return case.rng.choice(
        (
            f"Whatever it is, it should be {demand}, and I don't want anything with {_few(reviews)}.",
            f"Only show me what is {demand}, please, and nothing with {_few(reviews)}.",
            f"It must be {demand} in any case, and I'd skip anything with {_few(reviews)}.",
        )
    )


def _few(reviews: int) -> str:
    return f"fewer than {reviews} reviews"


def _choices_near(case: Case, purchase: Purchase) -> list[Choice]:
    """Choices with the purchase's kind on one side, or within a project of it; no side avoided, both on offer."""
    near = {name for project in projects_with(purchase.thing.name) for name in project.things} | {purchase.thing.name}
    return [
        choice
        for choice in choices()
        if (purchase.thing.name in choice.kinds or set(choice.kinds) <= near)
        and not set(choice.kinds) & case.avoid
        and all(case.history.lacks(name) for name in choice.kinds if name != purchase.thing.name)
        and all(case.shelf.has(thing_named(name)) for name in choice.kinds)
    ]


def _mine(purchase: Purchase) -> str:
    return f"my {purchase.thing.name}"


def _owned_opening(case: Case, purchase: Purchase, choice: Choice, other: Thing) -> str:
    phrase, today = purchase.thing.phrase, case.history.today
    return case.rng.choice(
        (
            f"I want to {choice.need}. {case.having(purchase)}, which helps only so far. Should I get "
            f"{phrase.another('different')}, or would {other.phrase.some} do more for me?",
            f"I bought {_mine(purchase)} {when(purchase.day, today)} to {choice.need}, and I'm not there yet. Would "
            f"{other.phrase.some} be the better way, or did I just choose the wrong {phrase.text}?",
        )
    )


def _open_opening(case: Case, purchase: Purchase, choice: Choice, first: Thing, second: Thing) -> str:
    a, b = first.phrase.some, second.phrase.some
    bought = when(purchase.day, case.history.today)
    return case.rng.choice(
        (
            f"I want to {choice.need} and can't decide between {a} and {b}. The {purchase.thing.name} I bought "
            f"{bought} didn't solve that.",
            f"What would help me more to {choice.need}: {a} or {b}? So far I've only tried the "
            f"{purchase.thing.name} I ordered {bought}.",
        )
    )


def _question(case: Case, first: Thing, second: Thing) -> str:
    points = [f"{case.point(thing)} for the {thing.name}" for thing in (first, second)]
    asks = [case.question(thing) for thing in (first, second)]
    return sentence(
        case.rng.choice(
            (
                f"I'd like to understand {listed(asks)} before I choose, and then see the best one or two of each.",
                f"Compare what you have of both, looking at {listed(points)}, and find out {asks[1]}.",
                f"Please find out {asks[0]}, look at {listed(points)}, and then tell me clearly which way to go.",
            )
        )
    )
