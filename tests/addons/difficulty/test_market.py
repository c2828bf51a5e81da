"""The queries of the market shop are hard: it is worth looking for what they ask."""

from itertools import islice
from statistics import fmean

from drretail.addons.difficulty.derived import is_necessary
from drretail.addons.difficulty.measure import Dial, with_levels
from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.querygen.generate import Drafts, drawn_users
from drretail.records.wish import Wish
from tests.querygen.test_reading import ALL, market, of_third

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


def test_each_demand_of_a_draft_makes_it_harder_than_the_others_alone_do(market: World) -> None:
    drafts, dial, lost = Drafts(market, "42"), Dial(Offers(market)), list[float]()
    users = islice(drawn_users(market, "42", 25), 25)
    for query in (draft for user in users for draft in islice(drafts.of(user, 5), 1)):
        wish = query.wish or Wish()
        for part in (part for part in wish.parts() if part.field == "must"):
            task, before = (dial.task(query.model_copy(update={"wish": each})) for each in (wish, wish.without([part])))
            assert task is not None
            assert before is not None
            lost.append(task.loss - before.loss)
    assert len(lost) > 15
    assert min(lost) > 0
