"""What a product is made of, as its title and fields say; what its prose mentions besides is another matter."""

import re
from collections.abc import Mapping

MATERIALS = frozenset(
    """
    acacia acrylic aluminium aluminum bamboo brass bronze cedar ceramic copper cork cotton crystal denim down
    felt fiberglass flannel fleece glass granite iron jute latex leather linen marble metal microfiber muslin
    nylon oak paper pine plastic polyester porcelain rattan resin rubber satin silicone silk sisal slate
    stainless steel stone suede teak titanium velvet vinyl walnut wicker wood wooden wool
    """.split()  # noqa: SIM905 -- a list of so many words is not read one a line
) | {"cast iron", "memory foam", "natural rubber", "organic cotton", "stainless steel"}
"""Demands that speak of what a thing is made of, folded."""

# Fields of a part, such as "Handle Material", say nothing of the whole; blades and covers are what one buys.
_FIELDS = re.compile(
    r"(?:(?:outer|main|primary|blade|cover) )?materials?(?: type)?|fabric(?: type)?|material[ _]composition",
    re.IGNORECASE,
)
# "Containers with bamboo lids", "post for wood floors": behind these words stands something else.
_BESIDE = re.compile(r"\s(?:with|w/|for|on|without|like)\s.*$", re.IGNORECASE | re.DOTALL)
_LOOKS = re.compile(r"\b\w+[ -](?:look|like|style|effect|scented|free)\b", re.IGNORECASE)


def made_of(title: str, details: Mapping[str, object]) -> str:
    """The words of a product's title, up to what comes with it, and of its fields of material; not folded."""
    fields = (value for name, value in details.items() if isinstance(value, str) and _FIELDS.fullmatch(name.strip()))
    return " ".join([_LOOKS.sub(" ", _BESIDE.sub("", title)), *fields])
