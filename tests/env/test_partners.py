"""Who stands in for whom: never the user, always the same, and as unlike as there is."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from drretail.env.counterfactual import Partners, choose_partner, unlikeness
from drretail.env.world import open_world
from drretail.records.counterfactual import ProfileTraits
from tests.two_tastes import BIRDS, DOGS, build_shop

counts = st.dictionaries(st.sampled_from("abcd"), st.integers(1, 5), max_size=3)


@st.composite
def traits(draw: st.DrawFn) -> ProfileTraits:
    names = draw(counts)
    return ProfileTraits(
        user_id=draw(st.sampled_from([f"U{n}" for n in range(6)])),
        orders=sum(names.values()),
        domains=names,
        categories=draw(counts),
        brands=draw(counts),
        price_position=draw(st.none() | st.floats(0, 1)),
    )


def test_the_partner_is_the_other_user_with_the_traits_of_both(tmp_path: Path) -> None:
    with open_world(build_shop(tmp_path / "w")) as shop:
        found = Partners(shop, "42").counterfactual(BIRDS)
        assert found == Partners(shop, "42").counterfactual(BIRDS)
    assert found.partner is not None
    assert (found.partner.user_id, found.partner.orders) == (DOGS, 4)
    assert found.own.categories == {"Bird Feeders": 3}
    assert found.partner.brands == {"Napperly": 4}
    assert found.unlikeness == 0.875  # nothing in common, and too few prices to compare


@given(traits(), st.lists(traits(), max_size=8))
def test_no_other_candidate_is_a_tenth_less_like(own: ProfileTraits, candidates: list[ProfileTraits]) -> None:
    found = choose_partner(own, candidates, "42")
    others = [candidate for candidate in candidates if candidate.user_id != own.user_id and candidate.orders]
    assert (found is None) == (not others)
    if found is not None:
        assert found.user_id != own.user_id
        rich = [other for other in others if other.orders >= 3] or others
        assert round(unlikeness(own, found), 1) == max(round(unlikeness(own, each), 1) for each in rich)


@given(traits(), st.lists(traits(), max_size=8, unique_by=lambda value: value.user_id))
def test_the_order_of_candidates_does_not_matter(own: ProfileTraits, candidates: list[ProfileTraits]) -> None:
    assert choose_partner(own, candidates, "42") == choose_partner(own, candidates[::-1], "42")


def test_equally_unlike_partners_are_spread_over_users_and_seeds() -> None:
    batch = [ProfileTraits(user_id=f"C{n}", orders=3, brands={"x": 3}) for n in range(10)]
    users = [ProfileTraits(user_id=f"U{n}", orders=3, brands={"y": 3}) for n in range(20)]
    found = {choice.user_id for user in users if (choice := choose_partner(user, batch, "42")) is not None}
    assert len(found) > 4
