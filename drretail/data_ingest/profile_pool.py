"""Draws the parts of profiles with Faker, for the shipped pool and for other languages."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from drretail.env.profiles import Place, ProfilePool
from drretail.errors import UserError, install_line, nearest_names, suggestion

if TYPE_CHECKING:
    from faker import Faker

POOL_VERSION = 1
FIRST_NAMES = 400
LAST_NAMES = 600
STREETS = 600
PLACES = 200
DRAWS_PER_PART = 20
"""The most draws per part that is asked for: a locale with few names gives up then."""
# The names of Faker's locales for the part of a country in an address.
REGIONS = ("administrative_unit", "state_abbr", "state", "region", "province", "prefecture", "department_name")


def draw_pool(locale: str, seed: int, places: Sequence[Place] = ()) -> ProfilePool:
    """Draws a pool from a Faker locale such as "de_DE". The same locale, seed and version of Faker give the same pool.

    Without ``places`` they are drawn too, and then city, region and postcode need not belong together. Raises UserError
    if Faker does not know the locale, or is not installed.
    """
    try:
        from faker import Faker
        from faker.config import AVAILABLE_LOCALES
    except ModuleNotFoundError as error:
        raise UserError(f"Names of other countries need one more package: {install_line('faker')}.") from error

    if locale not in AVAILABLE_LOCALES:
        nearest = nearest_names(locale, AVAILABLE_LOCALES)
        raise UserError(f"Faker has no locale {locale!r}. {suggestion(nearest, AVAILABLE_LOCALES)}")
    fake = Faker(locale, use_weighting=False)
    fake.seed_instance(seed)
    return ProfilePool(
        version=POOL_VERSION,
        locale=locale,
        country=locale.rpartition("_")[2].upper(),
        first_names=distinct(fake.first_name, FIRST_NAMES),
        last_names=distinct(fake.last_name, LAST_NAMES),
        streets=distinct(fake.street_name, STREETS),
        places=tuple(places) or draw_places(fake),
    )


def distinct(draw: Callable[[], str], wanted: int) -> tuple[str, ...]:
    """Up to ``wanted`` different values, sorted."""
    values: set[str] = set()
    for _ in range(wanted * DRAWS_PER_PART):
        values.add(draw())
        if len(values) == wanted:
            break
    return tuple(sorted(values))


def draw_places(fake: "Faker") -> tuple[Place, ...]:
    region = next((getattr(fake, name) for name in REGIONS if hasattr(fake, name)), str)
    cities = distinct(fake.city, PLACES)
    return tuple(Place(city=city, state=region(), zip=fake.postcode()) for city in cities)
