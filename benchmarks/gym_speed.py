"""The gym's speed: how long a reset takes, how many steps a second, 200 rollouts side by side, what an episode costs.

    python benchmarks/gym_speed.py [--rollouts 200] [--json gym.json]
    python benchmarks/gym_speed.py --episodes 10000   # the processor's time an episode, and the memory held after many

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
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from statistics import mean, median, quantiles

from figures import hold
from gym import call, well_written

from drretail.addons.gym import Reward, Shop, ShopEnv
from drretail.env.manifest import DATABASE_FILE, live_generation

RESETS = 1000
COPIES = 20


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rollouts", type=int, default=200)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--episodes", type=int)
    given = parser.parse_args()
    with Shop.open("demo", "dev") as shop:
        if given.episodes:
            whole, rewarding, before, after = episodes(shop, given.episodes)
            print(f"{whole:.1f} ms of the processor an episode, {rewarding:.1f} of them for the reward")
            print(f"{before:.0f} MB after 100 episodes, {after:.0f} after {given.episodes:,} more")
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
