"""Product texts as a shopper reads them: no markup, no entities, no control characters; nothing else is changed."""

import html
import re

_BLOCK = "br|p|div|ul|ol|li|tr|td|th|table|tbody|thead|hr|h[1-6]|center|blockquote|section|article|body|html|img"
_INLINE = "b|i|u|s|a|em|strong|span|font|small|big|sup|sub|strike|del|ins|mark|code"
# Only HTML's own names, bare or with attributes: "<3", "a <b and c> d" and "<Brand>" are text.
_ATTRIBUTES = r"(?:\s+[^<>]*=[^<>]*)?\s*/?"
_BLOCK_TAG = re.compile(rf"</?(?:{_BLOCK}){_ATTRIBUTES}>|<!--.*?-->", re.IGNORECASE | re.DOTALL)
_INLINE_TAG = re.compile(rf"</?(?:{_INLINE}){_ATTRIBUTES}>", re.IGNORECASE)
# With its semicolon: "R&D" and "AT&T" are no entities.
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_SPACE = re.compile(r"\s+")
REPLACEMENT = "\ufffd"


def clean_text(text: str) -> str:
    """The text with entities resolved, tags gone, control characters dropped and white space as single spaces.

    Entities come first, because escaped markup (``&lt;br&gt;``) is markup that leaked. U+FFFD and mojibake stay.
    """
    if "&" in text:
        text = _ENTITY.sub(lambda match: html.unescape(match.group()), text)
    if "<" in text:
        text = _INLINE_TAG.sub("", _BLOCK_TAG.sub(" ", text))
    # Printable text holds no controls, no surrogates and no white space but the plain one: nearly all of it.
    if text.isprintable() and "  " not in text:
        return text.strip()
    return _SPACE.sub(" ", _CONTROL.sub("", without_surrogates(text))).strip()


def without_surrogates(text: str) -> str:
    """The text with halves of surrogate pairs, which UTF-8 cannot write, as U+FFFD."""
    return _SURROGATE.sub(REPLACEMENT, text)
