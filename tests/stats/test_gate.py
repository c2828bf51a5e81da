"""A gate's false alarms and what it catches: stated, and as often as it says."""

import random

import pytest

from drretail.stats.clusters import Groups
from drretail.stats.gate import Gate

ALPHA = 0.05


def differences(rng: random.Random, queries: int, users: int, drop: float, repeats: int) -> tuple[list[float], Groups]:
    """An agent whose chance to be right differs by query, beside itself with a smaller one."""

    def share(chance: float) -> float:
        return sum(rng.random() < chance for _ in range(repeats)) / repeats

    chances = [rng.uniform(0.2, 0.95) for _ in range(queries)]
    found = [round(share(max(0, chance - drop)) - share(chance), 10) for chance in chances]
    return found, tuple(at % users for at in range(queries))


@pytest.mark.parametrize(("queries", "users", "repeats"), [(60, 32, 1), (8, 8, 1), (120, 60, 3)])
def test_an_unchanged_agent_fails_as_rarely_as_is_said_and_a_drop_is_caught_as_often(
    queries: int, users: int, repeats: int
) -> None:
    rng, tries = random.Random(7), 300
    unchanged = [Gate(*differences(rng, queries, users, 0, repeats), ALPHA) for _ in range(tries)]
    worse = [Gate(*differences(rng, queries, users, 0.1, repeats), ALPHA) for _ in range(tries)]
    said = sum(gate.catches(0.1) for gate in unchanged[:20]) / 20
    assert sum(gate.fails for gate in unchanged) / tries <= ALPHA + 0.025  # two standard errors of 300 tries
    assert sum(gate.fails for gate in worse) / tries >= said - 0.06


def test_what_is_said_to_be_needed_is_enough() -> None:
    gate = Gate(*differences(random.Random(3), 40, 20, 0, 1), ALPHA)
    users = gate.users_needed(0.1)
    assert users is not None
    assert gate.catches(0.1, users) == pytest.approx(0.8, abs=0.06)
    assert gate.detectable is not None
    assert gate.catches(gate.detectable) >= 0.8 > gate.catches(0.1)


def test_without_noise_it_takes_five_users_who_fail_anew() -> None:
    def failing(count: int) -> Gate:
        return Gate([-1.0] * count + [0.0] * (50 - count), tuple(range(50)), ALPHA)

    assert [failing(count).fails for count in (4, 5)] == [False, True]
    # At least five of fifty fail anew in 57 % of comparisons, if each does with a chance of 0.1.
    assert failing(0).catches(0.1) == pytest.approx(0.57, abs=0.05)
    assert failing(0).catches(0) == 0
    assert not Gate([], (), ALPHA).fails


def test_a_drop_that_is_larger_than_what_there_is_is_not_said_to_be_caught() -> None:
    assert Gate([0.0] * 12, tuple(range(12)), ALPHA, most=0.2).detectable is None
    # Ratings fall by a part each.
    assert Gate([0.5, -0.5] * 20, tuple(range(40)), ALPHA, is_share=False).catches(1) == 1
