"""What judging is likely to take: by what it took here, or typically takes. Also tests llm/estimates.py."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from drretail.eval.estimate import estimate_judging
from drretail.eval.judging.session import Again, Judge
from drretail.eval.judging.spending import judging_costs
from drretail.eval.registry import METRICS, PAIRWISE, load_metric
from drretail.llm.estimates import Estimate, typical
from drretail.llm.registry import build_model
from drretail.records.run import IMPORTED_AGENT, LOOKED_UP, System
from tests import build
from tests.build import LABEL, experiment, scripted_judge

REPORTS = {LABEL: {"q1-r1": "A long report.", "q2-r1": "Short.", "q3-r1": None}}
A, B, C = "a@model", "b@model", "c@model"


def sonnet(**given: Any) -> Judge:
    return Judge.of(build_model("anthropic:claude-sonnet-5", environ={"ANTHROPIC_API_KEY": "k" * 20}), **given)


def left(
    folder: Path, metric: str, judge: Judge, again: Again = "nothing", pairs: Sequence[str] = (), repeats: int = 1
) -> Estimate:
    (estimate,) = estimate_judging(folder, [metric], [judge], again, pairs, repeats)
    return estimate


@pytest.mark.parametrize("metric", [name for name in METRICS if load_metric(name).prompt_hashes() - {""}])
def test_reports_that_nobody_judged_take_what_is_typical_and_nothing_is_written(tmp_path: Path, metric: str) -> None:
    folder = experiment(tmp_path / "exp", REPORTS)
    held = build.files(folder)
    estimate = left(folder, metric, sonnet())
    calls, read, written = typical("judging").get(metric, typical("judging")["any"])
    assert (estimate.count, estimate.basis) == (2, "typical reports")
    assert (estimate.calls, estimate.input, estimate.output) == (round(2 * calls), 2 * read, 2 * written)
    assert estimate.dollars == pytest.approx(2 * (read * 2 + written * 10) / 1e6, rel=1e-2)
    assert build.files(folder) == held


def test_a_shop_s_answers_are_read_by_the_judge_of_what_is_false(tmp_path: Path) -> None:
    system = System(agent=IMPORTED_AGENT, models={}, options={LOOKED_UP: True})
    of_shop = experiment(tmp_path / "shop", REPORTS, of={LABEL: system})
    assert left(of_shop, "false_statements", sonnet()).calls == 2
    plain = experiment(tmp_path / "plain", REPORTS)
    assert [*estimate_judging(plain, ["false_statements"], [sonnet()], "nothing")] == []


def test_what_a_judge_took_here_is_a_better_basis_and_failures_are_left_where_they_are_retried(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", REPORTS)
    judge, _ = scripted_judge(lambda question: {"rating": 99, "justification": question[:5]})
    build.scored(folder, "quality", judge)
    counts = {again: left(folder, "quality", judge, again).count for again in ("nothing", "failed", "everything")}
    assert counts == {"nothing": 0, "failed": 2, "everything": 2}
    again, (took,) = left(folder, "quality", judge, "everything"), judging_costs(folder)
    assert (again.basis, again.calls, again.output) == ("2 reports here", took.cost.usage.calls, took.cost.usage.output)


def test_each_repeat_of_the_judge_counts_and_takes_its_part_of_what_was_taken_here(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", REPORTS)
    assert left(folder, "quality", sonnet(), repeats=3).count == 6
    judge, asked = scripted_judge(lambda question: {"rating": 7, "justification": question[:5]})
    build.scored(folder, "quality", judge, judge_repeats=2)
    more = left(folder, "quality", judge, repeats=3)
    assert (more.count, more.calls, more.basis) == (2, len(asked) // 2, "4 reports here")


def test_pairs_are_those_with_two_reports_of_the_systems_that_are_named(tmp_path: Path) -> None:
    report = {f"q{n}-r1": f"A report {n}." for n in (1, 2, 3)}
    folder = experiment(tmp_path / "exp", {A: report, B: report, C: {**report, "q1-r1": None}})
    assert left(folder, PAIRWISE, sonnet()).count == 3 + 2 + 2
    named = left(folder, PAIRWISE, sonnet(), pairs=[f"{A}~{B}"])
    assert (named.count, named.basis) == (3, "typical pairs")
