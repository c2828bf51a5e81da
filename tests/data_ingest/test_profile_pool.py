import pytest

from drretail.data_ingest.profile_pool import draw_pool
from drretail.env.profiles import Place, derive_profile
from drretail.errors import UserError

PLACES = [Place(city="Boston", state="MA", zip="02108", area_code="617")]


def test_places_that_are_given_are_kept() -> None:
    pool = draw_pool("en_US", 1, PLACES)
    assert list(pool.places) == PLACES
    assert (pool.country, pool.locale) == ("US", "en_US")
    assert len(pool.first_names) == 400


@pytest.mark.parametrize("locale", ["de_DE", "ja_JP", "en_IN", "hu_HU", "ar_AA"])
def test_any_language_gives_profiles(locale: str) -> None:
    pool = draw_pool(locale, 42)
    profile = derive_profile(pool, 42, "U1")
    assert profile.address.city in {place.city for place in pool.places}
    assert profile.email.isascii()
    assert profile.address.country == pool.country


def test_an_unknown_locale_is_answered_with_near_ones() -> None:
    with pytest.raises(UserError, match=r"no locale 'de_DD'.*de_DE"):
        draw_pool("de_DD", 1)
