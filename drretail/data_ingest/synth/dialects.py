"""The forms in which rows are written: raw lines, packed lines, the Hugging Face form, an indented array."""

import gzip
import json
from io import BufferedWriter
from pathlib import Path
from typing import Any

Row = dict[str, Any]


class LineFile:
    """A file of one row per line, packed if its name ends in .gz."""

    def __init__(self, path: Path) -> None:
        self.rows = 0
        self.path = path
        self._raw = path.open("wb")
        # No name and no time in the header, so that equal rows give equal bytes; level 1 for speed.
        packed = path.suffix == ".gz"
        self._file: gzip.GzipFile | BufferedWriter = (
            gzip.GzipFile("", "wb", compresslevel=1, fileobj=self._raw, mtime=0) if packed else self._raw
        )

    def add(self, row: Row) -> None:
        self._file.write(json.dumps(row, ensure_ascii=False).encode("utf-8") + b"\n")
        self.rows += 1

    def close(self, cut: bytes = b"") -> None:
        """Ends the file, after writing ``cut``, the beginning of a row that is never finished."""
        self._file.write(cut)
        self._file.close()
        self._raw.close()


class HuggingFaceFile(LineFile):
    """Price as a text, details as a text of JSON, images and videos as lists side by side."""

    def add(self, row: Row) -> None:
        images: list[Row] = row.get("images", [])
        super().add(
            row
            | {
                "price": str(row["price"]),
                "details": json.dumps(row["details"], ensure_ascii=False),
                "images": {key: [image[key] for image in images] for key in ("hi_res", "large", "thumb", "variant")},
                "videos": {"title": [], "url": [], "user_id": []},
                "subtitle": None,
                "author": None,
            }
        )


class ArrayFile(LineFile):
    """One indented JSON array with escaped slashes, whatever the file's name says."""

    def add(self, row: Row) -> None:
        text = json.dumps(row, indent=4, ensure_ascii=True).replace("/", "\\/").replace("\n", "\n    ")
        self._file.write(f"{',' if self.rows else '['}\n    {text}".encode())
        self.rows += 1

    def close(self, cut: bytes = b"") -> None:
        super().close(b"\n]\n" if self.rows else b"[]\n")
