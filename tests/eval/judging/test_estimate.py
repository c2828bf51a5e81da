"""What judging is likely to take: ranges, what they rest on, and how many reports are left."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drretail.eval.judging.estimate import estimate_judging
from drretail.eval.judging.session import Judge, judging_usage
from drretail.eval.race.references import keep_references
from drretail.eval.scoring import score
from drretail.experiment import read_definition
from drretail.llm.estimates import together
from drretail.llm.prices import read_prices
from drretail.llm.registry import open_model
from drretail.progress import Progress
from drretail.records.base import sha256_of
from drretail.records.evidence import Evidence, EvidenceText
from drretail.records.run import Usage
from tests.eval.every_question import every_answer
from tests.eval.folders import LABEL, experiment, scripted_judge

REPORTS = {LABEL: {"q1-r1": "A long report.", "q2-r1": "Short.", "q3-r1": None}}
FAMILIES = ("faithfulness", "quality", "checks")


def sonnet(**given: Any) -> Judge:
    model = open_model("anthropic:claude-sonnet-5", environ={"ANTHROPIC_API_KEY": "k" * 20}, prices=read_prices())
    return Judge.of(model, **given)


def rating(question: str) -> dict[str, Any]:
    return {"rating": 7, "justification": question[:5]}


def judged(folder: Path, judge: Judge, repeats: int = 1) -> None:
    scoring = score(folder, ("quality",), [judge], progress=Progress(), judge_repeats=repeats, rate_floors=True)
    asyncio.run(scoring)


def test_only_families_that_need_a_model_and_only_reports_there_are_count(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", REPORTS)
    estimates = estimate_judging(folder, FAMILIES, [sonnet()])
    names = ["faithfulness by anthropic:claude-sonnet-5", "quality by anthropic:claude-sonnet-5"]
    assert [(one.name, one.count) for one in estimates] == [(name, 2) for name in names]
    assert all(one.basis == "the length of the reports, by what judging took on the demo" for one in estimates)
    quality = estimates[1].dollars
    assert quality is not None
    assert quality.low == pytest.approx(((2 * 10_500 + 4 * 12) * 2 + 2 * 700 * 10) / 1e6)  # four words


def test_batches_cost_half(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", REPORTS)
    whole, half = (estimate_judging(folder, ["quality"], [sonnet(in_batches=way)])[0] for way in (False, True))
    assert whole.dollars is not None
    assert half.dollars is not None
    assert half.dollars.high == pytest.approx(whole.dollars.high / 2)
    assert "half the price" in half.basis


def unpriced(judge: Judge) -> Judge:
    return replace(judge, model=None if judge.model is None else replace(judge.model, price=None))


def test_reports_judged_here_are_the_better_basis_and_are_not_counted_again(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", REPORTS)
    judge, _ = scripted_judge(rating)
    judged(folder, judge)
    (same,) = estimate_judging(folder, ["quality"], [unpriced(judge)])
    (anew,) = estimate_judging(folder, ["quality"], [judge], anew=True)
    (other,) = estimate_judging(folder, ["quality"], [sonnet()])
    assert (same.count, anew.count, other.count) == (0, 2, 2)
    assert other.basis == f"2 reports judged here by {judge.slug}"
    assert other.calls.low <= 2 * 6 <= other.calls.high + 2
    assert same.unpriced == ("scripted:test",)


def test_every_repeat_of_the_judge_that_is_missing_counts_and_one_is_estimated_as_one(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", REPORTS)
    judge, _ = scripted_judge(rating)
    judged(folder, judge, repeats=2)
    counts = [estimate_judging(folder, ["quality"], [judge], judge_repeats=times)[0].count for times in (1, 2, 5)]
    assert counts == [0, 0, 2 * 3]
    (anew,) = estimate_judging(folder, ["quality"], [judge], anew=True, judge_repeats=2)
    assert (anew.count, anew.calls.high) == (4, 4 * 6)  # six questions each: nobody has a profile


def test_one_unknown_price_makes_the_sum_unknown(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", REPORTS)
    parts = estimate_judging(folder, ["quality"], [sonnet(), unpriced(scripted_judge(rating)[0])])
    total = together(parts)
    assert (total.count, total.dollars, total.unpriced) == (4, None, ("scripted:test",))


def test_a_report_of_a_null_agent_takes_what_its_length_takes(tmp_path: Path) -> None:
    words = "word " * 500
    systems = {LABEL: {"q1-r1": words}, "null_copy": {"q1-r1": "word " * 50}, "null_empty": {"q1-r1": ""}}
    folder = experiment(tmp_path / "exp", systems, agents={"null_copy": "null_copy", "null_empty": "null_empty"})
    (estimate,) = estimate_judging(folder, ["faithfulness"], [sonnet()])
    assert estimate.count == 3
    assert (estimate.calls.low, estimate.calls.high) == (pytest.approx(1 + 10 + 1 + 1), pytest.approx(2 + 30 + 2 + 3))


def test_what_floors_took_says_nothing_of_reports_of_research(tmp_path: Path) -> None:
    systems = {LABEL: {"q1-r1": "word " * 500}, "null_copy": {"q1-r1": "copied"}}
    folder = experiment(tmp_path / "exp", systems, agents={"null_copy": "null_copy"})
    judge, _ = scripted_judge(rating)
    judged(folder, judge)
    for path in (folder / "verdicts" / "quality" / judge.slug / LABEL).iterdir():
        path.unlink()
    (estimate,) = estimate_judging(folder, ["quality"], [judge], rate_floors=True)
    assert estimate.basis == f"1 report judged here by {judge.slug}, others by their length"
    assert (estimate.count, estimate.calls.low, estimate.calls.high) == (1, 7, 10)
    (anew,) = estimate_judging(folder, ["quality"], [judge], anew=True, rate_floors=True)
    assert (anew.calls.low, anew.calls.high) == (7 + 3, 10 + 9)  # six calls took the copy, ± half of them


def test_a_report_that_was_judged_in_part_counts_with_the_rest_of_it(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {LABEL: {"q1-r1": "A long report.", "q2-r1": "Short."}})
    judge, _ = scripted_judge(rating)
    judged(folder, judge)
    for path in (folder / "verdicts" / "quality" / judge.slug / LABEL).glob("q?-r1.jsonl"):
        path.write_text("".join(path.read_text(encoding="utf-8").splitlines(keepends=True)[:3]), encoding="utf-8")
    (rest,) = estimate_judging(folder, ["quality"], [judge])
    assert rest.count == 2
    by_length = 2 * 6 / (3 / 7)  # the journal holds what all seven took
    assert rest.calls.low == pytest.approx(by_length * 4 / 7)


def test_opinions_that_nobody_is_asked_for_are_not_estimated(tmp_path: Path) -> None:
    systems = {LABEL: {"q1-r1": "A long report."}, "null_copy": {"q1-r1": "copied"}}
    folder = experiment(tmp_path / "exp", systems, agents={"null_copy": "null_copy"})
    counts = [
        estimate_judging(folder, ["quality"], [sonnet()], rate_floors=floors)[0].count for floors in (False, True)
    ]
    assert counts == [1, 2]
    rules = Judge.of(open_model("offline:judge"))
    assert [it.name for it in estimate_judging(folder, ["faithfulness", "quality", "pairwise"], [rules])] == [
        "faithfulness by offline:judge"
    ]


LONG_PAGE = "It keeps the rain out and lasts for years, says whoever tried it. " * 40
PAGES = tuple(
    Evidence(
        id=f"W:aaaaaaa{n}",
        kind="web",
        key=f"https://a.example/{n}",
        title=f"Page {n}",
        url=f"https://a.example/{n}",
        texts=(
            EvidenceText(
                sha256=sha256_of(f"{n} {LONG_PAGE}"), form="page", text=f"{n} {LONG_PAGE}", shown=True, path="", seq=1
            ),
        ),
    )
    for n in range(1, 5)
)


def a_report(parts: int, cited: int) -> str:
    """Of some 60 words a part, the first ``cited`` of them on a page of their own."""
    return "# Woods\n\nBriefly.\n\n" + "\n\n".join(
        f"## Wood {n}\n\nWood {n} lasts for years in the open{f' [W:aaaaaaa{n % 4 + 1}]' if n <= cited else ''}. It is "
        f"known for its weight, and number {n} weighs more than the others do. Oil it once in spring, and leave it out "
        f"in winter if it is dry. Who wants less work takes one that is {n} years older."
        for n in range(1, parts + 1)
    )


@pytest.mark.parametrize("family", ["pqr", "race", "report_eval", "dr3", "failure_modes", "rubrics"])
@pytest.mark.parametrize(("parts", "cited", "user"), [(2, 1, "ann"), (8, 8, "ann"), (8, 8, None), (60, 0, None)])
def test_what_judging_takes_lies_within_what_was_estimated_before(
    tmp_path: Path, family: str, parts: int, cited: int, user: str | None
) -> None:
    report = a_report(parts, cited)
    systems = {"a@model": {"q1-r1": report, "q2-r1": f"{report} So."}, "b@model": {"q1-r1": f"{report} Well."}}
    users = {} if user is None else {"q1": user, "q2": user}
    folder = experiment(tmp_path / "exp", systems, users=users, evidence=PAGES)
    judge, asked = every_answer(rating=3)
    if family == "failure_modes":
        asyncio.run(score(folder, ["quality"], [judge], progress=Progress()))
        asked.clear()
    keep_references(folder, read_definition(folder), "b@model")
    (estimate,) = estimate_judging(folder, [family], [judge])
    asyncio.run(score(folder, [family], [judge], progress=Progress()))
    used = Usage()
    for journal in (folder / "verdicts" / family).rglob("*.journal.jsonl"):
        used = used.plus(judging_usage(journal))
    read = used.input_uncached + used.cache_read + used.cache_creation
    assert used.calls == len(asked) > 0
    assert estimate.calls.low <= used.calls <= estimate.calls.high
    assert estimate.input.low <= read <= estimate.input.high
    assert estimate.output.low <= used.output <= estimate.output.high
    assert "nothing known" not in estimate.basis
    assert ("the criteria of 2 queries" in estimate.basis) == (family in ("pqr", "race", "dr3", "rubrics"))
    (after,) = estimate_judging(folder, [family], [judge])
    assert (after.count, after.calls.high) == (0, 0)


def test_criteria_that_are_there_are_not_estimated(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", REPORTS)
    (before,) = estimate_judging(folder, ["race"], [sonnet()])
    judge, _ = every_answer()
    asyncio.run(score(folder, ["race"], [judge], progress=Progress()))
    (other,) = estimate_judging(folder, ["race"], [sonnet()])
    assert "criteria of 3 queries" in before.basis
    assert "criteria" not in other.basis
    assert before.dollars is not None
    assert before.calls.low > 3 * 5
