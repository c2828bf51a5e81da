"""Each probe finds the strength of a bias that a scripted judge has, and none of a judge without it; effects alone."""

from math import log2
from pathlib import Path
from random import Random
from typing import Any

import pytest

from drretail.addons.lab.bias.probe import Case, QuestionPlace, choose_reports, difference, doubled, halved
from drretail.addons.lab.findings import BiasFound, Figure, effect_in_words, is_found
from drretail.errors import ModelError, UserError
from drretail.eval.claims.claims import SUPPORT, VERSION
from drretail.eval.claims.rulings import support_prompt
from drretail.eval.judging.question import VerdictFile, verdict_path
from drretail.llm.prompt import tag_content
from drretail.stats.intervals import Clusters
from tests import build
from tests.addons.lab.bias.scripted import (
    LATER,
    QUERIES,
    A,
    B,
    an_experiment,
    chance,
    effect,
    holds,
    judge_of,
    probed,
    rater,
    reports,
    worth,
)
from tests.build import Script, known, scripted_judge
from tests.eval.metrics.pairwise.judging import chosen, shown


def test_few_queries_say_what_they_would_have_seen_and_equal_answers_are_no_proof_of_others() -> None:
    assert is_found(difference("d", {"q1": [1.0, 2.0]}, Clusters())) is None
    few = difference("d", {f"q{n}": [1.0, -1.0, 0.5][n % 3 : n % 3 + 1] for n in range(6)}, Clusters())
    assert is_found(few) is False
    assert known(few.items["detectable"]) > 1
    assert "none found (d 0.17 (" in effect_in_words(few)
    assert "on 6 queries; 1." in effect_in_words(few)
    fewer = difference("d", {f"q{n}": [1.0 + n / 10] for n in range(5)}, Clusters())
    assert is_found(fewer) is None
    assert "on 5 queries, too few to conclude: it takes 6" in effect_in_words(fewer)
    alike = difference("d", {f"q{n}": [0.0] for n in range(10)}, Clusters())
    assert is_found(alike) is False
    assert "up to 31% of other queries may not be" in effect_in_words(alike)


@pytest.mark.parametrize(("queries", "users", "found"), [(5, 5, None), (8, 8, True), (16, 8, True), (16, 4, None)])
def test_the_strongest_bias_is_found_from_six_users_on_whatever_their_queries(
    queries: int, users: int, found: bool | None
) -> None:
    always = {f"q{n}": [1.0, 1.0] for n in range(queries)}
    effect = difference("d", always, Clusters({f"q{n}": f"u{n % users}" for n in range(queries)}))
    assert (is_found(effect), effect.n, effect.n_users) == (found, queries, users)
    assert effect.items["p"] == pytest.approx(2 / 2**users)


def test_one_user_with_many_queries_is_no_bias_of_the_judge() -> None:
    users = {f"q{n}": f"u{max(0, n - 20)}" for n in range(30)}  # the first 21 queries are of one user
    leaning = {query: [1.0 if user == "u0" else 0.1 * (-1) ** int(user[1:])] for query, user in users.items()}
    assert is_found(difference("d", leaning, Clusters()))
    assert is_found(difference("d", leaning, Clusters(users))) is False


@pytest.mark.parametrize("queries", [6, 8, 16])
def test_of_unbiased_judges_at_most_5_of_100_are_found_biased(queries: int) -> None:
    lots, false, draws = Random(queries), 0, 600
    for _ in range(draws):
        own = {f"q{n}": lots.gauss(0, 0.5) for n in range(queries)}
        ratings = {q: [float(round(mean + lots.gauss(0, 0.8))) for _ in range(6)] for q, mean in own.items()}
        false += is_found(difference("d", ratings, Clusters())) is True
    assert false / draws <= 0.068  # 5 %, and a draw's own chance


def test_a_line_names_the_first_effect_of_each_probe_of_each_judge() -> None:
    found = difference("twice minus once", {f"q{n}": [1.0, 1.5] for n in range(6)}, Clusters())
    rows = (
        Figure(of="length", by="j"),
        found.model_copy(update={"of": "length", "by": "j"}),
        Figure(of="own_family", by="j", note="no system"),
        Figure(of="drift", by="k", note="rules"),
    )
    summary = BiasFound(reports="r", rows=rows).summary()
    assert summary == ("Biases of j: length: twice minus once 1.25 on 6 queries. k: no probe has an answer.")


(REPORT,) = reports("a", 1).values()
WORDS = len(REPORT.split())
LENGTHS = {"twice": log2(len(doubled(REPORT).split()) / WORDS), "half": log2(len(halved(REPORT).split()) / WORDS)}
"""Doublings of a copy: about 1 and -1, since copies are cut at a sentence, and headings stand once."""


def unbiased(report: str, title: str, words: int) -> float:
    return worth(report, title) + 2 * chance("noise", report, title, words) - 1


@pytest.fixture
def exp(tmp_path: Path) -> Path:
    return an_experiment(tmp_path / "exp")


def by_content(question: str) -> Any:
    first, second = shown(question)
    criterion = tag_content("criterion", question)
    return chosen("A" if chance(first, criterion) > chance(second, criterion) else "B")


@pytest.mark.parametrize(
    ("script", "leaning", "flipped"),
    [
        (lambda question: chosen("A" if chance("first", question) < 0.8 else "B"), 0.6, 0.68),
        (lambda question: chosen("A" if chance("coin", question) < 0.5 else "B"), None, 0.5),
        (by_content, None, 0.0),
    ],
    ids=["the first in four of five", "a coin", "what it reads"],
)
def test_a_judge_that_leans_to_a_place_is_found(
    exp: Path, script: Script, leaning: float | None, flipped: float
) -> None:
    found = probed(exp, judge_of(script), ["position"])["position"]
    first = effect(found, "first preferred")
    assert is_found(first) is (leaning is not None)
    assert leaning is None or holds(first, leaning)
    assert holds(effect(found, "flipped"), flipped)
    assert (first.n, first.count("items")) == (QUERIES, 6 * QUERIES)


@pytest.mark.parametrize("points", [1, 0])
def test_a_judge_that_gives_so_many_points_for_each_doubling(exp: Path, points: int) -> None:
    judge = judge_of(rater(lambda report, title, n: unbiased(report, title, n) + points * log2(n / WORDS)))
    found = probed(exp, judge, ["length"])["length"]
    for name, strength in LENGTHS.items():
        assert holds(effect(found, name), points * strength), name
        assert is_found(effect(found, name)) is (points > 0)
        assert holds(effect(found, name, "depth"), points * strength)
    assert {row.n for row in found if row.name} == {QUERIES}


@pytest.mark.parametrize("bias", [0.7, 0.0])
def test_a_judge_that_gives_its_own_family_more(tmp_path: Path, bias: float) -> None:
    exp = an_experiment(tmp_path / "exp", a="anthropic:claude-x", b="openai:gpt-x")

    def better_a(report: str, title: str, words: int) -> float:  # a is truly better, as others say, too
        return unbiased(report, title, words) + ("of a on" in report)

    other = judge_of(rater(better_a), "gemini-j")
    build.scored(exp, ["quality"], other)
    own = judge_of(
        rater(lambda report, title, n: better_a(report, title + " mine", n) + bias * ("of a on" in report)), "claude-j"
    )
    found = probed(exp, own, ["own_family"])["own_family"]
    gap = effect(found, "anthropic's reports")
    assert holds(gap, bias)
    assert is_found(gap) is (bias > 0)
    assert gap.n == QUERIES


@pytest.mark.parametrize(
    ("name", "reason"), [("claude-j", "nobody else rated"), ("grok-j", "no system is on a model of xai")]
)
def test_own_family_needs_others_ratings_and_both_kinds_of_systems(tmp_path: Path, name: str, reason: str) -> None:
    exp = an_experiment(tmp_path / "exp", 2, a="anthropic:claude-x", b="openai:gpt-x")
    assert reason in probed(exp, judge_of(rater(unbiased), name), ["own_family"])["own_family"][0].note


def strays(share: float) -> Any:
    """A judge that gives three points more than its reasons lead to, in that share of its ratings."""
    straight = rater(unbiased)

    def answer(question: str) -> Any:
        reasons = tag_content("justification", question)
        if reasons is not None:
            last = reasons.rstrip(".").split()[-1]
            return {"reading": "So."} | ({"label": last} if reasons.startswith("Label") else {"rating": int(last)})
        result = straight(question)
        more = 3 * (chance("astray", question) < share)
        return {**result, "rating": result["rating"] + more}

    return answer


@pytest.mark.parametrize("share", [0.2, 0.0])
def test_a_judge_whose_ratings_are_not_what_its_reasons_say(exp: Path, share: float) -> None:
    found = probed(exp, judge_of(strays(share)), ["justification"])["justification"]
    assert holds(effect(found, "ratings 2 points"), share)
    more = effect(found, "rating minus")
    assert holds(more, 3 * share)
    assert is_found(more) is (share > 0)
    assert (more.n, more.count("items")) == (QUERIES, 2 * 6 * QUERIES)


def test_a_judge_whose_labels_of_claims_are_not_what_its_reasons_say(exp: Path) -> None:
    def label(case: Case) -> None:
        for subject in case.reports.subjects:
            about = QuestionPlace.of(subject)
            path = verdict_path(case.folder, "faithfulness", case.judge.slug, about.label, about.run)
            fields: dict[str, Any] = {"version": VERSION, "prompt_hash": support_prompt("default").hash}
            fields |= {"run_id": about.run_id, "report_sha": about.sha, "judge": case.judge.ref}
            file = VerdictFile(path)
            for n in range(5):
                value, reason = 1.0 if chance("claim", about.run_id, n) < 0.2 else 0.5, f"Label {n}: partial_support."
                file.append(build.verdict("faithfulness", SUPPORT, f"c{n}", value, reason=reason, **fields))
            file.close()

    found = probed(exp, judge_of(strays(0)), ["justification"], before=label)["justification"]
    assert holds(effect(found, "labels of claims", SUPPORT), 0.2)
    higher = effect(found, "support minus", SUPPORT)
    assert holds(higher, 0.1)
    assert is_found(higher)
    assert higher.count("items") == 2 * 5 * QUERIES


@pytest.mark.parametrize("shift", [-1.0, 0.0])
def test_a_judge_that_rates_otherwise_on_a_later_day(exp: Path, tmp_path: Path, shift: float) -> None:
    pin, asked = tmp_path / "pin.json", iter(range(10_000))

    def by_day(more: float) -> Any:  # an answer is another each time that it is asked for
        return rater(
            lambda report, title, _: worth(report, title) + more + 2 * chance("noise", report, next(asked)) - 1
        )

    first = probed(exp, judge_of(by_day(0)), ["drift"], pin=pin)["drift"]
    assert "asked on a later day" in first[0].note
    pinned = pin.read_bytes()
    probed(exp, judge_of(by_day(0)), ["drift"], pin=pin)
    assert pin.read_bytes() == pinned  # what was asked today is not asked again
    found = probed(exp, judge_of(by_day(shift)), ["drift"], pin=pin, day=LATER)["drift"]
    moved = effect(found, "shift since 2025-01-01", "overall")
    assert holds(moved, shift)
    assert is_found(moved) is (shift < 0)
    assert (moved.n, moved.count("items")) == (QUERIES, 2 * QUERIES)
    if not shift:
        assert is_found(effect(found, "changed more than at once", "overall")) is False
        assert (effect(found, "changed since", "overall").value or 0) > 0


def test_judges_that_use_three_values_or_all(exp: Path) -> None:
    narrow = judge_of(rater(lambda report, title, n: 7 + int(3 * chance("narrow", report, title))), "narrow")
    wide = judge_of(rater(lambda report, title, n: int(11 * chance("wide", report, title))), "wide")
    for judge, values in ((narrow, 3), (wide, 11)):
        found = probed(exp, judge, ["scale_use"])["scale_use"]
        assert holds(effect(found, "entropy"), log2(values))
        assert holds(effect(found, "8 or more"), 2 / 3 if values == 3 else 3 / 11)
        assert holds(effect(found, "of its most used value"), 1 / values)


def test_copies_are_rated_beside_their_report_only_where_length_is_probed(tmp_path: Path) -> None:
    exp = an_experiment(tmp_path / "exp", 2)
    probed(exp, judge_of(rater(unbiased)), ["length"])
    runs = sorted(path.name for path in (exp / "lab" / "bias" / "runs").iterdir())
    assert len(runs) == 6
    probed(exp, judge_of(rater(unbiased)), ["scale_use"])
    assert sorted(path.name for path in (exp / "lab" / "bias" / "runs").iterdir()) == [A, B]


def test_what_was_judged_before_is_not_asked_again(tmp_path: Path) -> None:
    """Of reports and pairs in the experiment itself, and of copies by an earlier call."""
    exp, rate = an_experiment(tmp_path / "exp", 2), rater(unbiased)
    judge, asked = scripted_judge(lambda text: chosen("A") if text.count("<report") > 1 else rate(text))
    build.scored(exp, ["quality", "pairwise"], judge)
    n = len(asked)
    found = probed(exp, judge, ["position", "scale_use"])["position"]
    assert effect(found, "first preferred").value == 1
    assert len(asked) == n == (2 * 2 + 4) * 6
    probed(exp, judge, ["length"])
    with_copies = len(asked)
    probed(exp, judge, ["length"])
    assert len(asked) == with_copies > n


def test_whole_queries_are_drawn_by_seed_up_to_the_limit(exp: Path) -> None:
    one, other = (choose_reports(exp, limit=7, seed=seed) for seed in ("1", "2"))
    assert len(one.subjects) == len(other.subjects) == 6
    assert one.sha != other.sha
    assert one.sha == choose_reports(exp, limit=7, seed="1").sha
    assert len(choose_reports(exp, limit=1, seed="1").subjects) == 2
    assert len(choose_reports(exp, limit=0, seed="1").subjects) == 2 * QUERIES


def test_copies_are_cut_at_a_sentence_and_told_twice_without_headings() -> None:
    report = "# A\n\nOne two three. Four five six.\n\n## B\n\n- seven eight nine [P:1]\n- ten\n"
    assert halved(report) == "# A\n\nOne two three. Four five six.\n"
    again = doubled(report)
    assert [again.count(text) for text in ("# A", "## B", "Four five six.", "[P:1]", "- ten")] == [1, 1, 2, 2, 2]
    assert halved("") == "\n"


def test_a_pinned_set_that_was_changed_is_refused(tmp_path: Path) -> None:
    exp, pin = an_experiment(tmp_path / "exp", 2), tmp_path / "pin.json"
    probed(exp, judge_of(rater(unbiased)), ["drift"], pin=pin)
    pin.write_text(pin.read_text(encoding="utf-8").replace("Point 1", "Point 9"), encoding="utf-8")
    with pytest.raises(UserError, match="was changed since it was pinned"):
        probed(exp, judge_of(rater(unbiased)), ["drift"], pin=pin, day=LATER)


def test_judgements_that_failed_are_counted_and_named_and_are_no_finding(tmp_path: Path) -> None:
    judge = judge_of(lambda _: ModelError("refusal", "no answer"))
    found = probed(an_experiment(tmp_path / "exp", 2), judge, ["position", "length"])
    assert found.keys() == {"position", "length"}
    assert {(len(rows), rows[0].failed > 0, rows[0].unasked) for rows in found.values()} == {(1, True, 0)}
    line = BiasFound(reports="r", rows=tuple(row for rows in found.values() for row in rows)).summary()
    assert f"position: {found['position'][0].failed} judgements failed" in line
