"""The shop as an environment for reinforcement learning: a world for each rollout, and rewards without a judge.

    from drretail.gym import ShopEnv                # docs/gym.md

shop.py       what all rollouts share: the world, the queries, their baskets
reward.py     what a report is worth, by code alone, from the record of its run
rollout.py    one rollout: its session, its calls, the record that it leaves
env.py        ``ShopEnv``: reset, step
recorded.py   rollouts as runs of an experiment, and the rewards of recorded runs
verifiers.py  the same tasks as a taskset of verifiers
openenv.py    the same environment behind a server of OpenEnv, and its client
"""

from drretail.gym.env import ShopEnv
from drretail.gym.reward import Reward, reward_of
from drretail.gym.shop import Shop

__all__ = ["Reward", "Shop", "ShopEnv", "reward_of"]
