"""Bodies as they were before the server packed them, with an end to how large they may grow."""

import zlib
from collections.abc import Iterable, Iterator
from itertools import chain

from drretail.env.web.fetching.problems import Failed

ACCEPTED = "gzip, deflate"
"""What the standard library unpacks piece by piece; a server that sends anything else wasn't asked to."""
STEP = 64 * 1024


def whole_body(chunks: Iterable[bytes], encoding: str, most_bytes: int) -> bytes:
    """The unpacked body. Raises Failed for one that is larger than ``most_bytes``, damaged, or packed otherwise."""
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
        return _deflated(chunks)
    # Also "gzip, gzip": packing twice makes a bomb of a few bytes and serves nothing else.
    raise Failed("The page is packed in a way that was not asked for.")


def _deflated(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """With the header that the standard wants, or without, as many servers send it."""
    stream = iter(chunks)
    first = next((chunk for chunk in stream if chunk), b"")
    with_header = len(first) > 0 and first[0] & 0x0F == 8 and (len(first) < 2 or (first[0] * 256 + first[1]) % 31 == 0)
    return _inflated(chain([first], stream), zlib.MAX_WBITS if with_header else -zlib.MAX_WBITS)


def _inflated(chunks: Iterable[bytes], window: int) -> Iterator[bytes]:
    """In small steps, so that whoever counts can stop in time; what follows the end is left."""
    inflater = zlib.decompressobj(window)
    try:
        for chunk in chunks:
            piece = inflater.decompress(chunk, STEP)
            # Until nothing comes: zlib may hold output back after it has taken all input.
            while piece:
                yield piece
                piece = inflater.decompress(inflater.unconsumed_tail, STEP)
    except zlib.error:
        raise Failed("The page is packed, and damaged.") from None
    if not inflater.eof:
        raise Failed("The page is packed, and its end is missing.")
