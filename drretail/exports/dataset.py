"""An experiment as a folder that a dataset hub takes: tables of queries, runs and values, and a card."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from drretail.experiment import read_evidence
from drretail.exports.chat import write as write_chat
from drretail.exports.formats import Form, nothing_left
from drretail.exports.score_tables import write_parquet
from drretail.exports.selection import Selection
from drretail.files import write_atomically, write_lines
from drretail.grounding.report.render import render_report

CARD = "card.md.jinja"


def write(selection: Selection, to: Path) -> str:
    """README.md with the card, queries.jsonl, runs.jsonl, conversations.jsonl and the tables of scores as Parquet."""
    runs = [
        {
            **chosen.run.model_dump(mode="json", exclude_none=True, exclude={"format"}),
            "rendered": render_report(chosen.run.report, read_evidence(chosen.folder)).text
            if chosen.run.report
            else None,
        }
        for chosen in selection
    ]
    if not runs:
        raise nothing_left(selection)
    write_parquet(selection, to / "tables")  # first: without scores nothing is to be left behind
    asked = {run["query_id"] for run in runs}
    queries = [query for query in selection.definition.queries if query.query_id in asked]
    _write(to / "queries.jsonl", [query.model_dump(mode="json", exclude_none=True) for query in queries])
    _write(to / "runs.jsonl", runs)
    write_chat(selection, to / "conversations.jsonl")
    write_atomically(to / "README.md", _card(selection, len(queries), runs))
    return f"{len(runs):,} runs of {len(queries):,} queries"


def _write(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    write_lines(path, (json.dumps(row, ensure_ascii=False) for row in rows))


def _card(selection: Selection, queries: int, runs: Sequence[Mapping[str, Any]]) -> str:
    definition = selection.definition
    text = (Path(__file__).parent / CARD).read_text(encoding="utf-8")
    page = Environment(undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False).from_string(text)  # noqa: S701 — Markdown
    return page.render(
        title=json.dumps(definition.title or "Runs of deep research in a shop", ensure_ascii=False),
        size=_size(len(runs)),
        queries=queries,
        runs=len(runs),
        systems=sorted({str(run["system"]) for run in runs}),
        judges=sorted({f"{it.judge}" for chosen in selection for it in chosen.got}),
        fingerprint=definition.world_fingerprint,
        seed=definition.seed,
        versions=dict(sorted(definition.versions.items())),
        rules=[rule.text for rule in selection.rules],
        left_out=dict(sorted((+selection.left_out).items())),
    )


def _size(runs: int) -> str:
    """The hub's classes of size."""
    for bound, name in ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K")):
        if runs < bound:
            return name
    return "100K<n<1M"


FORM = Form("dataset", write)
