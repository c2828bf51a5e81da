"""Rows of scores over a part of an experiment's queries."""

from typing import Literal

from drretail.records.base import Record
from drretail.records.rules import Rules
from drretail.records.run import ModelKind

SliceBy = Literal["category", "kind", "constraint"]
"""What queries are sorted by: what is wanted, what sort of need it is, what it demands."""
FEW = 10
"""Below so many queries a mean says little, and tables grey it."""


class SliceScore(Record):
    """A variant's mean over the queries of one slice: policy scored_only, not pooled.

    ``n_planned`` and ``n_scored`` count reports, ``n_queries`` and ``n_counted`` queries. A query may be in several
    slices of a kind, so these don't add up to all queries.
    """

    by: SliceBy
    name: str
    """Baby_Products, gift, budget …"""
    metric: str
    variant: str
    system: str
    rules: Rules = "default"
    judge: str
    judge_kind: ModelKind
    judge_params: str = ""
    value: float | None = None
    """None when nothing could be scored."""
    ci_low: float | None = None
    ci_high: float | None = None
    n_queries: int
    n_counted: int
    """Queries with a value: what the interval is drawn over."""
    n_planned: int
    n_scored: int
