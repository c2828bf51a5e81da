"""Puts the files of a plan into the engine, and says of each what it held."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from drretail.data_ingest.engines.duckdb import DuckDBEngine, Part
from drretail.data_ingest.lines import Saved, save_elements, save_lines
from drretail.data_ingest.plan import Input, Plan
from drretail.data_ingest.report import FileReport


@dataclass(frozen=True, slots=True)
class Loaded:
    """A file in the engine: the parts that it was read from, and what they held."""

    item: Input
    parts: tuple[Part, ...]
    report: FileReport


def load_input(engine: DuckDBEngine, plan: Plan, number: int, work: Path) -> Loaded:
    """Reads the file with this number in the plan; raises UserError where it is cut or damaged."""
    item = plan.inputs[number]
    target = work / f"saved-{number}.jsonl"
    if item.source.layout == "lines":
        return _load_lines(engine, plan, number, target)
    saved = save_elements(item.source, target)
    part = Part(target, packed=False, said=item.source.path)
    _, good = _load_part(engine, plan, number, part)
    return _loaded(item, [part], saved.rows + saved.bad, good, saved)


def load_kept_rows(engine: DuckDBEngine, plan: Plan, loaded: Sequence[Loaded]) -> None:
    """Reads the product files once more, for the whole rows of what is kept."""
    for number, file in enumerate(loaded):
        if file.item.source.shape == "products":
            for part in file.parts:
                engine.load_kept_rows(number, plan.rank(file.item.category or ""), part)


def _load_lines(engine: DuckDBEngine, plan: Plan, number: int, target: Path) -> Loaded:
    """The engine reads; only where it met bad rows does a second pass in Python save or name them."""
    item = plan.inputs[number]
    part = Part(item.source.path, item.source.packed, said=item.source.path)
    rows, good = _load_part(engine, plan, number, part)
    if rows == good:
        return _loaded(item, [part], rows, good, Saved())
    saved = save_lines(item.source, engine.bad_rows(item.source.shape, part), target)
    if not saved.rows:
        return _loaded(item, [part], rows, good, saved)
    rest = Part(target, packed=False, said=item.source.path)
    _, mended = _load_part(engine, plan, number, rest)
    return _loaded(item, [part, rest], rows, good + mended, saved)


def _load_part(engine: DuckDBEngine, plan: Plan, number: int, part: Part) -> tuple[int, int]:
    item = plan.inputs[number]
    if item.source.shape == "reviews":
        return engine.load_reviews(number, part)
    return engine.load_products(number, plan.rank(item.category or ""), part)


def _loaded(item: Input, parts: list[Part], rows: int, good: int, saved: Saved) -> Loaded:
    report = FileReport(
        name=item.name,
        shape=item.source.shape,
        category=item.category,
        rows=rows,
        bad_lines=rows - good,
        shown=tuple(saved.shown),
    )
    return Loaded(item, tuple(parts), report)
