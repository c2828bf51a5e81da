"""Every report at a glance: a line a question, a column a system, in each cell the report's claims as a bar."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from drretail.records.score import in_order, place_of
from drretail.viewer.claims import WORDS
from drretail.viewer.experiment import Question
from drretail.viewer.page.run_lines import RunLine
from drretail.viewer.tables.scores import system_names

_WIDE, _TALL = 100, 10


@dataclass(frozen=True, slots=True)
class GridRow:
    question: Question
    cells: tuple[tuple[RunLine, ...], ...]
    """By system; a run for each repeat."""


@dataclass(frozen=True, slots=True)
class ClaimsGrid:
    systems: tuple[str, ...]
    rows: tuple[GridRow, ...]


def claims_grid(lines: Sequence[RunLine]) -> ClaimsGrid | None:
    """Of the systems that research; None where no report of theirs was judged."""
    researched = [line for line in lines if place_of(line.label) in ("system", "counterfactual")]
    if not any(line.is_judged for line in researched):
        return None
    labels = in_order({line.label for line in researched})
    names = system_names(labels)
    cells: dict[tuple[int, str], list[RunLine]] = defaultdict(list)
    for line in researched:
        cells[line.question.number, line.label].append(line)
    questions = {line.question.number: line.question for line in researched}
    rows = (
        GridRow(questions[number], tuple(tuple(cells[number, label]) for label in labels))
        for number in sorted(questions)
    )
    return ClaimsGrid(tuple(names[label] for label in labels), tuple(rows))


def claims_bar(line: RunLine) -> Markup:
    """The claims of one report, a part for each of what came of them, as wide as their share."""
    total = sum(line.counts.values())
    told = ", ".join(f"{count} {WORDS[support]}" for support, count in line.counts.items())
    parts: list[Markup] = []
    x = 0.0
    for support, count in line.counts.items():
        width = _WIDE * count / total
        parts.append(
            Markup('<rect x="{:.1f}" width="{:.1f}" height="{}" class="{}"/>').format(x, width, _TALL, support)
        )
        x += width
    return Markup(
        '<svg class="claimbar" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img" aria-label="{told}">'
        "<title>{told}</title>{}</svg>"
    ).format(_WIDE, _TALL, Markup().join(parts), told=told)
