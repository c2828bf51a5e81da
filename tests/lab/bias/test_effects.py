"""Effects over queries: their intervals hold the truth as often as they promise, and say what they would have seen."""

from random import Random

import pytest

from drretail.lab.bias.effects import difference, share
from drretail.lab.trial_findings import BiasFound, ProbeFound, effect_in_words


def test_intervals_hold_a_planted_strength_in_about_95_of_100_draws() -> None:
    lots = Random(23)
    of_difference, of_share, false = 0, 0, 0
    for _ in range(400):
        own = {f"q{n}": lots.gauss(0, 0.5) for n in range(24)}  # what a query's answers share
        more = {q: [0.7 + mean + lots.gauss(0, 1) for _ in range(6)] for q, mean in own.items()}
        none = {q: [value - 0.7 for value in its] for q, its in more.items()}
        wrong = {q: [float(lots.random() < 0.2) for _ in range(10)] for q in own}
        found, rate = difference("d", more), share("s", wrong)
        of_difference += (found.low or 0) <= 0.7 <= (found.high or 0)
        of_share += (rate.low or 0) <= 0.2 <= (rate.high or 0)
        false += difference("d", none).is_found is True
    assert 0.92 <= of_difference / 400 <= 0.98
    assert of_share / 400 >= 0.95  # exact binomial over queries: wider than it need be
    assert false / 400 <= 0.08


def test_one_query_says_nothing_and_few_say_what_they_would_have_seen() -> None:
    assert difference("d", {"q1": [1.0, 2.0]}).is_found is None
    few = difference("d", {f"q{n}": [1.0, -1.0, 0.5][n % 3 : n % 3 + 1] for n in range(6)})
    assert few.is_found is False
    assert few.detectable is not None
    assert few.detectable > 1
    assert "none found (d 0.17 (" in effect_in_words(few)
    assert "on 6 queries; 1." in effect_in_words(few)
    fewer = difference("d", {f"q{n}": [1.0 + n / 10] for n in range(5)})
    assert fewer.is_found is None
    assert "on 5 queries, too few to conclude: it takes 6" in effect_in_words(fewer)


@pytest.mark.parametrize("queries", [6, 8, 16])
def test_of_unbiased_judges_at_most_7_of_100_are_found_biased(queries: int) -> None:
    lots, false, draws = Random(queries), 0, 600
    for _ in range(draws):
        own = {f"q{n}": lots.gauss(0, 0.5) for n in range(queries)}
        ratings = {q: [float(round(mean + lots.gauss(0, 0.8))) for _ in range(6)] for q, mean in own.items()}
        false += difference("d", ratings).is_found is True
    assert false / draws <= 0.085  # 7 %, and a draw's own chance


def test_equal_answers_are_no_proof_that_others_are_equal() -> None:
    alike = difference("d", {f"q{n}": [0.0] for n in range(10)})
    assert alike.is_found is False
    assert "up to 31% of other queries may not be" in effect_in_words(alike)


def test_a_line_names_the_first_effect_of_each_probe_of_each_judge() -> None:
    found = difference("twice minus once", {f"q{n}": [1.0, 1.5] for n in range(6)})
    rows = (
        ProbeFound(probe="length", judge="j", effects=(found,)),
        ProbeFound(probe="own_family", judge="j", reason="no system"),
        ProbeFound(probe="joint", judge="k", reason="rules"),
    )
    told = BiasFound(reports="r", probes=rows).summary()
    assert told == (
        "Biases of j: length: twice minus once 1.25 on 6 queries, the same on every query. k: no probe has an answer."
    )
