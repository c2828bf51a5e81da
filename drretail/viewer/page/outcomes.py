"""What became of each answer: right, or which fault; as bars, as a map of questions by systems, and as chips.
The scoreboard shows it first, then each system's difference from a baseline on one axis.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from drretail.eval.compare.wording import Measure, by_measure, name_of
from drretail.eval.scores.gathering import FP
from drretail.records.comparison import ComparedRow
from drretail.records.score import Scoreboard, Systems, place_of
from drretail.records.tables.figures import counted
from drretail.records.tables.table import Cell, Column, Row, Table
from drretail.viewer.experiment import Question
from drretail.viewer.judged import SEVERITY, SIGNS, WORDS
from drretail.viewer.page.frame import Links
from drretail.viewer.run_lines import DECISIONS, RunLine
from drretail.viewer.tables.result import OUTCOME
from drretail.viewer.tables.scoreboard import SPARE
from drretail.viewer.tables.scores import system_names

_WIDE, _TALL = 100, 10
"""Width and height of a bar, in units of its own."""
_LONGEST = 110


CHIPS = {"wrong": "with wrong picks", "false": "with false statements", "failed": "failed"}


@dataclass(frozen=True, slots=True)
class Chip:
    """A fault by which the page filters, with the number of answers that have it and one of these."""

    fault: str
    count: int
    words: str
    example: RunLine


def researched(lines: Iterable[RunLine], systems: Systems) -> list[RunLine]:
    """The runs of systems that research: neither floors nor the oracle."""
    return [line for line in lines if place_of(line.label, systems) in ("system", "counterfactual")]


def are_decided(lines: Iterable[RunLine]) -> bool:
    """True if it is known of some answer whether its decision is right; then runs that failed are faults, too."""
    return any(line.decision not in ("open", "failed") for line in lines)


def chips(lines: Sequence[RunLine]) -> list[Chip]:
    """What went wrong in answers, each with an example from the hardest question that has one."""
    by_question: dict[int, list[RunLine]] = defaultdict(list)
    for line in lines:
        by_question[line.question.number].append(line)
    hardest = sorted(lines, key=lambda line: _share_right(by_question[line.question.number]))
    faulty = {fault: [line for line in hardest if fault in line.faults] for fault in CHIPS}
    return [Chip(fault, len(its), CHIPS[fault], its[0]) for fault, its in faulty.items() if its]


def bar(parts: Sequence[tuple[str, int, str]], css: str) -> Markup:
    """A bar with a part for each class, count and words, as wide as its share."""
    total, x = sum(count for _, count, _ in parts), 0.0
    shown: list[Markup] = []
    for name, count, words in parts:
        width = _WIDE * count / total
        part = Markup('<rect x="{:.1f}" width="{:.1f}" height="{}" class="{}"><title>{} {}</title></rect>')
        shown.append(part.format(x, width, _TALL, name, count, words))
        x += width
    return Markup(
        '<svg class="{}" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img" aria-label="{}">{}</svg>'
    ).format(css, _WIDE, _TALL, ", ".join(f"{count} {words}" for _, count, words in parts), Markup().join(shown))


def outcome_bar(lines: Iterable[RunLine]) -> Markup:
    """What became of one system's answers, faults from the left; below it counts with signs, so it needs no colour."""
    counts = Counter(line.decision for line in lines)
    shown = [(name, counts[name], *DECISIONS[name]) for name in DECISIONS if counts[name]]
    each = Markup('<span>{} {}<span class="word"> {}</span></span> ')
    signs = Markup().join(each.format(sign, count, words) for _, count, sign, words in shown)
    below = Markup('<small class="signs" aria-hidden="true">{}</small>').format(signs)
    return bar([(f"is-{name}", count, words) for name, count, _, words in shown], "outcomes") + below


def claims_bar(line: RunLine) -> Markup:
    """The claims of one report by support, the worst from the left."""
    ordered = sorted(line.counts.items(), key=lambda each: -SEVERITY.index(each[0]))
    return bar([(support, count, WORDS[support]) for support, count in ordered], "claimbar")


def outcome_map(lines: Sequence[RunLine], links: Links, systems: Systems, order: Sequence[str]) -> Table:
    """What became of every answer: a row for each question, the hardest first, a column for each researching system.

    Each cell is one answer, with its claims as a second layer. Systems stand in this order, then those that it lacks.
    """
    names = system_names({line.label for line in lines}, systems)
    names = {label: names[label] for label in dict.fromkeys([*order, *names]) if label in names}
    runs: dict[int, list[RunLine]] = defaultdict(list)
    for line in lines:
        runs[line.question.number].append(line)
    rows: list[Row] = []
    for number in sorted(runs, key=lambda number: (_share_right(runs[number]), number)):
        question = runs[number][0].question
        of_system = {label: [line for line in runs[number] if line.label == label] for label in names}
        cells = [Markup().join(_answer(line, names[label], links) for line in its) for label, its in of_system.items()]
        rows.append(
            Row(
                shown_text(question),
                tuple(Cell("", html=html) if html else Cell("not asked") for html in cells),
                meaning=" ".join(question.query.text.split()),
                link=links.question(question),
            )
        )
    return Table("Every answer", tuple(map(Column, names.values())), tuple(rows), heading="Question, hardest first")


def question_dots(lines: Sequence[RunLine], systems: Systems, order: Sequence[str]) -> list[tuple[str, list[RunLine]]]:
    """Of two systems, the questions on which one, both or neither is right, in words; empty unless there are two."""
    names = system_names({line.label for line in lines}, systems)
    labels = [label for label in dict.fromkeys([*order, *names]) if label in names]
    if len(labels) != 2 or not are_decided(lines):
        return []
    ways = (True, False), (False, True), (True, True), (False, False)
    groups: dict[tuple[bool, ...], list[RunLine]] = {way: [] for way in ways}
    firsts = {(line.question.number, line.label): line for line in lines if line.repeat == 1}
    for number in sorted({number for number, _ in firsts}):
        pair = [firsts[number, label] for label in labels if (number, label) in firsts]
        if len(pair) == 2:
            groups[tuple(line.decision == "right" for line in pair)].append(pair[0])
    a, b = (names[label] for label in labels)
    words = f"only {a} is right", f"only {b} is right", "both are right", "neither is right"
    return [(text, answers) for text, answers in zip(words, groups.values(), strict=True) if answers]


def shown_text(question: Question) -> str:
    """The beginning of what was asked, in one line."""
    text = " ".join(question.query.text.split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rpartition(' ')[0]} …"


def _share_right(lines: Sequence[RunLine]) -> float:
    return sum(line.decision == "right" for line in lines) / len(lines)


def _answer(line: RunLine, name: str, links: Links) -> Markup:
    sign, words = DECISIONS[line.decision]
    claims = claims_bar(line) if line.counts else line.lacks_claims
    false = f", {counted(line.false, 'false statement')}" if line.false else ""
    return Markup(
        '<a class="cell is-{}" href="{}" data-run="{}" data-is="{}" title="{}: {}{}">'
        '<span class="sign" aria-hidden="true">{}{}</span><span class="unseen">{}</span>'
        '<span class="layer">{}</span></a>'
    ).format(
        line.decision,
        links.answer(line),
        line.run_id,
        " ".join(line.faults),
        name,
        words,
        false,
        sign,
        SIGNS["contradicted"] if line.false else "",
        f"{words}{false}",
        claims,
    )


_AXIS, _HIGH = 110.0, 14.0
_SHOWN = ("higher", "lower")
_NEEDED = frozenset((FP, "false statements", "false answers"))
"""Columns on the truth of what is said, which are always in sight."""
_ROUND = (0.1, 0.25, 0.5, 1.0)
"""Ends of the axis of differences."""


@dataclass(frozen=True, slots=True)
class PageBoard:
    """The table of systems that research, what stands behind "all columns", and whom they can be compared with."""

    table: Table
    rest: tuple[int, ...]
    """The indices of columns that are hidden at first."""
    baselines: Mapping[str, str]
    """Names of systems by label, the best first, which is compared with at first; empty if none are compared."""


def page_board(board: Scoreboard, table: Table, lines: Sequence[RunLine]) -> PageBoard:
    """The table with each system's outcomes, its rank, and its difference from any other one as further columns."""
    # What was bought, or the first measure that is compared.
    named = {name_of(measure[0]): measure for measure in by_measure(board.compared)}
    measure = named.get(OUTCOME) or next(iter(named.values()), None)
    systems = [row for row in table.rows if row.section < 2]
    ranked = {row.label: row.name for row in systems if row.section == 0}
    baselines = {} if measure is None else ranked
    added: list[tuple[Column, list[Cell | None]]] = []
    if are_decided(lines):
        meaning = "what became of the answers: faults from the left, right answers last"
        answers = [[line for line in lines if line.label == row.label] for row in table.rows]
        bars = [Cell("", html=outcome_bar(own)) if own else None for own in answers]
        added.append((Column("outcomes", meaning=meaning), bars))
    if measure is not None:
        ends = [each for row in measure for each in (row.difference, row.ci_low, row.ci_high) if each is not None]
        reached = max(map(abs, ends), default=0.0)
        end = next((end for end in _ROUND if reached <= end), reached)
        differences = [_against(row.label, baselines, measure, end) for row in table.rows]
        meaning = "its mean minus that of the baseline, over the questions that both answered"
        added.append((Column(f"difference in {name_of(measure[0])}", meaning=meaning), differences))
        if len(ranked) > 2:
            ranks: list[Cell | None] = []
            for label in (row.label for row in table.rows):
                # From one more than are shown to be above it, to those that are shown to be below it.
                shown = [row for row in measure if label in (row.a, row.b) and row.outcome in _SHOWN]
                below = sum((row.outcome == "higher") == (row.a == label) for row in shown)
                best, worst = 1 + len(shown) - below, len(ranked) - below
                rank = f"{best}" if best == worst else f"{best}–{worst}"
                ranks.append(Cell(rank) if label in ranked else None)
            meaning = "the ranks that it may have: what isn't told apart shares them"
            added.append((Column("rank", meaning=meaning), ranks))
    decides = [at for at, column in enumerate(board.columns) if column.decides][:1]
    others = [at for at in range(len(board.columns)) if at not in decides]
    columns = [*(table.columns[at] for at in decides), *(column for column, _ in added)]
    columns += [table.columns[at] for at in others]
    rows = [
        replace(
            row,
            cells=(
                *(row.cells[at] for at in decides),
                *(cells[place] for _, cells in added),
                *(row.cells[at] for at in others),
            ),
        )
        for place, row in enumerate(table.rows)
    ]
    offset = len(decides) + len(added)
    # In sight: what a system decides, whether what it says is true, its rating, and its cost.
    needed = {
        at
        for at, column in enumerate(board.columns)
        if column.decides or column.name in _NEEDED or column.unit in ({"rating", *SPARE} - {"words"})
    }
    rest = tuple(offset + place for place, at in enumerate(others) if at not in needed)
    return PageBoard(replace(table, columns=tuple(columns), rows=tuple(rows)), rest, baselines)


def _against(label: str, baselines: Mapping[str, str], measure: Measure, end: float) -> Cell | None:
    """The difference from each baseline, one of which the page shows."""
    shown: list[Markup] = []
    for at, other in enumerate(baselines):
        # With -1 if the difference is the other's minus its own.
        signed = ((row, 1 if row.a == label else -1) for row in measure if {row.a, row.b} == {label, other})
        comparison = next(signed, None)
        hidden = Markup(" hidden") if at else Markup()
        if label == other:
            shown.append(Markup('<span class="against" data-base="{}"{}>baseline</span>').format(other, hidden))
        elif comparison is not None and comparison[0].difference is not None:
            drawn, value = _difference(*comparison, end)
            shown.append(
                Markup('<span class="against" data-base="{}" data-value="{:.4f}"{}>{}</span>').format(
                    other, value, hidden, drawn
                )
            )
    return Cell("", html=Markup().join(shown)) if shown else None


def _difference(row: ComparedRow, sign: int, end: float) -> tuple[Markup, float]:
    """A dot with its interval around zero; full if the difference is more than chance."""
    value = sign * (row.difference or 0.0)
    low, high = sorted(sign * each for each in (row.ci_low, row.ci_high) if each is not None) or (value, value)
    cell = Cell(value, "signed", *((low, high) if row.ci_low is not None else (None, None)))

    def at(number: float) -> float:
        return _AXIS / 2 * (1 + max(-1.0, min(1.0, number / end)))

    is_shown = row.outcome in _SHOWN
    words = "more than chance" if is_shown else "may be chance"
    svg = Markup(
        '<svg class="forest" viewBox="-5 0 {} {}" role="img" aria-label="{}, {}"><line x1="{}" x2="{}" y1="0" y2="{}"'
        ' class="zero"/><line x1="{:.1f}" x2="{:.1f}" y1="7" y2="7" class="s0"/><circle cx="{:.1f}" cy="7" r="4"'
        ' class="{}"/></svg> <span class="interval">{}</span>'
    ).format(
        _AXIS + 10,
        _HIGH,
        cell.whole,
        words,
        _AXIS / 2,
        _AXIS / 2,
        _HIGH,
        at(low),
        at(high),
        at(value),
        "s0" if is_shown else "s0 hollow",
        cell.whole,
    )
    return svg, value
