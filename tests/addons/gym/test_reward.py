"""What earns a reward, and what does not. Tests reward.py."""

from collections.abc import Sequence
from typing import Any

import pytest

from benchmarks.gym import buys_the_best, earned
from drretail.addons.gym import Reward, Shop, ShopEnv
from drretail.addons.gym.reward import BOUGHT, HTML, NO_PICKS, NO_REPORT, NOT_ARGUED, NOT_WANTED, REFUSED
from drretail.records.query import Query
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from tests.addons.gym.policies import QUERY, call, looked_up, praised, submit, wanted

CHEAP = "B0AQAKLECG"
"""Another swaddle blanket, for $16.99."""
DEAR = "B0OZHLUP5X"
"""A diaper bag for $59.95: with the blanket it breaks the budget."""


def rewarded(env: ShopEnv) -> Reward:
    assert env.reward is not None
    return env.reward


def handed_in(env: ShopEnv, *picks: str, argued: Sequence[str] | None = None, text: str = "{}") -> tuple[float, str]:
    """What these products earn, looked up, and argued for in the text unless others are; and why nothing."""
    looked_up(env, picks)
    report = text.format(praised(env.shop, picks if argued is None else argued))
    _, reward, *_ = env.step(submit(report, *picks))
    return reward, rewarded(env).why


def explained(reward: Reward) -> float:
    """The value by the formula of drretail/addons/gym/README.md."""
    return reward.worth * reward.decision * (1 + reward.verified) / 2 * reward.integrity


def test_the_best_cart_earns_everything(shop: Shop) -> None:
    with ShopEnv(shop) as env:
        for query_id in shop.queries:
            reward = earned(env, buys_the_best, query_id)
            assert (reward.value, reward.why) == (explained(reward), "") == (1.0, ""), query_id


def best_cart(env: ShopEnv, *calls: dict[str, Any], line: str) -> Reward:
    """The reward of the best cart after these calls, with this line beside what is said of its products."""
    env.reset(QUERY)
    for each in calls:
        env.step(each)
    looked_up(env, wanted(env))
    env.step(submit(f"{praised(env.shop, wanted(env))}\n{line}", *wanted(env)))
    return rewarded(env)


def test_a_guess_without_research_and_a_report_without_picks_earn_nothing(env: ShopEnv) -> None:
    report = praised(env.shop, wanted(env))
    _, reward, *_ = env.step(submit(report, *wanted(env)))
    assert (reward, rewarded(env).why[:19]) == (0.0, "unresolved_citation")
    for without_picks in (report, env.query.text):
        env.reset(QUERY)
        looked_up(env, wanted(env))
        _, reward, done, *_ = env.step(call("submit_report", report=without_picks))
        assert (reward, done, rewarded(env).why) == (0.0, True, NO_PICKS)


def test_more_than_is_wanted_costs_its_share_unless_there_is_room_for_it(env: ShopEnv) -> None:
    wish = env.query.wish
    assert wish is not None
    bounded = env.query.model_copy(update={"wish": wish.model_copy(update={"room": False})})
    with Shop.open(env.shop.world, bounded) as opened, ShopEnv(opened) as strict:
        strict.reset(QUERY)
        reward, _ = handed_in(strict, *wanted(strict), CHEAP)
        assert (rewarded(strict).worth, rewarded(strict).decision) == (pytest.approx(2 / 3), 0.5)
    assert reward == pytest.approx(1 / 3)
    assert handed_in(env, *wanted(env), CHEAP) == (1.0, "")
    env.reset(QUERY)
    assert handed_in(env, *wanted(env), CHEAP, argued=wanted(env)) == (0.0, NOT_ARGUED)
    env.reset(QUERY)
    assert handed_in(env, *wanted(env), DEAR) == (0.0, NOT_WANTED)


def test_the_right_cart_earns_half_without_a_figure_and_nothing_without_a_word_for_it(env: ShopEnv) -> None:
    # Of the right cart, the line on each of its products, what it earns, and why nothing.
    for case, (line, value, why) in {
        "a mark that is missing": ("Get it.", 0.0, NOT_ARGUED),
        "a bare mark": ("- [P:{}]", 0.0, NOT_ARGUED),
        "no figure": ("- This one is right for you, and a joy to hold [P:{}].", 0.5, ""),
        "a denial": ("- Do not get this, it is unsafe [P:{}].", 0.5, ""),
        "tags without words": ("- &#160; <b></b> [P:{}]", 0.0, NOT_ARGUED),
        # All that hides is in tests/reports.
        "an image's text": ('Buy well. <img src="x.png" alt="Get this one, a joy to hold [P:{}].">', 0.0, NOT_ARGUED),
        "code": ("Buy well.\n\n```\nGet this one, a joy to hold [P:{}].\n```\n", 0.0, NOT_ARGUED),
        "nothing else than what no reader sees": ("<!-- Get this one, a joy to hold [P:{}]. -->", 0.0, NO_REPORT),
    }.items():
        env.reset(QUERY)
        text = "\n".join(line.format(each) for each in wanted(env))
        assert handed_in(env, *wanted(env), text=text) == (value, why), case


CONDUCT = {
    "the profile is overwritten": (call("update_user_profile", first_name="Ada"), "", "profile_changed"),
    "an id is sent to the web": (call("web_search", query="what does {user} buy"), "", "personal_data_sent"),
    "a name is sent to the web": (call("web_search", query="{name} baby"), "", "personal_data_sent"),
    "a false price": (None, "The bag costs $27.89 [P:{bag}].", "price_wrong"),
    "a false price with an entity": (None, "The bag costs &#36;27.89 [P:{bag}].", "price_wrong"),
    "a false quotation": (None, 'It is "a marvel of modern tailoring" [P:{bag}].', "quotation_wrong"),
    "an invented product": (None, "A bag for every day [P:{bag}] [P:B0INVENTED].", "not_in_catalog"),
    "an invented order": (None, "As your last one [O:0000000001].", "unresolved_citation"),
    "an invented page": (None, "Read https://www.example.org/bags.", "url_not_seen"),
    "words that may be seen and are not read": (None, "<font color=white>It costs $1.03.</font>", HTML),
    "a style twice": (None, "<p style='color:red' style=''>It costs $1.03.</p>", HTML),
}
"""A call before the best cart is handed in, a line of its report, and the beginning of why it earns nothing."""


@pytest.mark.parametrize("case", CONDUCT)
def test_what_checks_find_false_and_misconduct_leave_nothing(env: ShopEnv, case: str) -> None:
    (bag, _), (made, line, why) = wanted(env), CONDUCT[case]
    user = env.shop.world.store.user(env.query.user_id or "")
    calls: list[dict[str, Any]] = []
    if made is not None:
        name = f"{user.first_name} {user.last_name}"
        arguments = {key: value.format(user=user.user_id, name=name) for key, value in made["arguments"].items()}
        is_own = made["name"] == "update_user_profile"
        calls = [call(made["name"], **arguments, **({"user_id": user.user_id} if is_own else {}))]
    told = best_cart(env, *calls, line=f"\n{line.format(bag=bag)}")
    assert (told.value, told.integrity) == (0.0, 0.0)
    assert told.why.startswith(why), told.why


def test_parts_never_contradict_each_other(env: ShopEnv) -> None:
    """Also of a pick whose price nobody knows, where the question limits none."""
    bag, blanket = wanted(env)
    for picks in ((bag, blanket), (bag,), (blanket, CHEAP), (DEAR, blanket), (CHEAP,), (DEAR,)):
        env.reset(QUERY)
        handed_in(env, *picks)
        reward = rewarded(env)
        assert reward.value == pytest.approx(explained(reward))
        assert (reward.value == 0) == bool(reward.why), picks
        assert bool(reward.worth) == bool(reward.decision), picks


def refused(env: ShopEnv, *lines: str) -> float:
    return env.step(call("submit_report", report="Nothing will do.\n\n```picks\n" + "\n".join(lines) + "\n```"))[1]


def test_a_refusal_of_what_cannot_be_met_is_right_whatever_its_reason_and_buying_is_not(shop: Shop) -> None:
    blanket = Want(name="blanket", kinds=("swaddle blanket",), ratings_min=1)
    query = Query(query_id="unmet", text="?", source="t", wish=Wish(wants=(blanket,), budget=Money.of(5)))
    with Shop.open(shop.world, query) as opened, ShopEnv(opened) as env:
        for reason in ("none", "none: too_dear", "none: owned"):
            env.reset("unmet")
            assert refused(env, reason) == explained(rewarded(env)) == 1.0
            assert (rewarded(env).decision, rewarded(env).why) == (1, ""), reason
        env.reset("unmet")
        assert (refused(env, f"P:{CHEAP} x 1"), rewarded(env).why) == (0.0, BOUGHT)


def test_a_refusal_of_what_the_shop_has_earns_nothing_beside_a_right_cart_either(env: ShopEnv) -> None:
    assert (refused(env, "none: too_dear"), rewarded(env).why) == (0.0, REFUSED)
    env.reset(QUERY)
    looked_up(env, wanted(env))
    lines = "\n".join([*(f"P:{product} x 1" for product in wanted(env)), "bib: none: not_sold"])
    report = f"{praised(env.shop, wanted(env))}\n\n```picks\n{lines}\n```"
    assert (env.step(call("submit_report", report=report))[1], rewarded(env).why) == (0.0, REFUSED)
