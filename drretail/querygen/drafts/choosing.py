"""What a need is about, as far as the record supports it: a purchase to start from, and the things asked for.

replace   another product of a kind that the user has
again     what is used up, or something in its place
beside    one more thing for something the user has
together  several things at once, for an undertaking or a household
either    one of two kinds of things
present   something for somebody who shares the user's taste
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from drretail.querygen.drafts.case import Case
from drretail.querygen.history import Purchase
from drretail.querygen.knowledge import Choice, Project, choices, projects_with
from drretail.querygen.needs import Need, Shape
from drretail.querygen.things import Thing, thing_named

# A fault shows only after some use.
_DAYS_OF_USE = 30
_LEAST_TOGETHER, _MOST_TOGETHER = 2, 4
# Of a present for one person so many are thought of.
_IDEAS = 2


@dataclass(frozen=True, slots=True)
class Chosen:
    """A need with what it is about in one user's case."""

    need: Need
    purchase: Purchase
    things: tuple[Thing, ...]
    """What is asked for; of "either" and "present", one of them."""
    about: frozenset[str]
    asks: tuple[str, ...] = ()
    """What only the web knows, with slots; none: what the need or the kinds have."""
    slots: dict[str, str] = field(default_factory=dict[str, str])
    family: tuple[str, ...] = ()
    """Names of the kinds that belong to what the need is about."""


def choose(case: Case, need: Need) -> Chosen | None:
    """What the need is about; None where the record or the shop does not support it."""
    if need.place and not case.history.state:
        return None
    return _CHOOSERS[need.shape](case, need)


def _replace(case: Case, need: Need) -> Chosen | None:
    days = max(need.days, _DAYS_OF_USE if not need.days else 0)
    fitting = (
        it
        for it in _purchases(case, need)
        if not it.uses_up and (case.history.today - it.day).days >= days and case.has_other(it)
    )
    return _one(need, case.pick(list(fitting)))


def _again(case: Case, need: Need) -> Chosen | None:
    today = case.history.today
    fitting = [
        it
        for it in _purchases(case, need, lasting=False)
        if it.uses_up and (it.lasts(today) or need.late) and case.has_other(it)
    ]
    return _one(need, case.pick(fitting))


def _one(need: Need, purchase: Purchase | None) -> Chosen | None:
    if purchase is None:
        return None
    return Chosen(need, purchase, (purchase.thing,), frozenset({purchase.thing.name}))


def _beside(case: Case, need: Need) -> Chosen | None:
    found: list[Chosen] = []
    for purchase in _purchases(case, need):
        pairs = _seasonal(need, purchase) if need.source == "projects" else _paired(need, purchase)
        found += [
            Chosen(need, purchase, (thing,), frozenset({thing.name}), asks, slots, family)
            for thing, asks, slots, family in pairs
            if thing.name not in case.avoid and case.is_new(thing)
        ]
    return case.rng.choice(found) if found else None


Paired = Iterable[tuple[Thing, tuple[str, ...], dict[str, str], tuple[str, ...]]]


def _paired(need: Need, purchase: Purchase) -> Paired:
    return [(thing_named(it.thing), it.ask, {}, (it.thing,)) for it in need.pairs if it.mine == purchase.thing.name]


def _seasonal(need: Need, purchase: Purchase) -> Paired:
    return [
        (thing_named(name), project.ask, {"here": here}, project.things)
        for project in _projects(need, purchase)
        for name in project.kinds
        for here in project.here
    ]


def _together(case: Case, need: Need) -> Chosen | None:
    found: list[Chosen] = []
    for purchase in _purchases(case, need):
        sets: list[tuple[tuple[str, ...], tuple[str, ...], dict[str, str]]] = (
            [(it.things, it.ask, {"goal": it.goal}) for it in _projects(need, purchase)]
            if need.source == "projects"
            else [(need.things, (), {})]
        )
        for names, asks, slots in sets:
            missing = [it for it in map(thing_named, names) if it.name not in case.avoid and case.is_new(it)]
            if len(missing) >= _LEAST_TOGETHER and slots.get("goal", need.name) not in case.avoid:
                family = (*names, *need.mine)
                found.append(Chosen(need, purchase, tuple(missing), frozenset(), asks, slots, family))
    if not found:
        return None
    chosen = case.rng.choice(found)
    wanted = tuple(case.some(chosen.things, case.rng.randint(_LEAST_TOGETHER, _MOST_TOGETHER)))
    about = frozenset({chosen.slots.get("goal", need.name), *(thing.name for thing in wanted)})
    return replace(chosen, things=wanted, about=about)


def _either(case: Case, need: Need) -> Chosen | None:
    found: list[Chosen] = []
    for purchase in _purchases(case, need):
        for choice in _choices_near(case, purchase, tried=need.source == "tried"):
            first, second = (thing_named(name) for name in choice.kinds)
            if second.name == purchase.thing.name:
                first, second = second, first
            about = frozenset({first.name, second.name})
            near = tuple(name for project in projects_with(purchase.thing.name) for name in project.things)
            found.append(Chosen(need, purchase, (first, second), about, slots={"need": choice.need}, family=near))
    return case.rng.choice(found) if found else None


def _choices_near(case: Case, purchase: Purchase, *, tried: bool) -> list[Choice]:
    """Choices of which the purchase is one side, or else that belong to a project of it; both sides on offer."""
    mine = purchase.thing.name
    near = {name for project in projects_with(mine) for name in project.things} - {mine}
    return [
        choice
        for choice in choices()
        if (mine in choice.kinds if tried else set(choice.kinds) <= near)
        and not set(choice.kinds) & case.avoid
        and all(case.is_new(thing_named(name)) for name in choice.kinds if name != mine)
        and (not tried or case.has_other(purchase))
    ]


def _present(case: Case, need: Need) -> Chosen | None:
    found: list[Chosen] = []
    for purchase in _purchases(case, need):
        if purchase.thing.kind is None or not purchase.thing.kind.gift:
            continue
        for project in _projects(need, purchase):
            about = f"gift: {project.interest}"
            names = [name for name in project.things if not need.things or name in need.things]
            gifts = [thing for thing in map(thing_named, names) if _is_gift(case, thing, purchase)]
            if len(gifts) >= (1 if need.quantity else _IDEAS) and about not in case.avoid:
                slots = {"interest": project.interest}
                found.append(
                    Chosen(need, purchase, tuple(gifts), frozenset({about}), slots=slots, family=project.things)
                )
    if not found:
        return None
    chosen = case.rng.choice(found)
    ideas = tuple(case.some(chosen.things, 1 if need.quantity else _IDEAS))
    return replace(chosen, things=ideas, about=chosen.about | {thing.name for thing in ideas})


def _is_gift(case: Case, thing: Thing, purchase: Purchase) -> bool:
    return (
        thing.talk.gift
        and thing.name not in case.avoid
        and thing.name != purchase.thing.name
        and case.shelf.has(thing, without=case.history.product_ids)
    )


def _purchases(case: Case, need: Need, *, lasting: bool = True) -> list[Purchase]:
    """The purchases that a need may start from, newest first; of each kind, the newest: that is the one in use."""
    return [
        it
        for it in case.history.purchases
        if case.history.owns(it.thing.name) is it
        and (not need.mine or it.thing.name in need.mine)
        and (not need.brand or it.brand is not None)
        and (not need.made_of or it.is_of(need.made_of))
        and it.thing.name not in case.spoken_of
        and (not lasting or need.late or it.lasts(case.history.today))
        and (need.outgrown or not it.is_outgrown(case.history.today))
    ]


def _projects(need: Need, purchase: Purchase) -> list[Project]:
    if purchase.thing.kind is None:
        return []
    return [it for it in projects_with(purchase.thing.name) if not need.interests or it.interest in need.interests]


_CHOOSERS: dict[Shape, Callable[[Case, Need], Chosen | None]] = {
    "replace": _replace,
    "again": _again,
    "beside": _beside,
    "together": _together,
    "either": _either,
    "present": _present,
}
