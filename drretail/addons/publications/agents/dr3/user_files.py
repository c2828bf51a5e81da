"""The user's own files as the agent reads them."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from drretail.addons.imports.documents import document_text, is_document
from drretail.errors import UserError
from drretail.files import files_below
from drretail.grounding.report.evidence_ids import file_evidence_id
from drretail.grounding.text.untrusted import harmless

IMAGES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp"}
LARGEST = 5_000_000
"""Bytes of the largest file that is read."""
MOST_FILES = 100


@dataclass(frozen=True)
class UserFile:
    """One of the user's files, read when it is first asked for."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def evidence_id(self) -> str:
        return file_evidence_id(self.name)

    @property
    def image_type(self) -> str | None:
        """The media type of an image; None for any other file."""
        return IMAGES.get(self.path.suffix.lower())

    @cached_property
    def data(self) -> bytes | None:
        """Its bytes; None for a file that is larger than ``LARGEST``."""
        return self.path.read_bytes() if self.path.stat().st_size <= LARGEST else None

    @cached_property
    def text(self) -> str | None:
        """Its text; None for an image, a file that is too large or not UTF-8, and a document that cannot be read."""
        if self.image_type is not None or self.data is None:
            return None
        if is_document(self.path):
            try:
                return harmless(document_text(self.path))
            except UserError:
                return None
        if b"\0" in self.data:
            return None
        try:
            return harmless(self.data.decode("utf-8-sig"))
        except UnicodeDecodeError:
            return None

    def described(self) -> str:
        """A line for agents that may ask about it: "orders.csv: text, 1,204 characters"."""
        if self.image_type is not None:
            return f"{self.name}: image"
        return f"{self.name}: {'no text' if self.text is None else f'text, {len(self.text):,} characters'}"


def read_user_files(folder: Path | None) -> tuple[UserFile, ...]:
    """The first ``MOST_FILES`` files of a folder by name, no hidden ones or subfolders; empty without a folder."""
    if folder is None or not folder.is_dir():
        return ()
    return tuple(map(UserFile, files_below(folder)[:MOST_FILES]))
