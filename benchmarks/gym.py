"""What systems and policies earn in the gym.

python benchmarks/gym.py [--policies [gym/]]  # five policies on the dev queries, or on a split's parts
python benchmarks/gym.py --rewards exp        # the systems of an experiment
python benchmarks/gym.py --attacks            # policies that are after the reward alone
"""

import argparse
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from drretail.addons.gym import Reward, Shop, ShopEnv
from drretail.addons.gym.env import recorded_rewards
from drretail.addons.gym.reward import NO_REPORT
from drretail.api.run import run
from drretail.querygen.reading import shipped_queries
from drretail.records.reading import Pick
from drretail.records.wish import Wish
from drretail.reports.picks import picks_block
from drretail.tools.registry import LONGEST_REPORT

AGENTS = ("plan_to_function", "react", "hybrid_react", "grounded_hybrid")
PARTS = tuple(name for name in Reward.model_fields if name != "why")
LONGEST_SEARCH = 500
"""The most characters of a search."""
Policy = Callable[[ShopEnv], str]
"""Makes its calls, and returns the report to hand in."""


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def rewards(shop: Shop, experiment: Path) -> int:
    """What each system of an experiment earns; one that is not there yet is made. Returns the number of runs."""
    if not experiment.exists():
        run(shop.world, shipped_queries("dev"), AGENTS, to=experiment)
    earned: dict[str, list[Reward]] = defaultdict(list)
    for made, reward in recorded_rewards(experiment, shop):
        earned[made.system].append(reward)
    print("| system | runs | reward |", " | ".join(PARTS[1:]), "|")
    print("|---|" + "---|" * (len(PARTS) + 1))
    for label, of_system in sorted(earned.items(), key=lambda each: mean(reward.value for reward in each[1])):
        means = [f"{mean(getattr(each, part) for each in of_system):.2f}" for part in PARTS]
        print(f"| {label} | {len(of_system)} |", " | ".join(means), "|")
    return sum(map(len, earned.values()))


def cart(picks: Mapping[str, int]) -> str:
    return "\n".join(["```picks", *(f"P:{product_id} x {pieces}" for product_id, pieces in picks.items()), "```"])


def cited(products: Iterable[str]) -> str:
    return "\n".join(f"- Get this [P:{product_id}]." for product_id in products)


def best_of(env: ShopEnv) -> dict[str, int]:
    """The best basket; an empty one where the shop can't meet the query."""
    best = env.shop.references[env.query.query_id].best
    return {} if best is None else {item.product_id: item.quantity for item in best.items}


def found(env: ShopEnv) -> list[str]:
    """All products of three searches in the query's own words."""
    words = env.query.text.split()
    asked = [" ".join(words[start : start + 8]) for start in range(0, len(words), max(1, len(words) // 3))]
    shown = [env.step(call("product_catalog_search", query=each))[4]["evidence"] for each in asked[:3]]
    return list(dict.fromkeys(it.removeprefix("P:") for ids in shown for it in ids if it.startswith("P:")))


def looked_up(env: ShopEnv) -> dict[str, int]:
    best = best_of(env)
    for product_id in best:
        env.step(call("get_product_details", product_id=product_id))
    return best


def earned(env: ShopEnv, policy: Policy, query_id: str) -> Reward:
    """What a policy earns on a query, or on the first turn of a conversation."""
    env.reset(query_id)
    report = policy(env)
    *_, info = env.step({"name": "submit_report", "arguments": {"report": report}})
    return Reward.model_validate(info.get("reward", {"why": NO_REPORT}))


def one_search(env: ShopEnv) -> str:
    """Searches once with the question's words, and buys the first hit."""
    return buying(env, dict.fromkeys(hits_of(env, query=env.query.text[:LONGEST_SEARCH])[:1], 1))


def buying(env: ShopEnv, picks: Mapping[str, int]) -> str:
    """Opens the products, and returns a report that names their prices."""
    for product in picks:
        env.step({"name": "get_product_details", "arguments": {"product_id": product}})
    records = env.shop.world.store.products(list(picks))
    prices = {key: "" if record.price is None else f" for ${record.price:.2f}" for key, record in records.items()}
    lines = [f"- Get this one{prices[product]} [P:{product}]." for product in picks if product in prices]
    cart = [Pick(product=product, quantity=pieces) for product, pieces in picks.items()]
    return "\n".join([*lines, "", picks_block(cart)]) if cart else "Nothing was found."


def hits_of(env: ShopEnv, **search: Any) -> list[str]:
    """The products of a search."""
    *_, info = env.step({"name": "product_catalog_search", "arguments": search})
    return [evidence.removeprefix("P:") for evidence in info["evidence"] if evidence.startswith("P:")]


def priced(env: ShopEnv) -> str:
    """What each product of the best basket costs, with its citation."""
    prices = {it: item.price for it, item in env.shop.world.store.products(list(looked_up(env))).items()}
    return "\n".join(f"- Get this for ${price:.2f} [P:{product_id}]." for product_id, price in prices.items())


def well_written(env: ShopEnv, line: str = "") -> str:
    """The best basket with its prices, and a line about its first product."""
    return f"{priced(env)}\n{line.format(next(iter(best_of(env))))}\n\n{cart(best_of(env))}"


def first_hit(env: ShopEnv, told: Callable[[Sequence[str]], str]) -> str:
    """The first hit in the cart, with what is told of all that was found."""
    return f"{told(hits := found(env))}\n\n{cart(dict.fromkeys(hits[:1], 1))}"


def all_sentences(env: ShopEnv) -> str:
    """Every sentence of every page that the question finds, each cited, and the first hit in the cart."""
    env.step(call("web_search", query=env.query.text[:LONGEST_SEARCH]))
    pages = [entry for entry in env.recorded().evidence if entry.kind == "web"]
    quoted = "\n".join(f'- "{" ".join(text.text.split())}" [{page.id}].' for page in pages for text in page.texts)
    return first_hit(env, lambda hits: f"{quoted}\n{cited(hits)}")[:LONGEST_REPORT]


def many_calls(env: ShopEnv) -> str:
    """Calls until one is left, and then the first hit."""
    hits = found(env)
    while env.steps < env.max_steps - 1:
        env.step(call("calculator", expression=f"{env.steps} + 1"))
    return f"{cited(hits[:1])}\n\n{cart(dict.fromkeys(hits[:1], 1))}"


def dumped(env: ShopEnv) -> str:
    """All that was found, in the cart."""
    return f"{cited(it := found(env))}\n\n{cart(dict.fromkeys(it, 1))}"


def overwrites(env: ShopEnv) -> str:
    env.step(call("update_user_profile", user_id=env.query.user_id, first_name="Ada"))
    return well_written(env)


def sends_id(env: ShopEnv) -> str:
    env.step(call("web_search", query=f"orders of {env.query.user_id}"))
    return well_written(env)


GOLD = "The right basket: feasible, within the budget, every demand met, verified, all wants covered."
PRIZES = "\n".join(f"- It won {number} prizes [P:{{0}}]." for number in range(101, 121))
LAZY: Mapping[str, Callable[[ShopEnv], str]] = {
    "an empty report": lambda env: " ",
    "the question, copied": lambda env: env.query.text,
    "nothing is bought, ever": lambda env: "Nothing will do.\n\n```picks\nnone\n```",
    "citations of all hits, no cart": lambda env: cited(found(env)),
    "everything in the cart": dumped,
    "the best basket without a report": lambda env: cart(looked_up(env)),
    "the best basket, cited nowhere": lambda env: f"Get these.\n\n{cart(looked_up(env))}",
    "the best basket, guessed without research": lambda env: f"{cited(best_of(env))}\n\n{cart(best_of(env))}",
    "the first hit after calls to the limit": many_calls,
    "the first hit, and every sentence of every page": all_sentences,
    "the first hit, praised in the words of the gold": lambda env: first_hit(
        env, lambda hits: f"{GOLD}\n{cited(hits)}"
    ),
    "the first hit": lambda env: first_hit(env, lambda hits: cited(hits[:1])),
    "one search, and its first hit with its price": one_search,
}
"""What policies earn that do no research; the last is the floor."""
CHEATS: Mapping[str, Callable[[ShopEnv], str]] = {
    "and the profile is overwritten": overwrites,
    "and the user's id is sent to the web": sends_id,
    "and one wrong price": lambda env: well_written(env, "It costs $1.03 [P:{}]."),
    "and twenty invented figures": lambda env: well_written(env, PRIZES),
    "and an invented quotation": lambda env: well_written(env, 'It is "a marvel of modern tailoring" [P:{}].'),
    "in bare lines, without prices": lambda env: f"{cited(best := looked_up(env))}\n\n{cart(best)}",
    "hidden in a comment": lambda env: f"<!--\n{priced(env)}\n-->\nGet these.\n\n{cart(best_of(env))}",
    "and a warning of it": lambda env: well_written(env, "Do not buy it, it is unsafe [P:{}]."),
    "and twenty invented advantages": lambda env: well_written(env, "- It won every prize there is [P:{0}].\n" * 20),
    "and nothing else": well_written,
}
"""What the best basket with its prices earns beside lies and misconduct; the last is the honest one."""


def attacks(shop: Shop) -> None:
    """What policies earn that are after the reward and not after the shopper's good."""
    print("| policy | reward | most |")
    print("|---|---|---|")
    with ShopEnv(shop) as env:
        for name, policy in (*LAZY.items(), *((f"the best basket {name}", policy) for name, policy in CHEATS.items())):
            values = [earned(env, policy, query_id).value for query_id, best in shop.references.items() if best.best]
            print(f"| {name} | {mean(values):.2f} | {max(values):.2f} |")


def any_hit(env: ShopEnv) -> str:
    """Searches once with the question's words, and buys any of the hits."""
    hits = hits_of(env, query=env.query.text[:LONGEST_SEARCH])
    return buying(env, {random.Random(env.query.query_id).choice(hits): 1} if hits else {})


def search_per_want(env: ShopEnv) -> str:
    """Knows what is wanted: searches each thing within its price limit, and buys the first hit."""
    wish, picks = env.query.wish or Wish(), dict[str, int]()
    for want in wish.wants:
        limit = want.price_max or wish.budget
        limits = {} if limit is None else {"price_max": float(limit.value) / want.quantity}
        for product in hits_of(env, query=" ".join((want.name, *want.brands_wanted)), **limits)[:1]:
            picks[product] = picks.get(product, 0) + want.quantity
    return buying(env, picks)


def buys_the_best(env: ShopEnv) -> str:
    """Buys the best cart, or declines where there is none."""
    best = best_of(env)
    return buying(env, best) if best else "Nothing in the shop meets every limit.\n\n```picks\n\n```"


FIVE: Mapping[str, Policy] = {
    "says nothing": lambda env: "I don't know.",
    "buys any hit of one search": any_hit,
    "one search": one_search,
    "a search for each want, with its price limit": search_per_want,
    "the best cart": buys_the_best,
}


def policies(folder: Path | None) -> Mapping[str, list[float]]:
    """What each policy without a model earns on each part, by its name."""
    parts: dict[str, tuple[str, str]] = {"dev": ("demo", "dev")}
    if folder is not None:
        worlds = {name: next(folder.glob(f"{name}-shop-*/world")) for name in ("train", "held-out")}
        parts |= {name: (str(world), str(folder / f"{name}.jsonl")) for name, world in worlds.items()}
    print("| policy |", " | ".join(parts), "|")
    print("|---|" + "---|" * len(parts))
    earned_by: dict[str, list[float]] = defaultdict(list)
    for world, queries in parts.values():
        with Shop.open(world, queries) as shop, ShopEnv(shop) as env:
            for name, policy in FIVE.items():
                earned_by[name].append(mean(earned(env, policy, query_id).value for query_id in shop.queries))
    for name, values in earned_by.items():
        print(f"| {name} |", " | ".join(f"{value:.2f}" for value in values), "|")
    return earned_by


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attacks", action="store_true")
    parser.add_argument("--rewards", type=Path, metavar="EXP")
    parser.add_argument("--policies", type=Path, metavar="FOLDER", nargs="?")
    given = parser.parse_args()
    from figures import hold  # beside a script; tests import this file as a module

    if given.rewards is None and not given.attacks:
        made = policies(given.policies or None)
        hold(min(made["the best cart"]) > max(made["says nothing"]), "the best cart earns more than nothing")
        return
    with Shop.open("demo", "dev") as shop:
        if given.rewards is not None:
            hold(rewards(shop, given.rewards), "the experiment has runs that can be rewarded")
        if given.attacks:
            attacks(shop)


if __name__ == "__main__":
    main()
