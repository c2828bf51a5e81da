"""Which variants are compared: few, since every further test costs all others some of their sharpness."""

from collections.abc import Mapping

from drretail.eval.metric import Metric
from drretail.eval.quality.dimensions import DIMENSIONS
from drretail.eval.quality.score import AVERAGE
from drretail.eval.slicing import headlines

COMPARED: Mapping[str, tuple[str, ...]] = {
    "faithfulness": ("FP", "FP_web", "FP_product", "FR"),
    "quality": (*DIMENSIONS, AVERAGE),
    "checks": ("clean",),
    "process": (
        "tool_coverage",
        "unneeded",
        "repeated",
        "invalid",
        "retrieved_uncited",
        "turns",
        "turns_to_evidence",
        "tool_calls",
        "words",
    ),
}
RATED = frozenset({"quality"})
"""Families on the scale 0 to 10."""
COUNTS = frozenset(
    {"turns", "turns_to_evidence", "tool_calls", "words", "pages", "domains", "recommended", "cost_ratio"}
)
"""Variants that are no shares, and for which no bar makes sense."""


def compared(metric: Metric) -> tuple[str, ...]:
    """The family's variants that are compared, in the order of its tables; of an unknown family its headlines."""
    chosen = COMPARED.get(metric.name)
    if chosen is None:
        return headlines(metric)
    known = set(metric.variants()) - metric.pooled_variants()
    return tuple(variant for variant in chosen if variant in known)


def bar_of(metric: str, variant: str, bar: float) -> float | None:
    """What a value has to reach: ``bar`` of a rating (0 to 10), a tenth of it of a share; None where neither."""
    if metric in RATED:
        return bar
    return None if variant in COUNTS or metric == "process" else bar / 10
