"""Versions of a judge chosen on some queries and looked at on others; ``lab calibrate`` and what it freezes."""

import re
import shutil
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from drretail.addons.lab.calibration import calibrate_versions, split_queries
from drretail.addons.lab.findings import HELD_OUT, MAD, NEARER, PCA, TUNING
from drretail.addons.lab.kept_findings import finding_lines
from drretail.addons.lab.opinions import SUPPORT, Kind, Opinion, Question
from drretail.errors import UserError
from drretail.eval.ballots import cast
from drretail.experiment import read_runs
from drretail.records.vote import Rating
from tests.addons.lab import test_opinions as opinions
from tests.addons.lab.test_correcting import called, kept_in
from tests.addons.lab.test_opinions import NOON, OVERALL
from tests.build import experiment, known, scripted_judge
from tests.eval.test_method import STRICT, mine, rated

HUMAN = [(8.0, 4.0), (3.0, 6.0), (9.0, 2.0), (5.0, 7.0), (4.0, 8.0), (6.0, 1.0)]


def said(rater: str, kind: Kind, values: list[tuple[float, ...]], question: Question = OVERALL) -> list[Opinion]:
    """Of each query a value for each system's report."""
    return opinions.said(question, rater, kind, [value for row in values for value in row])


def shifted(by: float) -> list[tuple[float, ...]]:
    return [tuple(value + by for value in row) for row in HUMAN]


def test_no_query_is_on_both_sides_and_the_seed_says_which_is_where() -> None:
    queries = [f"q{at}" for at in range(9)]
    tuning, held_out = split_queries(queries, "42")
    assert not tuning & held_out
    assert tuning | held_out == {*queries}
    assert len(tuning) == 5
    assert (tuning, held_out) == split_queries(reversed(queries), "42") != split_queries(queries, "43")


def test_the_version_nearest_to_people_is_chosen_and_its_distance_is_that_of_held_out_queries() -> None:
    people = said("ann", "person", list(HUMAN))
    held_out = split_queries([opinion.query_id for opinion in people], "1")[1]
    near = [tuple(value + (3 if f"q{at}" in held_out else 1) for value in row) for at, row in enumerate(HUMAN)]
    made = calibrate_versions([*people, *said("far", "judge", shifted(2)), *said("near", "judge", near)], "1")
    assert made.chosen == "near"
    assert {row.of: row.value for row in made.where(part=TUNING, name=MAD)} == {"far": 2, "near": 1}
    held_out = made.where(part=HELD_OUT, name=MAD)
    assert {row.of: (row.value, row.n) for row in held_out} == {"far": (2, 6), "near": (3, 6)}
    assert [row.value for row in made.where(part=HELD_OUT, name=PCA)] == [1, 1]


def test_a_version_gains_nothing_by_failing_where_it_would_be_wrong() -> None:
    people = said("ann", "person", list(HUMAN))
    wrong_on_b = [(a, b + 4) for a, b in HUMAN]
    silent = [opinion for opinion in said("silent", "judge", wrong_on_b) if opinion.system == "a"]
    made = calibrate_versions([*people, *silent, *said("steady", "judge", shifted(0))], "1")
    assert {row.of: row.value for row in made.where(part=TUNING, name=MAD)} == {"silent": 0, "steady": 0}
    assert {row.n for row in made.where(part=TUNING)} == {3}


def test_versions_without_enough_answers_in_common_with_people_are_told() -> None:
    version = said("v", "judge", shifted(0))
    elsewhere = [replace(opinion, item="elsewhere") for opinion in said("lost", "judge", shifted(0))]
    with pytest.raises(UserError, match=r"judged by every version \(lost, v\)"):
        calibrate_versions([*said("ann", "person", list(HUMAN)), *version, *elsewhere], "1")
    with pytest.raises(UserError, match="two queries or more are needed"):
        calibrate_versions([*said("ann", "person", [HUMAN[0]]), *version], "1")


def many(near: float, far: float, seed: int, queries: int = 24) -> list[Opinion]:
    """A person's ratings of two reports on each query, and two versions that are off by so much at random."""
    lot = Random(seed)
    people = [(float(lot.randint(2, 8)), float(lot.randint(2, 8))) for _ in range(queries)]

    def off(by: float) -> list[tuple[float, ...]]:
        return [tuple(value + lot.gauss(0, by) for value in row) for row in people]

    return [*said("ann", "person", [*people]), *said("near", "judge", off(near)), *said("far", "judge", off(far))]


def test_a_version_that_is_nearer_is_called_so_and_equals_and_few_queries_are_not() -> None:
    shown = equal = 0
    for seed in range(40):
        made = calibrate_versions(many(0.5, 2.5, seed), str(seed))
        shown += made.chosen == "near" and "; nearer to people than far by MAD" in made.summary()
        equal += "; not shown to be nearer than" in calibrate_versions(many(1, 1, seed), str(seed)).summary()
    assert shown >= 36
    assert equal >= 37
    made = calibrate_versions(many(0.5, 2.5, 1, queries=10), "1")
    assert "too few to say whether it is nearest: it takes 6" in made.summary()
    assert all(gap.ci_low is None for gap in made.where(part=NEARER))


def test_of_labels_the_difference_is_one_of_kappa() -> None:
    lot = Random(2)
    truth = [(float(lot.choice((0, 0.5, 1))), float(lot.choice((0, 0.5, 1)))) for _ in range(40)]
    coin = [(float(lot.choice((0, 0.5, 1))), float(lot.choice((0, 0.5, 1)))) for _ in range(40)]
    support = Question(SUPPORT)
    judges = [*said("near", "judge", [*truth], support), *said("far", "judge", [*coin], support)]
    made = calibrate_versions([*said("ann", "person", [*truth], support), *judges], "1")
    assert made.chosen == "near"
    (near,) = made.where(part=HELD_OUT, name="κ", of="near")
    assert near.value == 1
    (gap,) = made.where(part=NEARER)
    assert (gap.of, gap.name) == ("far", "κ")
    assert known(gap.ci_low) > 0.5


GOOD = {f"q{at}": at % 7 + 2 for at in range(12)}
"""What people give the first system's report on each query; the other's gets one less."""


def by_number(question: str) -> dict[str, Any]:
    """Right to the point where it is told to be strict, and two points too kind where it is not."""
    found = known(re.search(r"worth (\d+)", question))
    return {"justification": "So.", "rating": int(found[1]) + (0 if STRICT in question else 2)}


@pytest.fixture(scope="module")
def rated_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rated by two versions of a judge and by a person."""
    home = tmp_path_factory.mktemp("rated")
    reports = {
        label: {f"{query}-r1": f"A report worth {value - less}." for query, value in GOOD.items()}
        for label, less in (("a@model", 0), ("b@model", 1))
    }
    made = experiment(home / "exp", reports)
    judge, _ = scripted_judge(by_number)
    rated(made, judge)
    rated(made, judge, mine(home / "strict"))
    rate(made)
    return made


@pytest.fixture
def exp(rated_once: Path, tmp_path: Path) -> Path:
    """The same, for one test to calibrate."""
    return Path(shutil.copytree(rated_once, tmp_path / "exp"))


def rate(exp: Path, more: int = 0) -> None:
    """Ann's ratings of all reports, so much higher."""
    for run in read_runs(exp):
        value = GOOD[run.query_id] - (run.system == "b@model") + more
        about: dict[str, Any] = {"run_id": run.run_id, "report_sha": run.report_sha, "query_id": run.query_id}
        cast(exp, Rating(**about, dimension="overall", value=value, annotator="ann", at=NOON), None)


def test_the_version_told_to_be_strict_is_chosen_and_its_figure_is_of_other_queries(exp: Path) -> None:
    printed = called("calibrate", exp)
    kept = kept_in(exp, "calibrate")
    assert "prompts-strict-" in kept["chosen"]
    values = {row["of"]: row["value"] for row in kept["rows"] if (row["part"], row["name"]) == (HELD_OUT, MAD)}
    assert values == {"scripted:test": 2, kept["chosen"]: 0}
    assert (kept["n_tuning"], kept["n_held_out"]) == (6, 6)
    assert "(chosen)" in printed
    assert "MAD 0.00" in printed
    (line,) = finding_lines(exp)
    assert line.startswith("Calibrated on rating: overall: scripted:test-prompts-strict-")


def test_the_choice_stays_whatever_people_say_later(exp: Path) -> None:
    called("calibrate", exp)
    kept = kept_in(exp, "calibrate")
    rate(exp, more=2)
    assert finding_lines(exp)[0].startswith("Stale, since votes changed")
    assert "was chosen before" in called("calibrate", exp)
    again = kept_in(exp, "calibrate")
    assert [again[name] == kept[name] for name in ("chosen", "prompt_hash", "split")] == [True] * 3
    called("calibrate", exp, "--force")
    anew = kept_in(exp, "calibrate")
    assert anew["chosen"] == "scripted:test"
    assert anew["prompt_hash"] != kept["prompt_hash"]


def test_another_model_makes_it_stale_and_needs_its_own(exp: Path) -> None:
    called("calibrate", exp)
    other, _ = scripted_judge(by_number, name="other")
    rated(exp, other)
    assert "Stale for scripted-other: another model needs a choice of its own." in finding_lines(exp)[0]
    with pytest.raises(UserError, match="name one with --judge"):
        called("calibrate", exp)
    with pytest.raises(UserError, match="holds the choice for scripted:test"):
        called("calibrate", exp, "--judge", "scripted:other")
    assert "scripted:other" in called("calibrate", exp, "--judge", "scripted:other", "--force", "--json")


def test_what_nobody_rated_is_told_with_how_to_get_answers(exp: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="People and judges both answered rating: overall: name one"):
        called("calibrate", exp, "--dimension", "depth")
    with pytest.raises(UserError, match="people rate in drretail view"):
        called("calibrate", experiment(tmp_path / "other", {"a@model": {"q1-r1": "A report worth 7."}}))
