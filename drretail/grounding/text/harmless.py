"""Texts from outside, as they may be part of a tool's result: clean (``untrusted``), and without our
ids and addresses.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from drretail.grounding.report.evidence_ids import parse_evidence_id
from drretail.grounding.text.untrusted import cleaned, folded, replaced
from drretail.records.shop import SHOP_URL

_BRACKETED = re.compile(r"[\[【〔〖⟦]([^\[\]【】〔〕〖〗⟦⟧\n]{3,400})[\]】〕〗⟧]")
_LINKED_ID = re.compile(r"([\]】〕〗⟧])\((?=\s*<?\s*[POUWCFS]:)")
# Reports link products of this shop by such an address.
_SHOP_ADDRESS = re.compile(rf"{re.escape(SHOP_URL.removeprefix('http://'))}(?=/)", re.IGNORECASE)
_BETWEEN_IDS = re.compile(r"[\s,;|，；、\\()]+")
_SUSPECT = re.compile(rf"[\[【〔〖⟦\]]|{_SHOP_ADDRESS.pattern}", re.IGNORECASE)


def harmless(text: str) -> str:
    """The clean text, with ``[P:B0…]`` as ``(P:B0…)`` and the shop's own address broken; all else stays."""
    return _remembered(text) if len(text) <= _MOST_REMEMBERED else _harmless(text)


def _harmless(text: str) -> str:
    text = cleaned(text)
    if not _SUSPECT.search(folded(text)):
        return text
    # Brackets may be nested; every round removes some, and 400 characters have few.
    while (without := replaced(_BRACKETED, _unbracketed, text)) != text:
        text = without
    text = replaced(_LINKED_ID, lambda match: f"{match[1]} (", text)
    return replaced(_SHOP_ADDRESS, lambda match: match[0].replace(".", " ."), text)


# Cached: every card, record and field name comes through here, most of them often.
_MOST_REMEMBERED = 500
_remembered = lru_cache(maxsize=1 << 14)(_harmless)


def harmless_values(value: Any, clean: Callable[[str], str] = harmless) -> Any:
    """A JSON value with its texts and field names passed through ``clean``."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list | tuple):
        return [harmless_values(item, clean) for item in value]
    if isinstance(value, dict):
        return {clean(name): harmless_values(one, clean) for name, one in value.items()}
    return value


def _unbracketed(match: re.Match[str]) -> str:
    names = filter(None, _BETWEEN_IDS.split(match[1]))
    return f"({match[1]})" if any(parse_evidence_id(name) for name in names) else match[0]
