from drretail.stats.paired import pair


def test_the_mean_of_repeats_comes_first_and_the_difference_is_taken_inside_the_query() -> None:
    pairs = pair({"q1": [1.0, 0.0], "q2": [0.5]}, {"q1": [0.25], "q2": [0.0, 0.0, 0.3]})
    assert pairs.queries == ("q1", "q2")
    assert pairs.differences == (0.25, 0.4)
    assert pairs.means == (0.5, 0.175)


def test_a_query_that_one_side_lacks_is_dropped() -> None:
    pairs = pair({"q1": [1.0], "q2": [1.0], "q3": []}, {"q1": [0.0], "q3": [0.5], "q4": [0.5]})
    assert pairs.queries == ("q1",)


def test_values_that_are_equal_but_for_the_last_bits_do_not_differ() -> None:
    assert pair({"q": [0.1, 0.2]}, {"q": [0.15]}).differences == (0.0,)
