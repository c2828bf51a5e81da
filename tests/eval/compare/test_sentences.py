"""What comparisons say in plain words: a clear difference, none, too few queries, equal values, several judges."""

from drretail.records.pairs import PairScore
from tests.eval.compare.crafted import CODE, JUDGE, OTHER, beside, comparison, gathered, runs
from tests.eval.compare.test_comparing import noisy


def test_a_clear_difference_is_said_with_who_is_higher_by_how_much_and_how_surely() -> None:
    a, b = noisy(30, 1.0)
    (said,) = comparison(beside(a, b)).conclusions
    assert said.startswith("By anthropic:claude, A is higher than B (difference, 95 % interval) in overall (1.")
    (turned,) = comparison(beside(a, b), "b", "a").conclusions
    assert turned == said.replace("A is higher than B", "B is higher than A")


def test_where_nothing_can_be_concluded_it_is_said_what_it_would_take_and_what_would_be_missed() -> None:
    made = comparison(beside(*noisy(30, 0.05)))
    (row,) = made.tables[0].rows
    first, second, third = made.conclusions
    assert first == (
        "By anthropic:claude, no difference can be concluded in overall: with 30 queries, what was seen may be chance. "
        "That they are equal can't be concluded either."
    )
    assert f"{row.queries_needed:,} queries" in second
    assert (
        third == f"True differences smaller than {row.detectable:.2f} (overall) would mostly be missed by 30 queries."
    )


def test_too_few_queries_are_said_to_be_too_few_whatever_they_show() -> None:
    made = comparison(beside([9.0, 9.0, 9.0, 8.0], [1.0, 2.0, 1.0, 1.0]))
    assert made.conclusions[0] == (
        "By anthropic:claude, nothing can be concluded in overall: 4 queries are too few. With one test no result "
        "could have reached 5 %; 6 queries that all differ alike are the fewest that could."
    )
    assert "overall (+7.50) 6 queries; so few queries tell this only roughly." in made.conclusions[1]
    assert [it.what for it in made.missing][-1] == "quality: 4 queries, and no test can come out below 6"


def test_equal_values_are_said_to_be_equal() -> None:
    (said,) = comparison(beside([6.0, 7.0, 8.0], [6.0, 7.0, 8.0])).conclusions
    assert said == (
        "By anthropic:claude, both have the same value on every query in overall (3 queries): no number of such "
        "queries would show a difference."
    )


def test_no_query_with_both_values_says_why() -> None:
    (said, *_) = comparison(beside([6.0, None], ["na", 7.0])).conclusions
    assert said == (
        "By anthropic:claude, nothing can be said of overall: no query has a value of both (A: run failed or missing: "
        "1 query; B: na: 1 query)."
    )


def test_nothing_judged_is_said_and_named_with_the_command() -> None:
    made = comparison(beside(["not judged"], ["not judged"]))
    assert made.conclusions == ("Nothing can be concluded: no judge has values of both systems.",)


def test_a_side_that_fails_may_look_better_than_it_is() -> None:
    a, b = noisy(30, 1.0)
    made = comparison(beside([*a, None, None], [*b, 3.0, 2.0]))
    assert made.conclusions[-1] == (
        "Of 32 queries, 2 left overall because one side failed (A: run failed or missing, 2 queries): if these were "
        "hard ones, that side looks better than it is."
    )
    assert made.missing[0].what == "A: 2 of 32 runs failed or were not made"


def test_several_judges_are_not_mixed_and_contradictions_are_said() -> None:
    a, b = noisy(30, 1.0)
    held = gathered(
        ("quality", "overall", JUDGE, {"a": runs(a), "b": runs(b)}),
        ("quality", "overall", OTHER, {"a": runs(b), "b": runs(a)}),
    )
    *_, judges, against = comparison(held).conclusions
    assert judges.startswith("2 judges are heard, each in a table of its own: anthropic:claude and openai:gpt.")
    assert against == "They contradict each other in overall: conclude nothing there."


def test_noise_that_is_greater_than_what_queries_differ_by_is_said() -> None:
    loud = {"q1": [[2, 2], [9, 9]], "q2": [[3, 3], [8, 8]], "q3": [[9, 9], [2, 2]]}
    moody = {"q1": [[1, 9], [2, 9]], "q2": [[2, 9], [4, 10]], "q3": [[9, 2], [9, 7]]}
    held = gathered(("quality", "overall", JUDGE, {"a": loud, "b": moody}))
    said = comparison(held).conclusions
    assert any("repeats of A on one query differ more than queries do in overall" in it for it in said)
    assert not any("one report of A" in it for it in said)


def test_a_system_that_checks_itself_is_named() -> None:
    held = gathered(("checks", "clean", CODE, {"a": runs([1.0]), "b": runs([0.0])}), self_checked=["b"])
    assert (
        "B takes out of its own reports what the checks find, so they say little of it." in comparison(held).conclusions
    )


def pair_row(dimension: str, rate: float, low: float, high: float) -> PairScore:
    return PairScore(
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
    )


def test_preferences_side_by_side_are_said_where_chance_is_ruled_out() -> None:
    pairs = [pair_row("depth", 0.2, 0.05, 0.4), pair_row("overall", 0.6, 0.4, 0.8)]
    held = beside([6.0, 7.0], [6.0, 7.0])
    for a, b, who in (("a", "b", "B to A"), ("b", "a", "A to B")):
        made = comparison(held, a, b, pairs=pairs)
        _, won, none, flips = made.conclusions
        assert won == f"Side by side, anthropic:claude prefers {who} in depth (80% of 20), ties counted half."
        assert none == "Side by side, anthropic:claude shows no preference that could not be chance in overall."
        assert flips == "The order of the two reports changed anthropic:claude's winner in 10% of pairs at most."
        assert not any("side by side" in it.what for it in made.missing)


def test_pairs_of_other_systems_and_opinions_of_rule_based_judges_are_left_out() -> None:
    row = pair_row("depth", 0.2, 0.05, 0.4)
    others = [row.model_copy(update={"b": "c"}), row.model_copy(update={"note": "not rated (rule-based)"})]
    made = comparison(beside([6.0, 7.0], [6.0, 7.0]), pairs=others)
    assert made.pairs == ()
    assert "No language model compared the two side by side (pairwise)" in [it.what for it in made.missing]


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
