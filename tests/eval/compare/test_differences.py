"""All systems at once: who is above whom, in a sentence for each thing that systems are chosen by."""

from drretail.eval.compare.differences import ALONE, differences
from drretail.eval.scores.gathering import Assessor, Gathered
from drretail.records.pairs import PairScore
from tests.eval.compare.crafted import CODE, JUDGE, RULES, gathered, runs
from tests.eval.compare.test_sentences import pair_row

MANY = 14
WAVES = [0.0, 0.25, 0.5, 0.25]


def told(held: Gathered, assessor: Assessor = JUDGE, pairs: tuple[PairScore, ...] = (), **called: str) -> list[str]:
    names = {label: label.upper() for label in held.labels()}
    return differences(
        held, [assessor, CODE], names, {("quality", variant): it for variant, it in called.items()}, pairs
    )


def three(best: float, middle: float, last: float, n: int = MANY, assessor: Assessor = JUDGE) -> Gathered:
    """Systems a, b and c that differ by so much on each query, and a little by query."""
    values = {
        label: runs([level + WAVES[(at * step) % 4] for at in range(n)])
        for step, (label, level) in enumerate({"a": best, "b": middle, "c": last}.items(), 1)
    }
    return gathered(("quality", "overall", assessor, values))


def test_who_is_above_whom_is_one_sentence_the_best_first_under_the_name_of_the_board() -> None:
    assert told(three(8, 5, 2), overall="quality") == ["quality: A above B and C; B above C (n = 14 queries)."]
    assert told(three(8, 8, 2)) == [
        "overall: B and A above C; of the other pair no difference is shown (n = 14 queries)."
    ]  # the variant's own name without one of the board


def test_where_nothing_is_shown_the_sentence_says_what_it_would_take() -> None:
    (few,) = told(three(8, 5, 2, n=3))
    assert few == "overall: 3 queries can show no difference, 3 tests made at once: it takes 7 queries at least."
    up_and_down = {"a": runs([6.0, 4.4] * 7), "b": runs([5.0] * MANY)}
    (many,) = told(gathered(("quality", "overall", JUDGE, up_and_down)))
    assert many.startswith(
        "overall: no difference is shown by 14 queries: the clearest that was seen would take about 1"
    )
    (same,) = told(gathered(("quality", "overall", JUDGE, {"a": runs([7] * 9), "b": runs([7] * 9)})))
    assert same == "overall: the same in every system on all 9 queries."


def test_correction_is_over_all_pairs_so_more_systems_make_it_harder() -> None:
    seven = [1.0, 1.2, 1.1, 1.3, 0.9, 1.4]
    two = {"a": runs([5 + it for it in seven]), "b": runs([5.0] * 6)}
    assert told(gathered(("quality", "overall", JUDGE, two))) == ["overall: A above B (n = 6 queries)."]
    more = {**two, "c": runs([5.0] * 6), "d": runs([5.0] * 6)}
    assert "above" not in told(gathered(("quality", "overall", JUDGE, more)))[0]


def test_nothing_is_concluded_from_rules_and_a_judge_is_asked_for() -> None:
    values = {"a": runs([0.9] * MANY), "b": runs([0.1 + at / 100 for at in range(MANY)])}
    (said,) = told(gathered(("faithfulness", "FP", RULES, values)), RULES)
    assert said == (
        "FP: nothing is concluded from offline:judge, which follows rules: score with --judge PROVIDER:MODEL."
    )
    assert told(gathered(("basket", "feasible", CODE, values)), RULES) == [
        "basket feasible: A above B (n = 14 queries)."
    ]


def test_preferences_side_by_side_stand_beside_what_each_report_got() -> None:
    held = three(5, 5, 5)
    rows = (pair_row("overall", 0.2, 0.1, 0.3), pair_row("overall", 0.2, 0.1, 0.3, b="c"), pair_row("depth", 1, 1, 1))
    assert told(held, pairs=rows)[0] == "side by side: B and C above A (n = 10 queries)."
    unsure = (pair_row("overall", 0.5, 0.3, 0.7, p_holm=1.0),)
    assert "side by side: no preference is shown in 1 pair by 10 queries." in told(held, pairs=unsure)


def test_headlines_and_preferences_are_corrected_together_so_more_headlines_make_it_harder() -> None:
    some = {"a": runs([5 + it for it in (1.0, 1.2, 1.1, 1.3, 0.9, 1.4)]), "b": runs([5.0] * 6)}
    (alone,) = told(gathered(("quality", "overall", JUDGE, some)))
    assert "A above B" in alone
    of_two = told(gathered(("quality", "overall", JUDGE, some), ("basket", "feasible", CODE, some)))
    assert not any("above" in it for it in of_two)
    assert "2 tests made at once: it takes 7 queries at least" in of_two[0]
    unsure = pair_row("overall", 0.5, 0.3, 0.7, p=1.0)
    assert not any("above" in it for it in told(gathered(("quality", "overall", JUDGE, some)), pairs=(unsure,)))


def test_users_stand_beside_queries_and_too_few_of_them_are_told_how_many_it_takes() -> None:
    values = {label: runs([level] * 11 + [level + 1] * 10) for label, level in {"a": 8, "b": 5, "c": 2}.items()}

    def shopper_context(count: int) -> list[str]:
        users = {f"q{at:03}": f"u{at % count}" for at in range(21)}
        return told(gathered(("quality", "overall", JUDGE, values), users=users))

    assert shopper_context(7) == ["overall: A above B and C; B above C (n = 21 queries, 7 users)."]
    assert shopper_context(5) == [
        "overall: 21 queries, 5 users can show no difference, 3 tests made at once: it takes 7 users at least."
    ]


def test_one_system_alone_is_told_so() -> None:
    assert told(gathered(("quality", "overall", JUDGE, {"a": runs([7, 8])}))) == [ALONE]
