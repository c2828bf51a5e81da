"""Comparisons that were asked for before anything was scored: ``--planned A~B:FP,feasible``.

They are corrected over what they ask, all others over all pairs of systems. The plan is kept in the experiment.
"""

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from drretail.errors import UnknownName, UserError
from drretail.eval.compare.wording import SIDE_BY_SIDE, primary_variants, row_facts
from drretail.eval.judging.pairs import BETWEEN, resolve_name
from drretail.eval.judging.verdicts import judged_in
from drretail.eval.metric import Metric
from drretail.eval.registry import METRICS, load_metrics
from drretail.experiment import PLANNED, read_plan
from drretail.files import write_json
from drretail.records.comparison import PlannedPair, PlannedPairs


def plan_of(texts: Iterable[str], labels: Collection[str], metrics: Sequence[str | Metric] = ()) -> list[PlannedPair]:
    """What these texts ask for; without names after the colon, all headlines.

    Raises UserError for a text of another form, and UnknownName for a wrong label or headline.
    """
    known = {SIDE_BY_SIDE} | {
        name
        for metric in load_metrics(dict.fromkeys((*METRICS, *(each for each in metrics if isinstance(each, Metric)))))
        for variant in primary_variants(metric)
        for name in (variant, row_facts(metric, variant)["name"])
    }
    made: list[PlannedPair] = []
    for text in texts:
        pair, colon, listed = text.partition(":")
        one, between, other = pair.partition(BETWEEN)
        if not (between and one.strip() and other.strip()):
            raise UserError(f"--planned {text!r} is no comparison: write A~B:FP,feasible, or A~B for all headlines.")
        names = [name.strip() for name in listed.split(",") if name.strip()]
        if colon and not names:
            raise UserError(f"--planned {text!r} names no headline: write A~B:FP,feasible, or A~B for all headlines.")
        for name in names:
            if name not in known:
                raise UnknownName("headline", name, sorted(known), names_all=True)
        a, b = sorted(resolve_name("system", each.strip(), labels) for each in (one, other))
        if a == b:
            raise UserError(f"--planned {text!r} names {a} twice: name two systems.")
        made.append(PlannedPair(a=a, b=b, headlines=tuple(names)))
    return made


def check_plan(experiment: Path, plan: Sequence[PlannedPair]) -> None:
    """Raises UserError if another plan is kept in the experiment, or if something was scored before this one."""
    before = read_plan(experiment)
    if not plan or before == tuple(plan):
        return
    if before:
        raise UserError(f"{experiment} has another plan: leave --planned out, or name what its {PLANNED} holds.")
    if judged_in(experiment) or (experiment / "scores.json").exists():
        raise UserError(
            f"{experiment} was scored before: a pair chosen after looking is corrected over all pairs. "
            "Plan with `drretail run --planned`, or at the first `drretail score`."
        )


def keep_plan(experiment: Path, plan: Sequence[PlannedPair]) -> None:
    """Keeps a plan in the experiment. Raises as ``check_plan`` does."""
    check_plan(experiment, plan)
    if plan:
        write_json(experiment / PLANNED, PlannedPairs(pairs=tuple(plan)).model_dump(mode="json"))
