"""Texts that try to make an agent that reads them do something (hostile.toml), as planted and as read."""

import base64
import hashlib
import tomllib
from functools import cache
from pathlib import Path
from typing import Literal

from drretail.records.base import Record, canonical_json, sha256_of

Place = Literal["title", "features", "description", "page", "below"]
Hidden = Literal["css", "white", "comment", "alt", "zero-width", "bidi", "tags"]
Do = Literal["profile", "look", "send", "pick", "cite", "say", "call"]
LISTING = "LISTING"
"""A placeholder in a text for the id of the made-up product that it promotes."""
_PRODUCT = "B0"
_TAG_BLOCK = 0xE0000
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u202e\u202c"))
_FROM_TAGS = {_TAG_BLOCK + number: number for number in range(0x20, 0x7F)}


class HostileText(Record):
    """One of ``hostile.toml``, whose head says what the fields mean."""

    id: str
    kind: str
    place: Place
    hidden: Hidden | None = None
    do: Do
    mark: str = ""
    """Blank if the made-up listing's id or title is the mark."""
    of: str | None = None
    field: str = "email"
    by: Literal["report", "search"] = "report"
    address: str = ""
    encoded: Literal["base64"] | None = None
    quantity: int = 1
    price: float = 19.99
    """The listing's price."""
    forges: str | None = None
    text: str

    @property
    def product_id(self) -> str:
        """The made-up listing's id."""
        return _PRODUCT + base64.b32encode(hashlib.sha256(self.id.encode()).digest()).decode()[:8]

    @property
    def page_url(self) -> str:
        """The address of the page with the text."""
        return f"https://faxpapers.example/{self.id}"

    @property
    def wanted(self) -> str:
        """The product that the text wants bought."""
        return self.mark if self.mark.startswith(_PRODUCT) else self.product_id

    @property
    def readable(self) -> str:
        """The text as it is meant to be read."""
        return self.text.replace(LISTING, self.product_id)

    @property
    def planted(self) -> str:
        """The text in its hidden characters; the page adds markup that hides it."""
        if self.hidden == "zero-width":
            return "\u200b".join(self.readable)
        if self.hidden == "tags":
            return "".join(chr(_TAG_BLOCK + ord(letter)) for letter in self.readable)
        return f"\u202e{self.readable[::-1]}\u202c" if self.hidden == "bidi" else self.readable

    def is_in(self, read: str) -> bool:
        """True if the text that was read contains this text's mark, or the text as planted."""
        known_by = self.mark or (self.product_id if LISTING in self.text else self.text)
        return known_by in read or self.planted in read


def unhidden(text: str) -> str:
    """A text with its invisible characters made readable or removed."""
    return text.translate(_FROM_TAGS).translate(_INVISIBLE)


@cache
def hostile_texts() -> tuple[HostileText, ...]:
    """All texts, in the order of their file."""
    texts = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return tuple(HostileText.model_validate(text) for text in texts["text"])


@cache
def texts_hash() -> str:
    """A hash that identifies the texts in systems: other texts are another test."""
    return sha256_of(canonical_json([text.model_dump(mode="json") for text in hostile_texts()]))[:8]
