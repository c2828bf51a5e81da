"""What comparisons say in plain words: a clear difference, none, too few queries, equal values, several judges."""

import random
from typing import Any

import pytest

from drretail.eval.compare.comparing import ComparisonRequest, compare
from drretail.records.pairs import PairScore
from drretail.stats.power import power
from drretail.tables.figures import number, signed
from tests.eval.compare.crafted import CODE, JUDGE, OTHER, beside, comparison, gathered, only_row, runs
from tests.eval.compare.test_comparing import noisy


def test_a_number_that_shows_as_zero_has_no_sign() -> None:
    assert [number(it) for it in (-0.0, -0.004, 0.004, -0.005001)] == ["0.00", "0.00", "0.00", "-0.01"]
    assert [signed(it) for it in (-0.0, 0.0, -0.2, 0.2)] == ["0.00", "0.00", "-0.20", "+0.20"]


def test_a_clear_difference_is_said_with_who_is_higher_by_how_much_and_how_surely() -> None:
    a, b = noisy(30, 1.0)
    (said,) = comparison(beside(a, b)).conclusions
    assert said.startswith(
        "By anthropic:claude, A is higher than B (difference, 95 % interval; n = 30 queries) in overall (1."
    )
    (turned,) = comparison(beside(a, b), "b", "a").conclusions
    assert turned == said.replace("A is higher than B", "B is higher than A")


def test_where_nothing_can_be_concluded_it_is_said_what_it_would_take_and_what_would_be_missed() -> None:
    made = comparison(beside(*noisy(30, 0.05)))
    (row,) = made.tables[0].rows
    first, second, third = made.conclusions
    assert first == (
        "No difference can be concluded by anthropic:claude in overall (30 queries). What was seen there may be "
        "chance; that they are equal can't be concluded either."
    )
    assert f"{row.queries_needed:,} queries (overall, +" in second
    assert second.endswith(" by anthropic:claude.")
    assert third == (
        "True differences of this size would be shown in about 4 of 5 such experiments, tested as strictly as Holm may "
        f"ask, and half of them in 3 of 10: {row.detectable:.2f} (overall) by anthropic:claude."
    )


def test_what_so_many_queries_show_is_told_at_the_level_that_verdicts_are_held_against() -> None:
    both = {"a": runs(noisy(30, 0.05)[0]), "b": runs(noisy(30, 0.05)[1])}
    alone = only_row(comparison(gathered(("quality", "overall", JUDGE, both))))
    said = [("quality", dimension, JUDGE, both) for dimension in ("overall", "depth", "clarity", "breadth")]
    of_three = comparison(gathered(*said)).tables[0].rows[0]
    assert alone.sd == of_three.sd
    assert of_three.sd is not None
    assert alone.detectable is not None
    assert of_three.detectable is not None
    assert alone.detectable < of_three.detectable
    away = of_three.detectable / (of_three.sd / 30**0.5)
    assert power(away, 29, 0.05 / 3) == pytest.approx(0.8, abs=1e-6)
    assert power(away / 2, 29, 0.05 / 3) == pytest.approx(of_three.power_of_half, abs=1e-6)


def test_too_few_queries_are_said_to_be_too_few_whatever_they_show() -> None:
    made = comparison(beside([9.0, 9.0, 9.0, 8.0], [1.0, 2.0, 1.0, 1.0]))
    assert made.conclusions[0] == (
        "By anthropic:claude, nothing can be concluded in overall: 4 queries are too few. With one test no result "
        "could have reached 5%; 6 queries that all differ alike are the fewest that could."
    )
    assert made.conclusions[1] == (
        "To show differences as large as were seen would take 6 queries (overall, +7.50) by anthropic:claude; so few "
        "queries tell this only roughly."
    )
    assert [it.what for it in made.missing][-1] == "quality: 4 queries, and no test can come out below 6 queries"


def test_equal_values_are_said_to_be_equal() -> None:
    (said,) = comparison(beside([6.0, 7.0, 8.0], [6.0, 7.0, 8.0])).conclusions
    assert said == (
        "By anthropic:claude, both have the same value on every query in overall (3 queries). That they always have "
        "can't be concluded: up to 63% of such queries may differ (95 % sure)."
    )


def test_one_query_says_so_in_the_singular_and_claims_nothing() -> None:
    assert (
        "(1 query). That they always have can't be concluded: up to 95% of"
        in comparison(beside([6.0], [6.0])).conclusions[0]
    )
    made = comparison(beside([6.0], [7.0]))
    assert "nothing can be concluded in overall: 1 query is too few." in made.conclusions[0]
    assert "quality: 1 query, and no test can come out below 6 queries" in [it.what for it in made.missing]


def test_where_nothing_differs_there_is_no_size_that_would_be_shown() -> None:
    row = only_row(comparison(beside([6.0, 7.0, 8.0], [6.0, 7.0, 8.0])))
    assert (row.detectable, row.power_of_half, row.queries_needed) == (None, None, None)


def test_no_query_with_both_values_says_why() -> None:
    (said, *_) = comparison(beside([6.0, "na"], ["na", 7.0])).conclusions
    assert said == (
        "By anthropic:claude, nothing can be said of overall: no query has a value of both (A: na: 1 query; B: na: "
        "1 query)."
    )


def test_nothing_judged_is_said_and_named_with_the_command() -> None:
    made = comparison(beside(["not judged"], ["not judged"]))
    assert made.conclusions == ("Nothing can be concluded: no judge has values of both systems.",)


def test_nothing_is_concluded_where_more_than_one_planned_run_in_twenty_is_missing() -> None:
    a, b = noisy(30, 1.0)
    made = comparison(beside([*a, "failed", "failed"], [*b, 3.0, 2.0]))
    assert made.conclusions[0] == (
        "In overall by anthropic:claude, nothing is concluded: 2 of 64 planned runs are missing (lost to a server, "
        "failed judgements or unreadable pages), and at most one in twenty of a system may be."
    )
    assert only_row(comparison(beside([*a, "failed"], [*b, 3.0]))).outcome == "higher"


def test_who_fails_on_half_of_the_queries_is_not_above_who_tries_all() -> None:
    quitter, honest = [9.0] * 15 + [None] * 15, [7.0] * 30
    row = only_row(comparison(beside(quitter, honest)))
    assert (row.mean_a, row.mean_b, row.n_pairs, row.outcome) == (4.5, 7.0, 30, "lower")


def test_a_side_that_fails_is_named_with_the_command() -> None:
    a, b = noisy(30, 1.0)
    made = comparison(beside([*a, None, None], [*b, 3.0, 2.0]))
    assert made.missing[0].what == "A: 2 of 32 runs failed"


def test_several_judges_are_not_mixed_and_contradictions_are_said() -> None:
    a, b = noisy(30, 1.0)
    held = gathered(
        ("quality", "overall", JUDGE, {"a": runs(a), "b": runs(b)}),
        ("quality", "overall", OTHER, {"a": runs(b), "b": runs(a)}),
    )
    *_, judges, against = comparison(held).conclusions
    assert judges.startswith("2 judges are heard, each in a table of its own: anthropic:claude and openai:gpt.")
    assert against == (
        "Judges contradict each other in overall: A by anthropic:claude, B by openai:gpt. Conclude nothing there."
    )


def test_judges_that_say_the_same_share_a_sentence() -> None:
    a, b = noisy(30, 1.0)
    both = {"a": runs(a), "b": runs(b)}
    said = comparison(gathered(("quality", "overall", JUDGE, both), ("quality", "overall", OTHER, both))).conclusions
    (row,) = comparison(beside(a, b)).tables[0].rows
    one = f"{row.difference:.2f}"
    assert said[0] == (
        "By anthropic:claude and openai:gpt, A is higher than B (differences; n = 30 queries) in overall "
        f"({one} and {one})."
    )
    assert len(said) == 2
    none = {"a": runs(noisy(30, 0.05)[0]), "b": runs(noisy(30, 0.05)[1])}
    dimensions = ("overall", "depth", "clarity")
    two = [("quality", dimension, assessor, none) for assessor in (JUDGE, OTHER) for dimension in dimensions]
    assert (
        comparison(gathered(*two))
        .conclusions[0]
        .startswith("No difference can be concluded by anthropic:claude and openai:gpt in all of quality (30 queries).")
    )


LOUD = {"q1": [[2, 2], [9, 9]], "q2": [[3, 3], [8, 8]], "q3": [[9, 9], [2, 2]]}
MOODY = {"q1": [[1, 9], [2, 9]], "q2": [[2, 9], [4, 10]], "q3": [[9, 2], [9, 7]]}


def test_noise_is_the_agent_s_only_where_the_judge_s_own_is_less() -> None:
    held = gathered(("quality", "overall", JUDGE, {"a": LOUD, "b": MOODY}))
    assert "By anthropic:claude, runs of one query differ by more than the judge's own noise in overall of A." in (
        comparison(held).conclusions
    )
    moody = comparison(gathered(("quality", "overall", JUDGE, {"a": MOODY, "b": MOODY}))).conclusions
    assert any("the agent's noise can't be told from the judge's in anything" in it for it in moody)


def test_where_the_judge_was_not_repeated_no_noise_is_called_the_agent_s() -> None:
    once = {"q1": [2, 9], "q2": [3, 8], "q3": [9, 2]}
    made = comparison(gathered(("quality", "overall", JUDGE, {"a": once, "b": once})))
    row = made.tables[0].reliability[0]
    assert (row.sd_agent, row.sd_judge, row.p_agent) == (None, None, None)
    assert row.sd_repeats == pytest.approx(((49 + 25 + 49) / 2 / 3) ** 0.5)
    assert not any("noise" in conclusion for conclusion in made.conclusions)
    by_code = comparison(gathered(("process", "turns", CODE, {"a": once, "b": once}))).tables[0].reliability[0]
    assert (by_code.sd_agent, by_code.sd_repeats) == (row.sd_repeats, None)


def test_the_judge_s_part_of_the_spread_is_within_that_of_all_repeats() -> None:
    def quiet(rng: random.Random) -> dict[str, list[list[float]]]:
        """Runs that by chance differ less than judgements do."""
        return {f"q{at}": [[5.0 + rng.random(), 6.0], [6.0, 5.0 + rng.random()]] for at in range(6)}

    held = gathered(("quality", "overall", JUDGE, {"a": quiet(random.Random(1)), "b": quiet(random.Random(2))}))
    row = only_row(comparison(held))
    assert row.repeat_share == row.judge_share
    assert 0 < (row.repeat_share or 0) < 1


def test_what_twice_the_repeats_would_narrow_is_said_beside_what_twice_the_queries_would() -> None:
    rng = random.Random(4)
    base = {f"q{at}": rng.gauss(6, 1) for at in range(40)}
    noise = {name: [[value + rng.gauss(0, 1.5)] for _ in range(2)] for name, value in base.items()}
    steady = {name: [[value + rng.gauss(0, 1)] * 2] for name, value in base.items()}
    repeated = {name: [runs[0], runs[0]] for name, runs in steady.items()}
    loud = comparison(gathered(("quality", "overall", JUDGE, {"a": noise, "b": noise | {"q0": [[1.0], [2.0]]}})))
    assert loud.tables[0].rows[0].repeat_share is not None
    made = comparison(gathered(("quality", "overall", JUDGE, {"a": noise, "b": repeated})))
    (row,) = made.tables[0].rows
    runs_apart = sum((x[0] - y[0]) ** 2 / 2 for x, y in noise.values()) / 40
    assert row.sd is not None
    assert row.repeat_share == pytest.approx(runs_apart / 2 / row.sd**2)
    (said,) = [conclusion for conclusion in made.conclusions if conclusion.startswith("Twice the queries")]
    taken = 100 * (1 - (1 - runs_apart / 4 / row.sd**2) ** 0.5)
    assert said == (
        "Twice the queries, of other users, would narrow every interval by 29%. As far as so few repeats tell, "
        f"it would narrow by {taken:.0f}% with twice the runs of each query (by anthropic:claude)."
    )


def test_a_system_that_checks_itself_is_named() -> None:
    held = gathered(("checks", "clean", CODE, {"a": runs([1.0]), "b": runs([0.0])}), self_checked=["b"])
    assert (
        "B takes out of its own reports what the checks find, so they say little of it." in comparison(held).conclusions
    )


def test_picks_that_were_not_read_alike_are_named_before_anything_is_concluded() -> None:
    declared, by_form = {"picks declared": 1.0}, {"picks by form": 1.0}
    said = ("checks", "clean", CODE, {"a": runs([1.0]), "b": runs([0.0])})
    apart = comparison(gathered(said, items={"a": declared, "b": by_form})).conclusions
    assert [it for it in apart if "not read alike" in it] == [
        "The picks were not read alike (A: picks declared; B: picks by form): differences in checks, basket and "
        "next_purchase may be those of the readers. Conclude nothing there."
    ]
    alike = comparison(gathered(said, items={"a": declared, "b": declared})).conclusions
    assert not [it for it in alike if "not read alike" in it]


def pair_row(dimension: str, rate: float, low: float, high: float, **given: Any) -> PairScore:
    """20 pairs of reports on 10 queries."""
    row = PairScore(
        version=1,
        dimension=dimension,
        a="a",
        b="b",
        judge="anthropic:claude",
        judge_kind="llm",
        n_planned=20,
        n_scored=20,
        wins=3,
        ties=2,
        losses=15,
        win_rate=rate,
        ci_low=low,
        ci_high=high,
        flip_rate=0.1,
        n_queries=10,
        queries_won=1,
        queries_lost=9,
        p=0.001,
        p_holm=0.007,
    )
    return row.model_copy(update=given)


def test_preferences_side_by_side_are_said_where_chance_is_ruled_out() -> None:
    pairs = [pair_row("depth", 0.2, 0.05, 0.4), pair_row("overall", 0.6, 0.4, 0.8)]
    held = beside([6.0, 7.0], [6.0, 7.0])
    for a, b, who in (("a", "b", "B to A"), ("b", "a", "A to B")):
        made = comparison(held, a, b, pairs=pairs)
        _, won, none, flips = made.conclusions
        assert won == f"Side by side, anthropic:claude prefers {who} in depth (won 9 of 10 queries, lost 1)."
        assert none == "Side by side, by anthropic:claude, no preference can be concluded in overall (10 queries)."
        assert flips.startswith(
            "Side by side, the order of the two reports changed the winner in 10% of pairs (by anthropic:claude)."
        )
        assert not any("side by side" in it.what for it in made.missing)


def test_two_queries_are_too_few_for_a_preference_however_often_they_were_repeated() -> None:
    few = {"n_queries": 2, "queries_won": 2, "queries_lost": 0, "p": 0.5}
    pairs = [
        pair_row("constraint_following", 1.0, 1.0, 1.0, **few, p_holm=1.0),
        pair_row("overall", 1.0, 1.0, 1.0, **few, p_holm=1.0),
    ]
    said = comparison(beside([6.0, 7.0], [6.0, 7.0]), pairs=pairs).conclusions
    assert not any("prefers" in it for it in said)
    assert (
        "Side by side, by anthropic:claude, nothing can be concluded in constraint_following and overall: 2 queries "
        "are too few. 7 queries that all end alike are the fewest that could show a preference."
    ) in said


def test_of_a_few_queries_it_is_not_said_how_often_the_order_decided() -> None:
    for n, said in ((5, False), (6, True)):
        pairs = [pair_row("depth", 0.2, 0.05, 0.4, n_queries=n)]
        found = comparison(beside([6.0, 7.0], [6.0, 7.0]), pairs=pairs).conclusions
        assert any("the order of the two reports" in it for it in found) == said


def test_judges_that_contradict_each_other_side_by_side_or_by_their_ratings_are_flagged() -> None:
    other = {"judge": "openai:gpt", "queries_won": 9, "queries_lost": 1, "ci_low": 0.7, "ci_high": 0.9}
    pairs = [pair_row("depth", 0.2, 0.05, 0.4), pair_row("depth", 0.8, 0.6, 0.9, **other)]
    held = beside([6.0, 7.0], [6.0, 7.0])
    against = "Judges contradict each other in depth: A by openai:gpt side by side, B by anthropic:claude side by side."
    assert f"{against} Conclude nothing there." in comparison(held, pairs=pairs).conclusions
    rated = comparison(beside(*noisy(30, 1.0), variant="depth"), pairs=pairs[:1]).conclusions
    assert any("A by anthropic:claude, B by anthropic:claude side by side" in it for it in rated)


def test_a_judge_whose_answers_all_failed_is_told_and_asked_again() -> None:
    failed = {"n_scored": 0, "n_failed": 20, "failed_verdicts": 40, "win_rate": None, "flip_rate": None}
    gone = pair_row("depth", 0.5, 0.5, 0.5, **failed, p=None, p_holm=None, n_queries=0)
    told = {it.what: it.command for it in comparison(beside([6.0, 7.0], [6.0, 7.0]), pairs=[gone]).missing}
    what = "anthropic:claude gave no usable answer to 40 questions side by side, so nothing is known of whom it prefers"
    command = "drretail score exp --metrics pairwise --pairs a~b --judge anthropic:claude"
    assert told[what] == f"{command} --retry failed"
    assert not any("No language model" in it for it in told)
    some = gone.model_copy(update={"n_scored": 5, "not_judged": 3, "failed_verdicts": 1})
    told = {it.what: it.command for it in comparison(beside([6.0, 7.0], [6.0, 7.0]), pairs=[some]).missing}
    assert told["anthropic:claude gave no usable answer to 1 question side by side"] == f"{command} --retry failed"
    assert told["3 comparisons side by side not asked of anthropic:claude yet"] == command


def test_pairwise_judging_that_is_not_asked_for_is_neither_shown_nor_missed() -> None:
    held = beside([6.0, 7.0], [6.0, 7.0])
    request = ComparisonRequest("exp", tuple(held.families), {"anthropic:claude", "code"}, pairwise=False)
    made = compare(held, "a", "b", request, [pair_row("depth", 0.2, 0.05, 0.4)])
    assert made.pairs == ()
    assert not any("side by side" in it for it in [*made.conclusions, *(it.what for it in made.missing)])


def test_pairs_of_other_systems_and_opinions_of_rule_based_judges_are_left_out() -> None:
    row = pair_row("depth", 0.2, 0.05, 0.4)
    others = [row.model_copy(update={"b": "c"}), row.model_copy(update={"note": "not rated (rule-based)"})]
    made = comparison(beside([6.0, 7.0], [6.0, 7.0]), pairs=others)
    assert made.pairs == ()
    assert (
        "No language model compared the two side by side (pairwise): a rule-based judge did, whose preferences are not "
        "shown"
    ) in [it.what for it in made.missing]


def test_what_is_missing_comes_with_the_command_that_makes_it() -> None:
    a, b = noisy(30, 1.0)
    held = gathered(("quality", "overall", JUDGE, {"a": runs(a), "b": runs([*b[:-2], "not judged", "not judged"])}))
    told = {it.what: it.command for it in comparison(held).missing}
    assert told == {
        "B: 2 reports not judged in quality by anthropic:claude": (
            "drretail score exp --metrics quality --judge anthropic:claude"
        ),
        "A and B ran each query once: noise of the agent, pass^k and worst of k can't be told": (
            "drretail run --to exp … --repeats 3"
        ),
        "anthropic:claude judged each report once in quality: its noise can't be told": (
            "drretail score exp --metrics quality --judge anthropic:claude --judge-repeats 3"
        ),
        "No language model compared the two side by side (pairwise)": (
            "drretail score exp --metrics pairwise --pairs a~b --judge anthropic:claude"
        ),
    }
