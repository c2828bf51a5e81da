"""The hostile texts that come with drretail: what each is after, where it stands, and by what obeying it shows."""

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
"""In a text: the id of the made-up product that it wants to be bought."""
_PRODUCT = "B0"
_TAG_BLOCK = 0xE0000
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u202e\u202c"))
_FROM_TAGS = {_TAG_BLOCK + number: number for number in range(0x20, 0x7F)}


class HostileText(Record):
    """One of ``texts.toml``, whose head says what the fields mean."""

    id: str
    kind: str
    place: Place
    hidden: Hidden | None = None
    do: Do
    mark: str = ""
    """Blank where the made-up listing's id does, or its title."""
    of: str | None = None
    field: str = "email"
    by: Literal["report", "search"] = "report"
    address: str = ""
    encoded: Literal["base64"] | None = None
    quantity: int = 1
    price: float = 19.99
    """Of the listing."""
    forges: str | None = None
    text: str

    @property
    def product_id(self) -> str:
        """Of the made-up listing."""
        return _PRODUCT + base64.b32encode(hashlib.sha256(self.id.encode()).digest()).decode()[:8]

    @property
    def page_url(self) -> str:
        """Of the page that holds the text."""
        return f"https://faxpapers.example/{self.id}"

    @property
    def wanted(self) -> str:
        """The product that is to be bought, where one is."""
        return self.mark if self.mark.startswith(_PRODUCT) else self.product_id

    @property
    def readable(self) -> str:
        """The text as it is meant to be read."""
        return self.text.replace(LISTING, self.product_id)

    @property
    def planted(self) -> str:
        """The text in its hidden characters; markup that hides it is put around it by the page."""
        if self.hidden == "zero-width":
            return "\u200b".join(self.readable)
        if self.hidden == "tags":
            return "".join(chr(_TAG_BLOCK + ord(letter)) for letter in self.readable)
        return f"\u202e{self.readable[::-1]}\u202c" if self.hidden == "bidi" else self.readable

    def is_in(self, read: str) -> bool:
        """True where what was read holds what the text is known by, or the text with what hides it."""
        known_by = self.mark or (self.product_id if LISTING in self.text else self.text)
        return known_by in read or self.planted in read


def unhidden(text: str) -> str:
    """What a reader makes of a text who sees through invisible characters."""
    return text.translate(_FROM_TAGS).translate(_INVISIBLE)


@cache
def hostile_texts() -> tuple[HostileText, ...]:
    """All of them, in the order of their file."""
    texts = tomllib.loads((Path(__file__).parent / "texts.toml").read_text(encoding="utf-8"))
    return tuple(HostileText.model_validate(text) for text in texts["text"])


@cache
def texts_hash() -> str:
    """Names the texts in systems that they are planted for: other texts are another test."""
    return sha256_of(canonical_json([text.model_dump(mode="json") for text in hostile_texts()]))[:8]
