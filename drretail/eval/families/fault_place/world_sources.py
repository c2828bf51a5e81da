"""Whether the world has a source that the run was never handed."""

import hashlib
from functools import cache
from typing import Literal

from drretail.env.store.base import Store
from drretail.env.web.sandbox import default_corpus, read_corpus
from drretail.errors import NotFound
from drretail.eval.judging.subject import Subject
from drretail.grounding.report.evidence_ids import parse_evidence_id, web_evidence_id

Held = Literal["held", "absent", "not known"]


def held_by_world(source: str, subject: Subject) -> Held:
    """Whether the shop, or the fixed corpus that the run searched, has what a report cites by this id or address.

    A calculation is no part of any world. Pages of the open web, and of a corpus that is not the shipped one, are not
    known.
    """
    kind = "web" if "://" in source else parse_evidence_id(source)
    store = subject.store
    if kind is None or store is None:
        return "not known"
    key = source.partition(":")[2]
    match kind:
        case "product":
            return _held(key in store.products([key]))
        case "order":
            return _held(_has_order(store, key))
        case "calculation":
            return "absent"
        case "web":
            pages = _shipped_pages()
            if subject.system.web_corpus != pages[0]:
                return "not known"
            return _held((web_evidence_id(source) if "://" in source else source) in pages[1])
        case _:
            return "not known"


def _held(there: bool) -> Held:
    return "held" if there else "absent"


def _has_order(store: Store, order_id: str) -> bool:
    try:
        store.order(order_id)
    except NotFound:
        return False
    return True


@cache
def _shipped_pages() -> tuple[str, frozenset[str]]:
    """The digest of the corpus that ships, and the ids of its pages."""
    path = default_corpus()
    ids = frozenset(web_evidence_id(page.url) for page in read_corpus(path))
    return hashlib.sha256(path.read_bytes()).hexdigest(), ids
