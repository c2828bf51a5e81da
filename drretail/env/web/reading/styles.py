"""Which inline styles hide what they are given to."""

import re

_UNSEEN_STYLE = re.compile(
    r"(?:^|;)(?:display:none|visibility:(?:hidden|collapse)|opacity:0*(?:\.0+)?(?:;|$|!)|font-size:0*(?:\.\d+)?(?:px|pt|em|rem|%)?(?:;|$|!)"
    r"|(?:max-)?(?:height|width):0(?:px)?(?:;|$|!)|text-indent:-\d{3,}|(?:left|right|top|bottom):-\d{3,}|transform:scale\(0\)"
    r"|clip:rect\(0|clip-path:inset\((?:50|100)%|color:transparent)"
)
_COLOUR = re.compile(r"(?:^|;)color:([^;!]+)")
_GROUND = re.compile(r"(?:^|;)background(?:-color)?:([^;!]+)")


def hides(style: str) -> bool:
    """True for an inline style that shows text in no size or opacity, out of sight, or in the colour of its ground."""
    style = "".join(style.split()).casefold()
    colour, ground = _COLOUR.search(style), _GROUND.search(style)
    return bool(_UNSEEN_STYLE.search(style)) or (colour is not None and ground is not None and colour[1] == ground[1])
