"""The queries of the market shop are hard: it is worth looking for what they ask."""

from statistics import fmean

from drretail.addons.difficulty.hidden_wishes import is_necessary
from drretail.addons.difficulty.measure import Dial, with_levels
from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.records.wish import Wish
from tests.querygen.test_market import ALL, market, of_third

__all__ = ["market"]


def test_the_hardest_leave_a_shallow_solver_little(market: World) -> None:
    dial = Dial(Offers(market))
    tasks = [task for query in of_third("hard") if (task := dial.task(query))]
    assert len(tasks) == 33  # seven can't be met
    assert fmean(task.utility(5, history=False) for task in tasks) < 0.6
    assert with_levels(ALL, [dial.difficulty(query) for query in ALL]) == list(ALL)


def test_who_buys_the_best_of_each_kind_without_reading_on_is_nearly_always_wrong(market: World) -> None:
    offers, right = Offers(market), 0
    for query in ALL:
        wish, reference = query.wish or Wish(), offers.reference(query)
        limits = [part for part in wish.parts() if part.field not in ("owned", "quantity")]
        if reference.best is not None:
            right += not is_necessary(limits, query, offers)
    assert right <= 5
    assert all(is_necessary(query.hidden, query, offers) for query in ALL if query.hidden)
