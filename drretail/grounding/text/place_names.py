"""Names of states and countries in every form that an address or a sentence gives them.

Countries are those of Unicode's CLDR, as Babel has them. No library that we depend on pairs the states of the USA with
their codes: Faker has both lists, in orders and lengths that differ.
"""

from collections.abc import Mapping
from functools import lru_cache

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
"""Of the USA, by their postal codes."""
_COLLOQUIAL = {
    **{"united states of america": "US", "america": "US", "states": "US", "u s": "US", "u s a": "US"},
    **{"great britain": "GB", "britain": "GB", "england": "GB", "scotland": "GB", "wales": "GB", "u k": "GB"},
}
"""Names that CLDR does not have, in small letters without dots."""


@lru_cache(maxsize=64)
def state_names(country: str) -> Mapping[str, str]:
    """The names of a country's states or provinces by their codes; empty where nobody lists them."""
    if country == "CA":
        from faker.providers.address.en_CA import Provider as Canada

        return dict(zip(Canada.provinces_abbr, Canada.provinces, strict=True))
    if country == "AU":
        from faker.providers.address.en_AU import Provider as Australia

        return dict(zip(Australia.states_abbr, Australia.states, strict=True))
    return STATES if country == "US" else {}


@lru_cache(maxsize=1)
def country_names() -> Mapping[str, str]:
    """Two-letter codes by the names of countries in small letters, and by their codes of two and three letters."""
    from babel import Locale
    from babel.core import get_global

    names = {name.casefold(): code for code, name in Locale("en").territories.items() if code.isalpha()}
    aliases = {
        alias.casefold(): codes[0] for alias, codes in get_global("territory_aliases").items() if alias.isalpha()
    }
    return {**aliases, **{code.casefold(): code for code in names.values()}, **names, **_COLLOQUIAL}
