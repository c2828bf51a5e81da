"""The shop as an environment for reinforcement learning: a session for each rollout, and rewards without a judge.

    from drretail.gym import ShopEnv                # docs/gym.md

shop.py       what all rollouts share: the world, the queries, their baskets
rollout.py    one rollout: its session, its calls, its record
env.py        ``ShopEnv``: reset, step
trial.py      one agent on one query, with its reward and that of its last trial: ``drretail try``
recorded.py   rollouts as runs of an experiment, the rewards of recorded runs, and exported runs replayed
split.py      questions to train on and held-out ones, which share no person, wish or shop; two floors
splitting.py  ``drretail gym split``: these as files, and what simple policies earn
verifiers.py  the same tasks as a taskset of verifiers
openenv.py    the same environment behind an OpenEnv server, and its client
"""

from drretail.eval.metrics.reward import Reward, reward_of
from drretail.gym.env import ShopEnv
from drretail.gym.shop import Shop
from drretail.gym.trial import try_agent

__all__ = ["Reward", "Shop", "ShopEnv", "reward_of", "try_agent"]
