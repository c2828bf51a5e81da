from collections import Counter
from collections.abc import Iterator
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from drretail.env.users import Aggregates, default_pool, derive_profile, sample_users


def test_the_shipped_pool_and_the_people_behind_two_ids_never_change_within_a_version() -> None:
    pool = default_pool()
    assert (pool.version, pool.hash) == (1, "0cbac16ca36f9022bd9156b4ac30db921f3b3f4216339d5609c87e463768eba1")
    profile = derive_profile(pool, "42", "AEXGISIVX7WBUNI7UHHERVB3DF7Q")
    assert (profile.email, profile.phone_number) == ("mason.aguirre49@example.com", "203-555-0191")
    assert (profile.address.address1, profile.address.zip) == ("3889 Abbott Fork", "06604")
    assert derive_profile(pool, 42, "U1").email == "debra.flowers31@example.com", "an integer seed is its digits"


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


@given(users=batches, seed=st.integers(0, 9), n=st.integers(0, 40), shuffle=st.randoms(use_true_random=False))
def test_a_sample_is_the_same_in_any_order(users: list[Aggregates], seed: int, n: int, shuffle: Random) -> None:
    def read_shuffled() -> Iterator[Aggregates]:
        shuffle.shuffle(users)
        return iter(users)

    expected = sample_users(lambda: sorted(users, key=lambda user: user.user_id), seed, n)
    assert sample_users(read_shuffled, seed, n) == expected
    drawn = [row.user_id for row in expected]
    assert len(set(drawn)) == len(drawn) == min(n, len(users))
    assert expected[: n // 2] == sample_users(lambda: users, seed, n // 2)


def test_every_kind_is_drawn_before_any_twice_and_a_seed_always_draws_the_same_users_and_another_others() -> None:
    users = [  # of whom nine in ten are alike
        Aggregates(f"U{n:04d}", 2, 10.0, 5, "Pet_Supplies")
        if n % 10
        else Aggregates(f"U{n:04d}", n, 5.0 * n, n * 1000, f"C{n % 3}")
        for n in range(400)
    ]
    sample = sample_users(lambda: users, 42, 4)
    assert Counter(row.top_category for row in sample) == {"Pet_Supplies": 1, "C0": 1, "C1": 1, "C2": 1}
    assert [row.user_id for row in sample_users(lambda: users, 42, 5)] == FIXED
    draws = {tuple(row.user_id for row in sample_users(lambda: users, seed, 20)) for seed in range(5)}
    assert len(draws) == 5
