"""Buying again what is used up."""

from drretail.querygen.drafts.case import SHOP_TOOLS, USER_TOOLS, Case, Draft, orders_of
from drretail.querygen.history import Purchase
from drretail.querygen.occasions import when
from drretail.querygen.phrases import listed
from drretail.querygen.shelf import Wish, budget_for
from drretail.querygen.speech import budget_sentence, told
from drretail.records.query import Constraints


def draft(case: Case) -> Draft | None:
    free = [it for it in case.history.consumables if case.shelf.has(it.thing)]
    first = case.pick(free)
    if first is None:
        return None
    others = [it for it in free if it.thing.name not in case.avoid and _goes_with(case, first, it)]
    purchases = [first, *others[:1]]
    budget = budget_for(case.shelf, [Wish(it.thing) for it in purchases], case.level, per_item=True)
    count = case.rng.choice((0, 2, 3)) if budget else 0
    text = told(
        _opening(case, purchases),
        _question(case, purchases),
        _amounts(count, several=len(purchases) > 1),
        budget_sentence(case.rng, budget, "each"),
        _ending(case, purchases),
    )
    return Draft(
        kind="replenish",
        about=frozenset(it.thing.name for it in purchases),
        text=text,
        rationale=(
            f"The record shows {orders_of(*purchases)}, bought to be used up. Whether to order the same "
            "again needs the present offers, prices for the amount, and what the web knows about ingredients."
        ),
        expected_tools=(*USER_TOOLS, *SHOP_TOOLS, "calculator"),
        constraints=Constraints(
            budget=budget,
            budget_scope="total" if budget is None else "per_item",
            categories=case.shelf.categories([it.thing for it in purchases]),
            quantities={it.thing.name: count for it in purchases} if count else {},
        ),
    )


def _goes_with(case: Case, first: Purchase, other: Purchase) -> bool:
    """True for another thing that has run out, or is running out, as the first one."""
    today = case.history.today
    return other.thing.head != first.thing.head and other.lasts(today) == first.lasts(today)


def _opening(case: Case, purchases: list[Purchase]) -> str:
    today = case.history.today
    if not all(it.lasts(today) for it in purchases):
        return _late_opening(case, purchases)
    if len({_bought(case, it) for it in purchases}) == 1:
        said = f"the {listed([it.thing.name for it in purchases])} {_bought(case, purchases[0])}"
    else:
        said = listed([f"the {it.thing.name} {_bought(case, it)}" for it in purchases])
    return case.rng.choice(
        (
            f"I'm nearly out of {said}.",
            f"I need to stock up again, as I've almost finished {said}.",
            f"There isn't much left of {said}.",
        )
    )


def _late_opening(case: Case, purchases: list[Purchase]) -> str:
    """When the last order is so long ago that nothing of it can be left."""
    names = listed([it.thing.name for it in purchases])
    last = when(max(it.day for it in purchases), case.history.today)
    return case.rng.choice(
        (
            f"It's a long time since I ordered my {names} from you, and I'm ready for another order. That was {last}.",
            f"I want to go back to the {names} I used to buy from you; the last time was {last}.",
        )
    )


def _bought(case: Case, purchase: Purchase) -> str:
    bought = when(purchase.day, case.history.today)
    times = len(purchase.order_ids)
    return f"I bought {bought}" if times == 1 else f"I've ordered {_times(times)}, last time {bought}"


def _times(count: int) -> str:
    return {2: "twice", 3: "three times", 4: "four times"}.get(count, f"{count} times")


def _question(case: Case, purchases: list[Purchase]) -> str:
    many = len(purchases) > 1
    talk, phrase = purchases[0].thing.talk, purchases[0].thing.phrase
    weighed = [case.point(purchases[0].thing)] if many else case.two(talk.compare)
    asks = [case.question(it.thing) for it in purchases] if many else [phrase.fill(case.rng.choice(talk.ask))]
    trouble = phrase.fill(case.rng.choice(talk.trouble))
    same = "the same ones" if many else "the same"
    return case.rng.choice(
        (
            f"Should I simply order {same} again, or is there something better by now? I'd like to see them next to "
            f"the alternatives, above all on {listed(weighed)}, and to know {listed(asks)}.",
            f"I wasn't entirely happy with the {phrase.text}, though: {trouble}. What else do you have, and how "
            f"does it compare on {listed(weighed)}? I also wonder {listed(asks)}.",
            f"Is it worth switching? Please check what's on offer now, work out what each costs for the amount you "
            f"get, and find out {listed(asks)}.",
        )
    )


def _amounts(count: int, *, several: bool) -> str:
    if not count:
        return ""
    number = {2: "two", 3: "three"}[count]
    return f"I'd get {number} of each." if several else f"I'd get {number} at once."


def _ending(case: Case, purchases: list[Purchase]) -> str:
    which = "which of these" if len(purchases) > 1 else "which one"
    return case.rng.choice(
        (
            f"My orders will tell you which {'brands' if len(purchases) > 1 else 'one'} I've been using.",
            f"Look up {which} I've been buying so that you compare with the right thing.",
            "If what I have is still the best choice, I'm fine with that, but tell me why.",
        )
    )
