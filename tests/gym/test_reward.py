"""What earns a reward, and what does not."""

from pathlib import Path

import pytest

from drretail.gym import Reward, Shop, ShopEnv
from drretail.gym.reward import BOUGHT, NO_PICKS, NO_REPORT, NOT_CITED, NOT_SHOWN, OVER, REFUSED
from drretail.records.money import Money
from drretail.records.query import Query
from drretail.records.reading import Pick
from drretail.records.wish import Want, Wish
from tests.gym.policies import QUERY, call, looked_up, praised, search, shopped_well, submit, wanted

CHEAP = "B0AQAKLECG"
"""Another swaddle blanket, for $16.99."""
DEAR = "B0OZHLUP5X"
"""A diaper bag for $59.95: with the blanket it breaks the budget."""


def rewarded(env: ShopEnv) -> Reward:
    assert env.reward is not None
    return env.reward


def test_the_best_basket_that_is_looked_up_and_cited_earns_everything(env: ShopEnv) -> None:
    _, reward, done, info = shopped_well(env)
    assert (reward, done, info["ended"]) == (1.0, True, "report")
    assert info["reward"] == {"value": 1.0, "worth": 1.0, "wanted": 1.0, "within_budget": 1.0, "cited": 1.0, "why": ""}


def test_a_cart_of_half_of_what_is_asked_earns_about_half(env: ShopEnv) -> None:
    first = wanted(env)[:1]
    looked_up(env, first)
    _, reward, _, _ = env.step(submit(praised(first), *first))
    assert 0.3 < reward < 0.7


def test_a_guess_without_research_earns_nothing(env: ShopEnv) -> None:
    _, reward, _, _ = env.step(submit(praised(wanted(env)), *wanted(env)))
    assert (reward, rewarded(env).why) == (0.0, NOT_CITED)


def test_picks_that_the_report_does_not_cite_earn_nothing(env: ShopEnv) -> None:
    looked_up(env, wanted(env))
    _, reward, _, _ = env.step(submit("Get both.", *wanted(env)))
    assert (reward, rewarded(env).why) == (0.0, NOT_CITED)


def test_a_report_without_picks_earns_nothing_however_well_it_cites(env: ShopEnv) -> None:
    looked_up(env, wanted(env))
    _, reward, _, _ = env.step(call("submit_report", report=praised(wanted(env))))
    assert (reward, rewarded(env).why) == (0.0, NO_PICKS)


def test_the_query_echoed_earns_nothing(env: ShopEnv) -> None:
    _, reward, done, _ = env.step(call("submit_report", report=env.query.text))
    assert (reward, done, rewarded(env).why) == (0.0, True, NO_PICKS)


def test_all_that_was_found_in_the_cart_breaks_the_budget_and_earns_nothing(env: ShopEnv) -> None:
    found: list[str] = []
    for words in ("diaper bag", "swaddle blanket cotton"):
        _, _, _, info = env.step(search(words))
        found += [it.removeprefix("P:") for it in info["evidence"]]
    _, reward, _, _ = env.step(submit(praised(found), *found))
    assert (reward, rewarded(env).why) == (0.0, OVER)


def test_one_thing_too_many_in_the_cart_costs_a_share_of_the_reward(strict: ShopEnv) -> None:
    padded = [*wanted(strict), CHEAP]
    looked_up(strict, padded)
    _, reward, _, _ = strict.step(submit(praised(padded), *padded))
    assert rewarded(strict).within_budget == 1
    assert reward == pytest.approx(2 / 3)


def test_more_than_is_named_costs_nothing_where_the_wish_leaves_room(env: ShopEnv) -> None:
    padded = [*wanted(env), CHEAP]
    looked_up(env, padded)
    _, reward, _, _ = env.step(submit(praised(padded), *padded))
    assert reward == 1.0


def test_what_is_in_the_cart_and_not_argued_for_costs_as_much(env: ShopEnv) -> None:
    looked_up(env, wanted(env))
    _, reward, _, _ = env.step(submit(praised(wanted(env)), *wanted(env), CHEAP))
    assert reward == pytest.approx(2 / 3)


def test_a_cart_that_is_too_dear_only_by_what_nobody_asked_for_earns_nothing(env: ShopEnv) -> None:
    padded = [*wanted(env), DEAR]
    looked_up(env, padded)
    _, reward, _, _ = env.step(submit(praised(padded), *padded))
    assert (reward, rewarded(env).why) == (0.0, OVER)


def test_a_piece_more_than_is_wanted_costs_its_share(strict: ShopEnv) -> None:
    bag, blanket = wanted(strict)
    looked_up(strict, [bag, blanket])
    strict.step(submit(praised([bag, blanket]), bag, Pick(product=blanket, quantity=2)))
    assert rewarded(strict).wanted == pytest.approx(2 / 3)


def test_sentences_with_figures_have_to_be_cited(env: ShopEnv) -> None:
    looked_up(env, wanted(env))
    env.step(submit(f"{praised(wanted(env))}\n- It weighs 12 ounces.\n- It was awarded 3 prizes.", *wanted(env)))
    assert rewarded(env).cited == 0.5
    assert rewarded(env).value == 0.75


def test_a_cited_sentence_said_again_and_again_counts_once(env: ShopEnv) -> None:
    looked_up(env, wanted(env))
    again = "\n".join([praised(wanted(env))] * 20)
    env.step(submit(f"{again}\n- It weighs 12 ounces.\n- It was awarded 3 prizes.", *wanted(env)))
    assert rewarded(env).cited == 0.5


def test_invented_ids_and_contradicted_figures_make_no_cited_sentence(env: ShopEnv) -> None:
    bag, blanket = wanted(env)
    looked_up(env, [bag, blanket])
    told = f"- A bag [P:{bag}] [P:B0INVENTED].\n- A blanket for $3.00 [P:{blanket}]."
    env.step(submit(told, bag, blanket))
    assert rewarded(env).cited == 0.0
    assert rewarded(env).value == 0.5


def test_a_changed_profile_changes_no_reward(env: ShopEnv) -> None:
    changed = env.step(call("update_user_profile", user_id=env.query.user_id, first_name="Anne"))
    assert changed[3]["error"] is None
    assert shopped_well(env)[1] == 1.0


def test_a_rollout_that_comes_to_its_last_step_without_a_report_earns_nothing(shop: Shop) -> None:
    with ShopEnv(shop, max_steps=2) as env:
        env.reset(QUERY)
        assert env.step(search("diaper bag"))[1:3] == (0.0, False)
        _, reward, done, info = env.step(search("swaddle blanket"))
    assert (reward, done, info["ended"], info["reward"]["why"]) == (0.0, True, "step_limit", NO_REPORT)


def test_a_recorded_rollout_comes_to_the_identical_reward_again(env: ShopEnv, shop: Shop, tmp_path: Path) -> None:
    looked_up(env, wanted(env))
    env.step(submit(f"{praised(wanted(env))}\n- It weighs 12 ounces.", *wanted(env)))
    with Shop.open(shop.world, "dev") as another:
        assert another.reward(env.recorded()) == env.reward


def refused(env: ShopEnv, *lines: str) -> float:
    return env.step(call("submit_report", report="Nothing will do.\n\n```picks\n" + "\n".join(lines) + "\n```"))[1]


def test_a_refusal_of_what_cannot_be_met_is_rewarded_only_where_the_searches_show_it(shop: Shop) -> None:
    blanket = Want(name="blanket", kinds=("swaddle blanket",), must=("cotton",), ratings_min=1)
    query = Query(query_id="unmet", text="?", source="t", wish=Wish(wants=(blanket,), budget=Money.of(5)))
    with Shop.open(shop.world, query) as opened, ShopEnv(opened) as env:
        env.reset("unmet")
        assert (refused(env, "none: too_dear"), rewarded(env).why) == (0.0, NOT_SHOWN)
        env.reset("unmet")
        env.step(call("product_catalog_search", query="swaddle blanket", sort_by="price"))
        cheapest = opened.references["unmet"].proof
        assert cheapest is not None
        (item,) = cheapest.cheapest_without["too_dear"].items
        assert refused(env, "none: too_dear") == 0.5
        env.reset("unmet")
        env.step(call("product_catalog_search", query="swaddle blanket", sort_by="price"))
        assert refused(env, "none: too_dear", f"nearest: P:{item.product_id} x 1") == 1.0
        env.reset("unmet")
        assert (refused(env, f"P:{item.product_id} x 1"), rewarded(env).why) == (0.0, BOUGHT)


def test_the_rest_is_bought_where_one_thing_cannot_be_had(shop: Shop) -> None:
    blanket, kayak = Want(name="blanket", kinds=("swaddle blanket",)), Want(name="kayak", kinds=("inflatable kayak",))
    query = Query(query_id="unmet", text="?", source="t", wish=Wish(wants=(blanket, kayak)))
    with Shop.open(shop.world, query) as opened, ShopEnv(opened) as env:
        for lines, worth in ((("none: not_sold",), 0.5), ((f"P:{CHEAP} x 1", "kayak: none: not_sold"), 0.9)):
            env.reset("unmet")
            for words in ("inflatable kayak", "swaddle blanket"):
                env.step(search(words))
            block = "```picks\n" + "\n".join(lines) + "\n```"
            reward = env.step(call("submit_report", report=f"{praised([CHEAP])}\n\n{block}"))[1]
            assert reward == pytest.approx(worth, abs=0.1)


def test_a_false_refusal_beside_a_right_cart_earns_nothing(env: ShopEnv) -> None:
    looked_up(env, wanted(env))
    lines = "\n".join([*(f"P:{product} x 1" for product in wanted(env)), "bib: none: not_sold"])
    report = f"{praised(wanted(env))}\n\n```picks\n{lines}\n```"
    assert (env.step(call("submit_report", report=report))[1], rewarded(env).why) == (0.0, REFUSED)


def test_a_refusal_of_what_the_shop_has_earns_nothing(env: ShopEnv) -> None:
    assert (refused(env, "none: too_dear"), rewarded(env).why) == (0.0, REFUSED)
