from random import Random

from hypothesis import given
from hypothesis import strategies as st

from drretail.sandboxes.search_based.coverage import smallest_cover
from drretail.sandboxes.search_based.pages import SeenTexts

PAGES = st.dictionaries(st.integers(0, 7), st.sets(st.integers(0, 9)), min_size=1, max_size=8)


@given(PAGES, st.randoms(use_true_random=False))
def test_no_fact_is_lost_and_every_page_that_is_kept_has_one_of_its_own(has: dict[int, set[int]], rng: Random) -> None:
    kept = smallest_cover(has, {page: rng.randint(1, 9) for page in has})
    assert set().union(*(has[page] for page in kept)) == set().union(*has.values())
    for page in kept:
        assert has[page] - set().union(*(has[other] for other in kept if other != page))


def test_of_pages_that_say_the_same_the_shorter_one_is_kept() -> None:
    assert smallest_cover({0: {1, 2}, 1: {1, 2}, 2: set()}, {0: 900, 1: 300, 2: 10}) == {1}


def words(rng: Random, count: int) -> str:
    return " ".join(f"w{rng.randint(0, 4000)}" for _ in range(count))


def test_a_syndicated_text_in_another_frame_is_known_and_another_of_its_theme_is_not() -> None:
    rng, seen = Random(3), SeenTexts()
    article = words(rng, 400)
    assert seen.earlier("a", article) is None
    assert seen.earlier("b", f"{words(rng, 40)} {article} {words(rng, 30)}") == "a"
    assert seen.earlier("c", f"{' '.join(article.split()[:120])} {words(rng, 280)}") is None
    assert seen.earlier("d", f"Home {article.upper()}") == "a"
    assert seen.earlier("e", "Short.") is None
    assert seen.earlier("f", "short") == "e"
    short = words(rng, 150)
    assert seen.earlier("whole", f"{short} {words(rng, 150)}") is None
    assert seen.earlier("part", short) == "whole"
