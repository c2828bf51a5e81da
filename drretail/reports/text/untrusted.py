"""Texts from outside made safe for a prompt: nothing hidden, no tag that ends the block around them; sellers' texts
and pages without our ids and addresses.

Tags, tokens and turns are searched in a folded copy (NFKC, without marks) and rewritten with parentheses:
``</page>`` becomes ``(/page)``, ``<|im_start|>`` becomes ``(im_start)``. All other text keeps its bytes. HTML elements
stay; any other name in angle brackets is rewritten, since it could be a tag of our prompts or some model's token.
"""

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from drretail.records.shop import SHOP_URL
from drretail.reports.text.evidence_ids import parse_evidence_id

# Controls, formats (zero-width, direction, tag characters, soft hyphens), surrogates, private and unassigned ones.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
# Variation selectors, and letters that are drawn as nothing: Hangul fillers, Khmer inherent vowels, blank Braille.
_DRAWN_AS_NOTHING = re.compile(r"[\ufe00-\ufe0f\U000e0100-\U000e01ef\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2800]")
# Persian and Indic letters, and emoji, are shaped by joiners between them and selectors behind them, and digits by what
# is behind a selector: "❤" FE0F 200D "🔥", "1" FE0F 20E3. A run of joiners shapes nothing, and could encode a text.
_SHAPING = frozenset("\ufe0e\ufe0f\u200c\u200d")
_SHAPING_NOTHING = re.compile(
    r"(?<![^\x00-\x7f\u200c\u200d])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f\u200c\u200d\ufe0e\ufe0f])"
    r"|(?<![^\x00-\x7f\u200c\u200d\ufe0e\ufe0f])[\ufe0e\ufe0f](?!\u20e3)"
)
_NOT_ASCII, _UNPLAIN = re.compile(r"[^\x00-\x7f]"), re.compile(r"[^\n\t\x20-\x7e]")
_LINE_END = re.compile(r"\r\n?|[\v\f\x85\u2028\u2029]")

_MOST_REPLACED = 50
"""Up to so many different characters, ``replace`` one by one takes a tenth of ``translate``'s time."""
_NAME = re.compile(r"\w+")
TAGS = frozenset(
    _NAME.findall(
        "after answer categories category claim context cost criterion facts faults file files findings insights"
        " justification keywords limits needs owned page part persona picks problem problems product profile"
        " query question questions rationale record report reports schema search shelf source sources"
        " stop sub_problem today tools try turns user_id wish"
    )
)
"""Every tag of our prompts; none may appear in data."""
HTML_ELEMENTS = frozenset(
    _NAME.findall(
        "a abbr address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body"
        " br button canvas caption center cite code col colgroup command content data datalist dd del details dfn"
        " dialog dir div dl dt em embed fencedframe fieldset figcaption figure font footer form frame frameset h1"
        " h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img input ins isindex kbd keygen label layer"
        " legend li link listing main map mark marquee math menu menuitem meta meter multicol nav nobr noembed"
        " noframes noscript object ol optgroup option output p param picture plaintext portal pre progress q rb rp"
        " rt rtc ruby s samp script search section select selectedcontent shadow slot small source spacer span"
        " strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr"
        " track tt u ul var video wbr xmp"
    )
)
"""Every element of HTML, past and present."""
# "s" begins and ends a text of Llama 2 and Mistral.
_LEFT_ALONE = HTML_ELEMENTS - TAGS - {"s"}
_LT, _GT = (
    rf"(?:{sign}|&(?:{name}|#0{{0,6}}{code}|#x0{{0,6}}{hexa});?|\\u00{hexa}|%{hexa})"
    for sign, name, code, hexa in (("<", "lt", 60, "3c"), (">", "gt", 62, "3e"))
)
# Repetitions are bounded or possessive, so that a long text of one character takes linear time.
_TAG = re.compile(
    rf"(?P<open>(?:{_LT}|[‹«〈《⟨⟪❮❰≪])(?>(?:{_LT}|\\[nrt]|[|/\\\s]){{0,8}}))(?P<name>\w[\w.:▁-]{{0,60}}+)"
    rf"(?P<closed>(?P<rest>[^<>&%\\\n]{{0,300}}?)[\s/|\\]{{0,8}}(?>(?:{_GT}|[›»〉》⟩⟫❯❱≫]){{1,8}}))?",
    re.IGNORECASE,
)
_ATTRIBUTES = re.compile(r"[\s|]*+(?:[\w:.-]{1,40}\s*=.*)?", re.DOTALL)
# Tokens of Llama 2 and Mistral ([INST], [TOOL_CALLS]), BERT and GLM, and of EXAONE ([|user|]).
_BRACKETED_TOKEN = re.compile(
    r"\[(?=[\s/|]{0,4}+(?:(?i:INST|SYS|gMASK|CLS|SEP|PAD|THINK)\b|[A-Z]{2,20}(?:_[A-Z]{2,20}){1,4}\b|(?<=\|)\w))"
    r"[\s/|]{0,4}+(?P<name>[\w ]{1,80}?)[\s|]{0,4}\]"
)
# Turns of a dialogue written as text: "Human:" of Anthropic's, "USER:" of Vicuna's, "### Response:" of Alpaca's.
_TURN = re.compile(
    r"(?:^|(?<=\\n))(?P<mark>[ \t>*_#]{0,8}+)(?P<role>human|assistant|user|system|instruction|response|input)"
    r"(?P<after>[*_ \t]{0,4}+):",
    re.IGNORECASE | re.MULTILINE,
)
_SUSPECT = re.compile(rf"{_LT}|[‹«〈《⟨⟪❮❰≪\[]|{_TURN.pattern}", re.IGNORECASE | re.MULTILINE)


def visible(text: str) -> str:
    """The text without invisible characters, except those that shape the letters beside them.

    Line ends of every kind become newlines.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _LINE_END.sub("\n", text)
    unseen = set(_UNPLAIN.findall(text))
    unseen = {char for char in unseen if unicodedata.category(char) in _HIDDEN or _DRAWN_AS_NOTHING.match(char)}
    text = text.translate(dict.fromkeys(map(ord, unseen - _SHAPING))) if unseen else text
    while unseen & _SHAPING and (shown := _SHAPING_NOTHING.sub("", text)) != text:
        text = shown
    return text


@lru_cache(maxsize=128)  # a judge is shown the same report and sources in many questions
def cleaned(text: str) -> str:
    """A text from outside as it may stand in a prompt: no tag, token or turn in it opens or closes anything."""
    text = visible(text)
    if not _SUSPECT.search(_folded(text)):
        return text
    for pattern, written in ((_TAG, _tag), (_BRACKETED_TOKEN, _token), (_TURN, _turn)):
        text = _replaced(pattern, written, text)
    return text


def _replaced(pattern: re.Pattern[str], written: Callable[[re.Match[str]], str], text: str) -> str:
    """The text with each match in its folded copy replaced by ``written(match)``; equal replacements change nothing."""
    plain = _folded(text)
    changes = [(match.span(), new) for match in pattern.finditer(plain) if (new := written(match)) != match[0]]
    if not changes:
        return text
    # For each character of the copy, the index of its original in the text.
    copied = ([char] if char.isascii() else as_ascii(char) for char in text)
    places = range(len(text)) if plain == text else [at for at, copy in enumerate(copied) for _ in copy]
    parts: list[str] = []
    end = 0
    for (start, stop), new in changes:
        parts += text[end : places[start]], new
        end = places[stop - 1] + 1
    return "".join([*parts, text[end:]])


def _folded(text: str) -> str:
    """The text with each character replaced by the ASCII that it is a variant of, if any."""
    if text.isascii():
        return text
    plain = {character: as_ascii(character) for character in set(_NOT_ASCII.findall(text))}
    variants = {char: ascii_ for char, ascii_ in plain.items() if char != ascii_}
    if len(variants) > _MOST_REPLACED:
        return text.translate(str.maketrans(variants))
    for char, ascii_ in variants.items():
        text = text.replace(char, ascii_)
    return text


@lru_cache(maxsize=4096)
def as_ascii(character: str) -> str:
    """The ASCII that a character is a variant of, "" for a mark or joiner, or the character itself."""
    parts = unicodedata.normalize("NFKD", character)
    plain = "".join(part for part in parts if unicodedata.category(part) not in ("Mn", "Me", "Cf"))
    return plain if plain.isascii() else character


def _tag(match: re.Match[str]) -> str:
    opening, name, rest = match["open"], match["name"].casefold(), match["rest"] or ""
    is_token = "|" in opening
    is_ours = name in TAGS and (re.match(_LT, opening, re.IGNORECASE) or "/" in opening)
    is_tag = match["closed"] and _ATTRIBUTES.fullmatch(rest) and not name[0].isdigit()
    is_unknown = is_tag and name not in _LEFT_ALONE and re.match(_LT, opening, re.IGNORECASE)
    if not (is_token or is_ours or is_unknown):
        return match[0]
    return f"({'/' if '/' in opening else ''}{match['name']}{rest}{')' if match['closed'] else ''}"


def _token(match: re.Match[str]) -> str:
    return f"({'/' if '/' in match[0] else ''}{match['name'].strip()})"


def _turn(match: re.Match[str]) -> str:
    """A dialogue's turn, rewritten. "System:" may begin an honest line, unless after "#" or in capitals."""
    role = match["role"]
    is_turn = "#" in match["mark"] or role.isupper() or role.casefold() in ("human", "assistant")
    return f"{match['mark']}({role}){match['after']}:" if is_turn else match[0]


_BRACKETED = re.compile(r"[\[【〔〖⟦]([^\[\]【】〔〕〖〗⟦⟧\n]{3,400})[\]】〕〗⟧]")
_LINKED_ID = re.compile(r"([\]】〕〗⟧])\((?=\s*<?\s*[POUWCF]:)")
# Reports link products of this shop by such an address.
_SHOP_ADDRESS = re.compile(rf"{re.escape(SHOP_URL.removeprefix('http://'))}(?=/)", re.IGNORECASE)
_BETWEEN_IDS = re.compile(r"[\s,;|，；、\\()]+")
# Most titles and values, in a tenth of the time: printable ASCII without "%", "&", "/", ":", "<", "[", "\\" and "]".
_PLAIN = re.compile(r"[ -$'-.0-9;=-Z^-~]*+")
_SUSPECT_MARK = re.compile(rf"[\[【〔〖⟦\]]|{_SHOP_ADDRESS.pattern}", re.IGNORECASE)


def harmless(text: str) -> str:
    """The clean text, with ``[P:B0…]`` as ``(P:B0…)`` and the shop's own address broken; all else stays."""
    if _PLAIN.fullmatch(text):
        return text
    return _remembered(text) if len(text) <= _MOST_REMEMBERED else _harmless(text)


def _harmless(text: str) -> str:
    text = cleaned(text)
    if not _SUSPECT_MARK.search(_folded(text)):
        return text
    # Brackets may be nested; every round removes some, and 400 characters have few.
    while (without := _replaced(_BRACKETED, _unbracketed, text)) != text:
        text = without
    text = _replaced(_LINKED_ID, lambda match: f"{match[1]} (", text)
    return _replaced(_SHOP_ADDRESS, lambda match: match[0].replace(".", " ."), text)


# Cached: every card, record and field name comes through here, most of them often.
_MOST_REMEMBERED = 500
_remembered = lru_cache(maxsize=1 << 14)(_harmless)


def harmless_values(value: Any, clean: Callable[[str], str] = harmless) -> Any:
    """A JSON value with its texts and field names passed through ``clean``."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, (list, tuple)):  # a union would be made anew for each value
        return [clean(item) if isinstance(item, str) else harmless_values(item, clean) for item in value]
    if isinstance(value, dict):
        return {clean(name): harmless_values(inner, clean) for name, inner in value.items()}
    return value


def _unbracketed(match: re.Match[str]) -> str:
    names = filter(None, _BETWEEN_IDS.split(match[1]))
    return f"({match[1]})" if any(parse_evidence_id(name) for name in names) else match[0]
