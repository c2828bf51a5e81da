"""What a query demands besides the things themselves: each demand is typed and in the text, and the shop meets it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

from drretail.querygen.rules.choosing import Case, Chosen
from drretail.querygen.rules.history import History
from drretail.querygen.rules.naming import Thing
from drretail.querygen.rules.needs import sayings
from drretail.querygen.rules.offers import budget_for
from drretail.querygen.rules.sentences import Said, amount, day_named, when
from drretail.records.money import Money
from drretail.records.wish import Want, Wish

# The highest of these that the offers allow is asked for.
_STARS = (4.5, 4.3, 4)
_REVIEWS = (500, 200, 100, 50, 20, 10)
_COUNTS = {2: "two", 3: "three", 4: "four"}
_LEAST_DAYS, _MOST_DAYS = 7, 30
# How often a text names a property, something that is ruled out, a rating, a day, a number, each of several, no budget,
# and invites more than it names.
_MUST, _BAN, _RATING, _DEADLINE, _SEVERAL, _EACH, _UNBOUNDED, _ROOM = 0.6, 0.35, 0.4, 0.15, 0.4, 0.5, 0.15, 0.2
# So many properties are looked for: each is read in the texts of all offers.
_TRIED = 12
# Whoever has fewer purchases of known prices, or less than this share of all, has no usual way of spending.
_USUAL, _USUAL_SHARE = 3, 0.5
# An answer needs something to choose from.
_ENOUGH = 2


@dataclass(slots=True)
class Demanded:
    """What is wanted of each thing and of all together, with the sentences that put it into words."""

    wants: tuple[Want, ...]
    """One for each thing, in their order."""
    budget: Money | None = None
    room: bool = False
    deadline: str | None = None
    sentences: list[str] = field(default_factory=list[str])
    """Of one thing among several, of brands, how many, until when, and what else."""
    clauses: list[str] = field(default_factory=list[str])
    """What all that is asked for should be and have, and cost."""
    scope: Literal["total", "single", "each"] = "single"

    @property
    def names_an_amount(self) -> bool:
        return self.budget is not None or any(want.price_max is not None for want in self.wants)

    def wish(self, case: Case, chosen: Chosen) -> Wish:
        """What the query wants; of things of which any will do, one."""
        wants = (_any_of(self.wants),) if chosen.any_will_do else self.wants
        return Wish(
            wants=wants, budget=self.budget, room=self.room, deadline=self.deadline, owned=_spoken_of(case, chosen)
        )


def demands_of(case: Case, chosen: Chosen) -> Demanded | None:
    """What this query demands, by seeded choice; None where the shop offers nothing that fits what the user has."""
    demanded = Demanded(tuple(_want(case, chosen, thing) for thing in chosen.all_things))
    if not _can_be_met(case, demanded.wants, least=1):
        return None
    if chosen.need.unwanted and not _refuse_brand(case, chosen, demanded):
        return None
    _demand(case, chosen, demanded)
    if case.rng.random() < _RATING:
        _ask_for_ratings(case, demanded)
    count = _count(case, chosen, demanded)
    if case.rng.random() < _DEADLINE:
        _set_deadline(case, demanded)
    _invite_more(case, chosen, demanded)
    _set_budget(case, chosen, demanded, count)
    return demanded


def _want(case: Case, chosen: Chosen, thing: Thing) -> Want:
    again, optional = chosen.need.shape == "again", thing is chosen.maybe
    return case.assortment.want_of(thing).model_copy(update={"again": again, "optional": optional})


def _any_of(wants: Sequence[Want]) -> Want:
    """One want that any of the things will do for. The demands on each are the same."""
    name = " or ".join(want.name for want in wants)
    kinds = tuple(dict.fromkeys(kind for want in wants for kind in want.kinds))
    return wants[0].model_copy(update={"name": name, "kinds": kinds})


def _spoken_of(case: Case, chosen: Chosen) -> tuple[str, ...]:
    """The products that the text speaks of: all of that name from the time that it names."""
    mine, today = chosen.purchase, case.history.today
    alike = (it for it in case.history.purchases if it.thing.words == mine.thing.words)
    return tuple(it.product_id for it in alike if when(it.day, today) == when(mine.day, today))


def _updated(wants: Sequence[Want], **update: object) -> tuple[Want, ...]:
    return tuple(want.model_copy(update=update) for want in wants)


def _accept(case: Case, demanded: Demanded, wants: tuple[Want, ...]) -> bool:
    """True when the offers allow these wants, which then hold."""
    if not _can_be_met(case, wants):
        return False
    demanded.wants = wants
    return True


def _can_be_met(case: Case, wants: Sequence[Want], least: int = _ENOUGH) -> bool:
    without = case.history.product_ids
    return all(len(case.assortment.fitting(want, without)) >= least for want in wants)


def _refuse_brand(case: Case, chosen: Chosen, demanded: Demanded) -> bool:
    brand = chosen.purchase.brand or ""
    if not _accept(case, demanded, _updated(demanded.wants, brands_unwanted=(brand,))):
        return False
    demanded.sentences.append(case.say(sayings().demand.brand).format(brand=brand))
    return True


def _demand(case: Case, chosen: Chosen, demanded: Demanded) -> None:
    """What one of the things must be, or whichever is chosen; and what none must have."""
    words, thing = sayings().demand, case.rng.choice(chosen.things)
    of_all = chosen.any_will_do or len(demanded.wants) == 1
    if case.rng.random() < _MUST:
        bound = chosen.things if of_all else (thing,)
        for must in _telling(case, sayings().must, thing):
            wants = tuple(
                want.model_copy(update={"must": (must,)}) if of in bound else want
                for of, want in zip(chosen.all_things, demanded.wants, strict=True)
            )
            if all(case.assortment.differ_in(of, must) for of in bound) and _accept(case, demanded, wants):
                if of_all:
                    demanded.clauses.append(case.rng.choice(words.must).format(must=must))
                else:
                    demanded.sentences.append(case.say(words.of_one).format(thing=Said(thing.phrase), must=must))
                break
    if case.rng.random() < _BAN:
        bans = sayings().must_not["used_up" if case.assortment.are_used_up(thing) else "lasting"]
        for ban in case.rng.sample(bans, min(_TRIED, len(bans))):
            wants = _updated(demanded.wants, must_not=(ban,))
            if case.assortment.differ_by(thing, ban) and _accept(case, demanded, wants):
                demanded.clauses.append(case.rng.choice(words.ban).format(ban=ban))
                return


def _ask_for_ratings(case: Case, demanded: Demanded) -> None:
    """At least so many stars, or reviews; of the highest that the offers allow."""
    words = sayings().demand
    if case.rng.random() < 0.6:
        for stars in _STARS[case.rng.randint(0, 2) :]:
            if _accept(case, demanded, _updated(demanded.wants, rating_min=stars)):
                demanded.clauses.append(case.rng.choice(words.stars).format(stars=stars))
                return
    for reviews in _REVIEWS[case.rng.randint(0, 2) :]:
        if _accept(case, demanded, _updated(demanded.wants, ratings_min=reviews)):
            demanded.clauses.append(case.rng.choice(words.reviews).format(reviews=reviews))
            return


def _count(case: Case, chosen: Chosen, demanded: Demanded) -> int:
    """How many are to be bought, in words where it is more than one."""
    if not (chosen.need.quantity or (chosen.need.several and case.rng.random() < _SEVERAL)):
        return 1
    count = case.rng.choice((2, 3, 4) if chosen.need.quantity else (2, 3))
    demanded.sentences.append(case.say(sayings().demand.quantity).format(count=_COUNTS[count]))
    demanded.wants = _updated(demanded.wants, quantity=count)
    return count


def _set_deadline(case: Case, demanded: Demanded) -> None:
    day = case.history.today + timedelta(days=case.rng.randint(_LEAST_DAYS, _MOST_DAYS))
    demanded.deadline = f"{case.rng.choice(('by', 'before'))} {day_named(day)}"
    demanded.sentences.append(case.say(sayings().demand.deadline).format(deadline=demanded.deadline))


def _invite_more(case: Case, chosen: Chosen, demanded: Demanded) -> None:
    """Asks about one thing more, where there is one, and now and then what else should come along."""
    words = sayings().demand
    if chosen.maybe is not None:
        demanded.sentences.append(case.say(words.maybe).format(thing=Said(chosen.maybe.phrase)))
    if chosen.need.shape == "together" and case.rng.random() < _ROOM:
        demanded.sentences.append(case.say(words.room))
        demanded.room = True


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
    need, several, words = chosen.need, chosen.need.shape == "together", sayings().budget
    per_item = need.per_item or (count > 1 and case.rng.random() < _EACH)
    demanded.scope = "each" if per_item else "total" if several or count > 1 else "single"
    without = case.history.product_ids
    limit = budget_for(
        [case.assortment.fitting(want, without) for want in demanded.wants],
        min(0.9, max(0.1, case.level + need.level)),
        dearest=per_item or not several,
        pieces=1 if per_item else count,
    )
    if limit is not None and _contradicts(chosen, limit, 1 if per_item else count):
        limit = None
    if not (per_item or several or need.calculator or need.level > 0) and case.rng.random() < _UNBOUNDED:
        limit = None
    if limit is not None:
        demanded.clauses.append(case.rng.choice(getattr(words, demanded.scope)).format(amount=amount(limit)))
        if per_item:
            demanded.wants = _updated(demanded.wants, price_max=limit)
        else:
            demanded.budget = limit
    elif _has_a_usual_price(case.history):
        demanded.clauses.append(case.rng.choice(words.usual))


def _telling(case: Case, properties: Sequence[str], thing: Thing) -> Iterator[str]:
    """The properties by which some offers of the thing differ from others, in seeded order."""
    tried = case.rng.sample(properties, min(_TRIED, len(properties)))
    return (must for must in tried if case.assortment.differ_in(thing, must))
