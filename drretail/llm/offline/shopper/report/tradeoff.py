"""The runner-up, and what is given up either way, in numbers."""

from decimal import Decimal

from drretail.grounding.wording import format_money
from drretail.llm.offline.shopper.choosing import Option
from drretail.llm.offline.shopper.facts import key_facts
from drretail.llm.offline.shopper.report.naming import (
    FEW_RATINGS,
    Names,
    amount_text,
    cite,
    in_sentence,
    price_text,
    rating_text,
    stars,
)
from drretail.llm.offline.shopper.study import Study
from drretail.llm.offline.shopper.words import first_upper, number_text


def runner_up_sentences(study: Study, index: int, pick: Option, other: Option | None, names: Names) -> list[str]:
    """Up to three sentences: what it costs and how it is rated, what it has, when to take it."""
    if other is None:
        return []
    both = cite(other.product.evidence, pick.product.evidence)
    first = f"The runner-up is the **{names.of(other.product)}**: {_difference(pick, other)} {both}."
    if other.product.price is None and pick.product.price is None:
        verdict = ["With no price listed for either, the ratings decide."] if index == 0 else []
        return [first, *_what_it_has(pick, other), *verdict]
    return [first, *_what_it_has(pick, other), _when_to_take_it(study, index, pick, other)]


def _difference(pick: Option, other: Option) -> str:
    price, rated = _price_gap(pick, other), _rating_gap(pick, other)
    if price is None:
        return rated
    a, b = pick.product.rating, other.product.rating
    against = a is not None and b is not None and a != b and _cheaper(pick, other) == (b < a)
    return f"{price}, {'but ' if against else ''}{rated}"


def _price_gap(pick: Option, other: Option) -> str | None:
    a, b = pick.product.price, other.product.price
    if a is None or b is None:
        return None if a is b else price_text(other.product)
    if a == b:
        return f"{price_text(other.product)}, the same"
    return f"{price_text(other.product)}, {format_money(abs(b - a))} {'more' if b > a else 'less'}"


def _rating_gap(pick: Option, other: Option) -> str:
    a, b = pick.product.rating, other.product.rating
    if a is None or b is None:
        return rating_text(other.product)
    if a == b:
        return f"with the same {stars(b)} out of 5, from {_voices(pick, other)}"
    return f"rated {stars(b)} out of 5 against {stars(a)}, from {_voices(pick, other)}"


def _voices(pick: Option, other: Option) -> str:
    return f"{other.product.ratings:,} ratings where the pick has {pick.product.ratings:,}"


def _cheaper(pick: Option, other: Option) -> bool:
    a, b = pick.product.price, other.product.price
    return a is not None and b is not None and b < a


def _what_it_has(pick: Option, other: Option) -> list[str]:
    facts = key_facts(other.product, [], table=False)
    own = {fact.casefold() for fact in key_facts(pick.product, [], most=8, table=False)}
    new = next((fact for fact in facts if fact.casefold() not in own), None)
    if new is None:
        return []
    return [f"In its favour: {in_sentence(new, [other.product.brand])} {cite(other.product.evidence)}."]


def _when_to_take_it(study: Study, index: int, pick: Option, other: Option) -> str:
    """One sentence of advice that follows from the numbers."""
    need, product = study.needs[index], other.product
    most = study.limits.price_max(need)
    spare = None if study.limits.total is None else study.limits.total - study.basket.total
    if product.price is None:
        return "Without a listed price it is only worth a look if the pick is sold out."
    if most is not None and product.price > most and study.limits.each is None and need.quantity > 1:
        all_of_them = first_upper(number_text(need.quantity))
        return f"{all_of_them} of them would come to {format_money(product.price * need.quantity)}, over your budget."
    if most is not None and product.price > most:
        return f"It is over your {amount_text(most)}, so it is no choice unless that may give way."
    lacking = [demand for demand in other.unmet if demand in {asked for asked, _ in pick.met}]
    if lacking:
        return f"Its record does not say “{lacking[0]}”, which settled it."
    extra = (product.price - (pick.product.price or Decimal(0))) * need.quantity
    better = product.strength > pick.product.strength
    if extra > 0 and spare is not None and extra > spare:
        return "Taken with the rest it would break the budget."
    if extra > 0 and better and (product.rating or 0) <= (pick.product.rating or 0):
        return "Its average rests on far more ratings; take it if that is worth the difference to you."
    if extra > 0:
        return (
            "If the better rating is worth that to you, take it instead."
            if better
            else "I see no reason to pay more for it."
        )
    if product.ratings <= FEW_RATINGS < pick.product.ratings:
        return "So few ratings make it the bolder choice."
    if extra < 0 and better:
        return "It is the thriftier choice if it has all you need."
    if extra < 0:
        gap = (pick.product.rating or 0) - (product.rating or 0)
        # Said in another way where the gap is another matter.
        return (
            "The lower rating is the price of the saving."
            if gap >= 0.3
            else "Take it if the saving weighs more than a slightly better rating."
        )
    return "Between the two the ratings decide."
