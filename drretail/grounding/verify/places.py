"""Where a report says that the shopper lives, held against the address: any part of it, in any form."""

import re
from collections.abc import Sequence

from drretail.grounding.text.place_names import country_names, state_names
from drretail.grounding.verify.values import plain, with_state
from drretail.records.reading import ReadValue
from drretail.records.shop import Address, UserProfile

_NAME = re.compile(r"(?:[A-Z][\w.'’-]*\s?){1,3}")
_CODE = re.compile(r"(?:^|[\s,])([A-Z]{2,3})(?=\s*(?:,|\d{4,6}\b|$))")
_ZIP = re.compile(r"\b\d{5}\b")
_BESIDE = frozenset("in the of at near around and your home city state zip code".split())  # noqa: SIM905
# A name with one of these words, or with "north…", "mid…", is no city: "Olmsted County", "Twin Cities", "Gulf Coast".
_REGION = re.compile(
    r"\b(?:county|parish|valley|area|region|zone|belt|coast|metro|greater|upper|lower|central|cities|lakes?|bay|plains?"
    r"|hills?|mountains?|rockies|range|peninsula|panhandle|delta|basin|new england|(?:north|south|east|west|mid)\w*)\b"
)


def verify_place(value: ReadValue, profiles: Sequence[UserProfile]) -> ReadValue:
    """A place that is said of the shopper, held against the one profile at hand; other values as they are.

    Contradicted are another state, country, city or zip code, where nothing of what is said is part of the address.
    """
    is_of_user = value.kind == "place" and all(source[:2] in ("U:", "O:") for source in value.of)
    if not is_of_user or len(profiles) != 1 or not isinstance(value.amount, str):
        return value
    address = profiles[0].address
    rest, is_in_state = _without_own(value.amount, address)
    if not set(rest.split()) - _BESIDE:
        return with_state(value, "verified", "")
    if _is_elsewhere(value.amount, rest, address, is_in_state=is_in_state):
        return with_state(value, "contradicted", f"the address is in {address.city}, {address.state}")
    return value


def _without_own(place: str, address: Address) -> tuple[str, bool]:
    """The plain words of a place without those that the address has, and whether its state or zip code is named."""
    states = state_names(address.country)
    in_state = {address.zip, address.state, *(one for pair in states.items() if address.state in pair for one in pair)}
    country = {name for name, code in country_names().items() if code == address.country and len(name) > 2}
    rest = plain(place)
    is_in_state = False
    names = sorted(country, key=len, reverse=True)
    for part in (address.address1, address.city, *in_state, address.country, *names):
        shorter = rest.replace(plain(part), " ") if part else rest
        is_in_state = is_in_state or (shorter != rest and part in in_state)
        rest = shorter
    return rest, is_in_state


def _is_elsewhere(place: str, rest: str, address: Address, *, is_in_state: bool) -> bool:
    """True where what is left of a place names another one, in an exact form."""
    if any(number not in (address.zip[:5], *address.address1.split()) for number in _ZIP.findall(place)):
        return True
    states = state_names(address.country)
    # "Jersey" may be short for New Jersey, or for Jersey City.
    home = plain(f"{address.city} {states.get(address.state, address.state)}")
    names = (plain(name) for name in (*states.values(), *country_names()) if len(name) > 3)
    named = [name for name in names if name not in home]
    others = [code for code in _CODE.findall(place) if code in states and code != address.state]
    if not is_in_state and (others or any(name in rest for name in named)):
        return True
    own = set(plain(f"{address.address1} {address.city}").split())
    name = place.partition(",")[0].strip()
    is_city = bool(_NAME.fullmatch(name)) and not _REGION.search(rest) and not own & set(plain(place).split())
    return is_city and plain(name) in rest and plain(name) not in home
