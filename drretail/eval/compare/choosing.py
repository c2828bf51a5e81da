"""Which systems are set beside each other, and which judges are heard."""

from collections.abc import Collection, Sequence
from itertools import combinations

from drretail.errors import UserError
from drretail.eval.gathering import Gathered, Seat
from drretail.eval.naming import named
from drretail.eval.pairwise.pairs import researching
from drretail.eval.panel import is_panel
from drretail.experiment import Definition
from drretail.records.pairs import PairScore
from drretail.records.score import CODE


def chosen_pairs(definition: Definition, a: str | None = None, b: str | None = None) -> list[tuple[str, str]]:
    """The pair that two labels name, else all pairs of systems that research, or those of them with ``a``.

    The beginning of a label will do where no other label begins so. Null agents, the oracle and runs with another
    user's profile are compared only by name. Raises UnknownName for a label that nothing goes by, UserError for one
    that could be several, and where there is nothing to compare.
    """
    if a is not None and b is not None:
        one, other = named("system", a, definition.systems), named("system", b, definition.systems)
        if one == other:
            raise UserError(f"Both {a!r} and {b!r} are {one}: name two systems.")
        return [(one, other)]
    labels = researching(definition)
    if a is not None:
        one = named("system", a, definition.systems)
        pairs = [(one, label) for label in labels if label != one]
    else:
        pairs = list(combinations(labels, 2))
    if not pairs:
        held = ", ".join(sorted(definition.systems)) or "no system"
        raise UserError(f"The experiment holds {held}: nothing to compare. Run another system into it, or name two.")
    return pairs


def chosen_judges(gathered: Gathered, pairs: Sequence[PairScore], judges: Sequence[str] = ()) -> frozenset[str]:
    """Every judge with verdicts, of single reports or of pairs, or those that are named; code is always among them.

    Raises as ``named`` does.
    """
    specs = {seat.judge.spec for metric in gathered.families for seat in gathered.seats(metric)} | {
        row.judge for row in pairs
    }
    wanted = {named("judge with verdicts here", judge, specs - {CODE}) for judge in judges}
    return frozenset((wanted or specs) | {CODE})


def seats_of(gathered: Gathered, judges: Collection[str]) -> list[Seat]:
    """Where these judges sit, under any rules: panels after single judges, and code last."""
    seats = {seat for metric in gathered.families for seat in gathered.seats(metric) if seat.judge.spec in judges}
    return sorted(seats, key=lambda seat: (seat.judge.spec == CODE, is_panel(seat.judge), seat.order))
