"""Files of gzip members, which ``zcat`` shows: an index, and then members that are read without the others."""

import os
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from drretail.errors import UserError
from drretail.files import MOST_UNPACKED, check_format, pack
from drretail.parsing import parse_json
from drretail.records.base import FORMAT, canonical_json

_CHUNK = 4096


def archive(members: Iterable[bytes], **index: Any) -> bytes:
    """The bytes of a file with these members; ``index`` says what is in them."""
    packed = [pack(member) for member in members]
    head = canonical_json({"format": FORMAT, "sizes": [len(member) for member in packed], **index})
    return b"".join([pack(f"{head}\n".encode()), *packed])


def read_index(path: Path) -> tuple[dict[str, Any], list[tuple[int, int]]]:
    """The index, and where each member begins and how many bytes it takes.

    Raises FileNotFoundError if there is no such file, and UserError for a damaged one or one of another format.
    """
    unpacking, head = zlib.decompressobj(wbits=31), b""
    with path.open("rb") as file:
        try:
            while not unpacking.eof and (data := unpacking.unconsumed_tail or file.read(_CHUNK)):
                head += unpacking.decompress(data, MOST_UNPACKED - len(head))
                if len(head) == MOST_UNPACKED:
                    raise ValueError
            index, begin = parse_json(head), file.tell() - len(unpacking.unused_data)
        except (zlib.error, ValueError) as problem:
            raise damaged(path) from problem
        size_of_file = os.fstat(file.fileno()).st_size
    if not isinstance(index, dict):
        raise damaged(path)
    check_format(index, path)
    places: list[tuple[int, int]] = []
    sizes = index.get("sizes")
    for size in sizes if isinstance(sizes, list) else ():
        if type(size) is not int or size < 0:
            raise damaged(path)
        places.append((begin, size))
        begin += size
    if begin != size_of_file:  # a copy that was cut
        raise damaged(path)
    return index, places


def read_parts(path: Path, places: Iterable[tuple[int, int]]) -> list[bytes]:
    """The unpacked members at these places."""
    members: list[bytes] = []
    with path.open("rb") as file:
        for begin, size in places:
            file.seek(begin)
            unpacking = zlib.decompressobj(wbits=31)
            try:
                members.append(unpacking.decompress(file.read(size), MOST_UNPACKED))
            except zlib.error as problem:
                raise damaged(path) from problem
            if not unpacking.eof or unpacking.unused_data:
                raise damaged(path)
    return members


def damaged(path: Path) -> UserError:
    return UserError(f"{path} is damaged: restore it, or delete it; the command that made it makes it again.")
