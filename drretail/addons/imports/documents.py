"""PDF and Office files as Markdown, by markitdown (an extra)."""

import re
import zlib
from contextlib import suppress
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile, is_zipfile

from drretail.errors import UserError, install_line

REPORTS = (".docx", ".pdf")
"""The formats in which reports can be imported."""
DOCUMENTS = (*REPORTS, ".pptx", ".xlsx")
LARGEST = 50_000_000
"""Bytes of a document on disk."""
MOST_UNPACKED = 100_000_000
"""Bytes of a document's contents, unpacked."""
_PIECE = 1 << 14
"""Bytes that are unpacked at once: to 16 MB at most, since zlib packs a thousandfold."""
_ZLIB_STARTS = frozenset(bytes([16 * window + 8]) for window in range(8))


def is_document(path: Path) -> bool:
    return path.suffix.casefold() in DOCUMENTS


def document_text(path: Path) -> str:
    """A document as Markdown: headings, lists, tables and links of Office files, the plain text of a PDF.

    Raises UserError if markitdown is not installed, and for a file that is too large or not such a document.
    """
    try:
        markitdown: Any = import_module("markitdown")
    except ImportError as missing:
        raise UserError(
            f"{path} is read by markitdown, which is not installed: {install_line('documents')}"
        ) from missing
    if path.stat().st_size > LARGEST:
        raise UserError(f"{path} is larger than {LARGEST:,} bytes: no report is as large.")
    data = path.read_bytes()
    if not (data.startswith(b"%PDF") or is_zipfile(BytesIO(data))):  # markitdown would take it for plain text
        raise UserError(f"{path} cannot be read as {path.suffix[1:]}: it is no such file.")
    # The sum, since one file can be both PDF and ZIP, and readers differ in which they see.
    if _size_in_pdf(data) + _size_in_zip(data) > MOST_UNPACKED:
        raise UserError(f"{path} holds more than {MOST_UNPACKED:,} bytes when it is unpacked: no report is as large.")
    # As a stream of known format: given a name, markitdown could also open addresses.
    stream_info = markitdown.StreamInfo(extension=path.suffix.casefold())
    try:
        converter = markitdown.MarkItDown(enable_plugins=False)
        # Superscripts are citations and powers: without the tag, "10²" would read 102.
        document = converter.convert_stream(BytesIO(data), stream_info=stream_info, sup_symbol="<sup>")
    except (markitdown.MarkItDownException, ValueError, KeyError, OSError) as problem:
        raise UserError(f"{path} cannot be read as {path.suffix[1:]}: it is damaged or cut off.") from problem
    return str(document.markdown).replace("\r\n", "\n")


def _size_in_zip(data: bytes) -> int:
    """The declared unpacked size of a ZIP's files; readers stop at that size."""
    with suppress(BadZipFile, ValueError), ZipFile(BytesIO(data)) as held:
        return sum(entry.file_size for entry in held.infolist())
    return 0


def _size_in_pdf(data: bytes) -> int:
    """The unpacked size of a PDF's streams; above ``MOST_UNPACKED``, any number greater than that.

    A stream that is packed twice counts with both sizes. The work on places that only look like streams is bounded by
    the file's own size.
    """
    size, left = 0, 2 * len(data)
    # A line may be the last: without that, a file of one line is searched to its end from every place in it.
    for line in re.finditer(rb"[^\r\n]*+(?:\r\n|[\r\n]|\Z)", data):
        place, layer = line.end(), data
        if b"stream" not in line[0] or data[place : place + 1] not in _ZLIB_STARTS:
            continue
        while size <= MOST_UNPACKED:
            unpacked, read = _inflated(layer, place, MOST_UNPACKED + 1 - size)
            left -= read if layer is data else 0
            size += len(unpacked) if left > 0 else MOST_UNPACKED + 1
            if not unpacked:
                break
            place, layer = 0, unpacked
    return size


def _inflated(data: bytes, place: int, most: int) -> tuple[bytes, int]:
    """About the first ``most`` bytes of the zlib stream at ``place``, and how many packed bytes they took."""
    inflater, unpacked, start = zlib.decompressobj(), bytearray(), place
    with suppress(zlib.error):
        while not inflater.eof and place < len(data) and len(unpacked) < most:
            unpacked += inflater.decompress(data[place : place + _PIECE])
            place += _PIECE
    return bytes(unpacked), min(place, len(data)) - start - len(inflater.unused_data)
