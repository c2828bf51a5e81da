from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.env.store.base import STRATA
from drretail.env.store.sampling import Aggregates, sample_users

FIXED = ["U0210", "U0380", "U0010", "U0222", "U0240"]
"""What seed 42 draws: published samples must stay the same."""

rows = st.builds(
    Aggregates,
    user_id=st.text("ABC", min_size=1, max_size=4),
    n_orders=st.integers(1, 50),
    spend=st.floats(0, 1000),
    last_order=st.integers(0, 2**41),
    top_category=st.sampled_from(["", "Pet_Supplies", "Office_Products"]),
)
batches = st.lists(rows, max_size=30, unique_by=lambda user: user.user_id)


def batch(size: int) -> list[Aggregates]:
    """Users of whom nine in ten are alike."""
    return [
        Aggregates(f"U{n:04d}", 2, 10.0, 5, "Pet_Supplies")
        if n % 10
        else Aggregates(f"U{n:04d}", n, 5.0 * n, n * 1000, f"C{n % 3}")
        for n in range(size)
    ]


@given(users=batches, seed=st.integers(0, 9), n=st.integers(0, 40), shuffle=st.randoms(use_true_random=False))
def test_a_sample_is_the_same_in_any_order_of_users(
    users: list[Aggregates], seed: int, n: int, shuffle: Random
) -> None:
    def read_shuffled() -> Iterator[Aggregates]:
        shuffle.shuffle(users)
        return iter(users)

    expected = sample_users(lambda: sorted(users, key=lambda user: user.user_id), seed, n, STRATA)
    assert sample_users(read_shuffled, seed, n, STRATA) == expected
    drawn = [row.user_id for row in expected]
    assert len(set(drawn)) == len(drawn) == min(n, len(users))
    assert expected[: n // 2] == sample_users(lambda: users, seed, n // 2, STRATA)


def test_every_kind_is_drawn_before_any_twice_and_a_seed_always_draws_the_same_users_and_another_others() -> None:
    users = batch(400)
    sample = sample_users(lambda: users, 42, 4, ("category",))
    assert Counter(row.top_category for row in sample) == {"Pet_Supplies": 1, "C0": 1, "C1": 1, "C2": 1}
    assert [row.user_id for row in sample_users(lambda: users, 42, 5, STRATA)] == FIXED
    draws = {tuple(row.user_id for row in sample_users(lambda: users, seed, 20, STRATA)) for seed in range(5)}
    assert len(draws) == 5


def long_tailed(size: int) -> list[Aggregates]:
    """Users of whom half have ordered once, and one in 64 more than 32 times."""
    random = Random(1)
    counts = [2 ** min(n, 6) for n in (int(random.expovariate(0.7)) for _ in range(size))]
    return [
        Aggregates(f"U{n:05d}", count, 9.0 * count + n % 7, random.randrange(10**6), f"C{n % 9}")
        for n, count in enumerate(counts)
    ]


@pytest.mark.parametrize("seed", range(5))
def test_seventeen_users_are_spread_over_every_stratum(seed: int) -> None:
    users = long_tailed(3000)
    sample = sample_users(lambda: users, seed, 17, STRATA)
    counts = Counter(row.n_orders for row in sample)
    assert set(counts) >= {1, 2, 4, 8}
    assert set(counts) & {16, 32, 64}
    assert max(counts.values()) <= 4
    assert max(Counter(row.top_category for row in sample).values()) == 2
    dates = sorted(user.last_order for user in users)
    quarters = Counter(bisect_left(dates, row.last_order) * 4 // len(dates) for row in sample)
    assert min(quarters[quarter] for quarter in range(4)) >= 2
