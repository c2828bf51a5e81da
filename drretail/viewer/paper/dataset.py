"""Tables 4 and 5, Figures 4 and 5: what a dataset has, what a profile adds to its queries, what a run costs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import mean, stdev

from drretail.grounding.report.render import WordCount
from drretail.querygen.comparison import Row as Mode
from drretail.records.query import Query
from drretail.records.run import NINE, Run
from drretail.records.score import Scores
from drretail.records.tables.figures import counted
from drretail.records.tables.table import Cell, Kind, Row
from drretail.viewer.paper.published import (
    Lineup,
    PaperTable,
    beside,
    columns_of,
    here,
    of_paper,
    paper_table,
    rows_of,
)

WEB = "web_search"
LONG = 250
"""A report with at least this many words counts as a long answer."""
BODY = "words without sources"
DEEP = 3
"""Answering a query that expects at least this many different tools counts as research."""


def dataset(
    queries: Sequence[Query], runs: Sequence[Run], words: Mapping[str, WordCount], scores: Scores | None
) -> PaperTable:
    """Table 4 with a row for this experiment: shares of its queries or of its reports; ``words`` by run id."""
    rows = [of_paper(name, cells) for name, cells in rows_of("datasets").items()]
    judged = () if scores is None else (row for row in scores.scores if row.metric == "faithfulness")
    is_judged = any(row.value is not None for row in judged)
    shares = (
        _share([len(set(query.expected_tools)) >= DEEP for query in queries]),
        _share([words[run.run_id].shown >= LONG for run in runs if run.status == "done"]),
        _share([bool(set(query.expected_tools) & (set(NINE) - {WEB})) for query in queries]),
        _share([WEB in query.expected_tools for query in queries]),
        Cell(is_judged, "check"),
        _share([query.user_id is not None and query.mode == "profile_aware" for query in queries]),
    )
    note = (
        f"Here as shares: of queries that expect {DEEP} tools and more, of reports of {LONG} words and more, of "
        "queries that expect a tool of the shop, and the web, and of those with a profile."
    )
    own = here(f"this experiment ({counted(len(queries), 'query')})", shares)
    return paper_table("datasets", (*rows, own), notes=[note])


def modes(experiment: str, compared: Sequence[Mode] | None) -> PaperTable:
    """Figure 5: generic and profile-aware queries; ``compared`` is None without the world."""
    missing: list[str] = []
    if compared is None:
        missing.append("the world of the queries: name it with --world")
    else:
        modes = {mode.mode for mode in compared}
        missing += [
            f"{mode.replace('_', '-')} queries in {experiment}: drretail queries generate … --mode {mode}"
            for mode in ("generic", "profile_aware")
            if mode not in modes
        ]
    rows = [
        here(
            mode.mode.replace("_", "-"),
            (Cell(mode.queries, "count"), *(Cell(each, "number") for each in asdict(mode.means).values())),
        )
        for mode in compared or ()
    ]
    return paper_table("modes", rows, missing)


def _share(of: Sequence[bool]) -> Cell | None:
    return Cell(mean(map(float, of)), "number", n=len(of)) if of else None


def cost(
    runs: Mapping[str, Sequence[Run]], planned: Mapping[str, int], words: Mapping[str, WordCount], lines: Lineup
) -> PaperTable:
    """Table 5 with the tool calls of section 6.3. ``runs`` are those with a report, of ``planned`` ones by system;
    ``words`` are by run id.
    """
    own: dict[str, list[Cell | None]] = {}
    for label, of_label in runs.items():
        # A run without usage does not say what it took.
        used = [list(run.usage.values()) for run in of_label if run.usage]
        read = [
            sum(each.input_uncached + each.cache_read + each.cache_creation for each in usage) / 1000 for usage in used
        ]
        written = [sum(each.output for each in usage) / 1000 for usage in used]
        shown, body = zip(*(words[run.run_id] for run in of_label), strict=True)
        calls = [sum(step.kind == "tool" and step.name in NINE for step in run.steps) for run in of_label]
        own[label] = [
            *(_spread(tokens, planned[label]) for tokens in (read, written)),
            *(_spread(count, planned[label], "count") for count in (shown, body)),
            Cell(mean(calls), "tenths", n=len(calls), planned=planned[label]),
        ]
    columns = columns_of("cost")
    rows = beside(lines, own, {name: (*cells[:3], None, *cells[3:]) for name, cells in rows_of("cost").items()})
    return paper_table("cost", rows, lines.absent, columns=(*columns[:3], BODY, *columns[3:]))


def tool_calls(runs: Mapping[str, Sequence[Run]], planned: Mapping[str, int], lines: Lineup) -> PaperTable:
    """Figure 4: the mean number of calls of each tool in a run; failed calls count."""
    labels = [label for name in lines.by_name.values() for label in name] + list(lines.others)
    rows: list[Row] = []
    for label in labels:
        if label in runs:
            made = [Counter(step.name for step in run.steps if step.kind == "tool") for run in runs[label]]
            means = [mean(calls[tool] for calls in made) for tool in NINE]
            rows.append(here(label, [Cell(each, "number", n=len(made), planned=planned[label]) for each in means]))
    return paper_table("tool_calls", rows, lines.absent, columns=NINE)


def _spread(values: Sequence[float], planned: int, kind: Kind = "tenths") -> Cell | None:
    """Their mean, over fewer runs than planned where some are unknown; None if all are."""
    deviation = stdev(values) if len(values) > 1 else None
    return Cell(mean(values), kind, deviation=deviation, n=len(values), planned=planned) if values else None
