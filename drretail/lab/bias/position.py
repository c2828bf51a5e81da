"""Does the report that is read first win, whosever it is?"""

from collections import defaultdict

from drretail.eval.registry import PAIRWISE
from drretail.eval.scores.gathering import Assessor, gather
from drretail.eval.scores.pair_outcomes import read_outcomes
from drretail.lab.bias.effects import by_query, difference, over_dimensions, share
from drretail.lab.bias.probe import Case, Effects, Probe

NAME = "position"
NO_PAIR = "the reports are of one system, and no two can be compared"
NOT_COMPARED = "no two reports were compared in both orders"


def _find(case: Case) -> Effects | str:
    """The share of first minus that of second places that won, and how often the winner changed with the order."""
    labels = {subject.label for subject in case.reports.subjects}
    if len(labels) < 2:
        return NO_PAIR
    found = read_outcomes(case.folder, gather(case.folder, [])).get(Assessor(case.judge.ref, "default"), {})
    leaning: dict[str, list[tuple[str, float]]] = defaultdict(list)
    flips: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for pair, by_dimension in found.items():
        for dimension, outcomes in by_dimension.items() if labels.issuperset(pair) else ():
            for outcome in outcomes:
                if outcome.flipped is not None and outcome.first_preferred is not None:
                    flips[dimension].append((outcome.query_id, outcome.flipped))
                    leaning[dimension].append((outcome.query_id, 2 * outcome.first_preferred - 1))
    if not flips:
        return NOT_COMPARED
    first = {dimension: by_query(values) for dimension, values in leaning.items()}
    changed = {dimension: by_query(values) for dimension, values in flips.items()}
    return [
        *(
            difference("first preferred minus second", values, dimension=dimension, unit="share")
            for dimension, values in over_dimensions(first)
        ),
        *(
            share("flipped with the order", values, dimension=dimension)
            for dimension, values in over_dimensions(changed)
        ),
    ]


PROBE = Probe(NAME, "Does the report that is read first win?", (PAIRWISE,), _find)
