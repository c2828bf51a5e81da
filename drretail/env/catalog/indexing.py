"""Builds the index of an embedded world in a second process while the caller writes the store."""

import json
import pickle
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from drretail.env.catalog.formulation import BY_VERSION, Formulation
from drretail.env.catalog.tantivy import TantivyWriter
from drretail.processes import Tell, Worker, cores, ignore
from drretail.records.shop import Product

WORTH_A_PROCESS = 2000
"""The products from which on a second process is started: it takes half a second, in which so many are indexed."""
_END = "\n"
# Seconds: longer than it takes to write some products, and little compared with the time of indexing.
_PAUSE = 0.02


class IndexBuilder:
    """Takes the canonical lines of products in order of id, and builds an index in ``folder``.

    The lines go through a file, so that neither process waits for the other before the end. With one core, or with few
    products, ``close`` builds the index.
    """

    def __init__(self, folder: Path, formulation: Formulation) -> None:
        self._spool = folder.with_suffix(".spool")
        self._file = self._spool.open("w", encoding="utf-8", newline="\n")
        self._job = partial(index_lines, folder, formulation.version, self._spool)
        self._count = 0
        self._worker: Worker | None = None

    def add(self, line: str) -> None:
        self._file.write(f"{line}\n")
        self._count += 1
        if self._count == WORTH_A_PROCESS and cores() > 1:
            self._worker = Worker()
            self._worker.start(pickle.dumps(self._job))

    def end(self) -> None:
        """Marks the end of the products."""
        self._file.write(_END)
        self._file.close()

    def close(self) -> None:
        """Waits for the index. Raises UserError if there are too many products for one segment."""
        if self._worker is None:
            self._job(ignore)
        else:
            self._worker.wait()
            self._worker.end()
        self._spool.unlink()

    def abandon(self) -> None:
        """Stops without an index."""
        self._file.close()
        if self._worker is not None:
            self._worker.kill()
            self._worker.end()


def index_lines(folder: Path, version: str, spool: Path, tell: Tell) -> None:
    """Indexes the products in a file, up to its empty line; another process may still be writing the file."""
    writer = TantivyWriter(folder, BY_VERSION[version])
    del tell
    for line in _lines(spool):
        # The line is one of ours; validating it again would take as long as indexing it.
        writer.add(Product.model_construct(**json.loads(line)))
    writer.close()


def _lines(spool: Path) -> Iterator[str]:
    with spool.open(encoding="utf-8", newline="\n") as file:
        line = ""
        while line != _END:
            line += file.readline()
            if not line.endswith("\n"):
                time.sleep(_PAUSE)
            elif line != _END:
                yield line
                line = ""
