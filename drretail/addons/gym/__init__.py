"""The shop as an environment for reinforcement learning: a session for each rollout, and rewards without a judge.

    from drretail.addons.gym import ShopEnv                # drretail/addons/gym/README.md

options.py    the options of ``try`` and ``gym split``
env.py        ``ShopEnv`` (reset, step), the ``Shop`` that rollouts share, a rollout; rollouts as runs, recorded runs
              rewarded and replayed
trial.py      one agent on one query, with its reward
verified.py    which figures and quotations of a report its sources say
reward.py     the metric ``reward``: what is paid for a report; descriptions.toml says how it is shown
parts.py      ``gym split``: questions to train on and held-out ones, which share no person, wish, shop or skeleton
verifiers.py  the same tasks as a taskset of verifiers
openenv.py    the same environment behind an OpenEnv server, and its client
extras.py     the line of ``doctor`` on extras that one environment can't hold
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drretail.addons.gym.env import Shop, ShopEnv
    from drretail.addons.gym.parts import split
    from drretail.addons.gym.reward import Reward, reward_of
    from drretail.addons.gym.trial import try_agent

__all__ = ["Reward", "Shop", "ShopEnv", "reward_of", "split", "try_agent"]
_MODULES = {
    "Shop": "addons.gym.env",
    "ShopEnv": "addons.gym.env",
    "split": "addons.gym.parts",
    "try_agent": "addons.gym.trial",
}


def __getattr__(name: str) -> object:
    # On first use, so that the help of the gym's commands loads none of it.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"drretail.{_MODULES.get(name, 'addons.gym.reward')}"), name)
