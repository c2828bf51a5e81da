"""What pairwise judging lacks: nobody compared, a judge failed, or it is not done."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from drretail.eval.compare.missing import A_JUDGE, flags
from drretail.eval.compare.wording import counted
from drretail.eval.gathering import Seat
from drretail.eval.panel import is_panel, names_panel
from drretail.records.comparison import Comparison, Missing
from drretail.records.pairs import PairScore
from drretail.records.score import JudgeRef


def lacking_pairs(
    comparison: Comparison, rows: Sequence[PairScore], experiment: str, seats: Sequence[Seat]
) -> Iterator[Missing]:
    """``rows`` are all of these two systems, ``seats`` those who judged single reports: one of them may be asked."""
    named = f"{comparison.a}~{comparison.b}"
    command = f"drretail score {experiment} --metrics pairwise --pairs {named}"
    rated = [row for row in rows if row.note is None and not names_panel(row.judge)]
    for seat, its in groupby(rated, key=_seat):
        yield from _of_judge(seat, list(its), f"{command}{flags(seat)}")
    if not rated:
        judges = [seat.judge.spec for seat in seats if seat.judge.kind == "llm" and not is_panel(seat.judge)]
        rules = ": a rule-based judge did, whose preferences are not shown" if rows else ""
        yield Missing(
            what=f"No language model compared the two side by side (pairwise){rules}",
            command=f"{command} --judge {judges[0] if judges else A_JUDGE}",
        )


def _of_judge(seat: Seat, rows: Sequence[PairScore], command: str) -> Iterator[Missing]:
    spec = seat.judge.spec
    failed, unasked = sum(row.failed_verdicts for row in rows), sum(row.not_judged for row in rows)
    if failed:
        nothing = "" if any(row.n_scored for row in rows) else ", so nothing is known of whom it prefers"
        what = f"{spec} gave no usable answer to {counted(failed, 'question')} side by side{nothing}"
        yield Missing(what=what, command=f"{command} --retry-failed")
    if unasked:
        what = f"{counted(unasked, 'comparison')} side by side not asked of {spec} yet"
        yield Missing(what=what, command=command)


def _seat(row: PairScore) -> Seat:
    return Seat(JudgeRef(spec=row.judge, kind=row.judge_kind, params_hash=row.judge_params), row.rules)
