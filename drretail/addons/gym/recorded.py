"""Rollouts saved as runs of an experiment; the rewards of any system's recorded runs; and exported runs, replayed."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from drretail.addons.gym.env import ShopEnv
from drretail.addons.gym.shop import Shop
from drretail.agents.running.client_runs import save_runs
from drretail.agents.running.runner import Recorded, recorded_in
from drretail.errors import UserError
from drretail.eval.metrics.reward import NO_REPORT, Reward
from drretail.experiment import read_definition
from drretail.records.run import Run


def save_rollouts(to: str | Path, env: ShopEnv, rollouts: Iterable[Recorded], *, seed: str = "42") -> list[Run]:
    """Saves each rollout as the next repeat of its query in the experiment in ``to``, and returns the saved runs.

    All are recorded under the system of ``env``, also those made by other envs with the same settings. Raises UserError
    if ``to`` holds another experiment, or if another process writes there.
    """
    made, shop = list(rollouts), env.shop
    queries = [shop.query(each) for each in dict.fromkeys(recorded.run.query_id for recorded in made)]
    return save_runs(Path(to), shop.world, queries, env.system, made, seed=seed)


def recorded_rewards(folder: str | Path, shop: Shop) -> Iterator[tuple[Run, Reward]]:
    """Each run of an experiment with its reward, by label and query, without queries that can't be rewarded.

    Raises UserError for an experiment of another world, or of imported reports.
    """
    definition = read_definition(Path(folder))
    made_in, here = definition.world_fingerprint, shop.world.manifest.fingerprint
    if made_in is None:
        raise UserError(f"{folder} holds imported reports, which have no world.")
    if made_in != here:
        raise UserError(f"{folder} was made on the world {made_in[:12]}, and this is {here[:12]}: open that world.")
    for path in sorted((Path(folder) / "runs").glob("*/*/run.json")):
        recorded = recorded_in(path.parent)
        if recorded.run.query_id in shop.queries:
            yield recorded.run, shop.reward(recorded, definition.systems[recorded.run.system])


def replay(env: ShopEnv, conversation: Mapping[str, Any]) -> Reward:
    """The reward of a line of ``export --format chat``: its calls are made in ``env``, one after the other.

    Raises UnknownName for a query that ``env`` does not have, and ValueError for what is no such line.
    """
    try:
        query_id, messages = conversation["query_id"], conversation["messages"]
        turns = [[call["function"] for call in message.get("tool_calls") or ()] for message in messages]
    except (KeyError, TypeError, AttributeError) as problem:
        raise ValueError(
            f"This is no line of `drretail export --format chat`, which has query_id and messages: {problem!r}."
        ) from problem
    env.reset(query_id)
    for turn in turns:
        for place, call in enumerate(turn):
            if not env.done:
                env.step(call, same_turn=place > 0)
    return env.reward or Reward(why=NO_REPORT)
