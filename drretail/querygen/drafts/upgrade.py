"""Replacing something owned by something better."""

from drretail.querygen.drafts.case import SHOP_TOOLS, USER_TOOLS, Case, Draft, orders_of
from drretail.querygen.history import Purchase
from drretail.querygen.occasions import when
from drretail.querygen.phrases import listed, sentence
from drretail.querygen.shelf import Wish, budget_for
from drretail.querygen.speech import budget_sentence, demand_sentence, told
from drretail.records.query import Constraints

_DAYS_OF_USE = 30


def draft(case: Case) -> Draft | None:
    purchase = case.pick([it for it in case.history.purchases if _has_been_used(case, it) and case.shelf.has(it.thing)])
    if purchase is None:
        return None
    wish = case.wish(Wish(purchase.thing, without=frozenset({purchase.product_id})))
    # An upgrade costs more than what one usually buys.
    budget = budget_for(case.shelf, [wish], min(0.9, case.level + 0.2))
    unwanted = _unwanted_brand(case, purchase)
    text = told(
        _opening(case, purchase),
        _question(case, purchase),
        demand_sentence(case.rng, purchase.thing.phrase, wish.must, wish.must_not),
        f"This time I'd rather have anything but {unwanted}." if unwanted else "",
        budget_sentence(case.rng, budget, "single"),
        _record(case, budgeted=budget is not None),
    )
    return Draft(
        kind="upgrade",
        about=frozenset({purchase.thing.name}),
        text=text,
        rationale=(
            f"The record shows {orders_of(purchase)}. A better one must be told from it by its details, fit what the "
            "user owns and usually spends, and the question behind it is answered on the web, not in the catalog."
        ),
        expected_tools=("get_user_statistics", *USER_TOOLS, *SHOP_TOOLS),
        constraints=Constraints(
            budget=budget,
            categories=case.shelf.categories([purchase.thing]),
            brands_unwanted=(unwanted,) if unwanted else (),
            owned=(purchase.product_id,),
            must=(wish.must,) if wish.must else (),
            must_not=(wish.must_not,) if wish.must_not else (),
        ),
    )


def _has_been_used(case: Case, purchase: Purchase) -> bool:
    """True for what lasts, and was bought long enough ago that its faults must have shown."""
    return not purchase.uses_up and (case.history.today - purchase.day).days >= _DAYS_OF_USE


def _opening(case: Case, purchase: Purchase) -> str:
    phrase, bought = purchase.thing.phrase, when(purchase.day, case.history.today)
    trouble = phrase.fill(case.rng.choice(purchase.thing.talk.trouble))
    return sentence(
        case.rng.choice(
            (
                f"I've been using the {phrase.text} I bought {bought}, but {trouble}.",
                f"The {phrase.text} I ordered {bought} {phrase.fill('{has}')} started to annoy me: {trouble}.",
                f"I think it's time to replace my {phrase.text}. I bought {phrase.fill('{them}')} {bought}, "
                f"and {trouble}.",
                f"I'm fed up with the {phrase.text} I got here {bought}: {trouble}.",
            )
        )
    )


def _question(case: Case, purchase: Purchase) -> str:
    phrase, talk = purchase.thing.phrase, purchase.thing.talk
    weighed = case.two(talk.compare)
    ask = phrase.fill(case.rng.choice(talk.ask))
    return sentence(
        case.rng.choice(
            (
                f"Which {'ones' if phrase.plural else 'one'} would be a real step up? I'd like the best candidates "
                f"compared on {listed(weighed)}, and I want to know {ask}.",
                f"Before I spend money again, help me understand {ask}, and then show me two or three that do better, "
                f"above all on {listed(weighed)}.",
                f"What would you replace {phrase.fill('{them}')} with, and why? I care most about {listed(weighed)}. "
                f"Please also find out {ask}.",
            )
        )
    )


def _record(case: Case, *, budgeted: bool) -> str:
    look = case.rng.choice(
        (
            "You can see from my orders what I own and what I usually go for, so don't suggest the same thing again.",
            "Please look at what else I've bought here so that it fits in.",
            "Have a look at my past orders first; I don't want to end up with the same one.",
        )
    )
    return look if budgeted else f"{look} {case.spending()}"


def _unwanted_brand(case: Case, purchase: Purchase) -> str | None:
    """The brand that let the user down, now and then, where others are on offer."""
    if purchase.brand is None or case.rng.random() > 0.2:
        return None
    others = [offer for offer in case.shelf.offers(purchase.thing) if offer.brand not in (None, purchase.brand)]
    return purchase.brand if others else None
