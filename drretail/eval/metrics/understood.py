"""How well an agent that types its own wish understood the question, compared with the query's wish,
without a model.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from drretail.eval.baskets import Measured
from drretail.eval.judging.question import NO_WORLD
from drretail.eval.judging.subject import OfWant, Subject
from drretail.eval.metric import of_measures
from drretail.experiment import read_runs
from drretail.grounding.constraints import UNDECIDED
from drretail.records.query import NOT_TYPED
from drretail.records.wish import Want, Wish

LEAST_OVERLAP = 0.5
"""The least Jaccard index of the products that suit two wants, for the two to count as the same want."""
NOTHING_OFFERED = "the shop has nothing that would do for what the query wants"
NO_LIMITS = "neither wish names a budget, a brand or a number of pieces"


def compared(wish: Wish, understood: Wish, would_do: OfWant) -> Mapping[str, Measured]:
    """Each measure by its variant; ``wish`` is the query's.

    Wants for which the shop has nothing are left out, since no products show whether they were understood.
    """
    wanted, others = _offered(wish, would_do), _offered(understood, would_do)
    pairs = matched([products for _, products in wanted], [products for _, products in others])
    wants = {want: others[pairs[at]][0] if at in pairs else None for at, (want, _) in enumerate(wanted)}
    invented = [want for at, (want, _) in enumerate(others) if at not in pairs.values()]
    of_wants, of_limits = _wants(wish, understood, wants, invented), _limits(wish, understood, wants)
    mean = of_wants
    if of_wants.value is not None:
        # Only the wants, if no limits are named.
        known = [share.value for share in (of_wants, of_limits) if share.value is not None]
        mean = Measured(fmean(known), "; ".join([of_wants.reason, of_limits.reason]))
    return {"wants": of_wants, "limits": of_limits, "understood": mean}


def _offered(wish: Wish, would_do: OfWant) -> list[tuple[Want, frozenset[str]]]:
    """The wants for which the shop has suitable products, each with these."""
    return [(want, products) for want in wish.wants if (products := frozenset(would_do(want)))]


def matched(wanted: Sequence[Collection[str]], others: Sequence[Collection[str]]) -> Mapping[int, int]:
    """A largest matching: for each wanted set, the index of a different other set that overlaps it by at least half."""
    shares = [[overlap(one, other) for other in others] for one in wanted]
    near = [
        sorted((at for at in range(len(others)) if row[at] >= LEAST_OVERLAP), key=lambda at: -row[at]) for row in shares
    ]
    taken: dict[int, int] = {}

    def place(number: int, tried: set[int]) -> bool:
        for at in near[number]:
            if at not in tried:
                tried.add(at)
                if at not in taken or place(taken[at], tried):
                    taken[at] = number
                    return True
        return False

    for number in range(len(wanted)):
        place(number, set())
    return {number: at for at, number in taken.items()}


def overlap(one: Collection[str], other: Collection[str]) -> float:
    """The Jaccard index; 0 for two empty sets."""
    return len({*one} & {*other}) / (len({*one} | {*other}) or 1)


def _wants(wish: Wish, understood: Wish, wants: Mapping[Want, Want | None], invented: Sequence[Want]) -> Measured:
    """The share of the query's wants that were understood or, if nothing is to be bought, whether that was.

    If the agent names more wants than the query, the share is of the agent's: naming everything gains nothing.
    """
    if not wish.wants:
        return Measured(float(not understood.wants), "nothing is to be bought")
    if not wants:
        return Measured(None, NOTHING_OFFERED)
    lines = [f"{want.name}: {'nothing' if other is None else other.name}" for want, other in wants.items()]
    lines += [f"not asked for: {want.name}" for want in invented]
    understood_wants = sum(other is not None for other in wants.values())
    return Measured(understood_wants / max(len(wants), understood_wants + len(invented)), "; ".join(lines))


def _limits(wish: Wish, understood: Wish, wants: Mapping[Want, Want | None]) -> Measured:
    """The share of budget, brands and quantities that are equal, of those that at least one of the wishes names."""
    equal: dict[str, bool] = {}
    if wish.budget is not None or understood.budget is not None:
        amounts = [budget and (budget.value, budget.currency) for budget in (wish.budget, understood.budget)]
        equal["budget"] = amounts[0] == amounts[1]
    for want, other in wants.items():
        brands, others = _brands(want), frozenset[str]() if other is None else _brands(other)
        if brands or others:
            equal[f"brands of {want.name}"] = brands == others
        if want.quantity > 1 or (other is not None and other.quantity > 1):
            equal[f"quantity of {want.name}"] = other is not None and want.quantity == other.quantity
    if not equal:
        return Measured(None, NO_LIMITS)
    lines = [f"{name}: {'equal' if same else 'not equal'}" for name, same in equal.items()]
    return Measured(fmean(equal.values()), "; ".join(lines))


def _brands(want: Want) -> frozenset[str]:
    """The wanted brands, and the unwanted ones with a "-" before them."""
    unwanted = (f"-{brand}" for brand in want.brands_unwanted)
    return frozenset(brand.casefold() for brand in (*want.brands_wanted, *unwanted))


NOT_DECLARED = "the run does not say how it understood the question"


def measure(subject: Subject) -> Mapping[str, Measured] | str:
    """Every measure's value, by its variant."""
    understood = None if subject.run is None else subject.run.understood
    wish = subject.query.wish
    offers = subject.offers
    if understood is not None and wish is not None and offers is not None:
        # Fields and words decide for both wishes: what readers decided is about the words of the query's alone.
        return compared(wish, understood, lambda want: offers(want, UNDECIDED))
    return NOT_DECLARED if understood is None else NOT_TYPED if wish is None else NO_WORLD


def lacks_understanding(experiment: Path) -> str:
    """Why there is nothing to measure in an experiment; empty if a run declares how it understood its question."""
    if any(run.understood is not None for run in read_runs(experiment)):
        return ""
    return "holds no run that says how it understood its question"


METRIC = of_measures("understood", 1, measure, after=(), lacks=lacks_understanding)
