from drretail.stats.agreement import mean_absolute_deviation, pairwise_comparison_accuracy, ranking_agreement

# Two queries, three systems: by the judge a > b > c and a > b = c, by people a > b > c and b > a > c.
JUDGED = {"q1": {"a": 8.0, "b": 6.0, "c": 5.0}, "q2": {"a": 7.0, "b": 4.0, "c": 4.0}}
PEOPLE = {"q1": {"a": 9.0, "b": 7.0, "c": 2.0}, "q2": {"a": 5.0, "b": 6.0, "c": 4.0}}


def test_ratings_are_off_by_the_mean_of_what_each_is_off() -> None:
    assert mean_absolute_deviation(JUDGED, PEOPLE) == (1 + 1 + 3 + 2 + 2 + 0) / 6


def test_a_pair_counts_where_both_put_it_in_the_same_order_and_a_tie_is_no_order() -> None:
    # q1: all three pairs; q2: only a > c, since a > b is turned round and the judge has b = c.
    assert pairwise_comparison_accuracy(JUDGED, PEOPLE) == 4 / 6


def test_orders_agree_only_where_every_pair_does() -> None:
    assert ranking_agreement(JUDGED, PEOPLE) == 1 / 2


def test_what_only_one_of_them_rated_is_left_out() -> None:
    more = {**PEOPLE, "q1": {"a": 9.0, "d": 1.0}, "q3": {"a": 1.0}}
    assert mean_absolute_deviation({"q1": JUDGED["q1"]}, more) == 1
    assert pairwise_comparison_accuracy({"q1": JUDGED["q1"]}, more) is None
    assert ranking_agreement({"q9": {}}, more) is None
