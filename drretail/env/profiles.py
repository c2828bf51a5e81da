"""People derived from user ids: the same person for the same pool, seed and id, on every backend."""

import hashlib
import unicodedata
from functools import cache
from importlib import resources
from typing import Self

from pydantic import model_validator

from drretail.records.base import Document, Record, sha256_of
from drretail.records.shop import Address, UserProfile

POOL_FILE = "profile_pool.json"
EMAIL_HOSTS = ("example.com", "example.org", "example.net")


class Place(Record):
    """A city with its state, zip and telephone area code; parts that a country lacks are empty."""

    city: str
    state: str
    zip: str
    area_code: str = ""


class ProfilePool(Document):
    """The parts that profiles are put together from; a world keeps the pool it was made with."""

    version: int
    locale: str
    country: str
    """ISO 3166 code, such as "US"."""
    first_names: tuple[str, ...]
    last_names: tuple[str, ...]
    streets: tuple[str, ...]
    places: tuple[Place, ...]

    @model_validator(mode="after")
    def _has_every_part(self) -> Self:
        if not (self.first_names and self.last_names and self.streets and self.places):
            raise ValueError("a profile pool needs first names, last names, streets and places")
        return self

    @property
    def hash(self) -> str:
        """sha256 of the content, part of a world's fingerprint."""
        return sha256_of(self.model_dump(mode="json"))


@cache
def default_pool() -> ProfilePool:
    """The pool that ships with drretail (scripts/draw_profile_pool.py drew it)."""
    text = resources.files("drretail.env").joinpath(POOL_FILE).read_text(encoding="utf-8")
    return ProfilePool.model_validate_json(text)


def derive_profile(pool: ProfilePool, seed: int | str, user_id: str) -> UserProfile:
    """The person behind a user id (Listing 1 of the paper): a pure function of the three arguments.

    E-mail addresses end in domains reserved for examples. Telephone numbers are in 555-0100 to 555-0199, which nobody
    has.
    """
    digest = hashlib.sha256(f"{seed}|{user_id}".encode()).digest()
    draws = [int.from_bytes(digest[start : start + 4]) for start in range(0, 32, 4)]
    first_name = pool.first_names[draws[0] % len(pool.first_names)]
    last_name = pool.last_names[draws[1] % len(pool.last_names)]
    street = pool.streets[draws[2] % len(pool.streets)]
    place = pool.places[draws[3] % len(pool.places)]
    host = EMAIL_HOSTS[draws[6] % len(EMAIL_HOSTS)]
    # Not validated: the parts were checked with the pool, and validation would cost more than the rest.
    return UserProfile.model_construct(
        user_id=user_id,
        email=f"{mailbox(first_name, last_name)}{draws[5] % 100:02d}@{host}",
        first_name=first_name,
        last_name=last_name,
        phone_number="-".join(part for part in (place.area_code, "555", f"01{draws[7] % 100:02d}") if part),
        address=Address.model_construct(
            address1=f"{1 + draws[4] % 9899} {street}",
            city=place.city,
            state=place.state,
            zip=place.zip,
            country=pool.country,
        ),
        account_status="active",
    )


def mailbox(first_name: str, last_name: str) -> str:
    """ "Zoë", "O'Neil" → "zoe.oneil"; "customer" if neither name has an ASCII letter."""
    parts = (ascii_letters(first_name), ascii_letters(last_name))
    return ".".join(part for part in parts if part) or "customer"


def ascii_letters(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii")
    return "".join(letter for letter in plain.lower() if letter.isalnum())
