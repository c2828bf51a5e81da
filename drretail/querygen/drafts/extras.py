"""What a query demands besides the things themselves: each demand is typed and said, and the shop can meet it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random

from drretail.grounding.listing import folded
from drretail.querygen.drafts.case import Case
from drretail.querygen.drafts.choosing import Chosen
from drretail.querygen.drafts.said import Said
from drretail.querygen.drafts.telling import said_by, sayable
from drretail.querygen.needs import sayings
from drretail.querygen.occasions import day_named
from drretail.querygen.shelf import budget_for
from drretail.querygen.speech import Scope, budget_sentence
from drretail.querygen.things import Thing
from drretail.records.query import Constraints

# The highest of these that the offers allow is asked for.
_STARS = (4.5, 4.3, 4)
_REVIEWS = (500, 200, 100, 50, 20, 10)
_COUNTS = {2: "two", 3: "three", 4: "four"}
_LEAST_DAYS, _MOST_DAYS = 7, 30
# How often a text names a day, of a need to which one belongs, and of another.
_OFTEN, _SELDOM = 0.5, 0.12
# How often it names a number of what one may well buy several of; and no budget, where nothing has to be added up.
_SEVERAL, _UNBOUNDED = 0.5, 0.15
# How often the maker of what disappoints is ruled out.
_UNHAPPY = 0.25
# Whoever has ordered less has no usual way of spending.
_USUAL = 3
# An answer needs something to choose from.
_ENOUGH = 2


@dataclass(slots=True)
class Extras:
    """Constraints, with the sentences that say them."""

    constraints: Constraints
    demands: list[str] = field(default_factory=list[str])
    amounts: list[str] = field(default_factory=list[str])
    """How many, and until when."""
    budget: str = ""
    scope: Scope = "single"


def extras_of(case: Case, chosen: Chosen) -> Extras | None:
    """What this query demands, by seeded choice; None where the shop offers nothing that fits what the user has."""
    start = Constraints(
        categories=case.shelf.categories(chosen.things),
        owned=case.owned(chosen.purchase) if chosen.need.shape != "again" else (),
    )
    extras = Extras(start)
    if not _can_be_met(case, chosen, start, least=1):
        return None
    if chosen.need.unwanted or (chosen.need.unhappy and chosen.purchase.brand and case.rng.random() < _UNHAPPY):
        _refuse_brand(case, chosen, extras)
    if case.rng.random() < (0.85 if chosen.need.must else 0.55):
        _demand(case, chosen, extras)
    if case.rng.random() < 0.4:
        _ask_for_ratings(case, chosen, extras)
    count = _count(case, chosen, extras)
    if chosen.need.deadline_always or case.rng.random() < (_OFTEN if chosen.need.deadline else _SELDOM):
        _set_deadline(case, chosen, extras)
    _set_budget(case, chosen, extras, count)
    return extras


def _accept(case: Case, chosen: Chosen, extras: Extras, **update: object) -> bool:
    """True when the offers allow these constraints, too, which then hold."""
    tried = extras.constraints.model_copy(update=update)
    if not _can_be_met(case, chosen, tried):
        return False
    extras.constraints = tried
    return True


def _can_be_met(case: Case, chosen: Chosen, constraints: Constraints, least: int = _ENOUGH) -> bool:
    without = bought_before(case, chosen)
    return all(len(case.shelf.kept(thing, constraints, without)) >= least for thing in chosen.things)


def bought_before(case: Case, chosen: Chosen) -> frozenset[str]:
    """What the user need not be sold again."""
    return case.history.product_ids


def _refuse_brand(case: Case, chosen: Chosen, extras: Extras) -> None:
    brand = chosen.purchase.brand
    if brand is not None and _accept(case, chosen, extras, brands_unwanted=(brand,)):
        extras.demands.append(case.say(sayings().demand.brand).format(brand=brand))


def _demand(case: Case, chosen: Chosen, extras: Extras) -> None:
    """What the thing must be, must not have, or both."""
    said, one = sayings().demand, len(chosen.things) == 1
    things = [chosen.things[0]] if one or chosen.need.shape in ("either", "present") else _shuffled(case.rng, chosen)
    for thing in things:
        must = next((it for it in _musts(case, chosen, thing) if _binds(case, chosen, thing, it, extras)), "")
        if must:
            break
    else:
        thing, must = chosen.things[0], ""
    bans = _bans(case, chosen, thing, must)
    ban = bans[0] if bans and case.rng.random() < (0.35 if must else 0.6) else ""
    if ban and not _accept(case, chosen, extras, must_not=(*extras.constraints.must_not, ban)):
        ban = ""
    slots = {"thing": Said(thing.phrase), "must": must, "ban": ban}
    if must and ban and one and case.rng.random() < 0.6:
        extras.demands.append(case.say(said.both).format(**slots))
        return
    any_of_them = chosen.need.shape in ("either", "present") and not one
    if must:
        extras.demands.append(case.say(said.must_any if any_of_them else _of_one(said.must, one)).format(**slots))
    if ban:
        extras.demands.append(case.say(said.ban).format(**slots))


def _of_one(sentences: Sequence[str], one: bool) -> list[str]:
    """Of several things, the sentence has to name the one that it speaks of."""
    return [text for text in sentences if one or "{thing" in text]


def _shuffled(rng: Random, chosen: Chosen) -> list[Thing]:
    return rng.sample(chosen.things, len(chosen.things))


def _musts(case: Case, chosen: Chosen, thing: Thing) -> Iterator[str]:
    """Demands of the need, or else of the kind, in seeded order."""
    own, talk = [it for it in chosen.need.must if not _has_already(chosen, it)], thing.talk.must
    yield from case.rng.sample(own, len(own))
    yield from case.rng.sample(talk, len(talk))


def _has_already(chosen: Chosen, must: str) -> bool:
    """True for the material that the user would like to get away from."""
    return bool(chosen.need.made_of) and f" {folded(must)} " in chosen.purchase.material


def _bans(case: Case, chosen: Chosen, thing: Thing, must: str) -> list[str]:
    """What it must not have, but for what the demand rules out already: "sulfate free", and no sulfates."""
    bans = chosen.need.must_not or thing.talk.must_not
    free = [ban for ban in bans if ban.split()[-1].removesuffix("s").casefold() not in must.casefold()]
    return case.rng.sample(free, len(free))


def _binds(case: Case, chosen: Chosen, thing: Thing, must: str, extras: Extras) -> bool:
    """True when a demand can be met and binds just what its sentence says: one thing of a set, or either of two."""
    bound = [it for it in chosen.things if case.shelf.meets(it, must)]
    wanted = list(chosen.things) if chosen.need.shape in ("either", "present") else [thing]
    return bound == wanted and _accept(case, chosen, extras, must=(*extras.constraints.must, must))


def _ask_for_ratings(case: Case, chosen: Chosen, extras: Extras) -> None:
    """At least so many stars, or reviews; of the highest two that the offers allow."""
    said = sayings().demand
    if case.rng.random() < 0.6:
        for stars in _STARS[case.rng.randint(0, 2) :]:
            must = f"at least {stars} stars"
            met = all(case.shelf.meets(thing, must) for thing in chosen.things)
            if met and _accept(case, chosen, extras, must=(*extras.constraints.must, must)):
                extras.demands.append(case.say(said.stars).format(stars=stars))
                return
    for reviews in _REVIEWS[case.rng.randint(0, 2) :]:
        ban = f"fewer than {reviews} reviews"
        if _accept(case, chosen, extras, must_not=(*extras.constraints.must_not, ban)):
            extras.demands.append(case.say(said.reviews).format(reviews=reviews))
            return


def _count(case: Case, chosen: Chosen, extras: Extras) -> int:
    """How many are to be bought, said where it is more than one."""
    gifts = chosen.need.shape == "present"
    if not (chosen.need.quantity or _may_be_several(chosen)):
        return 1
    if not gifts and case.rng.random() > (0.5 if chosen.need.quantity else _SEVERAL):
        return 1
    count = case.rng.choice((2, 3, 4) if gifts else (2, 3))
    said = sayings().demand
    lasting = chosen.need.shape == "replace"
    wording = case.say(said.quantity_each if gifts else said.quantity_lasting if lasting else said.quantity)
    extras.amounts.append(wording.format(count=_COUNTS[count]))
    extras.constraints = extras.constraints.model_copy(update={"quantities": {chosen.things[0].name: count}})
    return count


def _may_be_several(chosen: Chosen) -> bool:
    return chosen.need.shape == "replace" and chosen.need.several and chosen.things[0].talk.several


def _set_deadline(case: Case, chosen: Chosen, extras: Extras) -> None:
    said = sayings().demand
    day = case.history.today + timedelta(days=case.rng.randint(_LEAST_DAYS, _MOST_DAYS))
    deadline = f"{case.rng.choice(('by', 'before'))} {day_named(day)}"
    if case.rng.random() < 0.25:
        deadline = f"within {case.rng.choice(('two', 'three'))} weeks"
    several = chosen.need.shape == "together"
    pressing = said.deadline if chosen.need.deadline else said.deadline_mild
    extras.amounts.append(case.say(said.deadlines if several else pressing).format(deadline=deadline))
    extras.constraints = extras.constraints.model_copy(update={"deadline": deadline})


def _set_budget(case: Case, chosen: Chosen, extras: Extras, count: int) -> None:
    """Of all together, of each, or of the one thing that is bought; now and then what is usually spent, or nothing."""
    need, several = chosen.need, chosen.need.shape == "together"
    per_item = (
        need.per_item or (count > 1 and case.rng.random() < 0.6) or (need.per_item_too and case.rng.random() < 0.4)
    )
    extras.scope = "each" if per_item else "total" if several or count > 1 else "single"
    without = bought_before(case, chosen)
    offers = [case.shelf.kept(thing, extras.constraints, without) for thing in chosen.things]
    budget = budget_for(
        offers,
        min(0.9, max(0.1, case.level + need.level)),
        dearest=per_item or not several,
        pieces=1 if per_item else count,
    )
    if not (per_item or several or need.calculator or need.level > 0) and case.rng.random() < _UNBOUNDED:
        budget = None
    usual = sayable(case, chosen, sayings().budget.none)
    if budget is not None:
        extras.budget = budget_sentence(case.rng, budget, extras.scope)
    elif usual and case.history.orders >= _USUAL:
        extras.budget = said_by(case, usual).say
    extras.constraints = extras.constraints.model_copy(
        update={"budget": budget, "budget_scope": "per_item" if per_item and budget else "total"}
    )
