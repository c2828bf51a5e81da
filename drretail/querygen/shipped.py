"""The queries that come with drretail: fifty over the built-in demo world, frozen, in two parts.

docs/benchmark.md says how they were made, by an earlier offline generator, and what they are for.
"""

from importlib import resources
from typing import Literal

from drretail.errors import UserError
from drretail.records.query import Query

Split = Literal["dev", "test"]
SPLITS: tuple[Split, ...] = ("dev", "test")

CANARY = "drretail demo-50 benchmark data: not for training corpora; canary 6d5e2f0c-1b8a-4b53-9a37-0c4e7d1f92ab"
"""Stands in every line of the files, as the query's source, so that what was trained on them can be told."""

WORLD = "e0b2585410273c7e6a88905e536dde82d34060294d00ec7e3fad0713e769d791"
"""The fingerprint of the demo world that they were made for."""


def shipped_queries(*splits: Split) -> tuple[Query, ...]:
    """The queries of the splits, in the order of their files; of both without an argument.

    Raises UserError for a name that is no split.
    """
    unknown = [split for split in splits if split not in SPLITS]
    if unknown:
        raise UserError(f"There is no split {unknown[0]!r} of the shipped queries: choose dev, test or all.")
    folder = resources.files("drretail.querygen").joinpath("benchmark")
    texts = (folder.joinpath(f"{split}.jsonl").read_text(encoding="utf-8") for split in splits or SPLITS)
    return tuple(Query.model_validate_json(line) for text in texts for line in text.splitlines())
