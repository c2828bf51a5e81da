"""Is the same report rated otherwise at half and at twice its length?"""

from drretail.lab.bias.effects import by_query, difference, over_dimensions
from drretail.lab.bias.probe import Case, Effects, Probe
from drretail.lab.bias.probed_reports import HALF, TWICE, length_label

NAME = "length"
NOT_RATED = "no copy was rated beside its report"


def _find(case: Case) -> Effects | str:
    """By how much the rating changes against that of the report itself."""
    changes = {length: _changes(case, length) for length in (TWICE, HALF)}
    if not any(values for by_dimension in changes.values() for values in by_dimension.values()):
        return NOT_RATED
    return [
        difference(f"{length} minus once", values, dimension=dimension)
        for length, by_dimension in changes.items()
        for dimension, values in over_dimensions(by_dimension)
    ]


def _changes(case: Case, length: str) -> dict[str, dict[str, list[float]]]:
    found: dict[str, dict[str, list[float]]] = {}
    for dimension, rated in case.ratings.items():
        pairs = (
            (subject.query.query_id, rated.get((length_label(subject.label, length), subject.query.query_id)), subject)
            for subject in case.reports.subjects
        )
        found[dimension] = by_query(
            (query, changed - rated[pair.label, query])
            for query, changed, pair in pairs
            if changed is not None and (pair.label, query) in rated
        )
    return found


PROBE = Probe(NAME, "Does it rate the same report higher when it is longer?", ("quality",), _find, with_lengths=True)
