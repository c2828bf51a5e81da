"""Several judges as one where two reports are compared: what most of them say, else a tie."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from drretail.eval.gathering import Seat
from drretail.eval.pairwise.outcomes import Outcome, Results
from drretail.eval.pairwise.pairs import Labels
from drretail.eval.panel import panel_ref, panels_of

MAJORITY = "majority"
Said = Literal["win", "tie", "loss"]


def with_majorities(results: Results) -> Results:
    """The same, and one more judge where two or more models compared the same systems under the same rules."""
    panels: Results = {}
    spoken = [seat for seat, by_pair in results.items() if _has_spoken(by_pair)]
    for seats in panels_of(sorted(spoken, key=lambda seat: seat.order)):
        members = [results[seat] for seat in seats]
        panel = Seat(panel_ref([seat.judge for seat in seats], MAJORITY), seats[0].rules)
        panels[panel] = {
            labels: {
                dimension: [
                    _most(said) for said in zip(*(by_pair[labels][dimension] for by_pair in members), strict=True)
                ]
                for dimension in members[0][labels]
            }
            for labels in members[0]
            if all(labels in by_pair for by_pair in members)
        }
    return {**results, **{seat: by_pair for seat, by_pair in panels.items() if by_pair}}


def _has_spoken(by_pair: Mapping[Labels, Mapping[str, Sequence[Outcome]]]) -> bool:
    """False for a judge that was to be asked and met the cap before its first answer."""
    every = (outcome for by_dimension in by_pair.values() for it in by_dimension.values() for outcome in it)
    return any(outcome.why not in ("not_judged", "runs_failed") for outcome in every)


def _most(outcomes: Sequence[Outcome]) -> Outcome:
    """One meeting: scored where more than half of the panel scored it, and won by whom more than half prefer."""
    told: Counter[Said] = Counter(said for outcome in outcomes if (said := _said(outcome)) is not None)
    query_id, members = outcomes[0].query_id, len(outcomes)
    if 2 * told.total() <= members:
        lacking = [outcome for outcome in outcomes if outcome.result is None]
        return min(lacking, key=lambda outcome: (outcome.is_na, outcome.why or ""))
    tie: Said = "tie"
    winner = next((said for said, count in told.items() if 2 * count > members), tie)
    return Outcome(
        query_id,
        win=float(winner == "win"),
        tie=float(winner == "tie"),
        loss=float(winner == "loss"),
        disagreed=float(len(told) > 1),
    )


def _said(outcome: Outcome) -> Said | None:
    if outcome.result is None:
        return None
    return "win" if outcome.result > 0.5 else "loss" if outcome.result < 0.5 else "tie"
