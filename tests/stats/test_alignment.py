from drretail.stats.agreement import mean_absolute_deviation, pairwise_comparison_accuracy, ranking_agreement

# Two queries, three systems: by the judge a > b > c and a > b = c, by people a > b > c and b > a > c.
JUDGED = {"q1": {"a": 8.0, "b": 6.0, "c": 5.0}, "q2": {"a": 7.0, "b": 4.0, "c": 4.0}}
PEOPLE = {"q1": {"a": 9.0, "b": 7.0, "c": 2.0}, "q2": {"a": 5.0, "b": 6.0, "c": 4.0}}


def test_distance_and_order_of_two_queries_by_hand() -> None:
    assert mean_absolute_deviation(JUDGED, PEOPLE) == (1 + 1 + 3 + 2 + 2 + 0) / 6
    # q1: all three pairs; q2: only a > c, since a > b is turned round and the judge has b = c.
    assert pairwise_comparison_accuracy(JUDGED, PEOPLE) == 4 / 6
    assert ranking_agreement(JUDGED, PEOPLE) == 1 / 2, "orders agree only where every pair does"


def test_what_only_one_of_them_rated_is_left_out() -> None:
    more = {**PEOPLE, "q1": {"a": 9.0, "d": 1.0}, "q3": {"a": 1.0}}
    assert mean_absolute_deviation({"q1": JUDGED["q1"]}, more) == 1
    assert pairwise_comparison_accuracy({"q1": JUDGED["q1"]}, more) is None
    assert ranking_agreement({"q9": {}}, more) is None
