"""What holds of every metric. Tests eval/judging/, eval/metric.py and eval/registry.py."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from drretail.eval.judging.question import verdict_files
from drretail.eval.judging.session import Judge
from drretail.eval.method import judge_prompt_files
from drretail.eval.metric import Metric, Value
from drretail.eval.numbers.facts import headlines
from drretail.eval.registry import METRICS, PAIRWISE, load_metric, metric_names
from drretail.experiments.packs import lines_of
from drretail.files import LineAppender, write_atomically
from drretail.llm.registry import build_model
from drretail.records.score import WHOLES, Scores, Verdict
from drretail.viewer.tables.scores import score_tables
from tests import build
from tests.eval.every_question import every_answer
from tests.eval.scored_experiments import (
    BEDS,
    CODE,
    JUDGED,
    REPORTS,
    A,
    B,
    judged_experiment,
    moody,
    recorded_experiment,
)

SIGNED = {("outcome", "J"), ("report_eval", "support")}
"""A difference of shares, and labels from -1 to 1."""
FOLLOWING = ("false_statements",)
FOR_WANT_OF_INPUT = {"pqr", "dr3"}
"""Some of their variants are n/a rather than failed: nobody is known, or no gold was given."""


def scores_of(experiment: Path) -> Scores:
    return Scores.model_validate_json((experiment / "scores.json").read_bytes())


def verdicts_of(experiment: Path) -> Iterator[Verdict]:
    for path in verdict_files(experiment):
        yield from map(Verdict.model_validate_json, lines_of(path))


@pytest.fixture(params=["judged", "shopped"])
def scored(request: pytest.FixtureRequest) -> Path:
    """Each of the two, whose metrics make up the table."""
    return request.getfixturevalue(request.param)


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_goes_by_its_name_and_describes_variants_that_it_has(name: str) -> None:
    metric = load_metric(name)
    assert isinstance(metric, Metric)
    assert (metric.name, name in metric_names()) == (name, True)
    text, variants = metric.description, {*metric.variants}
    assert len(variants) == len(metric.variants)
    assert (text.title != name, metric.pooled.keys() <= variants) == (True, True)
    for named in (text.headlines, text.compared, text.summaries, text.groups):
        assert {*named} <= variants
    assert {*text.primary, *text.success, *text.differences} <= variants
    assert {column.variant for column in text.scoreboard} <= variants
    assert {*text.counts, *text.meanings} <= variants
    chosen = text.headlines
    assert headlines(metric)[: len(chosen)] == chosen
    assert not {*chosen} & metric.pooled.keys()
    nothing = {variant: Value(variant, "na") for variant in metric.variants}
    assert all({*pooling(nothing)} == {(0, 0)} for pooling in metric.pooled.values())


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("report", [None, "A report."], ids=["failed", "never judged"])
def test_without_verdicts_nothing_is_scored_and_nothing_is_nought(name: str, report: str | None) -> None:
    found = load_metric(name).values(build.subject(report), [], "default")
    assert {value.value for value in found} <= {None}
    assert name in FOR_WANT_OF_INPUT or {value.state for value in found} <= {"failed"}


def test_prompts_are_kept_in_files_and_have_hashes_of_their_own() -> None:
    asking = {name: load_metric(name) for name in METRICS if load_metric(name).prompt_hashes() - {""}}
    statement = "a metric without prompts has needs_judge=False, or reads what another's judge said"
    assert {*asking} == {*METRICS} - {*CODE} - {*FOLLOWING}, statement
    for name, metric in asking.items():
        texts = {prompt.shared + prompt.text for prompt in metric.prompts()}
        assert len(metric.prompt_hashes() - {""}) == len(texts), name
        assert not any("{{picks}}" in text and name != "quality" for text in texts)
    folders = {file.partition("/")[0] for file in judge_prompt_files()}
    assert folders == {*asking, PAIRWISE, "judging"}, "parts that metrics share, and pairs"


def test_every_row_accounts_for_every_planned_run_within_the_range_of_its_scale(scored: Path) -> None:
    scores = scores_of(scored)
    for row in scores.scores:
        text, key = scores.metrics[row.metric], (row.metric, row.variant)
        least = -WHOLES[text.scale] if key in SIGNED else 0
        has_end = row.variant not in text.counts
        for value in (row.value, row.ci_low, row.ci_high):
            assert value is None or least <= value, (key, "if it may be below nought, name it in SIGNED")
            fits = value is None or not has_end or value <= WHOLES[text.scale] + 1e-9
            assert fits, (key, f"off the scale {text.scale!r}: a unit of its own is named in the description's counts")
        assert row.n_planned == row.n_scored + row.n_na + row.n_unverifiable + row.n_failed
        assert row.value is None or row.n_scored
    systems = {row.system for row in scores.scores}
    for metric, variant in {(row.metric, row.variant) for row in scores.scores}:
        own = {row.system for row in scores.scores if (row.metric, row.variant) == (metric, variant)}
        assert own == systems, (metric, variant)


def test_what_has_no_value_says_why_and_each_metric_has_a_table_with_a_row_a_system(scored: Path) -> None:
    lacking = [each for each in verdicts_of(scored) if each.state != "scored"]
    assert lacking
    assert [each.key for each in lacking if not (each.reason or each.error)] == []
    scores = scores_of(scored)
    tables = score_tables(scores.scores, scores.metrics)
    assert {table.title for table in tables} >= {described.title for described in scores.metrics.values()}
    for table in tables:
        # No query of it is a turn of a conversation.
        if table.title != "Conversations":
            assert len(table.rows) >= len({row.system for row in scores.scores}), table.title


def silent() -> Judge:
    """One that is not to be asked."""

    def refuse(title: str, question: str, answer: Any) -> Any:
        raise AssertionError(f"asked again: {title}")

    return every_answer(sentences=1, changed=refuse)[0]


def test_a_second_time_nothing_is_asked_and_lost_verdicts_are_made_again_to_the_same_bytes(judged_copy: Path) -> None:
    before = build.files(judged_copy)
    build.scored(judged_copy, JUDGED, silent())
    assert build.files(judged_copy) == before
    lost = [path for path in (judged_copy / "verdicts").rglob("*.jsonl") if "journal" not in path.name]
    for path in lost:
        path.unlink()
    build.scored(judged_copy, JUDGED, silent())
    assert len(lost) > len(JUDGED)
    assert build.files(judged_copy) == before


ONE_EACH = {label: {"q1-r1": reports["q1-r1"]} for label, reports in REPORTS.items()}


@pytest.mark.parametrize("name", ["faithfulness", "quality", PAIRWISE])
def test_judging_that_was_cut_at_any_line_asks_nothing_that_the_journal_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr("drretail.eval.claims.claims.MOST_CLAIMS", 2)  # so that one report takes several calls
    cut_at_every_line(name, tmp_path, monkeypatch)


def cut_at_every_line(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Judges by a metric, cuts this at each line that was written, and goes on."""
    reports = {label: {"q1-r1": f"{BEDS} By {label}."} for label in ((A, B) if name == PAIRWISE else (A,))}
    blank = recorded_experiment(tmp_path / "blank", reports)
    whole, append = Path(shutil.copytree(blank, tmp_path / "whole")), LineAppender.append
    appended: list[tuple[Path, int]] = []

    def noting(appender: LineAppender, line: str) -> None:
        append(appender, line)
        path = Path(appender._file.name)  # pyright: ignore[reportPrivateUsage]
        appended.append((path.relative_to(whole), path.stat().st_size))

    judge, asked = every_answer(sentences=1, changed=moody)
    with monkeypatch.context() as patched:
        patched.setattr(LineAppender, "append", noting)
        build.scored(whole, name, judge)
    for at in range(len(appended)):
        cut = Path(shutil.copytree(blank, tmp_path / f"cut-{at}"))
        for path, size in appended[:at]:
            write_atomically(cut / path, (whole / path).read_bytes()[:size])
        judge, anew = every_answer(sentences=1, changed=moody)
        build.scored(cut, name, judge)
        answered = sum("journal" in path.name for path, _ in appended[:at])
        assert len(anew) == len(asked) - answered, f"cut before line {at + 1}, of {appended[at][0].name}"
        assert build.files(cut, journals=False) == build.files(whole, journals=False)


def test_a_judge_that_never_gives_a_usable_answer_is_failed_and_never_nought(tmp_path: Path) -> None:
    scores = scores_of(judged_experiment(tmp_path, ONE_EACH, lambda title, question, answer: {"nonsense": title}))
    asked = {*JUDGED} - {PAIRWISE, "reading"}
    for name in asked:
        first = load_metric(name).description.headlines[0]
        rows = [row for row in scores.scores if (row.metric, row.variant) == (name, first)]
        assert {(row.value, row.n_scored, row.n_failed) for row in rows} <= {(None, 0, 1), (None, 0, 0)}, name
        assert any(row.n_failed for row in rows), name
    assert {(row.n_scored, row.win_rate.value) for row in scores.pairs} == {(0, None)}


def test_a_judge_that_follows_rules_has_no_opinion(tmp_path: Path) -> None:
    folder, rules = recorded_experiment(tmp_path, ONE_EACH), Judge.of(build_model("offline:judge"))
    names = [name for name in METRICS if load_metric(name).is_opinion]
    scores = build.scored(folder, [*names, PAIRWISE], rules)
    for name in names:
        first = load_metric(name).description.headlines[0]
        rows = [row for row in scores.scores if (row.metric, row.variant) == (name, first)]
        assert {(row.value, row.note) for row in rows} <= {(None, "not rated (rule-based)")}, name
    assert {(row.note, row.win_rate.value) for row in scores.pairs} == {("not rated (rule-based)", None)}
    assert not [*folder.glob("verdicts/quality/**/*.jsonl"), *folder.glob("rubrics/*")]


def sent_back_twice(tmp_path: Path, metric: str, answer: dict[str, Any]) -> None:
    folder = build.experiment(tmp_path / "exp", {label: {"q1-r1": f"Report of {label}."} for label in (A, B)})
    judge, asked = build.scripted_judge(lambda _: answer)
    build.scored(folder, metric, judge)
    asked_for = [
        each for each in verdicts_of(folder) if each.stage in ("rating", "comparison", "quality") and each.state != "na"
    ]
    assert {(each.state, each.value) for each in asked_for} == {("failed", None)}
    assert len(asked) % 3 == 0


def test_scoring_by_code_loads_no_langchain(shopped: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(shopped, tmp_path / "exp")
    code = "import sys, drretail; drretail.score(sys.argv[1], metrics='checks,basket'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert loaded & {"langchain_core", "langgraph", "langsmith", "numpy"} == {"numpy"}
