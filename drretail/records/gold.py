"""What is known beforehand of a good answer: insights it should have, and documents it can't do without."""

from typing import Literal

from pydantic import Field, model_validator

from drretail.records.base import Document, Record, sha256_of

GoldPart = Literal["files", "sandbox"]
"""The user's own files, or the pages that stand for the web."""
GOLD_PARTS: tuple[GoldPart, ...] = ("files", "sandbox")


class GoldInsight(Record):
    """Something that an answer ought to say."""

    id: str = Field(min_length=1)
    text: str = Field(min_length=1)
    stands_in: str = ""
    """The page's address, or the file's name."""

    @property
    def item(self) -> str:
        """What verdicts on it are filed under: of another wording, another one."""
        return f"{self.id}@{sha256_of(self.text)[:8]}"


class RequiredDocument(Record):
    """A page or a file without which the query can't be answered."""

    title: str = ""
    """Of a page, or a file's name."""
    url: str = ""
    """Of a page; blank where only its title is known."""

    @model_validator(mode="after")
    def _can_be_told(self) -> "RequiredDocument":
        if not (self.title.strip() or self.url.strip()):
            raise ValueError("a document needs a title or an address")
        return self


class PartOfGold(Record):
    """What is known of one part of the material."""

    insights: tuple[GoldInsight, ...] = ()
    documents: tuple[RequiredDocument, ...] = ()


class Gold(Document):
    """exp/gold/<query_id>.json: never shown to an agent."""

    query_id: str
    files: PartOfGold = PartOfGold()
    sandbox: PartOfGold = PartOfGold()

    def part(self, name: GoldPart) -> PartOfGold:
        return self.files if name == "files" else self.sandbox

    @property
    def documents_hash(self) -> str:
        """Of what has to be cited, in eight digits."""
        return sha256_of([[it.model_dump() for it in self.part(name).documents] for name in GOLD_PARTS])[:8]

    @model_validator(mode="after")
    def _ids_are_told_apart(self) -> "Gold":
        ids = [it.id for name in GOLD_PARTS for it in self.part(name).insights]
        if len(set(ids)) < len(ids):
            raise ValueError("two insights have one id")
        return self
