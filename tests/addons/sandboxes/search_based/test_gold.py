"""The fewest pages that establish every fact."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from drretail.addons.sandboxes.search_based.gold import smallest_cover


@given(
    st.dictionaries(st.integers(0, 7), st.sets(st.integers(0, 9)), min_size=1, max_size=8),
    st.randoms(use_true_random=False),
)
def test_no_fact_is_lost_and_every_page_that_is_kept_has_one_of_its_own(has: dict[int, set[int]], rng: Random) -> None:
    kept = smallest_cover(has, {page: rng.randint(1, 9) for page in has})
    assert set().union(*(has[page] for page in kept)) == set().union(*has.values())
    for page in kept:
        assert has[page] - set().union(*(has[other] for other in kept if other != page))
