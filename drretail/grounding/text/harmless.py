"""Text of others, as it may stand in what a model reads: nothing hidden in it, and no form that is ours."""

import re
import unicodedata

from drretail.grounding.report.evidence_ids import parse_evidence_id
from drretail.prompts import untagged
from drretail.records.shop import SHOP_URL

# Controls, formats (zero-width, direction, tag characters, soft hyphens), surrogates, private and unassigned ones.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_UNUSUAL = re.compile(r"[^\n\r\t\x20-\x7e]")
# Variation selectors, and letters that are drawn as nothing: Hangul fillers, Khmer inherent vowels, blank Braille.
_DRAWN_AS_NOTHING = re.compile(r"[\ufe00-\ufe0f\U000e0100-\U000e01ef\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2800]")
# Persian and Indic letters, and emoji, are shaped by joiners and selectors between them.
_SHAPING = frozenset("\u200c\u200d\ufe0e\ufe0f")
TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""They turn the order of what stands beside them on a screen."""
_BRACKETED = re.compile(r"[\[【]([^\[\]【】\n]{3,400})[\]】]")
_LINKED_ID = re.compile(r"([\]】])\((?=\s*<?\s*[POUWCF]:)")
# Such an address is how a report links a product of this shop.
_SHOP_ADDRESS = re.compile(rf"{re.escape(SHOP_URL.removeprefix('http://'))}(?=/)", re.IGNORECASE)
_BETWEEN_IDS = re.compile(r"[\s,;|，；、\\]+")
_SUSPECT = re.compile(rf"[\[<]|{re.escape(SHOP_URL.removeprefix('http://'))}", re.IGNORECASE)


def sellers_text(text: str) -> str:
    """What a listing says, as it may stand in a tool's result."""
    if text.isascii() and text.isprintable() and not _SUSPECT.search(text):
        return text  # as nearly all are: every card and record comes through here
    return harmless(visible(text))


def visible(text: str) -> str:
    """Without characters that show nothing; line ends of every kind are newlines."""
    if text.isascii() and text.isprintable():
        return text
    text = re.sub(r"\r\n?|[\v\f\x85\u2028\u2029]", "\n", text)
    text = _DRAWN_AS_NOTHING.sub("", text)
    hidden = {ord(one): None for one in set(text) if one not in "\n\t" and unicodedata.category(one) in _HIDDEN}
    return text.translate(hidden)


def drawn(text: str) -> str:
    """A report without characters that show nothing, but for those that shape the letters beside them."""

    def kept(match: re.Match[str]) -> str:
        character, index = match[0], match.start()
        is_blank = unicodedata.category(character) in _HIDDEN or _DRAWN_AS_NOTHING.match(character)
        if character in _SHAPING:
            is_blank = (text[max(0, index - 1) : index] + text[index + 1 : index + 2]).isascii()
        return "" if is_blank else character

    return _UNUSUAL.sub(kept, text)


def harmless(text: str) -> str:
    """``[P:B0…]`` as ``(P:B0…)``, the shop's own address broken, tags of our prompts renamed; all else stays."""

    def written(match: re.Match[str]) -> str:
        names = filter(None, _BETWEEN_IDS.split(match[1]))
        return f"({match[1]})" if any(parse_evidence_id(name) for name in names) else match[0]

    # Brackets may stand in each other; every round takes some away, and 400 characters hold few.
    while (without := _BRACKETED.sub(written, text)) != text:
        text = without
    text = _SHOP_ADDRESS.sub(lambda match: match[0].replace(".", " ."), _LINKED_ID.sub(r"\1 (", text))
    return untagged(text)
