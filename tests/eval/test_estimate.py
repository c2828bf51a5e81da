"""What judging is likely to take, by a dry run: calls exactly, tokens within a range, nothing written."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from drretail.eval.estimate import estimate_judging
from drretail.eval.judging.session import Judge
from drretail.eval.registry import METRICS, PAIRWISE, load_metric
from drretail.llm.estimates import Estimate, together
from drretail.llm.registry import open_model
from drretail.llm.usage import read_prices
from drretail.records.evidence import Evidence
from drretail.records.run import IMPORTED_AGENT, Usage
from tests import build
from tests.build import LABEL, experiment, journal_usage, known, scripted_judge
from tests.eval.every_question import every_answer

REPORTS = {LABEL: {"q1-r1": "A long report.", "q2-r1": "Short.", "q3-r1": None}}
A, B, C = "a@model", "b@model", "c@model"
JUDGED = [name for name in METRICS if load_metric(name).needs_judge and load_metric(name).prompt_hashes() - {""}]
LONG_PAGE = "It keeps the rain out and lasts for years, says whoever tried it. " * 40
LETTERS = "abcdefgh"


def sonnet(**given: Any) -> Judge:
    model = open_model("anthropic:claude-sonnet-5", environ={"ANTHROPIC_API_KEY": "k" * 20}, prices=read_prices())
    return Judge.of(model, **given)


def a_page(letter: str) -> Evidence:
    page = build.text(letter + LONG_PAGE, path="", seq=1)
    return build.evidence(f"W:aaaaaaa{letter}", page, url=f"https://a.example/{letter}", title=f"Page {letter}")


PAGES = tuple(map(a_page, LETTERS))


def a_report(parts: int, cited: int) -> str:
    """Of some 60 words a part, the first ``cited`` of them on a page of their own."""
    return "# Woods\n\nThese are woods for the garden.\n\n" + "\n\n".join(
        f"## Wood {n}\n\nWood {n} lasts for years in the open{f' [W:aaaaaaa{LETTERS[n % 8]}]' if n <= cited else ''}. "
        f"It is known for its weight, and number {n} weighs more than the others do. Oil it once in spring, and leave "
        f"it out in winter if it is dry. Who wants less work takes one that is {n} years older."
        for n in range(1, parts + 1)
    )


def two_systems(folder: Path, report: str, *, user: str | None = "ann", **made: Any) -> Path:
    systems = {A: {"q1-r1": report, "q2-r1": f"{report} So it is done."}, B: {"q1-r1": f"{report} Well it is done."}}
    users = {} if user is None else {"q1": user, "q2": user}
    return experiment(folder, systems, users=users, evidence=PAGES, **made)


def half_judged(folder: Path, metric: str, judge: Judge) -> Path:
    """Of one query nothing is judged, of the other a part: its verdicts were cut, and its journal holds the answers."""
    build.scored(two_systems(folder, a_report(8, 8)), metric, judge)
    for path in [*folder.glob("verdicts/*/*/*/q2*"), *folder.glob("rubrics/*/q2.json")]:
        path.unlink()
    for path in folder.glob(f"verdicts/{metric}/*/*/q1-r1.jsonl"):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join(lines[: len(lines) // 2]), encoding="utf-8")
    return folder


Kind = Callable[[Path, str, Judge], Path]
KINDS: Mapping[str, Kind] = {
    "imported, without citations": lambda folder, metric, judge: two_systems(
        folder, a_report(4, 0), user=None, agents={A: IMPORTED_AGENT, B: IMPORTED_AGENT}
    ),
    "long, with many claims": lambda folder, metric, judge: two_systems(folder, a_report(30, 20)),
    "half judged": half_judged,
}


def used_in(folder: Path) -> Usage:
    total = Usage()
    for journal in (folder / "verdicts").rglob("*.journal.jsonl"):
        total = total + journal_usage(journal)
    return total


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("metric", [*JUDGED, PAIRWISE])
def test_calls_are_those_that_judging_makes_and_tokens_in_range(tmp_path: Path, metric: str, kind: str) -> None:
    judge, asked = every_answer(rating=3, sentences=1)
    folder = KINDS[kind](tmp_path / "exp", metric, judge)
    repeats = 2 if kind == "half judged" else 1
    before, held = used_in(folder), build.files(folder)
    asked.clear()
    estimate = together(estimate_judging(folder, [metric], [judge], judge_repeats=repeats))
    assert build.files(folder) == held
    build.scored(folder, metric, judge, judge_repeats=repeats)
    after = used_in(folder)
    read, written = after.input_uncached - before.input_uncached, after.output - before.output
    assert known(estimate.calls).low == known(estimate.calls).high == len(asked) > 0
    assert known(estimate.input).low <= read <= known(estimate.input).high
    assert known(estimate.output).low <= written <= known(estimate.output).high
    (nothing, *_) = estimate_judging(folder, [metric], [judge], judge_repeats=repeats)
    assert (nothing.count, known(nothing.calls).high, known(nothing.input).high) == (0, 0, 0)


def test_batches_cost_half_and_what_failed_is_asked_again_only_where_that_is_wanted(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", REPORTS)
    whole, half = (estimate_judging(folder, ["quality"], [sonnet(in_batches=way)])[0] for way in (False, True))
    assert known(half.dollars).high == pytest.approx(known(whole.dollars).high / 2)
    assert "half the price" in half.basis
    judge, _ = scripted_judge(lambda question: {"rating": 99, "justification": question[:5]})
    build.scored(folder, "quality", judge)
    counts = {
        again: known(estimate_judging(folder, ["quality"], [judge], again=again)[0].calls).high
        for again in ("nothing", "failed", "everything")
    }
    assert counts == {"nothing": 0, "failed": 12, "everything": 12}


def test_opinions_that_nobody_is_asked_for_are_not_estimated(tmp_path: Path) -> None:
    systems = {LABEL: {"q1-r1": "A long report."}, "null_copy": {"q1-r1": "copied"}}
    folder = experiment(tmp_path / "exp", systems, agents={"null_copy": "null_copy"})
    counts = [
        estimate_judging(folder, ["quality"], [sonnet()], rate_floors=floors)[0].count for floors in (False, True)
    ]
    assert counts == [1, 2]


def test_rules_are_asked_themselves_and_are_exact(tmp_path: Path) -> None:
    folder = two_systems(tmp_path / "exp", a_report(8, 4))
    rules = Judge.of(open_model("offline:judge"))
    (one,) = estimate_judging(folder, ["faithfulness", "quality", "pairwise"], [rules])
    build.scored(folder, "faithfulness", rules)
    assert (one.name, known(one.calls).high) == ("faithfulness by offline:judge", used_in(folder).calls)


def test_pairs_are_counted_and_the_paper_s_rules_ask_half(tmp_path: Path) -> None:
    report = {f"q{n}-r1": f"A report {n}." for n in (1, 2, 3)}
    folder = experiment(tmp_path / "exp", {A: report, B: report, C: {**report, "q1-r1": None}})
    (whole,) = estimate_judging(folder, [PAIRWISE], [sonnet()])
    (half,) = estimate_judging(folder, [PAIRWISE], [sonnet()], rules="paper")
    (named,) = estimate_judging(folder, [PAIRWISE], [sonnet()], pairs=[f"{A}~{B}"])
    assert (whole.count, half.count, named.count) == (3 + 2 + 2, 7, 3)
    assert known(whole.calls).low == 2 * known(half.calls).low == 7 * 12  # six dimensions: nobody has a profile


def test_a_metric_that_asks_in_another_s_name_has_two_rows(tmp_path: Path) -> None:
    folder = two_systems(tmp_path / "exp", a_report(4, 4))
    rows = {one.name.split()[0]: known(one.calls).high for one in estimate_judging(folder, ["reading"], [sonnet()])}
    assert rows == {"reading": 0, "faithfulness": 3}  # picks come with the claims


def test_a_sample_of_the_queries_stands_for_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of ten queries by two systems, of which one writes four times as much; two are judged."""
    systems = {
        label: {f"q{n}-r1": a_report(parts, parts) + f" Number {n} it is." for n in range(10)}
        for label, parts in ((A, 2), (B, 8))
    }
    folder = experiment(tmp_path / "exp", systems, evidence=PAGES)
    judge, _ = every_answer(sentences=1)
    build.scored(folder, "quality", judge)
    for path in folder.glob("verdicts/*/*/*/q*.jsonl"):
        if int(path.name[1]) >= 2:
            path.unlink()

    def estimates() -> list[Estimate]:
        return estimate_judging(folder, ["faithfulness", "quality"], [judge])

    whole = estimates()
    monkeypatch.setattr("drretail.eval.estimate.MOST_JOBS", 16)
    sampled = estimates()
    assert sampled == estimates()  # drawn by the experiment's seed
    assert [one.basis for one in sampled] == ["a dry run of 5 of 10 queries"] * 2
    assert [one.count for one in sampled] == [one.count for one in whole] == [20, 16]
    for some, every in zip(sampled, whole, strict=True):
        assert known(some.calls).low <= known(every.calls).low <= known(some.calls).high
        assert known(some.input).high == pytest.approx(known(every.input).high, rel=0.05)
