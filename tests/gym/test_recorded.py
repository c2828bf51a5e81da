"""Rollouts kept as runs of an experiment, and what the recorded runs of any system are worth."""

from collections import defaultdict
from pathlib import Path

import pytest

from drretail.agents.running.runner import Recorded, recorded_in
from drretail.api.run import run
from drretail.api.score import score
from drretail.env.world import open_world
from drretail.errors import UserError
from drretail.experiment import read_runs
from drretail.gym import Shop, ShopEnv
from drretail.gym.recorded import recorded_rewards, save_rollouts
from drretail.records.query import Query
from drretail.records.wish import Want, Wish
from tests.gym.policies import QUERY, shopped_well
from tests.shop import build_shop


def test_saved_rollouts_are_runs_that_are_scored_and_rewarded_as_when_they_were_made(
    shop: Shop, tmp_path: Path
) -> None:
    with ShopEnv(shop, policy="mine@7") as env:
        rollouts: list[Recorded] = []
        for _ in range(2):
            env.reset(QUERY)
            shopped_well(env)
            rollouts.append(env.recorded())
        made = env.reward
        saved = save_rollouts(tmp_path / "exp", env, rollouts)
    assert [each.run_id for each in saved] == ["gym@mine-7/dev-01-r1", "gym@mine-7/dev-01-r2"]
    assert list(read_runs(tmp_path / "exp")) == saved
    assert [reward for _, reward in recorded_rewards(tmp_path / "exp", shop)] == [made, made]
    assert score(tmp_path / "exp", metrics=["basket", "checks"]).by_system("feasible") == {"gym@mine-7": 1.0}


def test_a_rollout_without_a_report_is_kept_as_a_failed_run_and_rewarded_in_its_own_world_alone(
    env: ShopEnv, tmp_path: Path
) -> None:
    env.step({"name": "calculator", "arguments": {"expression": "1 + 1"}})
    (saved,) = save_rollouts(tmp_path / "exp", env, [env.recorded()])
    kept = recorded_in(tmp_path / "exp" / "runs" / saved.system / "dev-01-r1").run
    assert (kept.status, kept.error.kind if kept.error else None, len(kept.steps)) == ("failed", "no_report", 1)
    with open_world(build_shop(tmp_path / "world")) as world:
        wish = Wish(wants=(Want(name="feeder", kinds=("bird feeder",)),))
        query = Query(query_id="q", text="Which bird feeder?", wish=wish, source="test")
        with Shop.open(world, query) as other, pytest.raises(UserError, match="open that world"):
            list(recorded_rewards(tmp_path / "exp", other))


def test_floors_earn_next_to_nothing_and_the_oracle_everything(shop: Shop, tmp_path: Path) -> None:
    run(shop.world, list(shop.queries.values())[:6], "react", to=tmp_path / "exp")
    by_system: dict[str, list[float]] = defaultdict(list)
    for made, reward in recorded_rewards(tmp_path / "exp", shop):
        by_system[made.system].append(reward.value)
    mean = {label: sum(values) / len(values) for label, values in by_system.items()}
    assert mean.pop("react@offline-shopper") < mean["oracle"]
    assert mean.pop("oracle") > 0.97
    assert mean.pop("null_search") < 0.5, "one hit for one thing is the right cart of a query for one thing"
    assert max(mean.values()) < 0.1
