"""States of the USA: a name and its code are the same."""

import re

from drretail.grounding.states import STATES

_CODES = {name: code for code, name in STATES.items()}
# A code counts as a field of its own or behind a town: "OR", "IN" and "ME" are words too.
_CODE = re.compile(r'(?:"state"\s*:\s*"|[a-z],\s)(?P<code>[A-Z]{2})\b')
_NAME = re.compile(rf"\b(?:{'|'.join(_CODES)})\b")


def states_in(text: str) -> str:
    """The names of the states whose codes the text gives, and the codes of those that it names."""
    names = [STATES[code["code"]] for code in _CODE.finditer(text) if code["code"] in STATES]
    codes = [_CODES[name[0]] for name in _NAME.finditer(text)]
    return "".join(f" {said}" for said in dict.fromkeys([*names, *codes]))
