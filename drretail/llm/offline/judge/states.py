"""States of the USA: a name and its code are the same."""

import re

_STATES = {
    "AL": "Alabama", "AK": "Alaska", "AZ": "Arizona", "AR": "Arkansas", "CA": "California", "CO": "Colorado",
    "CT": "Connecticut", "DE": "Delaware", "DC": "District of Columbia", "FL": "Florida", "GA": "Georgia",
    "HI": "Hawaii", "ID": "Idaho", "IL": "Illinois", "IN": "Indiana", "IA": "Iowa", "KS": "Kansas", "KY": "Kentucky",
    "LA": "Louisiana", "ME": "Maine", "MD": "Maryland", "MA": "Massachusetts", "MI": "Michigan", "MN": "Minnesota",
    "MS": "Mississippi", "MO": "Missouri", "MT": "Montana", "NE": "Nebraska", "NV": "Nevada", "NH": "New Hampshire",
    "NJ": "New Jersey", "NM": "New Mexico", "NY": "New York", "NC": "North Carolina", "ND": "North Dakota",
    "OH": "Ohio", "OK": "Oklahoma", "OR": "Oregon", "PA": "Pennsylvania", "RI": "Rhode Island",
    "SC": "South Carolina", "SD": "South Dakota", "TN": "Tennessee", "TX": "Texas", "UT": "Utah", "VT": "Vermont",
    "VA": "Virginia", "WA": "Washington", "WV": "West Virginia", "WI": "Wisconsin", "WY": "Wyoming",
}  # fmt: skip
_CODES = {name: code for code, name in _STATES.items()}
# A code counts as a field of its own or behind a town: "OR", "IN" and "ME" are words too.
_CODE = re.compile(r'(?:"state"\s*:\s*"|[a-z],\s)(?P<code>[A-Z]{2})\b')
_NAME = re.compile(rf"\b(?:{'|'.join(_CODES)})\b")


def states_in(text: str) -> str:
    """The names of the states whose codes the text gives, and the codes of those that it names."""
    names = [_STATES[code["code"]] for code in _CODE.finditer(text) if code["code"] in _STATES]
    codes = [_CODES[name[0]] for name in _NAME.finditer(text)]
    return "".join(f" {said}" for said in dict.fromkeys([*names, *codes]))
