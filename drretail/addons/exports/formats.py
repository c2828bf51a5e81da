"""The forms by name, and the one of deep_research_bench, which takes no more than a function."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from drretail.addons.exports import chat, score_tables
from drretail.addons.exports.selection import Selection
from drretail.errors import UserError, check_known
from drretail.files import made_whole, write_lines
from drretail.grounding.report.render import render_report
from drretail.records.base import file_name
from drretail.records.figures import counted
from drretail.run_file import read_evidence


@dataclass(frozen=True, slots=True)
class ExportForm:
    """One form: the default name of what it writes, and its writer.

    ``write`` returns how many of what it wrote ("21 conversations"). A ``name`` without a suffix is a folder's. A form
    that ``redacts`` passes all rows through the selection's redaction.
    """

    name: str
    write: Callable[[Selection, Path], str]
    redacts: bool = False


def write_drb(selection: Selection, to: Path) -> str:
    """Writes ``<system>.jsonl``, and ``<system>-r2.jsonl`` for further repeats.

    Ids are the numbers of the queries in the experiment, from 1, as in that benchmark; ``query_id`` is drretail's.
    """
    numbers = {query.query_id: number for number, query in enumerate(selection.definition.queries, 1)}
    files: dict[str, list[tuple[int, str]]] = {}
    for chosen in selection:
        number = numbers[chosen.run.query_id]
        is_foreign = selection.definition.systems[chosen.run.system].is_imported
        repeat = "" if chosen.run.repeat == 1 else f"-r{chosen.run.repeat}"
        report = chosen.run.report or ""
        # With numbered links and sources. An imported report stays as it came, which is how it was read.
        article = report if is_foreign else render_report(report, read_evidence(chosen.path)).text
        row = {"id": number, "prompt": chosen.query.text, "article": article, "query_id": chosen.query.query_id}
        lines = files.setdefault(f"{file_name(chosen.run.system)}{repeat}.jsonl", [])
        lines.append((number, json.dumps(row, ensure_ascii=False)))
    if not files:
        raise selection.nothing_left()
    to.mkdir(parents=True, exist_ok=True)
    for name, lines in files.items():
        write_lines(to / name, [line for _, line in sorted(lines)])
    return f"{counted(sum(map(len, files.values())), 'report')} in {counted(len(files), 'file')}"


FORMS: Mapping[str, ExportForm] = {
    "chat": ExportForm("chat.jsonl", chat.write, redacts=True),
    "drb": ExportForm("drb", write_drb),
    "csv": ExportForm("scores-csv", score_tables.write_csv, redacts=True),
    "statements": ExportForm("statements.csv", score_tables.write_statements, redacts=True),
}


def load_form(name: str) -> ExportForm:
    """The form of that name. Raises UnknownName."""
    check_known("export", FORMS, name)
    return FORMS[name]


def export_selection(selection: Selection, name: str, to: Path, *, force: bool = False) -> str:
    """Writes the selection in a form and says what was written.

    Raises UserError if ``to`` exists already, unless ``force``; if it is named as a file and the form is a folder; if
    no run is left to write; and if the form can't redact and a redaction is asked for.
    """
    form = load_form(name)
    if selection.redaction is not None and not form.redacts:
        raise UserError(f"{name} can't be redacted: take chat, csv or statements, or drop --redact.")
    if not Path(form.name).suffix and to.suffix[1:].isalpha() and not to.is_dir():
        raise UserError(f"{name} is several files: name a folder with --to, such as {to.with_suffix('')}.")
    if (to.is_file() or to.is_dir()) and not force:
        raise UserError(f"{to} is there already: name another file with --to, or replace it with --force.")
    if to.is_dir():  # it may hold other files, which stay
        return form.write(selection, to)
    with made_whole(to, is_replaced=True) as target:
        return form.write(selection, target)
