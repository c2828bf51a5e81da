"""The text of PDF and Office files, as Markdown, by markitdown (an extra)."""

from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

from drretail.errors import UserError, install_line

REPORTS = (".docx", ".pdf")
"""What reports are handed in as."""
DOCUMENTS = (*REPORTS, ".pptx", ".xlsx")
LARGEST = 50_000_000
"""Bytes."""


def is_document(path: Path) -> bool:
    return path.suffix.casefold() in DOCUMENTS


def document_text(path: Path) -> str:
    """What a document says: headings, lists, tables and links of Office files, the text alone of a PDF.

    Raises UserError where the extra is missing, and for a file that is too large or no such document.
    """
    try:
        markitdown: Any = import_module("markitdown")
    except ImportError as missing:
        what = install_line("'markitdown[docx,pdf,pptx,xlsx]'")
        raise UserError(f"{path} is read by markitdown, which is not installed: {what}") from missing
    if path.stat().st_size > LARGEST:
        raise UserError(f"{path} is larger than {LARGEST:,} bytes: no report is as large.")
    data = path.read_bytes()
    if not (data.startswith(b"%PDF") or is_zipfile(path)):  # markitdown would take it for plain text
        raise UserError(f"{path} cannot be read as {path.suffix[1:]}: it is no such file.")
    # As a stream with its form: by name it would also look at what the network has.
    known = markitdown.StreamInfo(extension=path.suffix.casefold())
    try:
        found = markitdown.MarkItDown(enable_plugins=False).convert_stream(BytesIO(data), stream_info=known)
    except (markitdown.MarkItDownException, ValueError, KeyError, OSError) as problem:
        raise UserError(f"{path} cannot be read as {path.suffix[1:]}: {problem!s:.200}") from problem
    return str(found.markdown).replace("\r\n", "\n")
