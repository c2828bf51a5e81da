"""Figures whose characters are set apart by markup, ``$**1**.03`` or ``&#36;1.03``, as a reader sees them."""

import re
from collections import Counter
from html import unescape

_MARKUP = (
    r"\*{1,3}|_{1,3}|</?(?:a|b|code|em|i|mark|span|strong|u)>|<!--[^<>]{0,99}-->"
    r"|&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|\w{2,31});|\\(?=[.,$])"
)
_PIECE = re.compile(rf"{_MARKUP}|.", re.DOTALL)
# What stands before a figure is bounded: a report of nothing but tags would be read once for each of them.
_FIGURE = re.compile(rf"(?<![\d/])(?:[$€£¥₹]|{_MARKUP}){{0,16}}+\d(?:[\d.,]|{_MARKUP})*+")
_OF_FIGURE = re.compile(r"[$€£¥₹\d.,\u00ad\u200b-\u200d\u2060]*")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")


def plain_figures(text: str) -> str:
    """The text, as long as it is, with the markup inside figures replaced by zeros in front: ``$00001.03``."""
    return _FIGURE.sub(_plain, text)


def _plain(found: re.Match[str]) -> str:
    pieces = [match[0] for match in _PIECE.finditer(found[0])]
    shown = [_shown(piece) for piece in pieces]
    emphasis = Counter(piece for piece in pieces if piece[0] in "*_")
    if not all(map(_OF_FIGURE.fullmatch, shown)) or any(count % 2 for count in emphasis.values()):
        return found[0]  # "2*3" is a product, and "&amp;" no part of a figure
    inside = [index for index, one in enumerate(shown) if one]
    while inside and shown[inside[-1]] in ".,":
        inside.pop()
    first, end = inside[0], inside[-1] + 1
    seen, width = "".join(shown[first:end]), len("".join(pieces[first:end]))
    seen = re.sub(r"[^$€£¥₹\d.,]", "", seen)
    sign = seen[: len(seen) - len(seen.lstrip("$€£¥₹"))]
    digits = seen[len(sign) :]
    if len(seen) == width:
        return found[0]
    number = digits.replace(",", "") if _THOUSANDS.fullmatch(digits) else digits
    return "".join([*pieces[:first], sign, number.rjust(width - len(sign), "0"), *pieces[end:]])


def _shown(piece: str) -> str:
    """What a reader sees of a character, an entity or a piece of markup."""
    if piece[0] == "&" and len(piece) > 1:
        return unescape(piece)
    return piece if len(piece) == 1 and piece not in "*_\\" else ""
