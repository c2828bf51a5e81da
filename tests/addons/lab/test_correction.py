"""Claims that people label, and FP by them. Also tests findings.py, tables.py and addons/people/judged_claims.py."""

import csv
import json
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from drretail import open_world, run
from drretail.addons.lab.correction import CountedRun, correction_of, fp_items
from drretail.addons.lab.findings import ALONE, CORRECTED, JUDGED, Correction, Figure
from drretail.addons.lab.opinions import opinions_of
from drretail.addons.people.judged_claims import JudgedClaim, draw_claims, judged_claims, sheet_name
from drretail.addons.people.plan import planned
from drretail.addons.people.prediction_powered import corrected_mean, labels_alone
from drretail.cli.app import app
from drretail.errors import DrretailError, UserError
from drretail.eval.ballots import read_plan
from drretail.eval.metrics.faithfulness import METRIC
from drretail.eval.numbers.file import derive_scores
from drretail.experiments.experiment import read_runs
from drretail.parsing import read_cells
from drretail.records.query import Query
from drretail.records.vote import Choice
from drretail.stats.intervals import Clusters
from tests import build
from tests.addons.lab.test_opinions import judge_of_both, mixed, votes
from tests.api.test_notebook import played
from tests.build import experiment, known, scripted_judge
from tests.eval.metrics.pairwise.judging import A, B, compared, finds_equal, prefers_a, reports, two
from tests.shop import build_shop
from tests.viewer.agents import AGENTS
from tests.viewer.experiment import judge_by_hand, rewrite


def ruled_claims(experiment: Path) -> list[JudgedClaim]:
    return [claim for claim in judged_claims(experiment) if claim.has_verdict]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three systems on 21 queries, each report with one claim that has a verdict, and others without."""
    home = tmp_path_factory.mktemp("judged")
    queries = [
        Query(query_id=f"q{n:02}", text=f"Which bird feeder for garden {n}?", mode="generic", source="test")
        for n in range(21)
    ]
    with open_world(build_shop(home / "world")) as world:
        run(world, queries, AGENTS, to=home / "exp", baselines=False)
    judge_by_hand(home / "exp", support=(1.0, None))
    return home / "exp"


@pytest.fixture
def large(judged: Path, tmp_path: Path) -> Path:
    """The same, for one test to label."""
    return Path(shutil.copytree(judged, tmp_path / "large"))


def called(*given: object) -> str:
    """What a command of the lab prints; what it raises is raised."""
    return CliRunner().invoke(app, ["lab", *map(str, given)], catch_exceptions=False).stdout


def parts(made: Correction, part: str) -> list[Figure]:
    """A part of each value that is corrected, in the order of the values."""
    return [figures[part] for figures in made.values().values()]


def values(made: Correction, part: str) -> list[float | None]:
    return [row.value for row in parts(made, part)]


def filled(experiment: Path, answers: dict[str, str]) -> Path:
    path = experiment / "filled.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("item", "label"), *answers.items()])
    return path


def as_judged(experiment: Path) -> dict[str, str]:
    """People who say of each claim just what its judge says."""
    words = {1.0: "full", 0.5: "partial", 0.0: "none"}
    return {sheet_name(claim.about): words[claim.support or 0.0] for claim in ruled_claims(experiment)}


def test_a_sheet_has_the_claims_of_the_plan_without_whose_they_are_or_what_was_ruled(exp: Path) -> None:
    called("sample", exp, "--n", 6)
    plan = known(read_plan(exp))
    assert (plan.pairs, plan.reports, len(plan.claims)) == ((), (), 6)
    assert planned(exp).claims[:6] == plan.claims
    head, *rows = read_cells(exp / "lab" / "sample.csv")
    assert head == ["item", "question", "claim", "sources", "label"]
    assert [row[0] for row in rows] == [sheet_name(claim.about) for claim in plan.claims]
    assert not any(row[-1] for row in rows)
    assert not any(system in row[0] for row in rows for system in {claim.system for claim in ruled_claims(exp)})
    with pytest.raises(UserError, match="labels"):  # it is not written over
        called("sample", exp)


def test_with_every_claim_labelled_the_value_is_that_of_the_labels_and_kept_as_one_document(large: Path) -> None:
    path = filled(large, as_judged(large))
    made = correction_of(large, None, [path])
    assert (len(made.values()), made.missing()) == (3, [])
    assert {name for name, *_ in made.values()} == {"FP"}
    assert values(made, CORRECTED) == values(made, ALONE) == pytest.approx(values(made, JUDGED))
    for row in parts(made, CORRECTED):
        assert (row.value, row.ci_high) == (1, 1)
        assert 0.8 < known(row.ci_low) < 0.9, "equal labels have an interval with a width"
    document = json.loads(called("correct", large, "--labels", path, "--json"))
    assert document == json.loads((large / "lab" / "correct.json").read_text(encoding="utf-8"))
    value = document["rows"][0]
    assert {"value", "ci_low", "ci_high"} <= value.keys()
    assert document["line"].startswith(f"FP as people would give it: {value['of']} ")
    assert f"by {value['by']} alone " in document["line"]


def test_what_is_corrected_is_the_board_s_fp_which_failed_runs_leave_as_it_is(large: Path) -> None:
    runs = [each for each in read_runs(large) if each.system == "quartz"]
    before = {row.of: row for row in parts(correction_of(large, None, [filled(large, as_judged(large))]), CORRECTED)}
    rewrite(large, build.run(f"{runs[0].query_id}-r1", None, label="quartz"))
    correction = correction_of(large, None, [filled(large, as_judged(large))])
    made = {row.of: row for row in parts(correction, CORRECTED)}
    scores = derive_scores(large, [METRIC]).scores
    board = {row.system: row.value for row in scores if row.variant == "FP"}
    assert {row.of: row.value for row in parts(correction, JUDGED)} == pytest.approx(board)
    assert made["quartz"].value == pytest.approx(board["quartz"]) == before["quartz"].value
    assert made["quartz"].count("items") == before["quartz"].count("items") - 1
    assert made["quartz"].n == before["quartz"].n - 1


def test_a_missing_report_decides_no_meeting_and_is_nobody_s_opinion(tmp_path: Path) -> None:
    one, other = reports("a", 22), reports("b", 22)
    lost = dict.fromkeys([*other][:2])
    exp = experiment(tmp_path / "exp", {A: one, B: {**other, **lost}})
    judge, second = scripted_judge(finds_equal)[0], scripted_judge(prefers_a, name="second")[0]
    scores = compared(exp, judge, second)
    votes(exp, lambda pair: "b")
    values = correction_of(exp, None).values().items()
    found = {by: figures for (name, _, by), figures in values if name.endswith("depth")}
    of_equal = found[judge.ref.spec]
    assert (of_equal[CORRECTED].count("items"), of_equal[CORRECTED].n) == (20, 20)
    assert of_equal[CORRECTED].value == of_equal[ALONE].value == 0, "people prefer b wherever there is one"
    assert of_equal[JUDGED].value == pytest.approx(1 / 2)
    told = [opinion for opinion in opinions_of(exp) if opinion.rater == judge.ref.spec]
    assert {opinion.query_id for opinion in told if opinion.question.dimension == "depth"} == {
        f"q{n}" for n in range(1, 23) if f"q{n}-r1" not in lost
    }
    by = {pair.judge: pair for pair in scores.pairs if pair.dimension == "depth"}
    assert by[second.ref.spec].wins == 20


def test_below_20_labels_nothing_is_corrected_and_the_missing_are_counted(large: Path) -> None:
    quartz = [sheet_name(claim.about) for claim in ruled_claims(large) if claim.system == "quartz"]
    made = correction_of(large, None, [filled(large, dict.fromkeys(quartz[:19], "full"))])
    assert made.values() == {}
    assert "quartz: no corrected FP from 19 labels; 1 more is needed" in made.summary()
    (row,) = parts(correction_of(large, None, [filled(large, dict.fromkeys(quartz[:20], "full"))]), CORRECTED)
    assert (row.of, row.n, row.ci_high) == ("quartz", 20, 1)


def test_labels_are_as_many_of_each_system_and_in_proportion_to_its_verdicts() -> None:
    claims = [
        a_claim(f"{system} {at}", f"q{at}", float(at < 180), system) for system in ("a", "b") for at in range(200)
    ]
    drawn = draw_claims((), claims, 100, "7")
    assert Counter(claim.stratum for claim in drawn) == {"a 1.0": 45, "a 0.0": 5, "b 1.0": 45, "b 0.0": 5}
    assert draw_claims((), claims, 60, "7") == drawn[:60]
    assert draw_claims(drawn[:60], claims, 100, "7") == drawn
    assert {claim.about for claim in draw_claims((), claims, 100, "8")} != {claim.about for claim in drawn}
    assert len(draw_claims((), claims, 1000, "7")) == 400


def test_labels_that_can_not_be_used_are_told_in_a_sentence(exp: Path) -> None:
    told = {"holds no opinion": {}, "No label .1 were read": {"gone": "full"}, "row 2.*perhaps": {"gone": "perhaps"}}
    for message, labels in told.items():
        with pytest.raises(DrretailError, match=message):
            correction_of(exp, None, [filled(exp, labels)])
    with pytest.raises(DrretailError, match="Nobody has labelled"):
        correction_of(exp, None)


def test_a_judge_with_settings_is_named_as_score_names_it_and_one_that_is_missing_is_told(tmp_path: Path) -> None:
    exp = experiment(tmp_path / "exp", two(3))
    votes(exp, mixed)
    with pytest.raises(UserError, match="no judge compared"):
        correction_of(exp, None)
    judge, _ = scripted_judge(judge_of_both)
    compared(exp, replace(judge, ref=judge.ref.model_copy(update={"params_hash": "0123456789"})))
    assert len(correction_of(exp, judge.ref.spec).missing()) == 1
    with pytest.raises(UserError, match="There is no judge"):
        correction_of(exp, "scripted:other")


def test_wins_stand_pair_by_pair_a_tie_is_half_a_win_and_queries_are_clusters(tmp_path: Path) -> None:
    exp = experiment(tmp_path / "exp", {name: reports(name[0], 10, 2) for name in (A, B)})
    compared(exp, scripted_judge(prefers_a)[0])

    by_query: dict[str, Choice] = {f"q{n}": "a" if n > 4 else "tie" if n > 2 else "b" for n in range(1, 11)}
    votes(exp, lambda pair: by_query[pair.query_id])
    values = correction_of(exp, None).values().items()
    its = {(name, system): its for (name, system, _), its in values}[f"wins over {B}, depth", A]
    row = its[CORRECTED]
    assert its[ALONE].value == pytest.approx((6 + 1) / 10)
    assert (row.n, row.count("items"), row.n_users) == (20, 20, 10)
    # Clopper and Pearson of 7 in 10 is .35 to .93; of 14 in 20 it would be .46 to .88.
    assert (row.ci_low, row.ci_high) == (pytest.approx(0.33, abs=0.04), pytest.approx(0.94, abs=0.04))


def a_claim(about: str, query: str, support: float, system: str = "a", weight: float = 1.0) -> JudgedClaim:
    """A claim in a stratum of its verdict."""
    return JudgedClaim(
        run_id=f"{system}/{query}",
        report_sha="",
        query_id=query,
        system=system,
        claim_id=about,
        extracted_by="j",
        stratum=f"{system} {support}",
        judge="j",
        support=support,
        weight=weight,
    )


def runs_of(claims: Sequence[JudgedClaim]) -> list[CountedRun]:
    """A run for each query of the claims, all of one weight."""
    queries = dict.fromkeys(each.query_id for each in claims)
    return [CountedRun("a", query, f"a/{query}", 0.5, 1.0) for query in queries]


def claims_of(query: str, supports: Sequence[float], whole: float = 1.0) -> list[JudgedClaim]:
    """The claims of a report, which make up this much of its FP."""
    weight = whole / len(supports)
    return [a_claim(f"{query} {at}", query, support, weight=weight) for at, support in enumerate(supports)]


def test_in_fp_every_report_counts_once_and_a_label_stands_for_its_stratum() -> None:
    uneven = [*claims_of("q1", [1.0] * 8), *claims_of("q2", [0.0] * 2)]
    even = [*claims_of("q1", [1.0] * 8 + [0.0] * 2), *claims_of("q2", [1.0] * 8 + [0.0] * 2)]
    few = [claim for claim in even if claim.about.rpartition(" ")[2] in ("0", "8")]
    for claims, labelled, share in ((uneven, uneven, 0.5), (even, few, 0.8)):
        runs = runs_of(claims)
        of_fp = fp_items(claims, {claim.about: claim.support or 0.0 for claim in labelled}, Clusters(), runs)
        assert known(corrected_mean(of_fp["a"])).value == pytest.approx(share)
        assert known(labels_alone(of_fp["a"])).value == pytest.approx(share)
    both = claims_of("q1", [1.0, 1.0], whole=0.5)
    items = fp_items(both, dict.fromkeys((claim.about for claim in both), 1.0), Clusters(), runs_of(both))["a"]
    assert known(corrected_mean(items)).value == pytest.approx(0.5), "what does not exist is a known zero"
    claims = [claim for n in range(12) for claim in claims_of(f"q{n}", [1.0, 0.0])]
    items = fp_items(claims, {}, Clusters({f"q{n}": f"u{n // 3}" for n in range(12)}), runs_of(claims))["a"]
    assert {item.cluster for item in items} == {"u0", "u1", "u2", "u3"}, "queries of one user are one cluster"


@pytest.mark.slow  # a notebook, from raw files on
def test_an_example_goes_from_raw_files_to_a_corrected_score(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made, ingested, written, *_, corrected = played("from_files_to_score.ipynb")
    assert [table.title for table in made.tables] == ["A made-up shop in raw", "Quirks"]
    assert "World shop, fingerprint" in repr(ingested)
    assert repr(written).startswith("30 queries of 30 users → queries.jsonl")
    ((what, *_), fp) = next(iter(corrected.value.values().items()))
    assert (what, fp["judge alone"].value > fp["corrected"].value) == ("FP", True), "people found less support"
    assert {"judge alone", "corrected"} <= {column.name for column in corrected.tables[0].columns}
