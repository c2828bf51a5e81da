"""What work is likely to take, and its price: by what such work took here, else by typical work (typical.toml)."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drretail.records.run import Usage

if TYPE_CHECKING:
    from drretail.llm.registry import Model


@cache
def typical(kind: str) -> Mapping[str, Any]:
    """The rows of the shipped table for a kind of work."""
    return tomllib.loads(Path(__file__).with_name("typical.toml").read_text(encoding="utf-8"))[kind]


@dataclass(frozen=True, slots=True)
class Estimate:
    """What ``count`` runs, or judgements of reports or pairs, are likely to take together. What is None is unknown."""

    name: str
    """The system, or the metric and its judge."""
    count: int
    calls: int | None
    input: int | None
    output: int | None
    dollars: float | None
    basis: str
    """What it rests on, in a few words."""
    unpriced: tuple[str, ...] = ()
    """Models without a known price."""


def likely(
    name: str,
    count: int,
    rows: Sequence[tuple["Model", Sequence[float]]],
    what: str,
    *,
    took: Usage,
    pieces: int,
) -> Estimate:
    """By what so many ``pieces`` of such work ``took`` here. Without any, by each model's row of typical work."""
    unknown = tuple({model.spec: None for model, _ in rows if model.priced(Usage(calls=1)).unpriced})
    if pieces:
        usage = Usage(**{field: round(value * count / pieces) for field, value in took if field != "served"})
    elif rows:
        usage = Usage()
        for model, row in rows:
            calls, read, written = (round(value * count) for value in row)
            usage += model.priced(Usage(calls=calls, input_uncached=read, output=written))
    else:  # an agent that asks its own models
        return Estimate(name, count, None, None, None, None, "nothing")
    basis = f"{pieces:,} {what} here" if pieces else f"typical {what}"
    return Estimate(name, count, usage.calls, usage.input, usage.output, usage.dollars, basis, unknown)
