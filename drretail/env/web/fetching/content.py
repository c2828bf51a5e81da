"""Decides by header and bytes whether a body is HTML or plain text, and in which encoding; unpacks bodies."""

import codecs
import re
import zlib
from collections.abc import Iterable, Iterator
from email.message import Message
from itertools import chain

from drretail.env.web.fetching.fetched import Empty, Failed

HTML = "text/html"
PLAIN = "text/plain"
TEXT_TYPES = frozenset({HTML, "application/xhtml+xml", PLAIN, "text/markdown", "text/x-markdown"})
_LOOKED_AT = 1024
"""The first bytes that are checked; a text has no control character among them."""
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_BINARY = (b"%PDF", b"PK\x03\x04", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"RIFF", b"\x1f\x8b", b"\x7fELF", b"MZ\x90")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_MARKUP = re.compile(rb"\s*<(?:!doctype\s+html|html|head|body|meta|title|script|div|p|h1)\b", re.IGNORECASE)
# Codecs of the web. Python's others turn bytes into text in ways that no browser does (utf-7, punycode,
# unicode_escape …), some of them slowly.
_CODECS = re.compile(
    r"ascii|utf-8|utf-16(?:-[lb]e)?|iso8859-\d+|cp125\d|cp874|cp866|cp932|cp949|koi8-[ru]|mac-(?:roman|cyrillic)|tis-620"
    r"|shift_jis|euc_(?:jp|kr)|iso2022_jp|gb2312|gbk|gb18030|big5(?:hkscs)?|latin-?1"
)


def text_kind(content_type: str, body: bytes) -> tuple[str, str | None]:
    """("text/html" or "text/plain", codec or None) of a body. Raises Empty if the body is not text."""
    header = Message()
    header["content-type"] = content_type
    # Without a header, Message would say text/plain.
    declared = header.get_content_type() if "/" in content_type else ""
    if declared and declared not in TEXT_TYPES:
        raise Empty(f"It is {declared[:60]}, not a page of text.")
    marked = next((codec for mark, codec in _MARKS if body.startswith(mark)), None)
    start, charset = body[:_LOOKED_AT], header.get_param("charset")
    is_wide = marked == "utf-16" or (isinstance(charset, str) and charset.lower().startswith("utf-16"))
    if body.startswith(_BINARY) or (not is_wide and _CONTROL.search(start)):
        raise Empty("It calls itself text and is something else.")
    codec = marked or codec_name(charset)
    if declared in (HTML, "application/xhtml+xml"):
        return HTML, codec
    return (HTML if not declared and _MARKUP.match(_COMMENT.sub(b"", start)) else PLAIN), codec


def codec_name(charset: object) -> str | None:
    """Python's name of a web charset; None for any other."""
    if not isinstance(charset, str):
        return None
    try:
        name = codecs.lookup(charset.strip("\"' ")).name
    except (LookupError, ValueError):
        return None
    # Latin 1 and ASCII are read as Windows 1252, as browsers do.
    if name in ("iso8859-1", "ascii"):
        return "cp1252"
    return name if _CODECS.fullmatch(name) else None


ACCEPTED = "gzip, deflate"
"""The encodings that the standard library unpacks piece by piece; servers are asked for no others."""
STEP = 64 * 1024


def unpacked_body(chunks: Iterable[bytes], encoding: str, most_bytes: int) -> bytes:
    """The unpacked body. Raises Failed if it is larger than ``most_bytes``, damaged, or in another encoding."""
    body = bytearray()
    for piece in _unpacked(chunks, encoding):
        body += piece
        if len(body) > most_bytes:
            raise Failed(f"The page is larger than {most_bytes:,} bytes.")
    return bytes(body)


def _unpacked(chunks: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return iter(chunks)
    if name in ("gzip", "x-gzip"):
        return _inflated(chunks, zlib.MAX_WBITS | 16)
    if name == "deflate":
        # With zlib's header, as the standard says, or without it, as many servers send it.
        stream = iter(chunks)
        first = next((chunk for chunk in stream if chunk), b"")
        with_header = (
            len(first) > 0 and first[0] & 0x0F == 8 and (len(first) < 2 or (first[0] * 256 + first[1]) % 31 == 0)
        )
        return _inflated(chain([first], stream), zlib.MAX_WBITS if with_header else -zlib.MAX_WBITS)
    # "gzip, gzip" too: packing twice can make a bomb of a few bytes, and has no other use.
    raise Failed("The page is packed in a way that was not asked for.")


def _inflated(chunks: Iterable[bytes], window: int) -> Iterator[bytes]:
    """Inflates in small steps, so that the caller can stop in time; bytes after the end are ignored."""
    inflater = zlib.decompressobj(window)
    try:
        for chunk in chunks:
            piece = inflater.decompress(chunk, STEP)
            # Until nothing comes: zlib may still hold output after it has taken all input.
            while piece:
                yield piece
                piece = inflater.decompress(inflater.unconsumed_tail, STEP)
    except zlib.error:
        raise Failed("The page is packed, and damaged.") from None
    if not inflater.eof:
        raise Failed("The page is packed, and its end is missing.")
