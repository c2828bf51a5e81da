"""The queries that ship with drretail, all for the built-in demo world: fifty in two splits, sixty by difficulty, and
twenty without a user.

docs/benchmark.md says how they were made and what they are for.
"""

from importlib import resources
from typing import Literal, get_args

from drretail.errors import UserError
from drretail.grounding.constraints.gold_files import with_gold
from drretail.records.query import Query

Split = Literal["dev", "test", "graded", "generic"]
SPLITS: tuple[Split, ...] = ("dev", "test")
"""The splits of the fifty."""
GRADED: Split = "graded"
"""Twenty queries each of levels 0–2, 3–5 and 6–9, with twins and hidden limits."""
GENERIC: Split = "generic"
"""Twenty queries without a user, whose answers rest on the shop and the web alone (paper Figure 5)."""

CANARY = "drretail demo-50 benchmark data: not for training corpora; canary 6d5e2f0c-1b8a-4b53-9a37-0c4e7d1f92ab"
"""The source of each of the fifty queries, so that models that were trained on them can be recognised."""

GRADED_CANARY = (
    "drretail graded-60 benchmark data: not for training corpora; canary 0f6f0c52-6c3e-4d0b-8f0a-5b8e2d9c47a1"
)
"""The same for the sixty."""

GENERIC_CANARY = (
    "drretail generic-20 benchmark data: not for training corpora; canary 7c1a94de-83f5-4d26-b0e9-52c6f1a7d3b8"
)
"""The same for the twenty."""

WORLD = "e0b2585410273c7e6a88905e536dde82d34060294d00ec7e3fad0713e769d791"
"""The fingerprint of the demo world that they were made for."""


def shipped_queries(*splits: Split) -> tuple[Query, ...]:
    """The queries of the splits, in the order of their files; without an argument, the fifty.

    Raises UserError for an unknown split.
    """
    for split in splits:
        if split not in get_args(Split):
            raise UserError(f"The shipped queries have no split {split!r}: choose dev, test, all, graded or generic.")
    folder = resources.files("drretail.querygen").joinpath("benchmark")
    queries: list[Query] = []
    for split in splits or SPLITS:
        with resources.as_file(folder) as place:
            lines = (place / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
            queries += with_gold(map(Query.model_validate_json, lines), place / f"{split}.gold.jsonl")
    return tuple(queries)
