"""PQR: the formulas by hand and on the paper's own tables, and over a small experiment. Also tests axis.py."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import pytest

from drretail.addons.publications.pqr.score import SCORING, VARIANTS, dimension_item, overall, reliability, values
from drretail.addons.publications.pqr.triplets import REPORT, TRIPLETS, Triplet
from drretail.eval.metric import Value
from drretail.records.base import Rules
from drretail.records.criteria import Criteria, Criterion
from drretail.records.score import Verdict
from tests import build
from tests.addons.publications.playing import Played, answered, figure, figures, judged_facts, weighed
from tests.build import asking, experiment, scripted_judge
from tests.eval.metrics.faithfulness.reports import BED, BIRDS, BIRDS_ID, BLOCKED, BLOCKED_ID, PAGE, WALL


def test_the_paper_s_overall_follows_from_its_parts() -> None:
    # PDR-Bench, Tables 1, 2 and 8: Overall, P-Score with the persona, DEIN LOGC CLAR, FA, CC.
    for system, (published, p, quality, fa, cc) in {
        "Gemini-2.5-Pro DR": (6.58, 5.12, (5.32, 6.13, 6.16), 8.40, 9.26),
        "OAgents": (6.64, 6.78, (6.99, 7.44, 6.85), 3.77, 8.32),
        "MiroFlow": (5.78, 6.65, (6.53, 7.31, 6.68), 7.29, 0.44),
        "Sonar-Reasoning-Pro": (5.02, 4.27, (4.22, 5.03, 5.23), 8.44, 3.67),
        "GPT-4.1 w/Search": (4.28, 4.52, (4.21, 5.27, 5.54), 6.75, 0.10),
    }.items():
        assert overall(p, sum(quality) / 3, reliability(fa, cc)) == pytest.approx(published, abs=0.04), system


verdict = partial(build.verdict, "pqr")


def by_variant(
    verdicts: Sequence[Verdict], rules: Rules = "default", criteria: Criteria | None = None
) -> dict[str, Value]:
    found = values(verdicts, criteria, rules)
    assert tuple(each.variant for each in found) == VARIANTS
    return {each.variant: each for each in found}


FOUR = (
    *(Triplet(fact="a", ref=source[-1], source=source) for source in ("P:1", "W:2", "W:3")),
    *(Triplet(fact="b", ref="1", source="P:1"), Triplet(fact="c", ref="9"), Triplet(fact="d")),
)
"""a has three references of which the third can't be read, b one, c one that comes to nothing, d none."""
JUDGED = {("a", "P:1"): 1.0, ("a", "W:2"): 0.0, ("a", "W:3"): "unverifiable", ("b", "P:1"): 1.0}


def test_by_default_facts_count_once_and_by_the_paper_s_rules_their_references() -> None:
    ours = by_variant(judged_facts(FOUR, JUDGED))
    # a: ½ of what could be read, b: 1; two of four facts cite something.
    assert figures(ours, "FA", "CC", "S_R", "N_total", "N_cited") == [7.5, 5.0, 6.25, 4, 2]
    # a: 1 of 3, b: 1, c: 0.
    assert figure(ours["FA_strict"]) == round(10 * (1 / 3 + 1 + 0) / 3, 4)
    # Five triplets with a reference, two supported, and d without.
    assert [figure(ours[f"{each}_triplets"]) for each in ("FA", "CC", "S_R")] == [4.0, 8.3333, 6.1667]
    paper = by_variant(judged_facts(FOUR, JUDGED), "paper")
    assert figures(paper, "FA", "CC", "S_R", "N_total", "N_cited") == [4.0, 8.3333, 6.1667, 6, 5]

    triplets = (Triplet(fact="a", ref="1", source="P:1"), Triplet(fact="b", ref="1", source="P:1"))
    held = judged_facts(triplets, {("a", "P:1"): 0.5, ("b", "P:1"): "unknown"})
    assert figure(by_variant(held)["FA"]) == 0


def test_what_nothing_states_or_can_be_read_or_judged_is_na_unverifiable_or_failed() -> None:
    none = by_variant(judged_facts((), {}))
    assert figures(none, "FA", "CC", "S_R", "S_R_triplets", "N_total") == ["na", "na", "na", "na", 0]
    uncited = (Triplet(fact="a"), Triplet(fact="b"))
    assert figures(by_variant(judged_facts(uncited, {})), "FA", "CC", "S_R") == ["na", 0, "na"]
    assert figures(by_variant(judged_facts(uncited, {}), "paper"), "FA", "CC", "S_R") == [0, 0, 0]

    triplets = (Triplet(fact="a", ref="1", source="W:3"),)
    held = judged_facts(triplets, {("a", "W:3"): "unverifiable"})
    unread = figures(by_variant(held), "FA", "CC", "S_R", "FA_strict")
    assert unread == ["unverifiable", 10, "unverifiable", 0]
    assert figures(by_variant(held, "paper"), "FA", "S_R") == [0, 5]
    unfetched = judged_facts(triplets, {("a", "W:3"): "na"})
    assert [figure(by_variant(unfetched, rules)["FA"]) for rules in ("default", "paper")] == ["na", "na"]
    assert figure(by_variant(unfetched)["FA_strict"]) == "na"

    triplets = (Triplet(fact="a", ref="1", source="P:1"), Triplet(fact="b", ref="1", source="P:1"))
    part = {("a", "P:1"): 1.0, ("b", "P:1"): "failed"}
    assert figure(by_variant(judged_facts(triplets, {("a", "P:1"): 1.0}))["FA"]) == "failed"
    assert figure(by_variant(judged_facts(triplets, dict.fromkeys(part, "failed")), "paper")["FA"]) == "failed"
    assert figure(by_variant(judged_facts(triplets, part))["FA"]) == 10
    failed = [verdict(TRIPLETS, REPORT, state="failed")]
    assert {*figures(by_variant(failed), "FA", "CC", "S_R", "N_total", "FA_strict")} == {"failed"}


OF_THE_USER = {
    **{"goal_alignment": 0.4, "content_alignment": 0.3, "presentation_fit": 0.1, "actionability_practicality": 0.2}
}
WEIGHTS = OF_THE_USER | {"depth_insight": 0.5, "logical_coherence": 0.3, "clarity_readability": 0.2}
CRITERIA = weighed(WEIGHTS)


def scored(one: Mapping[str, int]) -> list[Verdict]:
    """These scores of the criterion One of each dimension, and 2 of its criterion Two."""
    two = {"criterion": "Two", "analysis": "", "target_score": 2}
    of_one = {key: two | {"criterion": "One", "target_score": score} for key, score in one.items()}
    return [verdict(SCORING, dimension_item(key, CRITERIA), [marks, two]) for key, marks in of_one.items()]


ONE = dict(zip(WEIGHTS, (8, 6, 4, 10, 9, 7, 5), strict=True))


def test_one_missing_dimension_fails_its_axis_and_the_whole_and_no_other() -> None:
    without = {key: score for key, score in ONE.items() if key != "presentation_fit"}
    found = by_variant([*scored(without), *judged_facts(FOUR, JUDGED)], criteria=CRITERIA)
    failed = {one for one in VARIANTS if found[one].state == "failed"}
    assert failed == {"PRES", "S_P", "S_overall", "S_overall_triplets"}

    one, *others = CRITERIA.groups
    edited = one.model_copy(update={"criteria": (Criterion(text="Edited"), *one.criteria[1:])})
    other = CRITERIA.model_copy(update={"groups": (edited, *others)})
    assert figures(by_variant(scored(ONE), criteria=other), "GOAL", "S_P") == ["failed", "failed"]


BEDS = (
    f"# Beds\n\nThe bed costs $49.99 [P:{BED.key}]. Cardinals like seeds [{BIRDS_ID}], [{BLOCKED_ID}]. "
    "Cats sleep a lot. It holds 90 pounds [P:B0NOWHERE01]."
)
FACTS = (
    ("The bed costs $49.99.", f"P:{BED.key}", ""),
    ("Cardinals like seeds.", BIRDS_ID, BIRDS),
    ("Cardinals like seeds.", BLOCKED_ID, BLOCKED),
    ("Cats sleep a lot.", "", ""),
    ("The bed holds 90 pounds.", "P:B0NOWHERE01", ""),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return experiment(
        tmp_path / "exp",
        {"a@model": {"q1-r1": BEDS, "q2-r1": BEDS}, "b@model": {"q1-r1": BEDS, "q2-r1": None}},
        users={"q1": "ann"},
        evidence=(BED, PAGE, WALL),
    )


WEIGHING, MAKING, SCORES = "How much each of these", "in this one dimension", "You score a research report"


def test_criteria_are_made_once_a_query_and_every_report_is_scored_by_them(folder: Path) -> None:
    played = Played(
        weights=OF_THE_USER,
        criteria={"goal_alignment": [("Knows Ann", 0.75), ("Knows birds", 0.25)]},
        score=lambda key, text: 8 if text == "Knows Ann" else 4,
        triplets=FACTS,
        labels={"Cardinals like seeds.": "unsupported"},
    )
    judge, asked = scripted_judge(played)
    found = answered(folder, judge)
    # q1 has a user: two axes of 4 + 3 dimensions; q2 has none. Three reports of which one has no personalization.
    assert len(asking(asked, WEIGHING)) == 3
    assert len(asking(asked, MAKING)) == 7 + 3
    assert len(asking(asked, SCORES)) == 2 + 2 + 1
    assert found["b@model", "GOAL"].value == 0.75 * 8 + 0.25 * 4
    assert found["b@model", "S_P"].value == pytest.approx(0.4 * 7 + 0.6 * 4)
    assert found["b@model", "S_Q"].value == pytest.approx(4)
    assert (found["a@model", "S_P"].n_na, found["a@model", "S_overall"].n_na) == (1, 1)
    # The bed is borne out, the seeds are not by the one page that could be read; the 90 pounds cite nothing known.
    assert [found["b@model", each].value for each in ("FA", "CC", "N_total", "N_cited")] == [5, 5, 4, 2]
    assert found["b@model", "FA_strict"].value == pytest.approx(10 / 3)
    assert found["b@model", "S_overall"].value == pytest.approx((5.2 + 4 + 5) / 3)


def test_weights_that_stay_wrong_fail_what_rests_on_them_and_facts_are_judged_all_the_same(folder: Path) -> None:
    played = Played(weights={"depth_insight": 0.9}, triplets=FACTS)
    judge, asked = scripted_judge(played)
    found = answered(folder, judge)
    assert not list(folder.glob("rubrics/pqr/*"))
    assert len([each for each in asked if "add up to 1.56667" in each]) == 2 * 2
    assert {found["a@model", each].n_failed for each in ("S_Q", "S_overall", "DEIN")} == {2}
    assert (found["a@model", "S_P"].n_failed, found["a@model", "S_P"].n_na) == (1, 1)
    assert found["a@model", "FA"].n_scored == 2
    count = len(asked)
    answered(folder, judge)
    assert len(asked) == count, "it is asked again only where that is wanted"
    played.weights = {}
    again = answered(folder, judge, again="failed")
    assert again["a@model", "S_Q"].n_scored == 2
