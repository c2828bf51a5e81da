"""Fixed pages ranked by embeddings instead of words: the same pages and addresses in another order."""

import io
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from drretail.env.web.base import Web, WebPage, WebResult
from drretail.env.web.bm25 import Bm25, best_passage, chunks_of, with_ellipses
from drretail.errors import ToolError, UserError, describe_error
from drretail.files import write_atomically
from drretail.llm.providers import OpenEmbeddings, check_embeddings, open_embeddings
from drretail.records.base import sha256_of
from drretail.records.run import BM25, slug

if TYPE_CHECKING:
    import numpy as np
    from langchain_core.embeddings import Embeddings
    from numpy.typing import NDArray

    from drretail.env.web.sandbox import SandboxPage

DENSE = "dense:"
MOST_RANKED = 16
"""The most webs that are kept with their vectors: a sandbox has one for each query, size and composition."""


class PagesWeb(Web, Protocol):
    """A web of fixed pages."""

    @property
    def pages(self) -> "Sequence[SandboxPage]":
        """The pages that it serves."""
        ...


def embeddings_of(retriever: str) -> str | None:
    """The "provider:model" of ``dense:provider:model``; None for ``bm25``. Raises UserError for any other retriever."""
    if retriever == BM25:
        return None
    if not retriever.startswith(DENSE):
        raise UserError(f"There is no retriever {retriever!r}: write {BM25}, or {DENSE}PROVIDER:MODEL.")
    spec = retriever.removeprefix(DENSE)
    check_embeddings(spec)
    return spec


def check_ranked(web: Web) -> None:
    """Raises UserError for a web without a fixed set of pages, which cannot be ranked anew."""
    if not hasattr(web, "pages"):
        raise UserError(f"A dense retriever ranks fixed pages, and {web.provider} has none: add --web sandbox.")


@dataclass(slots=True)
class Retrievers:
    """Webs with pages ranked by embeddings; the last used ones stay. Only ``cache`` keeps vectors on disk."""

    open: OpenEmbeddings = open_embeddings
    cache: Path | None = None
    _made: "dict[tuple[str | None, str], DenseWeb]" = field(default_factory=dict[tuple[str | None, str], "DenseWeb"])

    def ranked(self, web: Web, spec: str) -> Web:
        """The web with its pages ranked by these embeddings, which are opened at the first search."""
        check_ranked(web)
        place = (web.corpus, spec)
        dense = self._made.pop(place, None) or DenseWeb(cast(PagesWeb, web), spec, self.open, self.cache)
        self._made[place] = dense
        if len(self._made) > MOST_RANKED:
            del self._made[next(iter(self._made))]
        return dense


class DenseWeb:
    """Implements ``base.Web`` over the pages of another web."""

    def __init__(self, web: PagesWeb, spec: str, open: OpenEmbeddings, cache: Path | None) -> None:  # noqa: A002
        self._web = web
        self._spec = spec
        self._open = open
        self._cache = None if cache is None else cache / f"{str(web.corpus)[:16]}-{slug(spec)}.npz"
        self._lock = threading.Lock()
        self._index: _Index | None = None

    @property
    def provider(self) -> str:
        return self._web.provider

    @property
    def corpus(self) -> str | None:
        return self._web.corpus

    @property
    def pages(self) -> "Sequence[SandboxPage]":
        return self._web.pages

    def fetch(self, url: str) -> WebPage:
        return self._web.fetch(url)

    def search(self, query: str, k: int) -> list[WebResult]:
        """The ``k`` nearest pages, each with its nearest chunk and that chunk's best passage. Raises ToolError if
        embedding fails.

        There is no least score: how near is near enough differs from one embedding model to the next.
        """
        try:
            index = self._indexed()
            nearest = index.nearest(query)[:k]
        # The boundary of a provider's client, which may raise anything.
        except Exception as problem:
            raise ToolError("unavailable", f"The pages could not be ranked: {describe_error(problem)}.") from problem
        pages = self._web.pages
        passages = [(pages[at], with_ellipses(chunk, pages[at].text)) for at, chunk in nearest]
        return [
            WebResult(page.title, page.url, best_passage(chunk, query, index.words.idf), page.date, partial(str, chunk))
            for page, chunk in passages
        ]

    def _indexed(self) -> "_Index":
        # At the first search: a replayed run makes none, and needs neither a key nor the network.
        with self._lock:
            if self._index is None:
                chunks = [(at, chunk) for at, page in enumerate(self._web.pages) for chunk in chunks_of(page.text)]
                texts = [f"{self._web.pages[at].title}\n{chunk}" for at, chunk in chunks]
                embeddings = self._open(self._spec)
                vectors = _vectors_of(texts, embeddings, self._cache)
                self._index = _Index(chunks, vectors, embeddings, Bm25([("", text) for text in texts]))
            return self._index


@dataclass(frozen=True, slots=True)
class _Index:
    """Chunks of pages with their vectors, each of length one."""

    chunks: Sequence[tuple[int, str]]
    vectors: "NDArray[np.float32]"
    embeddings: "Embeddings"
    words: Bm25

    def nearest(self, query: str) -> list[tuple[int, str]]:
        """Each page once with its nearest chunk, the nearest page first; ties in order of the pages."""
        near = self.vectors @ _unit([self.embeddings.embed_query(query)])[0]
        best: dict[int, tuple[float, str]] = {}
        for (page, chunk), score in zip(self.chunks, near.round(6).tolist(), strict=True):
            if page not in best or score > best[page][0]:
                best[page] = (score, chunk)
        return [(page, best[page][1]) for page in sorted(best, key=lambda page: (-best[page][0], page))]


def _vectors_of(texts: Sequence[str], embeddings: "Embeddings", file: Path | None) -> "NDArray[np.float32]":
    """A row for each text. ``file``, if given, caches the vectors by the hash of their text."""
    import numpy as np

    keys = [sha256_of(text) for text in texts]
    vectors: dict[str, NDArray[np.float32]] = {}
    if file is not None and file.exists():
        with np.load(file, allow_pickle=False) as held:
            vectors = dict(zip(held["keys"].tolist(), held["vectors"], strict=True))
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in vectors}
    if missing:
        new = _unit(embeddings.embed_documents([*missing.values()]))
        vectors |= dict(zip(missing, new, strict=True))
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            packed = io.BytesIO()
            np.savez_compressed(packed, keys=np.array([*vectors]), vectors=np.stack([*vectors.values()]))
            write_atomically(file, packed.getvalue())
    return np.stack([vectors[key] for key in keys]) if keys else np.zeros((0, 0), np.float32)


def _unit(vectors: Sequence[Sequence[float]]) -> "NDArray[np.float32]":
    """The vectors as rows of length one; a vector of zeros stays, and is near to nothing."""
    import numpy as np

    rows: Any = np.asarray(vectors, np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths == 0, 1, lengths)
