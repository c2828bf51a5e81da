"""Reports as deep_research_bench takes them: a file a system, a line {id, prompt, article} a query."""

import json
from pathlib import Path

from drretail.experiment import read_evidence
from drretail.exports.selection import Selection
from drretail.files import write_lines
from drretail.grounding.report.render import render_report
from drretail.records.ids import file_name
from drretail.tables.figures import counted

SUFFIX = ".jsonl"


def write(selection: Selection, to: Path) -> str:
    """``<system>.jsonl``, and of further repeats ``<system>-r2.jsonl``; a run without a report has an empty article.

    Ids are the numbers of the queries in the experiment, from 1, as that benchmark has them; ``query_id`` is ours.
    """
    numbers = {query.query_id: number for number, query in enumerate(selection.definition.queries, 1)}
    files: dict[str, list[tuple[int, str]]] = {}
    for chosen in selection:
        number = numbers[chosen.run.query_id]
        is_foreign = selection.definition.systems[chosen.run.system].is_imported
        repeat = "" if chosen.run.repeat == 1 else f"-r{chosen.run.repeat}"
        report = chosen.run.report or ""
        # With numbered links and sources; a report from elsewhere as it came, which is how it was read.
        article = report if is_foreign else render_report(report, read_evidence(chosen.folder)).text
        row = {"id": number, "prompt": chosen.query.text, "article": article, "query_id": chosen.query.query_id}
        lines = files.setdefault(f"{file_name(chosen.run.system)}{repeat}{SUFFIX}", [])
        lines.append((number, json.dumps(row, ensure_ascii=False)))
    if not files:
        raise selection.nothing_left()
    to.mkdir(parents=True, exist_ok=True)
    for name, lines in files.items():
        write_lines(to / name, [line for _, line in sorted(lines)])
    return f"{counted(sum(map(len, files.values())), 'report')} in {counted(len(files), 'file')}"
