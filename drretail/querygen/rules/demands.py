"""What a query demands besides the things themselves: each demand is typed and said, and the shop can meet it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

from drretail.querygen.rules.choosing import Case, Chosen
from drretail.querygen.rules.history import History
from drretail.querygen.rules.naming import Thing
from drretail.querygen.rules.needs import sayings
from drretail.querygen.rules.offers import budget_for
from drretail.querygen.rules.sentences import Said, amount, day_named
from drretail.records.money import Money
from drretail.records.query import Constraints, demands

# The highest of these that the offers allow is asked for.
_STARS = (4.5, 4.3, 4)
_REVIEWS = (500, 200, 100, 50, 20, 10)
_COUNTS = {2: "two", 3: "three", 4: "four"}
_LEAST_DAYS, _MOST_DAYS = 7, 30
# How often a text names a property, something that is ruled out, a rating, a day, a number, each of several, no budget.
_MUST, _BAN, _RATING, _DEADLINE, _SEVERAL, _EACH, _UNBOUNDED = 0.6, 0.35, 0.4, 0.15, 0.4, 0.5, 0.15
# So many properties are looked for: each is read in the texts of all offers.
_TRIED = 12
# Whoever has fewer purchases of known prices, or less than this share of all, has no usual way of spending.
_USUAL, _USUAL_SHARE = 3, 0.5
# An answer needs something to choose from.
_ENOUGH = 2


@dataclass(slots=True)
class Demanded:
    """Constraints, with the sentences that say them."""

    constraints: Constraints
    sentences: list[str] = field(default_factory=list[str])
    """Of one thing among several, of brands, how many, and until when."""
    clauses: list[str] = field(default_factory=list[str])
    """What all that is asked for should be and have, and cost."""
    scope: Literal["total", "single", "each"] = "single"


def demands_of(case: Case, chosen: Chosen) -> Demanded | None:
    """What this query demands, by seeded choice; None where the shop offers nothing that fits what the user has."""
    owned = (chosen.purchase.product_id,) if chosen.need.shape != "again" else ()
    demanded = Demanded(Constraints(categories=case.offers.categories(chosen.things), owned=owned))
    if not _can_be_met(case, chosen, demanded.constraints, least=1):
        return None
    if chosen.need.unwanted and not _refuse_brand(case, chosen, demanded):
        return None
    _demand(case, chosen, demanded)
    if case.rng.random() < _RATING:
        _ask_for_ratings(case, chosen, demanded)
    count = _count(case, chosen, demanded)
    if case.rng.random() < _DEADLINE:
        _set_deadline(case, demanded)
    _set_budget(case, chosen, demanded, count)
    return demanded


def _accept(case: Case, chosen: Chosen, demanded: Demanded, **update: object) -> bool:
    """True when the offers allow these constraints, too, which then hold."""
    tried = demanded.constraints.model_copy(update=update)
    if not _can_be_met(case, chosen, tried):
        return False
    demanded.constraints = tried
    return True


def _can_be_met(case: Case, chosen: Chosen, constraints: Constraints, least: int = _ENOUGH) -> bool:
    without = case.history.product_ids
    return all(len(case.offers.kept(thing, constraints, without)) >= least for thing in chosen.things)


def _refuse_brand(case: Case, chosen: Chosen, demanded: Demanded) -> bool:
    brand = chosen.purchase.brand or ""
    if not _accept(case, chosen, demanded, brands_unwanted=(brand,)):
        return False
    demanded.sentences.append(case.say(sayings().demand.brand).format(brand=brand))
    return True


def _demand(case: Case, chosen: Chosen, demanded: Demanded) -> None:
    """What one of the things must be, or whichever is chosen; and what it must not have."""
    said, thing = sayings().demand, case.rng.choice(chosen.things)
    if case.rng.random() < _MUST:
        bound = chosen.things if chosen.any_will_do else (thing,)
        for must in _telling(case, thing, sayings().must):
            meeting = tuple(it for it in chosen.things if case.offers.meets(it, must))
            of = None if bound == chosen.things else thing.name
            if meeting == bound and _accept(case, chosen, demanded, must=demands(must, of=of)):
                if bound == chosen.things:
                    demanded.clauses.append(case.rng.choice(said.must).format(must=must))
                else:
                    demanded.sentences.append(case.say(said.of_one).format(thing=Said(thing.phrase), must=must))
                break
    if case.rng.random() < _BAN:
        bans = sayings().must_not["used_up" if case.offers.are_used_up(thing) else "lasting"]
        for ban in _telling(case, thing, bans):
            if _accept(case, chosen, demanded, must_not=demands(ban)):
                demanded.clauses.append(case.rng.choice(said.ban).format(ban=ban))
                return


def _telling(case: Case, thing: Thing, properties: Sequence[str]) -> Iterator[str]:
    """The properties by which some offers of the thing differ from others, in seeded order."""
    return (it for it in case.rng.sample(properties, min(_TRIED, len(properties))) if case.offers.differ_in(thing, it))


def _ask_for_ratings(case: Case, chosen: Chosen, demanded: Demanded) -> None:
    """At least so many stars, or reviews; of the highest that the offers allow."""
    said, constraints = sayings().demand, demanded.constraints
    if case.rng.random() < 0.6:
        for stars in _STARS[case.rng.randint(0, 2) :]:
            must = f"at least {stars} stars"
            met = all(case.offers.meets(thing, must) for thing in chosen.things)
            if met and _accept(case, chosen, demanded, must=(*constraints.must, *demands(must))):
                demanded.clauses.append(case.rng.choice(said.stars).format(stars=stars))
                return
    for reviews in _REVIEWS[case.rng.randint(0, 2) :]:
        ban = f"fewer than {reviews} reviews"
        if _accept(case, chosen, demanded, must_not=(*constraints.must_not, *demands(ban))):
            demanded.clauses.append(case.rng.choice(said.reviews).format(reviews=reviews))
            return


def _count(case: Case, chosen: Chosen, demanded: Demanded) -> int:
    """How many are to be bought, said where it is more than one."""
    if not (chosen.need.quantity or (chosen.need.several and case.rng.random() < _SEVERAL)):
        return 1
    count = case.rng.choice((2, 3, 4) if chosen.need.quantity else (2, 3))
    demanded.sentences.append(case.say(sayings().demand.quantity).format(count=_COUNTS[count]))
    quantities = {chosen.things[0].name: count}
    demanded.constraints = demanded.constraints.model_copy(update={"quantities": quantities})
    return count


def _set_deadline(case: Case, demanded: Demanded) -> None:
    day = case.history.today + timedelta(days=case.rng.randint(_LEAST_DAYS, _MOST_DAYS))
    deadline = f"{case.rng.choice(('by', 'before'))} {day_named(day)}"
    demanded.sentences.append(case.say(sayings().demand.deadline).format(deadline=deadline))
    demanded.constraints = demanded.constraints.model_copy(update={"deadline": deadline})


def _contradicts(chosen: Chosen, budget: Money, pieces: int) -> bool:
    """True for less than the product at hand costs, or for no less where it is to be cheaper."""
    need, price = chosen.need, chosen.purchase.price
    if need.shape not in ("replace", "again") or price is None:
        return False
    for_each = float(budget.value) / pieces
    return for_each >= price if need.level < 0 and not need.calculator else for_each < price


def _has_a_usual_price(history: History) -> bool:
    known = sum(it.price is not None for it in history.purchases)
    return known >= max(_USUAL, _USUAL_SHARE * len(history.purchases))


def _set_budget(case: Case, chosen: Chosen, demanded: Demanded, count: int) -> None:
    """Of all together, of each, or of the one thing that is bought; now and then what is usually spent, or nothing."""
    need, several, said = chosen.need, chosen.need.shape == "together", sayings().budget
    per_item = need.per_item or (count > 1 and case.rng.random() < _EACH)
    demanded.scope = "each" if per_item else "total" if several or count > 1 else "single"
    without = case.history.product_ids
    budget = budget_for(
        [case.offers.kept(thing, demanded.constraints, without) for thing in chosen.things],
        min(0.9, max(0.1, case.level + need.level)),
        dearest=per_item or not several,
        pieces=1 if per_item else count,
    )
    if budget is not None and _contradicts(chosen, budget, 1 if per_item else count):
        budget = None
    if not (per_item or several or need.calculator or need.level > 0) and case.rng.random() < _UNBOUNDED:
        budget = None
    if budget is not None:
        demanded.clauses.append(case.rng.choice(getattr(said, demanded.scope)).format(amount=amount(budget)))
    elif _has_a_usual_price(case.history):
        demanded.clauses.append(case.rng.choice(said.usual))
    scope = "per_item" if per_item and budget else "total"
    demanded.constraints = demanded.constraints.model_copy(update={"budget": budget, "budget_scope": scope})
