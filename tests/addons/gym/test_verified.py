"""What no source says lowers a reward, what one says never does, whatever its form. Tests verified.py by the reward."""

from collections.abc import Callable

import pytest

from drretail.addons.gym import ShopEnv
from drretail.records.shop import Product
from drretail.reports.picks import picks_block
from tests.addons.gym.policies import best_picks, call, looked_up, praised, wanted
from tests.addons.gym.test_reward import rewarded

Line = Callable[[Product, Product], str]
"""A line of a report on the diaper bag; the other product is the blanket."""


def earned_beside(env: ShopEnv, line: Line) -> float:
    """What the best cart with its prices earns, with this line in its report."""
    keys = wanted(env)
    env.reset(env.query.query_id)
    looked_up(env, keys)
    bag, blanket = (env.shop.world.store.products(keys)[key] for key in keys)
    report = f"{praised(env.shop, keys)}\n{line(bag, blanket)}\n\n{picks_block(best_picks(env.shop))}"
    env.step(call("submit_report", report=report))
    return rewarded(env).value


def beside(words: str) -> Line:
    return lambda bag, _: f"- {words} [P:{bag.product_id}]."


def times(factor: float) -> Line:
    return lambda bag, _: f"- The price is ${(bag.price or 0) * factor:.2f} [P:{bag.product_id}]."


def counted(factor: float) -> Line:
    return lambda bag, _: f"- It has {round((bag.rating_number or 0) * factor):,} ratings [P:{bag.product_id}]."


LIES: dict[str, Line] = {
    **{f"a price × {factor}": times(factor) for factor in (0.02, 0.1, 0.5, 0.9, 1.1, 2, 3, 10, 50, 100)},
    **{f"a count × {factor}": counted(factor) for factor in (0.1, 0.9, 2, 10, 100)},
    "another product's price": lambda bag, other: f"- It costs ${other.price} [P:{bag.product_id}].",
    "a wrong sum": lambda bag, other: f"\n{bag.price} + {other.price} = $51.98",
    "a wrong total": lambda *_: "\nAll of it comes to $72.",
    "a heading": lambda *_: "\n## Today only $1.03\n",
    "code": lambda *_: "\n```\nIt costs $1.03.\n```\n",
    "a link's words": lambda bag, _: f"[It costs $1.03](P:{bag.product_id})",
    "a cell": lambda bag, _: f"\n| bag | price |\n|---|---|\n| It [P:{bag.product_id}] | $1.03 |\n",
    "what nobody cites": lambda *_: "It won 20 prizes.",
    "a quotation without a mark": lambda *_: 'Testers call it "a marvel of modern tailoring".',
    **{
        words: beside(words)
        for words in (
            *("It has 9.8 stars", "It has 37 stars", "It is rated 3.3/5", "It has 100 of 5 stars"),
            *("It has 811 pockets", "It weighs ½ an ounce"),
            *("It is 80% off", "It has 1234567 ratings", "It costs ＄１.０３", "It is sold since March 3, 2019"),
            "Over 95 % bought it again",
            *('It is "a marvel of modern tailoring"', 'It is "a marvel of modern tailoring", they say'),
            "You ordered it on May 4 [O:0000000001]",
        )
    },
}
TRUTHS: dict[str, Line] = {
    "its price": times(1),
    "about its price": lambda bag, _: f"- It costs about ${round(bag.price or 0)} [P:{bag.product_id}].",
    "its ratings": counted(1),
    "its stars": lambda bag, _: f"- {bag.average_rating:g} of 5 ({bag.rating_number:,}) [P:{bag.product_id}].",
    "its title": lambda bag, _: f"- {bag.title} [P:{bag.product_id}].",
    "its features": lambda bag, _: "\n".join(f"- {each} [P:{bag.product_id}]." for each in bag.features),
    "its fields": lambda bag, _: "\n".join(
        f"- {key}: {value} [P:{bag.product_id}]" for key, value in bag.details.items()
    ),
    "a quotation": lambda bag, _: f'- It says "{bag.features[0]}" [P:{bag.product_id}].',
    "a row": lambda bag, _: f"\n| bag | stars |\n|---|---|\n| It [P:{bag.product_id}] | {bag.average_rating:g} |\n",
    "the sum": lambda bag, other: f"\n{bag.price} + {other.price} = ${(bag.price or 0) + (other.price or 0):.2f}",
    "what is left": lambda bag, other: f"\nOf your $70, ${70 - (bag.price or 0) - (other.price or 0):.2f} are left.",
    "a difference": lambda bag, other: (
        f"- It costs ${(bag.price or 0) - (other.price or 0):.2f} more [P:{bag.product_id}][P:{other.product_id}]."
    ),
    "what its sentence says": lambda bag, other: (
        f"\nIt has {bag.rating_number} ratings [P:{bag.product_id}] and the blanket {other.rating_number} "
        f"[P:{other.product_id}], {abs((bag.rating_number or 0) - (other.rating_number or 0))} apart."
    ),
    "steps": lambda *_: "\nStep 3: wait 7 hours.\n",
    "no figure": beside("It is a joy to carry"),
    "pieces and ranks": lambda *_: "\n1. I took 2 products.\n",
}


@pytest.mark.parametrize("name", LIES)
def test_a_figure_a_quotation_or_a_date_that_no_source_says_lowers_the_reward(env: ShopEnv, name: str) -> None:
    assert earned_beside(env, LIES[name]) <= 0.9


@pytest.mark.parametrize("name", TRUTHS)
def test_what_a_source_says_never_lowers_it(env: ShopEnv, name: str) -> None:
    assert earned_beside(env, TRUTHS[name]) == 1.0


def test_what_is_said_again_counts_once(env: ShopEnv) -> None:
    lie = LIES["It has 811 pockets"]
    again = lambda bag, other: "\n".join([lie(bag, other), *[times(1)(bag, other)] * 50])  # noqa: E731
    assert earned_beside(env, again) == earned_beside(env, lie)


@pytest.mark.parametrize(("expression", "result"), [("4321 * 1", "4,321"), ("613", "613"), ("61.37 + 0", "61.37")])
def test_a_calculation_of_numbers_that_nobody_gave_says_nothing(env: ShopEnv, expression: str, result: str) -> None:
    env.reset(env.query.query_id)
    keys = wanted(env)
    looked_up(env, keys)
    *_, info = env.step(call("calculator", expression=expression))
    report = f"{praised(env.shop, keys)}\nIt lasts {result} days [{info['evidence'][0]}].\n\n"
    env.step(call("submit_report", report=report + picks_block(best_picks(env.shop))))
    assert rewarded(env).value <= 0.9
