"""Table 5 and Figure 4: tokens, words and tool calls of a run."""

from collections.abc import Mapping, Sequence
from statistics import mean, stdev

from drretail.grounding.text.wording import words_of
from drretail.records.run import NINE, Run
from drretail.viewer.paper.published import Cell, Lineup, Row, Spread, Table, absent, beside, columns_of, rows_of


def cost(runs: Mapping[str, Sequence[Run]], lines: Lineup) -> Table:
    """Table 5, with the tool calls of section 6.3; failed runs have no report and are left out."""
    here = {label: _took(of_label) for label, of_label in runs.items()}
    return Table(
        "Table 5",
        "What a query takes: thousands of tokens, words, tool calls",
        columns_of("cost"),
        beside(lines, here, rows_of("cost")),
        digits=1,
        notes=("± is the sample standard deviation over reports here; the paper does not name its own.",),
        missing=absent(lines),
    )


def tool_calls(runs: Mapping[str, Sequence[Run]], lines: Lineup) -> Table:
    """Figure 4: calls of each tool in a run, on average; failed calls count."""
    labels = [label for name in lines.by_name.values() for label in name] + list(lines.others)
    rows = [Row(label, "here", tuple(_calls(runs[label], tool) for tool in NINE)) for label in labels if label in runs]
    return Table(
        "Figure 4",
        "Tool calls of a query, by tool",
        NINE,
        tuple(rows),
        notes=("The paper shows these as bars, without numbers; their sums stand in Table 5 above.",),
        missing=absent(lines),
    )


def _took(runs: Sequence[Run]) -> list[Cell]:
    used = [list(run.usage.values()) for run in runs]
    read = [sum(one.input_uncached + one.cache_read + one.cache_creation for one in usage) / 1000 for usage in used]
    written = [sum(one.output for one in usage) / 1000 for usage in used]
    words = [words_of(run.report or "", run.citations) for run in runs]
    calls = [sum(step.kind == "tool" and step.name in NINE for step in run.steps) for run in runs]
    return [_spread(read), _spread(written), _whole(words), mean(calls)]


def _spread(values: Sequence[float]) -> Spread:
    return Spread(mean(values), stdev(values) if len(values) > 1 else None)


def _whole(values: Sequence[float]) -> Spread:
    """As the paper prints words."""
    found = _spread(values)
    return Spread(round(found.mean), None if found.sd is None else round(found.sd))


def _calls(runs: Sequence[Run], tool: str) -> float:
    return mean(sum(step.kind == "tool" and step.name == tool for step in run.steps) for run in runs)
