"""The gym: how long a reset takes, how many steps a second, 200 rollouts side by side; and what systems earn in it.

    python benchmarks/gym.py [--rollouts 200] [--json gym.json]
    python benchmarks/gym.py --rewards exp      # the table of drretail/addons/gym/README.md, by the dev queries
    python benchmarks/gym.py --episodes 10000   # what an episode costs the processor, and the memory held after many
    python benchmarks/gym.py --attacks          # what policies earn that are after the reward alone
    python benchmarks/gym.py --policies [gym/]  # what five policies earn on the dev queries, or on a split's parts

Beside a reset stand the ways in which others give each rollout a world of its own: a copy of the shop's database, and
a deep copy of its rows (as tau-bench does). Both are measured on the same shop in the same run.
"""

import argparse
import copy
import json
import random
import shutil
import sqlite3
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from statistics import mean, median, quantiles
from typing import Any

from drretail.addons.gym import Reward, Shop, ShopEnv
from drretail.addons.gym.env import recorded_rewards
from drretail.addons.gym.reward import NO_REPORT
from drretail.api.run import run
from drretail.env.manifest import DATABASE_FILE, live_generation
from drretail.grounding.report.picks import picks_block
from drretail.querygen.reading import shipped_queries
from drretail.records.reading import Pick
from drretail.records.wish import Wish
from drretail.tools.registry import LONGEST_REPORT

RESETS = 1000
COPIES = 20
AGENTS = ("plan_to_function", "react", "hybrid_react", "grounded_hybrid")
PARTS = tuple(name for name in Reward.model_fields if name != "why")


LONGEST_SEARCH = 500
"""The most characters of a search."""
Policy = Callable[[ShopEnv], str]
"""Makes its calls, and returns the report to hand in."""


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def milliseconds(make: Callable[[], object], times: int) -> list[float]:
    taken: list[float] = []
    for _ in range(times):
        began = time.perf_counter()
        make()
        taken.append((time.perf_counter() - began) * 1000)
    return taken


def resident_mb() -> float:
    """Of this process, now."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


def resets(shop: Shop) -> Iterator[tuple[str, float, float]]:
    """Name, median and 99th percentile in milliseconds: ours first, then the others' ways."""
    ids = list(shop.queries)
    draw = random.Random(42)
    ours: list[float] = []
    with ShopEnv(shop) as env:
        for _ in range(RESETS):  # each ends a rollout that has begun to work
            ours += milliseconds(lambda: env.reset(draw.choice(ids)), 1)
            env.step(call("get_user_profile", user_id=env.query.user_id))
    yield "reset", median(ours), quantiles(ours, n=100)[98]
    assert shop.world.folder is not None
    database = live_generation(shop.world.folder) / DATABASE_FILE
    with tempfile.TemporaryDirectory() as folder:

        def copied() -> None:
            path = shutil.copy(database, Path(folder) / "shop.sqlite")
            with closing(sqlite3.connect(path)) as opened:
                opened.execute("SELECT count(*) FROM sqlite_master").fetchone()

        yield "copy of the database", *spread(milliseconds(copied, COPIES))
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as opened:
        names = [name for (name,) in opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = {name: [list(row) for row in opened.execute(f'SELECT * FROM "{name}"')] for name in names}  # noqa: S608
    yield "deep copy of its rows", *spread(milliseconds(lambda: copy.deepcopy(rows), COPIES))


def spread(taken: list[float]) -> tuple[float, float]:
    return median(taken), max(taken)


def rollout(env: ShopEnv, number: int, together: threading.Barrier | None = None) -> tuple[int, bool, Reward]:
    """A rollout that changes its shopper's name, and one that buys the best basket: steps, own name, reward."""
    feasible = [key for key in env.shop.queries if env.shop.references[key].best is not None]
    env.reset(feasible[number % len(feasible)])
    user, best = env.query.user_id, env.shop.references[env.query.query_id].best
    assert best is not None
    env.step(call("update_user_profile", user_id=user, first_name=f"Shopper{number}"))
    if together is not None:
        together.wait()  # all rollouts are open at once, and each has changed a profile
    profile, *_ = env.step(call("get_user_profile", user_id=user))
    env.reset(env.query)
    env.step(call("get_user_orders", user_id=user))
    for item in best.items:
        env.step(call("product_catalog_search", query=item.thing))
        env.step(call("get_product_details", product_id=item.product_id))
    lines = "\n".join(f"- Get this for ${item.price} [P:{item.product_id}]." for item in best.items)
    cart = "\n".join(f"P:{item.product_id} x {item.quantity}" for item in best.items)
    env.step(call("submit_report", report=f"{lines}\n\n```picks\n{cart}\n```"))
    assert env.reward is not None
    return env.steps, f'"Shopper{number}"' in profile, env.reward


def one_by_one(shop: Shop) -> tuple[float, float]:
    """Steps and rollouts a second."""
    began, steps = time.perf_counter(), 0
    with ShopEnv(shop) as env:
        for number in range(len(shop.queries)):
            steps += rollout(env, number)[0]
    seconds = time.perf_counter() - began
    return steps / seconds, len(shop.queries) / seconds


def side_by_side(shop: Shop, rollouts: int) -> dict[str, float]:
    together, envs = threading.Barrier(rollouts), [ShopEnv(shop) for _ in range(rollouts)]
    before, began = resident_mb(), time.perf_counter()
    with ThreadPoolExecutor(rollouts) as threads:
        ended = list(threads.map(lambda number: rollout(envs[number], number, together), range(rollouts)))
    seconds, held = time.perf_counter() - began, resident_mb() - before
    again = [shop.reward(env.recorded()) for env in envs]
    for env in envs:
        env.close()
    return {
        "rollouts": rollouts,
        "steps_per_second": sum(steps for steps, _, _ in ended) / seconds,
        "cross_talk": sum(not own for _, own, _ in ended),
        "mean_reward": mean(reward.value for _, _, reward in ended),
        "rewards_that_differ_on_replay": sum(it != reward for it, (_, _, reward) in zip(again, ended, strict=True)),
        "mb_per_rollout": held / rollouts,
    }


def rewards(shop: Shop, experiment: Path) -> None:
    """What each system of an experiment earns; one that is not there yet is made."""
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


def episodes(shop: Shop, times: int) -> tuple[float, float, float, float]:
    """Milliseconds of the processor for an episode that ends with the best cart, and for its reward; MB before, after.

    The memory before is that after a hundred episodes.
    """
    feasible = [query_id for query_id, best in shop.references.items() if best.best]
    whole, rewarding, before = 0.0, 0.0, 0.0
    with ShopEnv(shop) as env:
        for number in range(times + 100):
            if number == 100:
                whole, rewarding, before = 0.0, 0.0, resident_mb()
            began = time.process_time()
            env.reset(feasible[number % len(feasible)])
            report = well_written(env)
            handed_in = time.process_time()
            env.step(call("submit_report", report=report))
            rewarding += time.process_time() - handed_in
            whole += time.process_time() - began
            assert env.reward is not None
            assert env.reward.value == 1, env.query.query_id
    return whole / times * 1000, rewarding / times * 1000, before, resident_mb()


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


def policies(folder: Path | None) -> None:
    """What each policy without a model earns on each part, and how many rollouts a second."""
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


def main() -> None:
    from figures import hold  # stands beside it; tests import this file from elsewhere

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rollouts", type=int, default=200)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--episodes", type=int)
    parser.add_argument("--attacks", action="store_true")
    parser.add_argument("--rewards", type=Path, metavar="EXP")
    parser.add_argument("--policies", type=Path, metavar="FOLDER", nargs="?", const="")
    given = parser.parse_args()
    if given.policies is not None:
        policies(given.policies if given.policies != Path() else None)
        return
    with Shop.open("demo", "dev") as shop:
        if given.rewards is not None:
            rewards(shop, given.rewards)
            return
        if given.episodes:
            whole, rewarding, before, after = episodes(shop, given.episodes)
            print(f"{whole:.1f} ms of the processor an episode, {rewarding:.1f} of them for the reward")
            print(f"{before:.0f} MB after 100 episodes, {after:.0f} after {given.episodes:,} more")
            return
        if given.attacks:
            attacks(shop)
            return
        measured = list(resets(shop))
        (_, ours, _), *_ = measured
        print(f"{'a world for each rollout':28}{'median ms':>12}{'p99 ms':>12}{'times ours':>12}")
        for name, middle, late in measured:
            print(f"{name:28}{middle:12.3f}{late:12.3f}{middle / ours:12.1f}")
        alone, rollouts = one_by_one(shop)
        crowd = side_by_side(shop, given.rollouts)
        print(f"\n{alone:,.0f} steps, {rollouts:,.0f} rollouts a second, one after the other")
        for name, value in crowd.items():
            print(f"{name.replace('_', ' ')}: {value:,.2f}".replace(".00", ""))
    hold(not crowd["cross_talk"], "no rollout sees what another changed")
    if given.json is not None:
        document = {"resets": measured, "steps_per_second_alone": alone, "side_by_side": crowd}
        given.json.write_text(json.dumps(document, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
