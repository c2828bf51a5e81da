"""Table 5 and Figure 4: tokens, words and tool calls of a run."""

from collections.abc import Mapping, Sequence
from statistics import mean, stdev

from drretail.grounding.text.wording import words_of
from drretail.records.run import NINE, Run
from drretail.tables.table import Cell, Kind
from drretail.viewer.paper.published import Lineup, PaperTable, absent, beside, columns_of, here, paper_table, rows_of


def cost(runs: Mapping[str, Sequence[Run]], lines: Lineup) -> PaperTable:
    """Table 5, with the tool calls of section 6.3; failed runs have no report and are left out."""
    own = {label: _took(of_label) for label, of_label in runs.items()}
    return paper_table(
        "Table 5",
        "What a query takes: thousands of tokens, words, tool calls",
        columns_of("cost"),
        beside(lines, own, rows_of("cost")),
        notes=("± is the sample standard deviation over reports here; the paper does not name its own.",),
        missing=absent(lines),
    )


def tool_calls(runs: Mapping[str, Sequence[Run]], lines: Lineup) -> PaperTable:
    """Figure 4: calls of each tool in a run, on average; failed calls count."""
    labels = [label for name in lines.by_name.values() for label in name] + list(lines.others)
    rows = [here(label, [_calls(runs[label], tool) for tool in NINE]) for label in labels if label in runs]
    return paper_table(
        "Figure 4",
        "Tool calls of a query, by tool",
        NINE,
        rows,
        notes=("The paper shows these as bars, without numbers; their sums stand in Table 5 above.",),
        missing=absent(lines),
    )


def _took(runs: Sequence[Run]) -> list[Cell]:
    used = [list(run.usage.values()) for run in runs]
    read = [sum(one.input_uncached + one.cache_read + one.cache_creation for one in usage) / 1000 for usage in used]
    written = [sum(one.output for one in usage) / 1000 for usage in used]
    words = [words_of(run.report or "", run.citations) for run in runs]
    calls = [sum(step.kind == "tool" and step.name in NINE for step in run.steps) for run in runs]
    return [_spread(read), _spread(written), _spread(words, "count"), Cell(mean(calls), "tenths")]


def _spread(values: Sequence[float], kind: Kind = "tenths") -> Cell:
    return Cell(mean(values), kind, deviation=stdev(values) if len(values) > 1 else None)


def _calls(runs: Sequence[Run], tool: str) -> Cell:
    return Cell(mean(sum(step.kind == "tool" and step.name == tool for step in run.steps) for run in runs), "number")
