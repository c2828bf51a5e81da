"""Judges of pairs that follow one rule, and what scoring with them gives."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from drretail.errors import ModelError
from drretail.eval.judging.session import Judge
from drretail.llm.offline.judge import tag_contents
from drretail.records.comparison import PairScore
from drretail.records.score import Score, Scores
from tests import build
from tests.build import Reports

A: str = "a@model"
B: str = "b@model"
C: str = "c@model"
SIX = 6
"""Dimensions that are asked about where nobody has a profile."""


def reports(name: str, queries: int = 4, repeats: int = 1) -> Reports:
    """Reports that say whose they are."""
    return {f"q{n}-r{k}": f"Report of {name}." for n in range(1, queries + 1) for k in range(1, repeats + 1)}


def two(queries: int = 4) -> dict[str, Reports]:
    return {A: reports("a", queries), B: reports("b", queries)}


def shown(question: str) -> tuple[str, str]:
    """The two reports of a question, A and then B."""
    first, second = tag_contents("report", question)
    return first, second


def chosen(winner: str) -> dict[str, Any]:
    return {"justification": "It is better.", "winner": winner}


def prefers_the_first(_: str) -> dict[str, Any]:
    """A judge that looks at the place alone."""
    return chosen("A")


def finds_equal(_: str) -> dict[str, Any]:
    """A judge whom nothing tells the two reports apart."""
    return chosen("equal")


def finds_equal_where_b_is_first(question: str) -> dict[str, Any]:
    """A judge that prefers a where it stands first, and else has no preference."""
    return chosen("equal" if "of b." in shown(question)[0] else "A")


def prefers_a(question: str) -> dict[str, Any]:
    """A judge that prefers what system a wrote, wherever it stands."""
    return chosen("A" if "of a." in shown(question)[0] else "B")


def fails_where_b_is_first(question: str) -> Any:
    return ModelError("refusal", "no answer") if "of b." in shown(question)[0] else chosen("A")


def compared(folder: Path, *judges: Judge, metrics: Sequence[str] = ("pairwise",), **given: Any) -> Scores:
    return build.scored(folder, metrics, *judges, **given)


def row(scores: Scores, dimension: str = "depth", a: str = A, b: str = B, **wanted: str) -> PairScore:
    fields = {"dimension": dimension, "a": a, "b": b, **wanted}
    (found,) = [row for row in scores.pairs if fields.items() <= row.model_dump().items()]
    return found


def rank(scores: Scores, system: str, dimension: str = "depth") -> Score:
    (found,) = [row for row in scores.ranks if (row.system, row.variant) == (system, dimension)]
    return found
