"""A megabyte that unpacks to a gigabyte ends in one sentence, soon. Tests env/web/sandbox.py and parsing.py."""

import gzip
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from drretail.addons.imports.documents import document_text
from drretail.env.web.sandbox import PAGES_FILE, read_pages
from drretail.errors import UserError

MEGABYTE = 1 << 20


def of_zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as held, held.open("word/document.xml", "w") as file:
        for _ in range(101):
            file.write(b" " * MEGABYTE)


def of_pdf(path: Path) -> None:
    path.write_bytes(b"%PDF-1.4\n4 0 obj\nstream\n" + zlib.compress(b" " * (101 * MEGABYTE)) + b"\nendstream\nendobj\n")


def of_both(path: Path) -> None:
    of_zip(path)
    path.write_bytes(b"%PDF-1.4\n" + path.read_bytes())


def of_streams_within_streams(path: Path) -> None:
    """Each goes on to the end of the file, through the beginnings of all others: read one by one they take hours."""
    start = b"stream\n\x78\x9c"
    path.write_bytes(b"%PDF-1.4\n" + start + (b"\x00\x09\x00\xf6\xff" + start) * 100_000)


@pytest.mark.parametrize("make", [of_zip, of_pdf, of_both, of_streams_within_streams])
def test_a_document_that_unpacks_to_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None]
) -> None:
    monkeypatch.setitem(sys.modules, "markitdown", SimpleNamespace())
    make(tmp_path / "report.docx")
    with pytest.raises(UserError, match="holds more than 100,000,000 bytes when it is unpacked"):
        document_text(tmp_path / "report.docx")


def test_a_document_of_many_small_streams_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = SimpleNamespace(convert_stream=lambda *_, **__: SimpleNamespace(markdown="read"))
    library = SimpleNamespace(MarkItDown=lambda **_: read, StreamInfo=dict, MarkItDownException=Exception)
    monkeypatch.setitem(sys.modules, "markitdown", library)
    stream = b"stream\n" + zlib.compress(b"Tj ET " * 40) + b"\nendstream\n"
    (tmp_path / "report.pdf").write_bytes(b"%PDF-1.4\n" + stream * 5_000)
    assert document_text(tmp_path / "report.pdf") == "read"


def test_pages_of_a_sandbox_that_unpack_to_too_much_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("drretail.files.MOST_UNPACKED", 64 * MEGABYTE)
    (tmp_path / PAGES_FILE).write_bytes(gzip.compress(b" " * MEGABYTE, 9) * 1024)
    with pytest.raises(UserError, match="more than 64 MB of text"):
        read_pages(tmp_path)
