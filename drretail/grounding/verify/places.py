"""Where a report says that the shopper lives, compared with the address: any part of it, in any form.

Countries are those of Unicode's CLDR, as Babel has them; CLDR lacks the states of the USA. States of other countries
are not distinguished.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from drretail.grounding.verify.records import with_state
from drretail.grounding.verify.values import plain
from drretail.records.reading import ReadValue
from drretail.records.shop import Address, UserProfile

STATES = {
    "AL": "Alabama", "AK": "Alaska", "AZ": "Arizona", "AR": "Arkansas", "CA": "California", "CO": "Colorado",
    "CT": "Connecticut", "DE": "Delaware", "DC": "District of Columbia", "FL": "Florida", "GA": "Georgia",
    "HI": "Hawaii", "ID": "Idaho", "IL": "Illinois", "IN": "Indiana", "IA": "Iowa", "KS": "Kansas", "KY": "Kentucky",
    "LA": "Louisiana", "ME": "Maine", "MD": "Maryland", "MA": "Massachusetts", "MI": "Michigan", "MN": "Minnesota",
    "MS": "Mississippi", "MO": "Missouri", "MT": "Montana", "NE": "Nebraska", "NV": "Nevada", "NH": "New Hampshire",
    "NJ": "New Jersey", "NM": "New Mexico", "NY": "New York", "NC": "North Carolina", "ND": "North Dakota",
    "OH": "Ohio", "OK": "Oklahoma", "OR": "Oregon", "PA": "Pennsylvania", "PR": "Puerto Rico", "RI": "Rhode Island",
    "SC": "South Carolina", "SD": "South Dakota", "TN": "Tennessee", "TX": "Texas", "UT": "Utah", "VT": "Vermont",
    "VA": "Virginia", "WA": "Washington", "WV": "West Virginia", "WI": "Wisconsin", "WY": "Wyoming",
}  # fmt: skip
"""The states of the USA, by their postal codes."""
_COLLOQUIAL = {
    **{"united states of america": "US", "america": "US", "states": "US", "u s": "US", "u s a": "US"},
    **{"great britain": "GB", "britain": "GB", "england": "GB", "scotland": "GB", "wales": "GB", "u k": "GB"},
}
"""Names that CLDR does not have, in small letters without dots."""
_NAME = re.compile(r"(?:[A-Z][\w.'’-]*+\s?){1,3}")
_CODE = re.compile(r"(?:^|[\s,])([A-Z]{2,3})(?=\s*(?:,|\d{4,6}\b|$))")
_ZIP = re.compile(r"\b\d{5}\b")
_BESIDE = frozenset("in the of at near around and your home city state zip code".split())  # noqa: SIM905
# A name with one of these words, or "north…", "mid…", is not a city: "Olmsted County", "Twin Cities", "Gulf Coast".
_REGION = re.compile(
    r"\b(?:county|parish|valley|area|region|zone|belt|coast|metro|greater|upper|lower|central|cities|lakes?|bay|plains?"
    r"|hills?|mountains?|rockies|range|peninsula|panhandle|delta|basin|new england|(?:north|south|east|west|mid)\w*)\b"
)


def verify_place(value: ReadValue, profiles: Sequence[UserProfile]) -> ReadValue:
    """A place of the shopper, compared with the one known profile; other values are returned as they are.

    Contradicted by another state, country, city or zip code, if no part of the value is in the address.
    """
    is_of_user = value.kind == "place" and all(source[:2] in ("U:", "O:") for source in value.of)
    if not is_of_user or len(profiles) != 1 or not isinstance(value.amount, str):
        return value
    address = profiles[0].address
    states = STATES if address.country == "US" else {}
    in_state = {address.zip, address.state, *(one for pair in states.items() if address.state in pair for one in pair)}
    country = {name for name, code in country_names().items() if code == address.country and len(name) > 2}
    rest = plain(value.amount)
    is_in_state = False
    names = sorted(country, key=len, reverse=True)
    for part in (address.address1, address.city, *in_state, address.country, *names):
        shorter = rest.replace(plain(part), " ") if part else rest
        is_in_state = is_in_state or (shorter != rest and part in in_state)
        rest = shorter
    if not set(rest.split()) - _BESIDE:
        return with_state(value, "verified", "")
    if _is_elsewhere(value.amount, rest, address, is_in_state=is_in_state):
        return with_state(value, "contradicted", f"the address is in {address.city}, {address.state}")
    return value


def _is_elsewhere(place: str, rest: str, address: Address, *, is_in_state: bool) -> bool:
    """True if the rest of a place names another one, in an exact form."""
    if any(number not in (address.zip[:5], *address.address1.split()) for number in _ZIP.findall(place)):
        return True
    states = STATES if address.country == "US" else {}
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


@lru_cache(maxsize=1)
def country_names() -> Mapping[str, str]:
    """Two-letter codes by the names of countries in small letters, and by their codes of two and three letters."""
    from babel import Locale
    from babel.core import get_global

    names = {name.casefold(): code for code, name in Locale("en").territories.items() if code.isalpha()}
    known = get_global("territory_aliases").items()
    aliases = {alias.casefold(): codes[0] for alias, codes in known if alias.isalpha()}
    return {**aliases, **{code.casefold(): code for code in names.values()}, **names, **_COLLOQUIAL}
