"""An experiment as a folder for a dataset hub: tables of queries, runs and values, and a card."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from drretail.addons.exports.chat import write as write_chat
from drretail.addons.exports.score_tables import write_parquet
from drretail.addons.exports.selection import Chosen, Selection
from drretail.env.manifest import write_checksums
from drretail.eval.method import method_cards
from drretail.eval.scores.file import read_scores
from drretail.experiment import read_evidence
from drretail.files import write_atomically, write_lines
from drretail.grounding.gold_files import write_with_gold
from drretail.grounding.report.render import render_report
from drretail.records.query import Query
from drretail.records.run import Run
from drretail.records.tables.figures import counted

CARD = "card.md.jinja"
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))


def write(selection: Selection, to: Path) -> str:
    """A card, tasks and their gold, runs.jsonl, chat.jsonl, tables of scores as Parquet, and all checksums."""
    # There may be thousands, and steps are their weight.
    runs = [chosen.run.model_copy(update={"steps": ()}) for chosen in selection]
    if not runs:
        raise selection.nothing_left()
    # First, because it raises if there are no scores, and then nothing is left behind
    write_parquet(selection, to / "tables")
    query_ids = {run.query_id for run in runs}
    redaction = selection.redaction
    queries = [
        query if redaction is None else redaction.query(query)
        for query in selection.definition.queries
        if query.query_id in query_ids
    ]
    # Whoever runs a system on the tasks, or trains one, need not open the gold.
    write_with_gold(queries, to / "queries.jsonl")
    rows = (_run(selection, chosen) for chosen in selection)
    write_lines(to / "runs.jsonl", (json.dumps(row, ensure_ascii=False) for row in rows))
    write_chat(selection, to / "chat.jsonl")
    write_atomically(to / "README.md", _card(selection, queries, runs))
    write_checksums(to)
    return f"{counted(len(runs), 'run')} of {counted(len(queries), 'query')}"


def _run(selection: Selection, chosen: Chosen) -> dict[str, Any]:
    """A run, with its report as readers see it."""
    run, evidence, redaction = chosen.run, read_evidence(chosen.folder), selection.redaction
    rendered = render_report(run.report, evidence).text if run.report else None
    if redaction is None:
        return {**run.model_dump(mode="json", exclude_none=True, exclude={"format"}), "rendered": rendered}
    return {**redaction.run(run, evidence), "rendered": redaction.row(run.query_id, rendered)}


def _card(selection: Selection, queries: Sequence[Query], runs: Sequence[Run]) -> str:
    definition, scores = selection.definition, read_scores(selection.experiment)
    text = (Path(__file__).parent / CARD).read_text(encoding="utf-8")
    page = Environment(undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False).from_string(text)  # noqa: S701 — Markdown
    title = selection.shown({"title": definition.title or "Runs of deep research in a shop"})["title"]
    return page.render(
        title=json.dumps(title, ensure_ascii=False),
        is_redacted=selection.redaction is not None,
        # The hub's classes of size
        size=next((name for most, name in _SIZES if len(runs) < most), "100K<n<1M"),
        queries=len(queries),
        has_gold=any(query.has_gold for query in queries),
        runs=len(runs),
        systems=sorted({run.system for run in runs}),
        judges=sorted({f"{score.judge}" for chosen in selection for score in chosen.got}),
        methods=[] if scores is None else method_cards(selection.experiment, scores),
        fingerprint=definition.world_fingerprint,
        seed=definition.seed,
        versions=dict(sorted(definition.versions.items())),
        rules=[rule.text for rule in selection.rules],
        left_out=dict(sorted((+selection.left_out).items())),
    )
