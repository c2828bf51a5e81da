"""The queries that ship with drretail: fifty for the demo shop in two splits, a hundred and twenty for the market shop
in two, and twenty without a user.

docs/queries.md says how they were made and what they are for.
"""

from importlib import resources
from typing import Literal, get_args

from drretail.errors import UserError
from drretail.grounding.constraints.gold_files import gold_path, with_gold
from drretail.records.query import Query

Split = Literal["dev", "test", "market-dev", "market-test", "generic"]
FIFTY: tuple[Split, ...] = ("dev", "test")
MARKET: tuple[Split, ...] = ("market-dev", "market-test")
"""Forty queries each of levels 0–2, 3–5 and 6–9, half to look at and half for results."""
GENERIC: Split = "generic"
"""Twenty queries without a user, whose answers rest on the shop and the web alone (paper Figure 5)."""

CANARY = "drretail demo-50 benchmark data: not for training corpora; canary 6d5e2f0c-1b8a-4b53-9a37-0c4e7d1f92ab"
"""The source of each of the fifty queries, and in their gold, which ships packed, so
that models that were trained on them can be recognised.
"""

MARKET_CANARY = (
    "drretail market-120 benchmark data: not for training corpora; canary 3a9f5b1e-7c42-4e86-8d15-b2f06ce4917d"
)
"""The same for the hundred and twenty."""

GENERIC_CANARY = (
    "drretail generic-20 benchmark data: not for training corpora; canary 7c1a94de-83f5-4d26-b0e9-52c6f1a7d3b8"
)
"""The same for the twenty."""

WORLD = "e0b2585410273c7e6a88905e536dde82d34060294d00ec7e3fad0713e769d791"
"""The fingerprint of the demo world."""
MARKET_WORLD = "0eb974f72d69b3647e5c51387e28c89257c4827e316c39c2d68e8ffcec8aeb69"
"""The fingerprint of the market world."""


def shipped_queries(*splits: Split) -> tuple[Query, ...]:
    """The queries of the splits, in the order of their files; without an argument, the fifty.

    Raises UserError for an unknown split.
    """
    for split in splits:
        if split not in get_args(Split):
            known = "dev, test, all, market-dev, market-test, market or generic"
            raise UserError(f"The shipped queries have no split {split!r}: choose {known}.")
    folder = resources.files("drretail.querygen").joinpath("benchmark")
    queries: list[Query] = []
    for split in splits or FIFTY:
        with resources.as_file(folder) as place:
            lines = (place / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
            queries += with_gold(map(Query.model_validate_json, lines), gold_path(place / f"{split}.jsonl"))
    return tuple(queries)
