"""Experiments as their judges left them, made of numbers alone."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from drretail.eval.judging.dimensions import PRIMARY
from drretail.eval.metric import Metric, Value
from drretail.eval.numbers.comparing import compare_systems
from drretail.eval.numbers.contrast import DONE
from drretail.eval.numbers.family import assessors_of
from drretail.eval.numbers.gathering import Gathered, JudgedRun, PlannedRun, averaged
from drretail.eval.numbers.judges import Assessor, Board, TableKey
from drretail.eval.numbers.wording import PREFERENCE
from drretail.eval.registry import PAIRWISE, load_metric
from drretail.records.comparison import ComparedRow, Comparison, JudgeTable, PairScore
from drretail.records.score import JudgeRef
from tests import build
from tests.build import SYSTEM

JUDGE = Assessor(JudgeRef(spec="anthropic:claude", kind="llm"), "default")
OTHER = Assessor(JudgeRef(spec="openai:gpt", kind="llm"), "default")
RULES = Assessor(JudgeRef(spec="offline:judge", kind="rule_based"), "default")
CODE = Assessor(JudgeRef(spec="code", kind="rule_based"), "default")
Run = float | Sequence[float] | str | None
"""A value, one for each repeat of the judge, a state, or no report; "not judged" is a report before no judge."""
Runs = Mapping[str, Sequence[Run]]
"""By query, one for each repeat of the agent."""


def gathered(
    *message: tuple[str, str, Assessor, Mapping[str, Runs]],
    items: Mapping[str, Mapping[str, float]] | None = None,
    users: Mapping[str, str] | None = None,
) -> Gathered:
    """What each (metric, variant, seat) came to, by label; all have the labels and queries of the first.

    ``items`` are, by label, those of each value; ``users`` ask the queries that they are named for.
    """
    _, _, _, systems = message[0]
    queries = {name: build.query(name, user_id=(users or {}).get(name)) for runs in systems.values() for name in runs}
    metrics: dict[str, Metric] = {metric: load_metric(metric) for metric, *_ in message}
    zeros = {
        name: {variant: Value(variant, "scored", 0.0) for variant in metric.description.success}
        for name, metric in metrics.items()
    }
    plans = [
        PlannedRun(
            label,
            queries[name],
            at,
            f"{label}/{name}-r{at}",
            None if run is None else "sha",
            words=int(run is not None),
            status="failed" if run is None else "done",
            without_report=zeros if run is None else {},
        )
        for label, runs in sorted(systems.items())
        for name, repeats in runs.items()
        for at, run in enumerate(repeats, 1)
    ]
    tables_of_judges: dict[TableKey, dict[str, JudgedRun]] = {}
    for metric, variant, assessor, by_label in message:
        result = tables_of_judges.setdefault(TableKey(metric, assessor), {})
        for plan in plans:
            run = by_label[plan.label][plan.query.query_id][plan.repeat - 1]
            if run not in (None, "not judged"):
                result[plan.run_id] = _with(
                    result.get(plan.run_id), plan.query.query_id, variant, run, (items or {}).get(plan.label, {})
                )
    definition = build.definition([*queries.values()], dict.fromkeys(systems, SYSTEM))
    judges = dict.fromkeys(assessor.judge.key for _, _, assessor, _ in message if assessor != CODE)
    return Gathered(definition, metrics, tuple(plans), tables_of_judges, Board(judge=tuple(judges)))


def _with(held: JudgedRun | None, query_id: str, variant: str, run: Run, items: Mapping[str, float]) -> JudgedRun:
    """What was heard, and this variant."""
    if isinstance(run, str):
        repeats = [Value(variant, run)]  # type: ignore[arg-type]  # a state, as tests write it
    else:
        numbers = [run] if isinstance(run, int | float) else list(run or ())
        repeats = [Value(variant, "scored", float(number), items) for number in numbers]
    before = {} if held is None else held.by_repeat
    by_repeat = {at: {**before.get(at, {}), variant: value} for at, value in enumerate(repeats, 1)}
    return JudgedRun(query_id, averaged(list(by_repeat.values())), None, by_repeat, verdicts=1)


def runs(values: Sequence[Run]) -> Runs:
    """A query for each value, run once."""
    return {f"q{at:03}": [value] for at, value in enumerate(values)}


def beside(
    a: Sequence[Run], b: Sequence[Run], *, metric: str = "quality", variant: str = "overall", assessor: Assessor = JUDGE
) -> Gathered:
    """Two systems "a" and "b" in one variant."""
    return gathered((metric, variant, assessor, {"a": runs(a), "b": runs(b)}))


def comparison(held: Gathered, a: str = "a", b: str = "b", *, pairs: Sequence[PairScore] = ()) -> Comparison:
    judges = dict.fromkeys((*held.board.judge, *(Assessor.of(row).judge.key for row in pairs)))
    held = replace(held, board=Board(judge=tuple(judges)))
    return compare_systems(held, a, b, assessors_of(held, pairs), pairs)


def only_table(made: Comparison) -> JudgeTable:
    """The only one besides that of ``done``."""
    (table,) = (table for table in made.tables if any(row.metric != DONE for row in table.rows))
    return table


def only_row(made: Comparison) -> ComparedRow:
    (row,) = (row for table in made.tables for row in table.rows if row.metric != DONE)
    return row


def noisy(n: int, better: float, seed: int = 1) -> tuple[list[float], list[float]]:
    """Two systems of which the first is better by so much on average."""
    rng = random.Random(seed)
    base = [rng.gauss(6, 1) for _ in range(n)]
    return [value + better + rng.gauss(0, 0.5) for value in base], [value + rng.gauss(0, 0.5) for value in base]


def pair_row(dimension: str, rate: float | None, low: float | None, high: float | None, **given: Any) -> PairScore:
    """20 pairs of reports on 10 queries; what is ``given`` of the contrast is its own."""
    about: dict[str, Any] = {"version": 1, "dimension": dimension, "a": "a", "b": "b"}
    about |= {"judge": "anthropic:claude", "judge_kind": "llm", "win_rate": rate, "ci_low": low, "ci_high": high}
    about |= {"n_planned": 20, "n_scored": 20, "wins": 3, "ties": 2, "losses": 15, "flip_rate": 0.1}
    about |= {"n_queries": 10, "p": 0.001}
    return preference(**about | given)


def preference(**row: Any) -> PairScore:
    """A row of two systems side by side, of a win rate with its interval and p."""
    rate, n = row.get("win_rate"), row.get("n_queries") or 0
    ends = {"difference": rate, "ci_low": row.get("ci_low"), "ci_high": row.get("ci_high")}
    contrast = ComparedRow(
        metric=PAIRWISE,
        variant=row["dimension"],
        name=PREFERENCE if row["dimension"] == PRIMARY else f"{row['dimension']} {PREFERENCE}",
        mean_a=rate,
        mean_b=None if rate is None else 1 - rate,
        **{name: None if end is None else round(2 * end - 1, 10) for name, end in ends.items()},
        n_planned=n,
        n_due=n,
        n_pairs=n,
        outcome=row.get("outcome", "undecided" if row["dimension"] == PRIMARY else "exploratory"),
        why=row.get("why", ""),
        **{name: row[name] for name in ("no_interval", "n_users", "p") if name in row},
    )
    even = {
        name: row.get(f"length_controlled{of}")
        for name, of in (("value", ""), ("ci_low", "_low"), ("ci_high", "_high"))
    }
    counts = {name: row[name] for name in PairScore.model_fields if name in row}
    made = {**counts, "length_controlled": even, "contrast": contrast.model_dump()}
    return PairScore.model_validate(made)
