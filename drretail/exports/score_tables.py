"""Scores, values of single reports and verdicts as tables: CSV for spreadsheets, Parquet for everything else."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from drretail.errors import UserError
from drretail.eval.judging.verdicts import VerdictFile
from drretail.eval.scores.file import read_scores
from drretail.exports.selection import Selection
from drretail.files import write_atomically
from drretail.records.score import Score, Verdict
from drretail.tables.csv_file import csv_table
from drretail.tables.table import table_of

Row = Mapping[str, Any]
SCORES: Mapping[str, str] = {
    "metric": "VARCHAR", "variant": "VARCHAR", "system": "VARCHAR", "judge": "VARCHAR", "judge_kind": "VARCHAR",
    "rules": "VARCHAR", "policy": "VARCHAR", "aggregation": "VARCHAR", "value": "DOUBLE", "ci_low": "DOUBLE",
    "ci_high": "DOUBLE", "n_users": "BIGINT",
    "n_planned": "BIGINT", "n_scored": "BIGINT", "n_na": "BIGINT", "n_unverifiable": "BIGINT",
    "n_failed": "BIGINT", "note": "VARCHAR",
}  # fmt: skip
"""The columns of a table and what they hold."""
VALUES: Mapping[str, str] = {
    "run_id": "VARCHAR", "system": "VARCHAR", "query_id": "VARCHAR", "repeat": "BIGINT", "status": "VARCHAR",
    "metric": "VARCHAR", "variant": "VARCHAR", "judge": "VARCHAR", "rules": "VARCHAR", "state": "VARCHAR",
    "value": "DOUBLE", "items": "VARCHAR",
}  # fmt: skip
VERDICTS: Mapping[str, str] = {
    "run_id": "VARCHAR", "other_run_id": "VARCHAR", "order": "VARCHAR", "metric": "VARCHAR", "stage": "VARCHAR",
    "item": "VARCHAR", "judge": "VARCHAR", "judge_kind": "VARCHAR", "rules": "VARCHAR", "judge_repeat": "BIGINT",
    "state": "VARCHAR", "value": "VARCHAR", "reason": "VARCHAR", "quote": "VARCHAR", "error": "VARCHAR",
}  # fmt: skip
Write = Callable[[Path, Mapping[str, str], Sequence[Row]], None]


def write_csv(selection: Selection, to: Path) -> str:
    """scores.csv, values.csv and verdicts.csv in a folder; cells that a spreadsheet would calculate are guarded."""
    return _write(selection, to, ".csv", _csv)


def write_parquet(selection: Selection, to: Path) -> str:
    """The same tables as Parquet."""
    return _write(selection, to, ".parquet", _parquet)


def _write(selection: Selection, to: Path, suffix: str, write: Write) -> str:
    tables = {
        "scores": (SCORES, [selection.shown(row) for row in _scores(selection)]),
        "values": (VALUES, [*_values(selection)]),
        "verdicts": (VERDICTS, [*_verdicts(selection)]),
    }
    to.mkdir(parents=True, exist_ok=True)
    for name, (columns, rows) in tables.items():
        write(to / f"{name}{suffix}", columns, rows)
    return ", ".join(f"{len(rows):,} {name}" for name, (_, rows) in tables.items())


def _scores(selection: Selection) -> Iterator[dict[str, Any]]:
    scored = read_scores(selection.experiment)
    if scored is None:
        raise UserError(f"{selection.experiment} has no scores yet: drretail score {selection.experiment} makes them.")
    rows: Sequence[Score] = scored.scores
    return (row.model_dump(mode="json", include={*SCORES}) for row in rows if row.system in selection.systems)


def _values(selection: Selection) -> Iterator[Row]:
    for chosen in selection:
        run = chosen.run
        about = {"run_id": run.run_id, "system": run.system, "query_id": run.query_id, "repeat": run.repeat}
        for score in chosen.got:
            judged = {"metric": score.metric, "variant": score.variant, "judge": score.judge, "rules": score.rules}
            items = json.dumps(dict(score.items), sort_keys=True) if score.items else None
            row = about | judged | {"status": run.status, "state": score.state, "value": score.value, "items": items}
            yield selection.shown(row, run.query_id)


def _verdicts(selection: Selection) -> Iterator[Row]:
    wanted = {*selection.systems}
    runs = {chosen.run.run_id for chosen in selection} if selection.rules else None
    for path in sorted((selection.experiment / "verdicts").glob("*/*/*/*.jsonl")):
        if path.name.endswith(".journal.jsonl"):
            continue
        for verdict in VerdictFile(path).lasts():
            about = {each for each in (verdict.run_id, verdict.other_run_id) if each}
            if {each.partition("/")[0] for each in about} <= wanted and (runs is None or about <= runs):
                yield selection.shown(_row(verdict), verdict.run_id.partition("/")[2].rpartition("-r")[0])


def _row(verdict: Verdict) -> dict[str, Any]:
    row = verdict.model_dump(mode="json", include={*VERDICTS} - {"judge", "value"})
    value = verdict.value
    shown = value if isinstance(value, str) or value is None else json.dumps(value, ensure_ascii=False)
    return row | {"judge": verdict.judge.spec, "judge_kind": verdict.judge.kind, "value": shown}


def _csv(path: Path, columns: Mapping[str, str], rows: Sequence[Row]) -> None:
    table = table_of(path.stem, [*columns], ([row.get(name) for name in columns] for row in rows))
    write_atomically(path, csv_table(table))


def _parquet(path: Path, columns: Mapping[str, str], rows: Sequence[Row]) -> None:
    import duckdb

    typed = ", ".join(f'"{name}" {kind}' for name, kind in columns.items())
    with TemporaryDirectory() as folder, duckdb.connect() as database:
        source, made = Path(folder) / "rows.jsonl", Path(folder) / "rows.parquet"
        source.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
        database.execute(f"CREATE TABLE rows ({typed})")
        if rows:
            struct = "{" + ", ".join(f"'{name}': '{kind}'" for name, kind in columns.items()) + "}"
            reading = f"read_json(?, format='newline_delimited', columns={struct})"
            database.execute(f"INSERT INTO rows BY NAME SELECT * FROM {reading}", [str(source)])  # noqa: S608 — our own names
        database.execute(f"COPY rows TO '{made}' (FORMAT parquet)")
        write_atomically(path, made.read_bytes())
