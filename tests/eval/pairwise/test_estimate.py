"""What comparing is likely to take."""

from pathlib import Path

import pytest

from drretail.errors import UserError
from drretail.eval.judging.estimate import estimate_judging
from drretail.eval.judging.session import Judge
from drretail.llm.prices import read_prices
from drretail.llm.registry import open_model
from tests.eval.folders import experiment, scripted_judge
from tests.eval.pairwise.judging import SIX, A, B, C, compared, prefers_a, reports, two


def sonnet() -> Judge:
    return Judge.of(
        open_model("anthropic:claude-sonnet-5", environ={"ANTHROPIC_API_KEY": "k" * 20}, prices=read_prices())
    )


def test_pairs_of_reports_are_counted_and_the_paper_s_rules_cost_half(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {**two(3), C: {**reports("c", 3), "q1-r1": None}})
    (whole,) = estimate_judging(folder, ["pairwise"], [sonnet()])
    (half,) = estimate_judging(folder, ["pairwise"], [sonnet()], rules="paper")
    (named,) = estimate_judging(folder, ["pairwise"], [sonnet()], pairs=[f"{A}~{B}"])
    assert (whole.count, half.count, named.count) == (3 + 2 + 2, 7, 3)
    assert whole.calls.low == 2 * half.calls.low == 7 * 14
    assert whole.dollars is not None
    assert half.dollars is not None
    assert whole.dollars.high == pytest.approx(2 * half.dollars.high)


def test_it_stands_beside_other_families_in_the_order_asked(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", two(2))
    names = [it.name for it in estimate_judging(folder, ["quality", "checks", "pairwise"], [sonnet()])]
    assert names == ["quality by anthropic:claude-sonnet-5", "pairwise by anthropic:claude-sonnet-5"]


def test_what_was_compared_here_is_the_better_basis_and_is_not_counted_again(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", two(2), users={"q1": "u", "q2": "u"})
    judge, asked = scripted_judge(prefers_a)
    compared(folder, judge, rules="paper")
    assert len(asked) == 2 * (SIX + 1)
    (paper,) = estimate_judging(folder, ["pairwise"], [judge], rules="paper")
    (rest,) = estimate_judging(folder, ["pairwise"], [judge])
    assert (paper.count, rest.count) == (0, 2)  # of the answers to two pairs half are there, but for constraints
    assert rest.calls.low == rest.calls.high == pytest.approx(14 + 2)
    assert rest.basis == f"2 pairs judged here by {judge.slug}"
    compared(folder, judge)
    assert len(asked) == 14 + 14 + 2
    (same,) = estimate_judging(folder, ["pairwise"], [judge])
    (other,) = estimate_judging(folder, ["pairwise"], [sonnet()])
    assert (same.count, other.count, other.calls.low) == (0, 2, pytest.approx(30))


def test_comparing_that_met_its_cap_is_estimated_by_what_is_left_of_it(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", two(2), users={"q1": "u", "q2": "u"})
    judge, asked = scripted_judge(prefers_a)
    compared(folder, judge)
    for path in folder.glob("verdicts/pairwise/*/*/q*.jsonl"):
        if not path.name.endswith(".journal.jsonl"):
            path.write_text("".join(path.read_text(encoding="utf-8").splitlines(keepends=True)[:7]), encoding="utf-8")
    (half,) = estimate_judging(folder, ["pairwise"], [judge])
    assert len(asked) == 28
    assert half.count == 1  # half of two


def test_rules_that_say_nothing_of_pairs_are_refused(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", two(1))
    with pytest.raises(UserError, match="pairwise knows the rules default and paper"):
        estimate_judging(folder, ["pairwise"], [sonnet()], rules="drg")
    with pytest.raises(UserError, match="and not drg"):
        compared(folder, sonnet(), rules="drg")
    assert not (folder / "verdicts").exists()
